"""The place that every blocking MPI call of a communicator goes through."""

#: Called as ``watch(name, peer)`` before a call that waits for other processes; returns
#: a context manager around it. None, as long as nobody watches.
watch = None


def waiting(name, peer, call, *args, **kwargs):
    """Return ``call(*args, **kwargs)``, which waits for other processes.

    Parameters
    ----------
    name : str
        The operation, as in ``'recv'``.
    peer : int or None
        Rank of the process waited for, or root of the operation; None for all.
    call : callable
    """
    if watch is None:
        return call(*args, **kwargs)
    with watch(name, peer):
        return call(*args, **kwargs)
