"""Gradients by NCCL alone."""
from __future__ import annotations

import typing
import typing as tp

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
    """Communicator that reduces all gradients by one operation of NCCL.

    Each process has a GPU of its own, which is the current one from the first exchange
    on. Parameters have to be there. Messages and objects go through MPI.

    Gradients travel as ``allreduce_grad_dtype``; where this is None, as
    ``chainer.config.dtype``, and as float16 where that is ``mixed16``. They are copied
    to one buffer and back by one kernel for some two hundred parameters, which converts
    and divides by the number of processes, whatever ``batched_copy`` is.

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
        None before the first exchange and after :meth:`finalize`.
    """

    def __init__(self, mpi_comm: tp.Any) -> None:
        super().__init__(mpi_comm)
        nccl._get_version('PureNcclCommunicator')
        self.nccl_comm: typing.Any = None
        with self.config_scope():
            self.allreduce_grad_dtype: tp.Any = None

    def finalize(self) -> None:
        """End the communicator of NCCL, after all that it has to do."""
        super().finalize()
        if self.nccl_comm is not None:
            cuda.Device().synchronize()
            self.nccl_comm.destroy()
            self.nccl_comm = None

    def _init_comms(self):
        if self.nccl_comm is None:
            self.nccl_comm = _nccl_group.init_nccl_comm(self.mpi_comm)

    def set_config(self, name: str, value: tp.Any = True, **kwargs: tp.Any) -> None:
        """Set ``allreduce_grad_dtype``, or what all communicators have.

        Parameters
        ----------
        name : str
            Name of the setting.
        value : object
            For ``allreduce_grad_dtype``: float16, float32, float64, or None.

        Raises
        ------
        ValueError
            If there is no such setting, or gradients cannot travel in the dtype.
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

    def get_config(self, name: str | None = None) -> tp.Any:
        """Return a setting, or a dictionary of all."""
        return super().get_config(name)

    def bcast_data(self, model: Link) -> None:
        """Overwrite the parameters of a model with those of the first process.

        Parameters
        ----------
        model : Link
            Its parameters are on the GPU; those without data are left out.
        """
        params = _nccl_group.check_model(self.mpi_comm, 'bcast_data', model)
        self._init_comms()
        _nccl_group.bcast_arrays(self.nccl_comm, _memory_utility.arrays_of(params))

    def multi_node_mean_grad(self, model: Link, zero_fill: bool = False) -> None:
        """Average the gradients of all processes.

        Parameters
        ----------
        model : Link
            Its parameters are on the GPU.
        zero_fill : bool
            Whether a missing gradient is one of zeros. Otherwise the parameter is left
            out, and must be so in all processes.

        Raises
        ------
        ValueError
            In debug mode, if an average is infinite or no number.
        """
        self._multi_node_mean_grad_async(
            model, zero_fill, cuda.cupy.cuda.get_current_stream())
        _memory_utility.check_finite(model)

    def _multi_node_mean_grad_async(self, model, zero_fill, stream):
        """Enqueue the exchange on a stream.

        It begins after all that the current stream has to do. The host does not wait.
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
