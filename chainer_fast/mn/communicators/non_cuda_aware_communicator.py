"""Communicator with NCCL on each node, and MPI through host memory between nodes."""
from __future__ import annotations

import typing
from typing import Any

from chainer_fast.backends import cuda
from chainer_fast.link import Link
from chainer_fast.mn import nccl
from chainer_fast.mn.communicators import (
    _communication_utility,
    _memory_utility,
    _nccl_group,
    mpi_communicator_base,
)
from chainer_fast.mn.communicators._waiting import waiting


class NonCudaAwareCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Communicator for GPUs with an MPI library that cannot read GPU memory.

    NCCL sums the gradients on each node. The first processes of the nodes copy the sums
    to page-locked memory of the host, where MPI sums them, and NCCL broadcasts the
    result on the nodes. Parameters are sent in the same way. Gradients are sent as
    float32, or as float64 if one of them is float64.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
        The processes.

    Raises
    ------
    RuntimeError
        If CuPy with NCCL 2 or newer is not available.

    Attributes
    ----------
    intra_nccl_comm : cupy.cuda.nccl.NcclCommunicator
        Communicator of the GPUs of the node; None before the first exchange and
        after :meth:`finalize`.
    """

    def __init__(self, mpi_comm: Any) -> None:
        super().__init__(mpi_comm)
        nccl._get_version('NonCudaAwareCommunicator')
        self.inter_mpi_comm: typing.Any = None
        self.intra_nccl_comm: typing.Any = None
        self._pinned = _memory_utility.PinnedMemory()

    def finalize(self) -> None:
        """Destroy the communicator of NCCL after its pending work."""
        super().finalize()
        if self.intra_nccl_comm is not None:
            cuda.Device().synchronize()
            self.intra_nccl_comm.destroy()
            self.intra_nccl_comm = None

    def _init_comms(self):
        if self.intra_nccl_comm is not None:
            return
        on_node = _communication_utility.init_intra_mpi_comm(
            self.mpi_comm, self.intra_rank, self.inter_rank)
        self.inter_mpi_comm = _communication_utility.init_inter_mpi_comm(
            self.mpi_comm, self.intra_rank, self.inter_rank)
        self.intra_nccl_comm = _nccl_group.init_nccl_comm(on_node)

    def bcast_data(self, model: Link) -> None:
        """Overwrite the parameters of a model with those of the first process.

        Parameters
        ----------
        model : Link
            The model, with parameters on the GPU; those without data are
            skipped.
        """
        arrays = _memory_utility.arrays_of(
            _nccl_group.check_model(self.mpi_comm, 'bcast_data', model))
        self._init_comms()
        if self.intra_rank == 0 and self.inter_size > 1:
            for array in arrays:
                host = self._to_host(array)
                waiting('bcast_data', 0, self.inter_mpi_comm.Bcast,
                        _memory_utility.array_to_buffer_object(host), 0)
                if self.inter_rank != 0:
                    array.set(host)
        _nccl_group.bcast_arrays(self.intra_nccl_comm, arrays)

    def multi_node_mean_grad(self, model: Link, zero_fill: bool = False) -> None:
        """Average the gradients of all processes.

        Parameters
        ----------
        model : Link
            The model, with parameters on the GPU.
        zero_fill : bool
            Whether missing gradients are treated as zeros. Otherwise the parameter is
            skipped, and its gradient must be missing in all processes.

        Raises
        ------
        ValueError
            In debug mode, if an average is infinite or NaN.
        """
        params = _memory_utility.params_with_grad(_nccl_group.check_model(
            self.mpi_comm, 'multi_node_mean_grad', model, zero_fill), zero_fill)
        self._init_comms()
        buffer = cuda.cupy.empty(
            _memory_utility.size_of(params), _memory_utility.dtype_for_mpi(params))
        _memory_utility.pack_grads(params, buffer)
        self._sum_of_all(buffer)
        _memory_utility.unpack_grads(buffer, params, 1. / self.size)
        _memory_utility.check_finite(model)

    def _sum_of_all(self, buffer):
        """Replace a flat array by the sum of those of all processes."""
        stream = cuda.cupy.cuda.get_current_stream()
        address, kind = buffer.data.ptr, nccl._get_nccl_type_id(buffer.dtype)
        on_node = self.intra_nccl_comm
        if self.inter_size == 1:
            on_node.allReduce(
                address, address, buffer.size, kind, nccl.NCCL_SUM, stream.ptr)
            return
        on_node.reduce(
            address, address, buffer.size, kind, nccl.NCCL_SUM, 0, stream.ptr)
        if self.intra_rank == 0:
            from mpi4py import MPI
            host = self._to_host(buffer)
            waiting('multi_node_mean_grad', None, self.inter_mpi_comm.Allreduce,
                    MPI.IN_PLACE, _memory_utility.array_to_buffer_object(host), MPI.SUM)
            buffer.set(host)
        on_node.bcast(address, buffer.size, kind, 0, stream.ptr)

    def _to_host(self, array):
        """Return a copy of an array in page-locked memory."""
        host = self._pinned.array(array.size, array.dtype).reshape(array.shape)
        return array.get(out=host)
