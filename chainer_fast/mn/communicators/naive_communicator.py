"""Communicator that exchanges gradients one by one, with any MPI."""
from __future__ import annotations

import contextlib

from chainer_fast.link import Link
from chainer_fast.mn.communicators import _memory_utility, mpi_communicator_base

with contextlib.suppress(ImportError, RuntimeError):
    # Programs that import this module use mpi4py.MPI without importing it.
    import mpi4py.MPI  # noqa: F401


class NaiveCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Communicator that reduces one gradient after the other; needs no GPU.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
        The processes.
    """

    def multi_node_mean_grad(self, model: Link, zero_fill: bool = False) -> None:
        params = self._agreed_params(model, zero_fill)
        for param in params:
            self._mean_grads([param])
        _memory_utility.check_finite(model)
