"""Gradients in one buffer."""
from chainer_fast.mn.communicators import _memory_utility, mpi_communicator_base


class FlatCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Communicator that reduces all gradients as one packed buffer.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
    """

    def multi_node_mean_grad(self, model, zero_fill=False):
        params = self._agreed_params(model, zero_fill)
        self._mean_grads(params)
        _memory_utility.check_finite(model)
