"""Ends every process of a job with an error as soon as one of them fails.

MPI does not detect that a process has raised an exception or ended: the others would
wait for it forever. Therefore processes are also connected by sockets, to which an
otherwise idle thread listens. It is notified of an exception by :data:`sys.excepthook`,
of a normal end by :mod:`atexit`, and of a crash by the connection, which the system
closes. A stopped process, a machine that crashed and a broken network connection are
detected by missing heartbeats.

``config.mn_watchdog`` selects, when the first communicator is made, whether the
watchdog runs, and ``config.mn_watchdog_timeout`` how long a neighbour may be silent;
their defaults are set by the environment variables ``CHAINERMN_WATCHDOG`` and
``CHAINERMN_WATCHDOG_TIMEOUT``.
"""
import atexit
import os
import platform
import secrets
import sys
import warnings

from chainer_fast import configuration
from chainer_fast.mn._watchdog import _channel, _links, _waits

_SETTING_UP = 20

#: Pairs of a set of ranks and the channel that they share.
_channels = []


def start(mpi_comm):
    """Watch the processes of a communicator; all of them call this function.

    It does nothing if they are already watched, or if one of them has turned it off.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
    """
    if mpi_comm.size == 1 or not mpi_comm.is_intra:
        return
    registered = _waits.register(mpi_comm)
    if registered is None:
        return
    ranks = registered.ranks
    if any(set(ranks) <= known for known, _ in _channels):
        return
    neighbours, people, patience = _connect(mpi_comm, ranks)
    if neighbours is None:
        return
    if not _channels:
        _watch_ends()
    rank = ranks[mpi_comm.rank]
    _channels.append((set(ranks), _channel.Channel(
        rank, people, neighbours, patience)))
    _waits.active = True


def _connect(mpi_comm, ranks):
    """Return sockets of neighbours and descriptions of all processes, by rank.

    The third result is how long a neighbour may be silent; 0 (forever) if any process
    sets it.
    """
    position, size = mpi_comm.rank, mpi_comm.size
    token = secrets.token_bytes(32) if position == 0 else None
    name = platform.node() or 'this machine'
    told = mpi_comm.allgather((
        bool(configuration.config.mn_watchdog), token, _links.machine(),
        'rank %d (%s, process %d)' % (ranks[position], name, os.getpid()),
        float(configuration.config.mn_watchdog_timeout)))
    if not all(wanted for wanted, *_ in told):
        return None, None, None
    token, only_here = told[0][1], len({machine for _, _, machine, *_ in told}) == 1
    children = _links.children_of(position, size)
    listener, place, problem, found = None, ((), 0), None, {}
    try:
        if children:
            listener = _links.listen(only_here)
            place = _links.addresses(only_here), listener.getsockname()[1]
    except OSError as error:
        problem = error
    places = mpi_comm.allgather(place)
    try:
        if problem is None and position:
            parent = _links.parent_of(position)
            hosts, port = places[parent]
            found[parent] = _links.connect(hosts, port, token, position, _SETTING_UP)
        if problem is None and children:
            found.update(_links.accept(listener, children, token, _SETTING_UP))
    except OSError as error:
        problem = error
    if listener is not None:
        listener.close()
    problems = mpi_comm.allgather(problem and str(problem))
    if not any(problems):
        people = {rank: told[other][3] for other, rank in enumerate(ranks)}
        limits = [limit for *_, limit in told]
        return ({ranks[other]: made for other, made in found.items()}, people,
                max(limits) if min(limits) > 0 else 0)
    for made in found.values():
        made.close()
    if problem or position == 0:
        warnings.warn(
            'the job will not end by itself if a process fails, because the watchdogs '
            'of %s cannot reach each other: %s. Set CHAINERMN_WATCHDOG=0 to turn them '
            'off'
            % (' and '.join(told[i][3] for i, one in enumerate(problems) if one),
               next(one for one in (problem, *problems) if one)),
            RuntimeWarning, stacklevel=4)
    return None, None, None


def tell(exception):
    """Notify all processes that this one fails; wait until they printed it."""
    for _, channel in _channels:
        if not channel.fails:
            what, trace = _channel.describe(exception)
            channel.say(kind='failed', what=what, trace=trace)
    for _, channel in _channels:
        channel.all_told.wait(_channel.TELLING + 1)


def _watch_ends():
    from mpi4py import MPI
    # MPI.Finalize() also announces the end of this process: os._exit may follow. It
    # deletes the attributes of this communicator, and waits for the other processes
    # anyway.
    MPI.COMM_SELF.Set_attr(
        MPI.Comm.Create_keyval(delete_fn=lambda *_: _leave()), True)
    outer = sys.excepthook

    def excepthook(kind, exception, trace):
        outer(kind, exception, trace)
        if not hasattr(sys, 'ps1') and not sys.flags.interactive:
            tell(exception)

    sys.excepthook = excepthook
    if hasattr(os, 'register_at_fork'):
        os.register_at_fork(after_in_child=_forget)


@atexit.register
def _leave():
    """Announce the end of this process, and forward messages until all have
    done so.

    MPI would make this process wait for the others anyway, but without a Python
    thread. This function is registered early, so that it is called after most other
    functions.
    """
    for _, channel in _channels:
        if channel.fails:
            channel.all_told.wait(_channel.TELLING + 1)
            _channel.end(1)
    for _, channel in _channels:
        if not channel.left:
            channel.left = True
            channel.say(kind='left', counts=_waits.counts())
    for _, channel in _channels:
        channel.all_ended.wait()


def _forget():
    """Leave the job in a forked process."""
    for _, channel in _channels:
        channel.close()
    _channels.clear()
    _waits.active = False
