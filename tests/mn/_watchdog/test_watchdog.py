import sys

import pytest

from chainer_fast.configuration import config, using_config
from chainer_fast.mn import _watchdog, create_communicator
from chainer_fast.mn._watchdog import _waits

pytestmark = pytest.mark.mpi


@pytest.fixture
def comm():
    return create_communicator('naive')


def test_first_communicator_is_watched(comm):
    watched = len(_watchdog._channels)
    assert watched == (0 if comm.size == 1 else 1)
    assert _waits.active == (comm.size > 1)
    if comm.size > 1:
        ranks, channel = _watchdog._channels[0]
        assert ranks == set(channel.people) == set(range(comm.size))
        assert channel.people[comm.rank].startswith('rank %d (' % comm.rank)
    # Communicators of the same processes, or some of them, need no more.
    create_communicator('naive')
    comm.split(comm.rank % 2, 0)
    assert len(_watchdog._channels) == watched


def test_one_process_that_does_not_want_it(comm):
    ranks = tuple(range(comm.size))
    with using_config('mn_watchdog', comm.rank != 0):
        assert _watchdog._connect(comm.mpi_comm, ranks) == (None, None, None)
    assert config.mn_watchdog is True


def test_who_cannot_be_reached(comm, monkeypatch):
    if comm.rank == comm.size - 1:
        monkeypatch.setattr(_watchdog._links, 'accept', fail)
        monkeypatch.setattr(_watchdog._links, 'connect', fail)
    monkeypatch.setattr(_watchdog, '_SETTING_UP', 1)
    ranks = tuple(range(comm.size))
    if comm.size == 1:
        return
    if comm.rank in (0, comm.size - 1):
        with pytest.warns(RuntimeWarning, match='cannot reach each other'):
            assert _watchdog._connect(comm.mpi_comm, ranks) == (None, None, None)
    else:
        assert _watchdog._connect(comm.mpi_comm, ranks) == (None, None, None)


def fail(*args):
    raise OSError('no way')


def test_operations_are_counted_alike(comm):
    if comm.size == 1:
        return
    comm.allreduce_obj(1)
    comm.bcast_obj('x')
    counts = _waits.counts()
    everyone = comm.mpi_comm.allgather(counts[_waits.register(comm.mpi_comm).key])
    assert len(set(everyone)) == 1


def test_counts_of_freed_communicators_go(comm):
    if comm.size == 1:
        return
    comm.split(0, comm.rank)
    before = _waits.counts()
    for _ in range(3):
        part = comm.split(0, comm.rank)
        part.bcast_obj('x')
        part.mpi_comm.Free()
    after = _waits.counts()
    group = _waits.register(comm.mpi_comm).group
    assert after[group] == before[group] + 3
    assert after.keys() == before.keys()


def test_hook_is_put_before_the_usual_one(comm):
    assert (sys.excepthook.__module__ == _watchdog.__name__) == (comm.size > 1)
