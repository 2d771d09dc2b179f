import collections
import time

import pytest

from chainer_fast.mn._watchdog import _waits


class MPIComm:
    """A communicator of MPI, for what is asked of it here."""

    is_intra = True

    def __init__(self, ranks):
        self.known = _waits._Processes(ranks)

    def Get_attr(self, keyval):     # noqa: N802
        return self.known

    def allreduce(self):
        pass

    def Mprobe(self):               # noqa: N802
        pass


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    for name in '_counts', '_current':
        monkeypatch.setattr(_waits, name, {})
    monkeypatch.setattr(_waits, '_made', collections.Counter())
    monkeypatch.setattr(_waits, '_keyval', 0)
    monkeypatch.setattr(_waits, 'PATIENCE', 2)


def ended(counts, since=0):
    return {5: (since, counts)}


def test_operation_that_an_ended_process_lacks():
    comm = MPIComm((3, 5))
    with _waits.Wait('allreduce', None, comm.allreduce):
        pass
    with _waits.Wait('allreduce', None, comm.allreduce):
        now = time.monotonic()
        assert _waits.counts() == {comm.known.key: 2, comm.known.group: 1}
        assert _waits.names() == ['allreduce']
        one, two = {comm.known.key: 1}, {comm.known.key: 2}
        assert _waits.awaited(ended(one), now + 3) == (5, 'allreduce')
        assert _waits.awaited(ended({}), now + 3) == (5, 'allreduce')
        # It took part, and others keep this process waiting.
        assert _waits.awaited(ended(two), now + 1000) is None
        # Patience counts from the later one of the two events.
        assert _waits.awaited(ended(one), now + 1) is None
        assert _waits.awaited(ended(one, since=now + 2), now + 3) is None
        assert _waits.awaited({4: (0, {})}, now + 1000) is None
    assert _waits.awaited(ended({}), now + 1000) is None
    assert _waits.names() == []


def test_operation_of_a_communicator_that_an_ended_process_has_freed():
    group = MPIComm((3, 5)).known.group
    comm = MPIComm((3, 5))
    with _waits.Wait('allreduce', None, comm.allreduce):
        later = time.monotonic() + 3
        # It has made two, of which the second is gone; or never made a second one.
        assert _waits.awaited(ended({group: 2}), later) is None
        assert _waits.awaited(ended({group: 1}), later) == (5, 'allreduce')
        # It has made the second one, and nothing with it.
        assert _waits.awaited(
            ended({group: 2, comm.known.key: 0}), later) == (5, 'allreduce')


@pytest.mark.parametrize('peer, expected', [(1, (5, 'recv')), (0, None), (-1, None)])
def test_message_of_an_ended_process(peer, expected):
    comm = MPIComm((3, 5))
    with _waits.Wait('recv', peer, comm.Mprobe):
        assert _waits.counts() == {comm.known.key: 0, comm.known.group: 1}
        assert _waits.awaited(ended({}), time.monotonic() + 3) == expected


def test_what_is_not_of_mpi_is_only_named():
    with _waits.Wait('nccl', None, lambda: None):
        assert _waits.names() == ['nccl']
        assert _waits.awaited(ended({}), time.monotonic() + 3) is None


def test_a_wait_inside_a_wait():
    comm = MPIComm((3, 5))
    with _waits.Wait('bcast_obj', 0, comm.allreduce):
        with _waits.Wait('allgather', None, comm.allreduce):
            assert _waits.names() == ['allgather']
        assert _waits.names() == ['bcast_obj']


def test_keys_agree_between_processes_and_differ_between_communicators():
    first, second, other = MPIComm((1, 2)), MPIComm((1, 2)), MPIComm((1, 3))
    assert len({first.known.key, second.known.key, other.known.key}) == 3
