"""Wrapper of all blocking calls of a communicator."""
from chainer_fast.mn._watchdog import _waits


def waiting(name, peer, call, *args, **kwargs):
    """Return ``call(*args, **kwargs)``, which waits for other processes.

    Parameters
    ----------
    name : str
        The operation, as the user called it.
    peer : int or None
        Rank of the process waited for, or root of the operation; None for all.
    call : callable
        A method of a communicator of MPI, from which the watchdog determines the
        participants, or another callable that waits.
    """
    if not _waits.active:
        return call(*args, **kwargs)
    with _waits.Wait(name, peer, call):
        return call(*args, **kwargs)
