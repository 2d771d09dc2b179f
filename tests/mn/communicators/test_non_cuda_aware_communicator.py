"""Gradients between nodes: every other process is taken for one of another node."""
import numpy as np
import pytest

from chainer_fast.backends import cuda
from chainer_fast.mn.communicators import create_communicator
from tests.mn.communicators.on_gpus import (
    check,
    current_device,  # noqa: F401
    params_of,
    prepare,
)

pytestmark = [pytest.mark.gpu, pytest.mark.mpi]


@pytest.fixture
def communicator(monkeypatch):
    from mpi4py import MPI
    name = 'node %d' % (MPI.COMM_WORLD.rank % 2)
    monkeypatch.setattr(MPI, 'Get_processor_name', lambda: name)
    made = create_communicator('non_cuda_aware')
    assert made.inter_size == min(made.size, 2)
    yield made
    made.mpi_comm.barrier()
    made.finalize()


@pytest.mark.parametrize('dtypes', ['f', 'efd'])
def test_mean_of_gradients(communicator, dtypes):
    model = prepare(communicator, dtypes)
    communicator.multi_node_mean_grad(model)
    check(model, communicator.size, dtypes)
    model.cleargrads()
    communicator.multi_node_mean_grad(model)


def test_bcast_data(communicator):
    model = prepare(communicator, 'efd')
    for i, param in enumerate(params_of(model)):
        param.array[...] = i * (communicator.rank + 1)
    model.p0.array = cuda.cupy.asfortranarray(model.p0.array)
    communicator.bcast_data(model)
    for i, param in enumerate(params_of(model)):
        np.testing.assert_array_equal(cuda.to_cpu(param.array), i)
