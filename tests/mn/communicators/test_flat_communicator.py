import pytest

from chainer_fast.mn.communicators import create_communicator
from chainer_fast.mn.communicators.flat_communicator import FlatCommunicator
from tests.mn.communicators import cases


@pytest.mark.mpi
def test_multi_node_mean_grad():
    comm = create_communicator('flat')
    assert type(comm) is FlatCommunicator
    cases.check_multi_node_mean_grad(comm)
    comm.finalize()
