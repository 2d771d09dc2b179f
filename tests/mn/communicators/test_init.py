import numpy as np
import pytest

from chainer_fast.mn import communicators
from chainer_fast.mn.communicators import create_communicator

pytestmark = pytest.mark.mpi


@pytest.mark.parametrize('name', [
    'bogus', 'hierarchical', 'two_dimensional', 'single_node'])
def test_unknown_names(name):
    with pytest.raises(ValueError, match='Unrecognized .* "%s".*naive' % name):
        create_communicator(name)


@pytest.mark.parametrize('name', ['naive', 'flat', 'non_cuda_aware', 'dummy'])
def test_dtype_of_gradients(name):
    with pytest.raises(ValueError, match="'pure_nccl' only, not for '%s'" % name):
        create_communicator(name, allreduce_grad_dtype=np.float16)


def test_unknown_arguments():
    with pytest.raises(TypeError, match="unexpected keyword argument.*'speed'"):
        create_communicator('naive', speed=3)


@pytest.mark.parametrize('name', ['naive', 'flat', 'dummy'])
def test_settings(name):
    comm = create_communicator(name, allreduce_grad_dtype=None)
    assert isinstance(comm, communicators.CommunicatorBase)
    assert comm.get_config() == {'batched_copy': True}
    assert create_communicator(name, batched_copy=False).batched_copy is False


def test_processes():
    from mpi4py import MPI
    assert create_communicator('naive').mpi_comm == MPI.COMM_WORLD
    comm = create_communicator('naive', MPI.COMM_SELF)
    assert (comm.rank, comm.size, comm.intra_size) == (0, 1, 1)
