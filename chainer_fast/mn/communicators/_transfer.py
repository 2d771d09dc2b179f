"""Transfer of arrays as bytes through MPI.

Counts of MPI are 32-bit integers, so that large arrays are sent in several pieces.
All processes know the sizes beforehand, and thus the number of pieces.
"""
import itertools
import pickle

import numpy

from chainer_fast.backends import cuda
from chainer_fast.mn.communicators import _communication_utility
from chainer_fast.mn.communicators._waiting import waiting

# A pickle begins with a different byte.
_MAGIC, _MAGIC_LARGE = b'CFmn', b'CFmo'
#: Maximum bytes of a message that is sent together with its header.
_SMALL = 4096


def limit():
    """Return the maximum number of bytes in one call of MPI."""
    return _communication_utility.INT_MAX // 16 * 16


class NoArrayError(TypeError, ValueError):
    """An object is not an array; ChainerMN raises either of the base classes."""


def host_array(array, operation, kinds='biufc'):
    """Return a contiguous NumPy array, and whether it was copied from a GPU.

    Parameters
    ----------
    array : array
    operation : str
        Name for errors.
    kinds : str
        Characters of ``numpy.dtype.kind`` that the operation supports.

    Raises
    ------
    NoArrayError
        If the object is not an array.
    TypeError
        If the operation does not support its elements.
    """
    on_device = isinstance(array, cuda.ndarray)
    if not on_device and not isinstance(array, numpy.ndarray):
        if isinstance(array, (tuple, list)):
            raise NoArrayError(
                '%s cannot handle tuple data: pass one array' % (operation,))
        raise NoArrayError(
            '%s needs arrays of NumPy or CuPy, but got %s'
            % (operation, type(array).__name__))
    dtype = array.dtype
    if dtype.kind not in kinds or not dtype.isnative:
        raise TypeError(
            '%s does not support dtype %s: convert the array with astype'
            % (operation, dtype))
    if on_device:
        array = cuda.to_cpu(array)
    # Unlike ascontiguousarray, this keeps 0-dimensional arrays.
    return numpy.asarray(array, order='C'), on_device


def host_arrays(xs, operation, count):
    """Return contiguous NumPy arrays of one dtype, and whether they are from a GPU.

    Raises
    ------
    TypeError
        If an object is not an array, or the dtypes differ.
    ValueError
        If the number of arrays is wrong.
    """
    if not isinstance(xs, (tuple, list)) and not getattr(xs, 'ndim', 0):
        raise TypeError('%s needs a tuple of arrays, one for each rank, but got %s' % (
            operation, type(xs).__name__))
    if len(xs) != count:
        raise ValueError('%s needs one array for each of %d ranks, but got %d' % (
            operation, count, len(xs)))
    arrays, on_device = zip(*[host_array(x, operation) for x in xs], strict=True)
    if len({x.dtype for x in arrays}) > 1:
        raise TypeError(
            '%s needs arrays of one dtype, but got %s: convert them with astype'
            % (operation, ', '.join([str(x.dtype) for x in arrays])))
    return arrays, any(on_device)


def to_device(array, on_device):
    """Return an array, on the current GPU if it came from one and a GPU exists here."""
    return cuda.to_gpu(array) if on_device and cuda.available else array


def as_bytes(array):
    """Return the memory of a contiguous array as a flat array of bytes."""
    return array.reshape(-1).view(numpy.uint8)


def from_bytes(data, dtype, shape):
    """Return bytes as an array."""
    return data.view(dtype).reshape(shape)


def nbytes(dtype, shape):
    """Return the number of bytes of an array."""
    n = numpy.dtype(dtype).itemsize
    for length in shape:
        n *= length
    return n


# -- between two processes


def send(mpi_comm, data, dest, tag):
    """Send an array or a tuple of arrays.

    Small arrays are sent in one message with their header. Elements of larger ones
    follow, one array after the other.
    """
    several = isinstance(data, (tuple, list))
    arrays = [host_array(x, 'send') for x in (data if several else (data,))]
    parts = [as_bytes(x) for x, _ in arrays]
    together = sum([part.size for part in parts]) <= _SMALL
    kinds = [(x.dtype.char, x.shape, on_device) for x, on_device in arrays]
    message = _MAGIC + pickle.dumps((several, together, kinds), 4)
    if together:
        message += b''.join([part.tobytes() for part in parts])
        parts = ()
    waiting('send', dest, mpi_comm.Send, message, dest, tag)
    for part in parts:
        for begin in range(0, part.size, limit()):
            piece = part[begin:begin + limit()]
            waiting('send', dest, mpi_comm.Send, piece, dest, tag)


def recv(mpi_comm, source, tag):
    """Receive the arrays sent by :func:`send`."""
    status = _communication_utility.import_mpi().Status()
    data = _recv_message(mpi_comm, 'recv', source, tag, status)
    if data[:len(_MAGIC)].tobytes() != _MAGIC:
        raise RuntimeError(
            'recv got a message of rank %s that was not sent by send. Use recv_obj to '
            'receive objects of send_obj' % (status.source,))
    several, together, kinds = pickle.loads(data[len(_MAGIC):].data)
    sizes = [nbytes(dtype, shape) for dtype, shape, _ in kinds]
    arrays = []
    begin = data.size - sum(sizes)
    for size, (dtype, shape, on_device) in zip(sizes, kinds, strict=True):
        part = numpy.empty(size, numpy.uint8)
        if together:
            part[...] = data[begin:begin + size]
            begin += size
        else:
            _recv_pieces(mpi_comm, 'recv', part, status)
        arrays.append(to_device(from_bytes(part, dtype, shape), on_device))
    return tuple(arrays) if several else arrays[0]


def send_obj(mpi_comm, obj, dest, tag):
    """Send an object as a pickle, which is one message unless it is very large."""
    data = numpy.frombuffer(pickle.dumps(obj, pickle.HIGHEST_PROTOCOL), numpy.uint8)
    if data.size <= limit():
        waiting('send_obj', dest, mpi_comm.Send, data, dest, tag)
        return
    header = _MAGIC_LARGE + data.size.to_bytes(8, 'little')
    waiting('send_obj', dest, mpi_comm.Send, header, dest, tag)
    for begin in range(0, data.size, limit()):
        piece = data[begin:begin + limit()]
        waiting('send_obj', dest, mpi_comm.Send, piece, dest, tag)


def recv_obj(mpi_comm, source, tag, status=None):
    """Receive an object sent by :func:`send_obj` or ``mpi_comm.send``."""
    if status is None:
        status = _communication_utility.import_mpi().Status()
    data = _recv_message(mpi_comm, 'recv_obj', source, tag, status)
    head = data[:len(_MAGIC)].tobytes()
    if head == _MAGIC:
        raise RuntimeError(
            'recv_obj got arrays of rank %s. Use recv to receive arrays of send'
            % (status.source,))
    if head == _MAGIC_LARGE:
        size = int.from_bytes(data[len(_MAGIC_LARGE):].tobytes(), 'little')
        data = numpy.empty(size, numpy.uint8)
        _recv_pieces(mpi_comm, 'recv_obj', data, status)
    return pickle.loads(data.data)


def _recv_message(mpi_comm, operation, source, tag, status):
    """Return the next message as bytes."""
    message = waiting(operation, source, mpi_comm.Mprobe, source, tag, status)
    data = numpy.empty(status.count, numpy.uint8)
    waiting(operation, status.source, message.Recv, data)
    return data


def _recv_pieces(mpi_comm, operation, data, status):
    """Fill a flat array of bytes with the following messages."""
    source, tag = status.source, status.tag
    for begin in range(0, data.size, limit()):
        piece = data[begin:begin + limit()]
        waiting(operation, source, mpi_comm.Recv, piece, source, tag)


# -- among all processes


def bcast(mpi_comm, operation, data, root):
    """Broadcast a flat array of bytes in place."""
    for begin in range(0, data.size, limit()):
        waiting(operation, root, mpi_comm.Bcast, data[begin:begin + limit()], root)


def allreduce(mpi_comm, operation, data):
    """Sum flat arrays of numbers in place."""
    in_place = _communication_utility.import_mpi().IN_PLACE
    step = limit() // data.itemsize
    for begin in range(0, data.size, step):
        piece = data[begin:begin + step]
        waiting(operation, None, mpi_comm.Allreduce, in_place, piece)


def exchange(mpi_comm, operation, root, call, sent, sizes, longest):
    """Send flat arrays of bytes to processes, and receive arrays from them.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
    operation : str
    root : int or None
    call : callable
        ``call(sent, received)`` of MPI, with counts for several arrays.
    sent : list of numpy.ndarray or None
        Arrays for each receiver; one for all of them; or None if nothing is sent.
    sizes : list of int or None
        Bytes from each sender; one size for a single sender; or None if nothing is
        received.
    longest : int
        Largest size of an array in any process.

    Returns
    -------
    list of numpy.ndarray
        The received arrays.
    """
    received, whole = _row(sizes or ())
    roots = () if root is None else (root,)
    step = max(limit() // mpi_comm.size, 1)
    for begin in range(0, longest, step):
        part = slice(begin, begin + step)
        targets = [each[part] for each in received]
        pieces, buffer = targets, whole
        if longest > step:
            pieces, buffer = _row([target.size for target in targets])
        waiting(
            operation, root, call, _joined(sent and [each[part] for each in sent]),
            None if sizes is None else _counted(buffer, targets), *roots)
        if longest > step:
            for piece, target in zip(pieces, targets, strict=True):
                target[...] = piece
    return received


def _row(sizes):
    """Return adjacent arrays of bytes, and their common memory."""
    ends = list(itertools.accumulate(sizes))
    whole = numpy.empty(ends[-1] if ends else 0, numpy.uint8)
    return [whole[end - n:end] for n, end in zip(sizes, ends, strict=True)], whole


def _joined(parts):
    if parts is None or len(parts) == 1:
        return parts and parts[0]
    return _counted(numpy.concatenate(parts), parts)


def _counted(buffer, parts):
    return buffer if len(parts) == 1 else (buffer, [part.size for part in parts])
