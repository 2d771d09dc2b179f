"""The place that every blocking call of a communicator goes through."""
from chainer_fast.mn._watchdog import _waits


def waiting(name, peer, call, *args, **kwargs):
    """Return ``call(*args, **kwargs)``, which waits for other processes.

    Parameters
    ----------
    name : str
        The operation. A message between two processes begins with ``send`` or ``recv``;
        in any other, all processes of the communicator take part.
    peer : int or None
        Rank of the process waited for, or root of the operation; None for all.
    call : callable
        If it is a method of a communicator of MPI, the watchdog knows who takes part.
    """
    if not _waits.active:
        return call(*args, **kwargs)
    with _waits.Wait(name, peer, getattr(call, '__self__', None)):
        return call(*args, **kwargs)
