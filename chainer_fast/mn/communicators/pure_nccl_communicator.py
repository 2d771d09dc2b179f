"""Communicator that exchanges gradients with NCCL only."""
from __future__ import annotations

import typing
from typing import Any

import numpy

from chainer_fast.backends import cuda, dtypes
from chainer_fast.link import Link
from chainer_fast.mn import nccl
from chainer_fast.mn.communicators import (
    _memory_utility,
    _nccl_group,
    mpi_communicator_base,
)

_DTYPES = (numpy.float16, numpy.float32, numpy.float64)


class PureNcclCommunicator(mpi_communicator_base.MpiCommunicatorBase):
    """Communicator that reduces all gradients in one operation of NCCL.

    Each process has its own GPU, which must be the current one from the first exchange
    on and must hold the parameters. Messages and objects are sent through MPI.

    Gradients are sent with the dtype ``allreduce_grad_dtype``; if it is None, with
    ``chainer.config.dtype``, or float16 if that is ``mixed16``. One kernel for about
    two hundred parameters copies them to one buffer and back, converts them and divides
    by the number of processes, regardless of ``batched_copy``.

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
    nccl_comm : cupy.cuda.nccl.NcclCommunicator
        The communicator of NCCL; None before the first exchange and after
        :meth:`finalize`.
    """

    def __init__(self, mpi_comm: Any) -> None:
        super().__init__(mpi_comm)
        nccl._get_version('PureNcclCommunicator')
        self.nccl_comm: typing.Any = None
        with self.config_scope():
            self.allreduce_grad_dtype: Any = None

    def finalize(self) -> None:
        """Destroy the communicator of NCCL after its pending work."""
        super().finalize()
        if self.nccl_comm is not None:
            cuda.Device().synchronize()
            self.nccl_comm.destroy()
            self.nccl_comm = None

    def _init_comms(self):
        if self.nccl_comm is None:
            self.nccl_comm = _nccl_group.init_nccl_comm(self.mpi_comm)

    def set_config(self, name: str, value: Any = True, **kwargs: Any) -> None:
        """Set ``allreduce_grad_dtype``, or a setting of all communicators.

        Parameters
        ----------
        name : str
            Name of the setting.
        value : object
            For ``allreduce_grad_dtype``: float16, float32, float64, or None.

        Raises
        ------
        ValueError
            If the setting does not exist, or gradients cannot be sent with the
            dtype.
        """
        if name != 'allreduce_grad_dtype':
            super().set_config(name, value, **kwargs)
            return
        dtype = None if value is None else numpy.dtype(value)
        if dtype is not None and dtype.type not in _DTYPES:
            raise ValueError(
                'allreduce_grad_dtype must be float16, float32, float64 or None, got %s'
                % (dtype,))
        with self.config_scope():
            self.allreduce_grad_dtype = dtype

    def get_config(self, name: str | None = None) -> Any:
        """Return a setting, or a dictionary of all settings."""
        return super().get_config(name)

    def bcast_data(self, model: Link) -> None:
        """Overwrite the parameters of a model with those of the first process.

        Parameters
        ----------
        model : Link
            The model, with parameters on the GPU; those without data are
            skipped.
        """
        params = _nccl_group.check_model(self.mpi_comm, 'bcast_data', model)
        self._init_comms()
        _nccl_group.bcast_arrays(self.nccl_comm, _memory_utility.arrays_of(params))

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
        self._multi_node_mean_grad_async(
            model, zero_fill, cuda.cupy.cuda.get_current_stream())
        _memory_utility.check_finite(model)

    def _multi_node_mean_grad_async(self, model, zero_fill, stream):
        """Enqueue the exchange on a stream.

        It begins after pending work of the current stream. The host does not wait.
        """
        params = _memory_utility.params_with_grad(_nccl_group.check_model(
            self.mpi_comm, 'multi_node_mean_grad', model, zero_fill), zero_fill)
        self._init_comms()
        dtype = self._dtype_on_the_way()
        current = cuda.cupy.cuda.get_current_stream()
        if stream.ptr != current.ptr:
            stream.wait_event(current.record())
        with stream:
            buffer = cuda.cupy.empty(_memory_utility.size_of(params), dtype)
            _memory_utility.pack_grads(params, buffer)
            address = buffer.data.ptr
            self.nccl_comm.allReduce(
                address, address, buffer.size, nccl._get_nccl_type_id(dtype),
                nccl.NCCL_SUM, stream.ptr)
            _memory_utility.unpack_grads(buffer, params, 1. / self.size)

    def _dtype_on_the_way(self):
        if self.allreduce_grad_dtype is not None:
            return self.allreduce_grad_dtype
        return dtypes.get_dtype(map_mixed16=numpy.float16)
