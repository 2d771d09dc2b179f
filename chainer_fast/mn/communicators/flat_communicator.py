"""Communicator that exchanges gradients in packed buffers."""
from __future__ import annotations

from chainer_fast.link import Link
from chainer_fast.mn.communicators import (
    _exchange,
    _memory_utility,
    mpi_communicator_base,
)
from chainer_fast.mn.communicators._exchange import Exchange

#: Minimum number of elements that each process should send to another in a message.
ELEMENTS_OF_A_MESSAGE = 1 << 18


class FlatCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Communicator that reduces many gradients as one packed buffer.

    A buffer that fits into the caches of the processor is packed, sent and unpacked
    faster than a large one. But a ring sends one part for each process, and each part
    should be large enough for a message; therefore buffers grow with the number of
    processes. Between machines, several buffers are in flight at a time.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
        The processes.
    """

    _exchange: Exchange | None | bool = False     # not chosen yet

    def multi_node_mean_grad(self, model: Link, zero_fill: bool = False) -> None:
        params = self._agreed_params(model, zero_fill)
        if self._exchange is False:
            self._exchange = _exchange.choose(self)
        parts = _parts(params, ELEMENTS_OF_A_MESSAGE * self.size)
        if isinstance(self._exchange, Exchange):
            packed = map(self._packed_grads, parts)
            for data, part in self._exchange.sums(packed):
                self._unpack_means(data, *part)
        else:
            for part in parts:
                self._mean_grads(part)
        _memory_utility.check_finite(model)


def _parts(params, elements):
    """Yield lists of successive parameters, by their number of elements."""
    part, size = [], 0
    for param in params:
        part.append(param)
        size += param.size
        if size >= elements:
            yield part
            part, size = [], 0
    if part:
        yield part
