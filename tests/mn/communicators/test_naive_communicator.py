import pytest

from chainer_fast.mn.communicators import create_communicator
from chainer_fast.mn.communicators.naive_communicator import NaiveCommunicator
from tests.mn.communicators import cases


@pytest.mark.mpi
def test_multi_node_mean_grad():
    comm = create_communicator('naive')
    assert type(comm) is NaiveCommunicator
    cases.check_multi_node_mean_grad(comm)
    comm.finalize()
