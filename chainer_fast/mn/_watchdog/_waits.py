"""Operations that this process waits for, and those that it has participated in.

A process that has ended can no longer participate in an operation. Whether it already
did, and others only wait for each other, follows from the number of collective
operations on a communicator: all its processes count the same operations, in the same
order. Counts of freed communicators are deleted: a process that frees one has
completed its operations.
"""
import collections
import functools
import hashlib
import re
import threading
import time

#: Whether calls are recorded.
active = False

#: Seconds for which others may wait for a process after it has ended.
PATIENCE = 3

_counts = {}
_current = {}
_made = collections.Counter()
_keyval = None


class _Processes:
    """The processes of a communicator of MPI, by their ranks in the job."""

    def __init__(self, ranks):
        self.ranks = ranks
        text = ','.join(map(str, ranks))
        self.group = hashlib.sha256(text.encode()).hexdigest()[:16]
        # Its members make communicators of the same processes in the same order.
        _made[self.group] += 1
        self.number = _made[self.group]
        self.key = '%s/%d' % (self.group, self.number)
        _counts[self.key] = 0

    def lacks(self, counts, number):
        """Return whether a process with these counts misses an operation."""
        if self.key in counts:
            return counts[self.key] < number
        return counts.get(self.group, 0) < self.number      # otherwise it was freed


def _ranks_of(mpi_comm):
    """Return the ranks in the job; None if a process does not belong to it."""
    from mpi4py import MPI
    group, world = mpi_comm.Get_group(), MPI.COMM_WORLD.Get_group()
    ranks = tuple(group.Translate_ranks(range(group.size), world))
    group.Free()
    world.Free()
    return None if MPI.UNDEFINED in ranks else ranks


def _forget(mpi_comm, keyval, known):
    _counts.pop(known.key, None)


def register(mpi_comm):
    """Register a communicator; return its processes, or None."""
    global _keyval
    if _keyval is None:
        from mpi4py import MPI
        _keyval = MPI.Comm.Create_keyval(delete_fn=_forget)
    known = mpi_comm.Get_attr(_keyval)
    if known is None and mpi_comm.is_intra:
        ranks = _ranks_of(mpi_comm)
        if ranks is not None:
            known = _Processes(ranks)
            mpi_comm.Set_attr(_keyval, known)
    return known


@functools.cache
def _is_collective(method):
    """Return whether all processes participate in a method of MPI."""
    return re.search('send|recv|probe', method, re.IGNORECASE) is None


class Wait:
    """Context around a call of MPI that waits for other processes.

    Parameters
    ----------
    name : str
        The operation.
    peer : int or None
        Rank of the process waited for, or root.
    call : callable
        A method of a communicator of MPI, or another callable that waits.
    """

    __slots__ = 'name', 'number', 'peer', 'processes', 'since', '_collective', '_outer'

    def __init__(self, name, peer, call):
        self.name, self.peer, self.number = name, peer, None
        mpi_comm = getattr(call, '__self__', None)
        self.processes = register(mpi_comm) if hasattr(mpi_comm, 'Get_attr') else None
        self._collective = _is_collective(getattr(call, '__name__', ''))

    def __enter__(self):
        if self.processes is not None and self._collective:
            _counts[self.processes.key] += 1
            self.number = _counts[self.processes.key]
        self.since = time.monotonic()
        thread = threading.get_ident()
        self._outer = _current.get(thread)
        _current[thread] = self

    def __exit__(self, *_):
        if self._outer is None:
            del _current[threading.get_ident()]
        else:
            _current[threading.get_ident()] = self._outer

    def needs(self, rank, counts):
        """Return whether it waits for a process with this operation count."""
        if self.processes is None or rank not in self.processes.ranks:
            return False
        if self.number is not None:
            return self.processes.lacks(counts, self.number)
        # A message that was sent arrives within the time of patience.
        return (self.peer is not None and 0 <= self.peer < len(self.processes.ranks)
                and self.processes.ranks[self.peer] == rank)


def counts():
    """Return the number of collective operations by key of the communicator.

    Groups of processes are among the keys, with the number of their communicators.
    """
    return {**_counts, **_made}


def names():
    """Return the names of the operations that this process waits in."""
    return [one.name for one in list(_current.values())]


def awaited(ended, now):
    """Return the rank of an ended process for which this one waits, and the operation.

    Parameters
    ----------
    ended : dict
        By rank: when the message about its end arrived, and its counts.
    now : float

    Returns
    -------
    tuple or None
    """
    for one in list(_current.values()):
        for rank, (since, its_counts) in ended.items():
            if now - max(since, one.since) > PATIENCE and one.needs(rank, its_counts):
                return rank, one.name
    return None
