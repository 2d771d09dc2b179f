"""Communicator without an exchange of gradients, to measure its cost."""
from __future__ import annotations

from chainer_fast.link import Link
from chainer_fast.mn.communicators import mpi_communicator_base


class DummyCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Communicator that does not change gradients.

    A training step with it takes the time of the step without the exchange of
    gradients. The other operations work normally.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
        The processes.
    """

    def multi_node_mean_grad(self, model: Link, zero_fill: bool = False) -> None:
        pass
