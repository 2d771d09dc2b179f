"""An end with an error for every process of a job as soon as one of them fails.

MPI does not notice that a process has raised an exception or ended: the others would
wait for it for ever. So processes are also connected by sockets, to which a thread
listens that otherwise sleeps. It hears of an exception from :data:`sys.excepthook`, of
a normal end from :mod:`atexit`, and of a death from the connection, which the system
closes. Of a process that is stopped, and of a machine or a cable that is gone, it hears
nothing: then there are no signs of life any more.

``config.mn_watchdog`` decides whether, when the first communicator is made, and
``config.mn_watchdog_timeout`` how long a neighbour may be silent; they come from the
environment variables ``CHAINERMN_WATCHDOG`` and ``CHAINERMN_WATCHDOG_TIMEOUT``.
"""
import atexit
import os
import secrets
import sys
import warnings

from chainer_fast import configuration
from chainer_fast.mn._watchdog import _channel, _links, _waits

_SETTING_UP = 20

#: Pairs of a set of ranks and the channel that they share.
_channels = []


def start(mpi_comm):
    """Watch the processes of a communicator; all of them call it.

    Does nothing if they are watched already, or if one of them does not want it.

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

    The third result is how long a neighbour may be silent; 0 if any process wants it to
    be for ever.
    """
    position, size = mpi_comm.rank, mpi_comm.size
    token = secrets.token_bytes(32) if position == 0 else None
    name = os.uname().nodename if hasattr(os, 'uname') else os.environ.get(
        'COMPUTERNAME', 'this machine')
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
            'of %s cannot reach each other: %s. Set CHAINERMN_WATCHDOG=0 to do without'
            % (' and '.join(told[i][3] for i, one in enumerate(problems) if one),
               next(one for one in (problem, *problems) if one)),
            RuntimeWarning, stacklevel=4)
    return None, None, None


def tell(exception):
    """Tell all processes that this one fails; return when they have printed it."""
    for _, channel in _channels:
        if not channel.fails:
            what, trace = _channel.describe(exception)
            channel.say(kind='failed', what=what, trace=trace)
    for _, channel in _channels:
        channel.all_told.wait(_channel.TELLING + 1)


def _watch_ends():
    from mpi4py import MPI
    # MPI.Finalize() is a farewell too: os._exit may follow. It ends the attributes of
    # this communicator, and waits for the other processes anyway.
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
    """Say farewell, and keep handing on messages until everybody has.

    MPI would make this process wait for the others all the same, but without a thread
    of Python. It is registered early, so that it is called after most other functions.
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
    """Have no part in the job, as a forked process."""
    for _, channel in _channels:
        channel.close()
    _channels.clear()
    _waits.active = False
