import numpy as np
import pytest

from chainer_fast.mn.communicators import create_communicator
from chainer_fast.mn.communicators.dummy_communicator import DummyCommunicator
from tests.mn.communicators import cases


@pytest.mark.mpi
def test_gradients_stay():
    comm = create_communicator('dummy')
    assert type(comm) is DummyCommunicator
    model = cases.Model()
    cases.fill_gradients(model, comm.rank)
    before = model.W.grad.copy()
    comm.multi_node_mean_grad(model)
    np.testing.assert_array_equal(model.W.grad, before)
    model.W.array[...] = comm.rank
    comm.bcast_data(model)
    assert (model.W.array == 0).all()
    assert comm.allreduce(np.ones(1)) == comm.size
