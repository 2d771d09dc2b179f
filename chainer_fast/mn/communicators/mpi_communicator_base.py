"""Operations of communicators on MPI."""
from __future__ import annotations

import pickle
from typing import Any

import numpy

from chainer_fast.backends import cuda
from chainer_fast.link import Link
from chainer_fast.mn import _watchdog
from chainer_fast.mn.communicators import (
    _agreement,
    _communication_utility,
    _memory_utility,
    _transfer,
    communicator_base,
)
from chainer_fast.mn.communicators._communication_utility import chunked_bcast_obj
from chainer_fast.mn.communicators._waiting import waiting
from chainer_fast.types import NdArray
from chainer_fast.utils.experimental import experimental


def _experimental(name):
    experimental('chainermn.communicators.MpiCommunicatorBase.' + name)


class MpiCommunicatorBase(communicator_base.CommunicatorBase):
    """Communicator on a communicator of MPI.

    Arrays on GPUs are copied through host memory, so that any MPI library works.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
        The processes.

    Attributes
    ----------
    mpi_comm : mpi4py.MPI.Comm
        The processes.
    """

    def __init__(self, mpi_comm: Any) -> None:
        super().__init__()
        _communication_utility.check_job_size()
        self.mpi_comm = mpi_comm
        _watchdog.start(mpi_comm)
        self._init_ranks()
        with self.config_scope():
            self.batched_copy: Any = False

    def _init_ranks(self):
        (_, self._intra_rank, self._intra_size, self._inter_rank,
         self._inter_size) = _communication_utility.init_ranks(self.mpi_comm)

    @property
    def rank(self) -> int:
        return self.mpi_comm.rank

    @property
    def size(self) -> int:
        return self.mpi_comm.size

    @property
    def intra_rank(self) -> int:
        return self._intra_rank

    @property
    def intra_size(self) -> int:
        return self._intra_size

    @property
    def inter_rank(self) -> int:
        return self._inter_rank

    @property
    def inter_size(self) -> int:
        return self._inter_size

    def set_config(self, name: str, value: Any = True, **kwargs: Any) -> None:
        """Set a setting: ``'batched_copy'``.

        It selects whether one kernel copies all gradients, which is always done.
        """
        if name != 'batched_copy':
            return super().set_config(name, **kwargs)
        with self.config_scope():
            self.batched_copy = value

    def get_config(self, name: str | None = None) -> Any:
        return super().get_config(name)

    def split(self, color: int, key: int) -> MpiCommunicatorBase:
        return type(self)(waiting('split', None, self.mpi_comm.Split, color, key))

    # -- arrays

    def _meet(self, operation, array, root=None, kinds='biufc'):
        """Agree on an operation; return the array in host memory and all headers."""
        error = None
        try:
            array, on_device = _transfer.host_array(array, operation, kinds)
        except TypeError as exception:
            array, on_device, error = None, False, exception
        headers, shapes = _agreement.meet(
            self.mpi_comm, operation, root, array, on_device, error=error)
        return array, on_device, headers, shapes

    def send(self, data: Any, dest: int, tag: int) -> None:
        _experimental('send')
        _transfer.send(self.mpi_comm, data, dest, tag)

    def recv(self, source: int, tag: int) -> Any:
        _experimental('recv')
        return _transfer.recv(self.mpi_comm, source, tag)

    def bcast(  # type: ignore[override]
            self, x: Any, root: int = 0) -> NdArray:
        _experimental('bcast')
        if self.rank == root:
            array, _, _, _ = self._meet('bcast', x, root)
            _transfer.bcast(self.mpi_comm, 'bcast', _transfer.as_bytes(array), root)
            return x
        headers, shapes = _agreement.meet(self.mpi_comm, 'bcast', root)
        dtype, shape = headers[root].dtype.decode(), shapes[root]
        array = numpy.empty(shape, dtype)
        _transfer.bcast(self.mpi_comm, 'bcast', _transfer.as_bytes(array), root)
        return _transfer.to_device(array, headers[root].on_device)

    def _gather(self, operation, x, root, call):
        array, on_device, headers, shapes = self._meet(operation, x, root)
        _agreement.check_same_dtype(operation, headers, shapes)
        sizes = [_transfer.nbytes(array.dtype, shape) for shape in shapes]
        receives = root in (None, self.rank)
        received = _transfer.exchange(
            self.mpi_comm, operation, root, call, [_transfer.as_bytes(array)],
            sizes if receives else None, max(sizes))
        return None if not receives else tuple([
            _transfer.to_device(
                _transfer.from_bytes(data, array.dtype, shape), on_device)
            for data, shape in zip(received, shapes, strict=True)])

    def gather(self, x: Any, root: int = 0) -> tuple[NdArray, ...] | Any:
        _experimental('gather')
        return self._gather('gather', x, root, self.mpi_comm.Gatherv)

    def allgather(self, x: Any) -> tuple[NdArray, ...]:
        _experimental('allgather')
        return self._gather('allgather', x, None, self.mpi_comm.Allgatherv)

    def _meet_many(self, operation, xs, root=None):
        """Agree on an operation; return the arrays in host memory and all headers.

        The extra number in the headers is the largest size in bytes.
        """
        arrays, on_device, longest, error = (None,), False, 0, None
        try:
            arrays, on_device = _transfer.host_arrays(xs, operation, self.size)
            longest = max([array.nbytes for array in arrays])
        except (TypeError, ValueError) as exception:
            error = exception
        headers, shapes = _agreement.meet(
            self.mpi_comm, operation, root, arrays[0], on_device, longest, error)
        return arrays, on_device, headers, shapes

    def alltoall(self, xs: Any) -> tuple[NdArray, ...]:
        _experimental('alltoall')
        arrays, on_device, headers, shapes = self._meet_many('alltoall', xs)
        _agreement.check_same_dtype('alltoall', headers, shapes)
        dtype = arrays[0].dtype
        shapes = waiting('alltoall', None, self.mpi_comm.alltoall, [
            array.shape for array in arrays])
        received = _transfer.exchange(
            self.mpi_comm, 'alltoall', None, self.mpi_comm.Alltoallv,
            [_transfer.as_bytes(array) for array in arrays],
            [_transfer.nbytes(dtype, shape) for shape in shapes],
            max([header.extra for header in headers]))
        return tuple([
            _transfer.to_device(_transfer.from_bytes(data, dtype, shape), on_device)
            for data, shape in zip(received, shapes, strict=True)])

    def scatter(self, xs: Any, root: int = 0) -> NdArray:
        experimental('chainermn.communicators.CommunicatorBase.scatter')
        sent = shapes = None
        if self.rank == root:
            arrays, _, headers, _ = self._meet_many('scatter', xs, root)
            sent = [_transfer.as_bytes(array) for array in arrays]
            shapes = [array.shape for array in arrays]
        else:
            headers, _ = _agreement.meet(self.mpi_comm, 'scatter', root)
        shape = waiting('scatter', root, self.mpi_comm.scatter, shapes, root)
        header = headers[root]
        dtype = header.dtype.decode()
        data, = _transfer.exchange(
            self.mpi_comm, 'scatter', root, self.mpi_comm.Scatterv, sent,
            [_transfer.nbytes(dtype, shape)], header.extra)
        return _transfer.to_device(
            _transfer.from_bytes(data, dtype, shape), header.on_device)

    def allreduce(self, x: Any) -> NdArray:
        array, on_device, headers, shapes = self._meet('allreduce', x, kinds='iufc')
        _agreement.check_same_arrays('allreduce', headers, shapes)
        # MPI has no float16.
        total = array.astype('f' if array.dtype.char == 'e' else array.dtype)
        _transfer.allreduce(self.mpi_comm, 'allreduce', total.reshape(-1))
        return _transfer.to_device(total.astype(array.dtype, copy=False), on_device)

    # -- objects

    def send_obj(self, obj: Any, dest: int, tag: int = 0) -> None:
        _transfer.send_obj(self.mpi_comm, obj, dest, tag)

    def recv_obj(  # type: ignore[override]
            self, source: int, status: Any = None, tag: int = -1) -> Any:
        return _transfer.recv_obj(self.mpi_comm, source, tag, status)

    def bcast_obj(
            self, obj: Any, max_buf_len: int | None = 256 * 1024 * 1024,
            root: int = 0) -> Any:
        return chunked_bcast_obj(obj, self.mpi_comm, max_buf_len, root)

    def gather_obj(self, obj: Any, root: int = 0) -> list[Any] | Any:
        data, error = _communication_utility.pickled(obj)
        headers, _ = _agreement.meet(
            self.mpi_comm, 'gather_obj', root, extra=len(data), error=error)
        sizes = [header.extra for header in headers]
        received = _transfer.exchange(
            self.mpi_comm, 'gather_obj', root, self.mpi_comm.Gatherv,
            [numpy.frombuffer(data, numpy.uint8)],
            sizes if self.rank == root else None, max(sizes))
        return None if self.rank != root else [
            pickle.loads(each.data) for each in received]

    def allreduce_obj(self, obj: Any) -> Any:
        return waiting('allreduce_obj', None, self.mpi_comm.allreduce, obj)

    # -- models

    def bcast_data(self, model: Link) -> None:
        for _, param in _agreement.check_model(self.mpi_comm, 'bcast_data', model):
            if not param.is_initialized:
                continue
            array = param._plain().raw_array
            data, on_device = _transfer.host_array(array, 'bcast_data')
            _transfer.bcast(self.mpi_comm, 'bcast_data', _transfer.as_bytes(data), 0)
            if data is not array:
                array[...] = _transfer.to_device(data, on_device)

    def _agreed_params(self, model, zero_fill):
        """Return the parameters whose gradients all processes exchange.

        They raise the same ValueError if these differ.
        """
        params = _agreement.check_model(
            self.mpi_comm, 'multi_node_mean_grad', model, zero_fill)
        return _memory_utility.params_with_grad(params, zero_fill)

    def _mean_grads(self, params):
        """Replace gradients by their means; they are sent as one array."""
        if not params:
            return
        data, rest = self._packed_grads(params)
        _transfer.allreduce(self.mpi_comm, 'multi_node_mean_grad', data)
        self._unpack_means(data, *rest)

    @staticmethod
    def _packed_grads(params):
        """Return gradients as one array in host memory, and its unpacker."""
        xp = cuda.get_array_module(params[0]._grad)
        buffer = xp.empty(
            _memory_utility.size_of(params), _memory_utility.dtype_for_mpi(params))
        _memory_utility.pack_grads(params, buffer)
        data, _ = _transfer.host_array(buffer, 'multi_node_mean_grad')
        return data, (buffer, params)

    def _unpack_means(self, data, buffer, params):
        """Replace gradients by sums, divided by the number of processes."""
        if isinstance(buffer, cuda.ndarray):
            buffer.set(data)
        _memory_utility.unpack_grads(buffer, params, 1. / self.size)
