"""NCCL, for one GPU in each of several processes of this machine.

A thread of the process that made the unique id is connected with all ranks. It takes
what they hand over, checks that all call the same, computes and sends the results.

Arguments are checked as CuPy and NCCL do: integers, dtypes, operations, roots, ranks,
addresses that are not null, streams that exist and belong to the device, and no calls
of a communicator that has been destroyed. In places it is stricter: what the real one
waits for forever, or computes nonsense of (ranks that call different things, or a rank
that has ended), is an error here. Calls in a group are made at its end.

What it cannot know: the order of work, as everything is done at once, and so waits for
the other ranks where the real one returns; whether memory belongs to the device; in
which order sums are added up; how long anything takes; and networks.
"""
import multiprocessing.connection
import operator
import os
import threading
import types

import numpy

from tests.doubles.host_cupy import device, ledger, memory, surface, versions

_ID_BYTES = 128
_KEY = slice(2, 34)     # of an id; the port stands before it
_VERSION = 22501

_TYPES = {0: 'i1', 1: 'u1', 2: 'i4', 3: 'u4', 4: 'i8', 5: 'u8', 6: 'f2', 7: 'f4',
          8: 'f8'}
_OPERATIONS = {0: numpy.add, 1: numpy.multiply, 2: numpy.maximum, 3: numpy.minimum,
               4: numpy.add}
_AVERAGE = 4
CONSTANTS = {
    'NCCL_SUM': 0, 'NCCL_PROD': 1, 'NCCL_MAX': 2, 'NCCL_MIN': 3, 'NCCL_AVG': 4,
    'NCCL_INT8': 0, 'NCCL_CHAR': 0, 'NCCL_UINT8': 1, 'NCCL_INT32': 2, 'NCCL_INT': 2,
    'NCCL_UINT32': 3, 'NCCL_INT64': 4, 'NCCL_UINT64': 5, 'NCCL_FLOAT16': 6,
    'NCCL_HALF': 6, 'NCCL_FLOAT32': 7, 'NCCL_FLOAT': 7, 'NCCL_FLOAT64': 8,
    'NCCL_DOUBLE': 8, 'NCCL_BFLOAT16': 9}

_ERRORS = {
    1: 'NCCL_ERROR_UNHANDLED_CUDA_ERROR: unhandled cuda error',
    2: 'NCCL_ERROR_SYSTEM_ERROR: unhandled system error',
    3: 'NCCL_ERROR_INTERNAL_ERROR: internal error',
    4: 'NCCL_ERROR_INVALID_ARGUMENT: invalid argument',
    5: 'NCCL_ERROR_INVALID_USAGE: invalid usage'}
_INVALID_ARGUMENT, _INVALID_USAGE = 4, 5


class NcclError(RuntimeError):
    """Error of the library."""

    def __init__(self, status):
        self.status = status
        super().__init__(_ERRORS[status])

    def __reduce__(self):
        return type(self), (self.status,)


def _require(condition, status=_INVALID_ARGUMENT):
    if not condition:
        raise NcclError(status)


# -- the thread between the ranks


class _Hub(threading.Thread):
    """Serves the ranks of one unique id."""

    def __init__(self, listener):
        super().__init__(daemon=True)
        self._listener = listener

    def run(self):
        with self._listener:
            ranks = self._join()
        try:
            while True:
                calls = [ranks[rank].recv() for rank in range(len(ranks))]
                try:
                    results = _compute(calls)
                except Exception as error:
                    results = [error] * len(ranks)
                for rank, result in enumerate(results):
                    ranks[rank].send(result)
        except (EOFError, OSError):     # the others see that the connection has ended
            for connection in ranks.values():
                connection.close()

    def _join(self):
        """Wait for all ranks; return their connections."""
        ranks, places, sizes = {}, [], set()
        while not sizes or len(places) < min(sizes):
            connection = self._listener.accept()
            size, rank, place = connection.recv()
            sizes.add(size)
            places.append(place)
            ranks.setdefault(rank, connection)
        wrong = None
        # Two ranks may not have the same number, nor the same GPU.
        if len(sizes) > 1 or min(len(ranks), len({*places})) < len(places):
            wrong = NcclError(_INVALID_USAGE)
        for connection in ranks.values():
            connection.send(wrong)
        return ranks


def _compute(calls):
    """Return what each rank gets, given the groups of calls of all ranks."""
    kinds = [[(*call[:-1], call[-1].size) for call in group] for group in calls]
    assert all([kind == kinds[0] for kind in kinds]), (
        'ranks call different operations of NCCL: %s' % kinds)
    results = [[] for _ in calls]
    for same in zip(*calls, strict=True):
        name, _, operation, root, _ = same[0]
        arrays = [call[-1] for call in same]
        if name == 'broadcast':
            value = arrays[root]
        else:
            value = arrays[0].copy()
            with numpy.errstate(all='ignore'):
                for array in arrays[1:]:
                    _OPERATIONS[operation](value, array, out=value)
                if operation == _AVERAGE:
                    value = (value / len(arrays)).astype(value.dtype)
        for rank, result in enumerate(results):
            result.append(value if name != 'reduce' or rank == root else None)
    return results


# -- what CuPy has


class _Group(threading.local):
    depth = 0
    calls = ()


_group = _Group()


def groupStart():
    if _group.depth == 0:
        _group.calls = []
    _group.depth += 1


def groupEnd():
    _require(_group.depth > 0, _INVALID_USAGE)
    _group.depth -= 1
    if _group.depth == 0:
        by_comm = {}
        for comm, call, target in _group.calls:
            by_comm.setdefault(comm, []).append((call, target))
        for comm, calls in by_comm.items():
            comm._run(calls)


class NcclCommunicator:
    """A rank; made by all of them at the same time."""

    _pipe = None

    def __init__(self, ndev, commId, rank):
        ndev, rank = operator.index(ndev), operator.index(rank)
        key = _id_bytes(commId, type(self)._id_type)
        _require(ndev > 0 and 0 <= rank < ndev)
        self._device, self._rank, self._size = device.current(), rank, ndev
        port = int.from_bytes(key[:2], 'big')
        self._pipe = multiprocessing.connection.Client(
            ('127.0.0.1', port), authkey=key[_KEY])
        self._pipe.send((ndev, rank, self._device))
        self._take()

    def __del__(self):
        self.destroy()

    def _take(self):
        try:
            result = self._pipe.recv()
        except (EOFError, OSError):
            raise RuntimeError('a rank of the NCCL communicator has ended')
        if isinstance(result, Exception):
            raise result
        return result

    def _call(self, name, source, target, count, datatype, operation, root, stream):
        source, target, count, datatype, operation, root, stream = map(
            operator.index,
            (source, target, count, datatype, operation, root, stream))
        if count < 0:
            raise OverflowError("can't convert negative value to size_t")
        _require(self._pipe is not None)
        _require(datatype in _TYPES and operation in _OPERATIONS)
        _require(0 <= root < self._size)
        _require(_is_stream(stream, self._device))
        dtype = numpy.dtype(_TYPES[datatype])
        _require(count == 0 or source and target)
        _require(source % dtype.itemsize == target % dtype.itemsize == 0)
        assert source == target or abs(source - target) >= count * dtype.itemsize, (
            'both buffers overlap')
        call = name, dtype.str, operation, root, source, count
        ledger.launch('nccl.' + name)
        if _group.depth:
            _group.calls.append((self, call, target))
        else:
            self._run([(call, target)])

    def _run(self, calls):
        _require(self._pipe is not None)
        self._pipe.send([
            (name, dtype, operation, root, _memory(source, count, dtype).copy())
            for (name, dtype, operation, root, source, count), _ in calls])
        for result, ((_, dtype, *_, count), target) in zip(
                self._take(), calls, strict=True):
            if result is not None:
                _memory(target, count, dtype)[...] = result

    def allReduce(self, sendbuf, recvbuf, count, datatype, op, stream):
        self._call('allReduce', sendbuf, recvbuf, count, datatype, op, 0, stream)

    def reduce(self, sendbuf, recvbuf, count, datatype, op, root, stream):
        self._call('reduce', sendbuf, recvbuf, count, datatype, op, root, stream)

    def broadcast(self, sendbuff, recvbuff, count, datatype, root, stream):
        self._call('broadcast', sendbuff, recvbuff, count, datatype, 0, root, stream)

    def bcast(self, buff, count, datatype, root, stream):
        self._call('broadcast', buff, buff, count, datatype, 0, root, stream)

    def size(self):
        _require(self._pipe is not None)
        return self._size

    def rank_id(self):
        _require(self._pipe is not None)
        return self._rank

    def device_id(self):
        _require(self._pipe is not None)
        return self._device

    def check_async_error(self):
        _require(self._pipe is not None)

    def destroy(self):
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None

    abort = destroy


for _name in ('initAll', 'reduceScatter', 'allGather', 'send', 'recv'):
    setattr(NcclCommunicator, _name, surface.missing('NcclCommunicator.' + _name))


def _memory(address, count, dtype):
    if count == 0:
        return numpy.empty(0, dtype)
    return memory.at(address, numpy.dtype(dtype), (count,), (1,))


def _is_stream(address, device_id):
    from tests.doubles.host_cupy import cuda
    if address == 0:
        return True
    stream = cuda.streams.get(address)
    return stream is not None and stream.device_id == device_id


def _id_bytes(unique_id, kind):
    if type(unique_id) is not kind:
        raise TypeError("Argument 'commId' has incorrect type (expected %s, got %s)"
                        % (kind.__name__, type(unique_id).__name__))
    if len(unique_id) != _ID_BYTES:
        raise ValueError('commId length %d != %d.' % (len(unique_id), _ID_BYTES))
    return bytes([each % 256 for each in unique_id])


def _new_id():
    key = os.urandom(_KEY.stop - _KEY.start)
    listener = multiprocessing.connection.Listener(
        ('127.0.0.1', 0), backlog=64, authkey=key)
    _Hub(listener).start()
    port = listener.address[1].to_bytes(2, 'big')
    return (port + key).ljust(_ID_BYTES, b'\0')


def make(version):
    """Return the module as a version of CuPy has it.

    Ids are bytes in CuPy 14, and tuples of signed numbers before.
    """
    id_type = bytes if int(version.split('.')[0]) >= 14 else tuple
    module = types.ModuleType('cupy.cuda.nccl')
    communicator = type('NcclCommunicator', (NcclCommunicator,), {'_id_type': id_type})

    def get_unique_id():
        versions.note()
        new = _new_id()
        return new if id_type is bytes else tuple(numpy.frombuffer(new, 'i1').tolist())

    vars(module).update(
        CONSTANTS, available=True, NcclError=NcclError, groupStart=groupStart,
        groupEnd=groupEnd, get_unique_id=get_unique_id, NcclCommunicator=communicator,
        get_version=lambda: _VERSION, get_build_version=lambda: _VERSION)
    return module
