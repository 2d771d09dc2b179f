"""Arrays as bytes on their way through MPI.

Counts of MPI are 32-bit integers, so large arrays go in several pieces. All processes
know the sizes before, and so the number of pieces.
"""
import itertools
import pickle

import numpy

from chainer_fast.backends import cuda
from chainer_fast.mn.communicators import _communication_utility
from chainer_fast.mn.communicators._waiting import waiting

# A pickle begins with another byte.
_MAGIC, _MAGIC_LARGE = b'CFmn', b'CFmo'
#: Messages up to so many bytes go with their header.
_SMALL = 4096


def limit():
    """Return how many bytes one call of MPI moves at most."""
    return _communication_utility.INT_MAX // 16 * 16


class NoArrayError(TypeError, ValueError):
    """Something else than an array; ChainerMN raises one or the other."""


def host_array(array, operation, kinds='biufc'):
    """Return a contiguous NumPy array, and whether it is a copy of a GPU's.

    Parameters
    ----------
    array : array
    operation : str
        Name for errors.
    kinds : str
        Characters of ``numpy.dtype.kind`` that the operation takes.

    Raises
    ------
    NoArrayError
        If this is no array.
    TypeError
        If the operation does not take its elements.
    """
    on_device = isinstance(array, cuda.ndarray)
    if not on_device and not isinstance(array, numpy.ndarray):
        if isinstance(array, (tuple, list)):
            raise NoArrayError(
                '%s cannot handle tuple data: give one array' % (operation,))
        raise NoArrayError(
            '%s takes arrays of NumPy or CuPy, got %s'
            % (operation, type(array).__name__))
    dtype = array.dtype
    if dtype.kind not in kinds or not dtype.isnative:
        raise TypeError(
            '%s does not support dtype %s: convert the array with astype'
            % (operation, dtype))
    if on_device:
        array = cuda.to_cpu(array)
    # Unlike ascontiguousarray this keeps arrays without dimensions.
    return numpy.asarray(array, order='C'), on_device


def host_arrays(xs, operation, count):
    """Return contiguous NumPy arrays of one dtype, and whether they are of a GPU.

    Raises
    ------
    TypeError
        If something is no array, or they have different dtypes.
    ValueError
        If these are not so many arrays.
    """
    if not isinstance(xs, (tuple, list)) and not getattr(xs, 'ndim', 0):
        raise TypeError('%s takes a tuple of arrays, one for each rank, got %s' % (
            operation, type(xs).__name__))
    if len(xs) != count:
        raise ValueError('%s takes one array for each of %d ranks, got %d' % (
            operation, count, len(xs)))
    arrays, on_device = zip(*[host_array(x, operation) for x in xs], strict=True)
    if len({x.dtype for x in arrays}) > 1:
        raise TypeError(
            '%s takes arrays of one dtype, got %s: convert them with astype'
            % (operation, ', '.join([str(x.dtype) for x in arrays])))
    return arrays, any(on_device)


def to_device(array, on_device):
    """Return an array, on the current GPU if it came from one and there is one here."""
    return cuda.to_gpu(array) if on_device and cuda.available else array


def as_bytes(array):
    """Return the memory of a contiguous array as a flat array of bytes."""
    return array.reshape(-1).view(numpy.uint8)


def from_bytes(data, dtype, shape):
    """Return bytes as an array."""
    return data.view(dtype).reshape(shape)


def nbytes(dtype, shape):
    """Return how many bytes an array has."""
    n = numpy.dtype(dtype).itemsize
    for length in shape:
        n *= length
    return n


# -- between two processes


def send(mpi_comm, data, dest, tag):
    """Send an array or a tuple of arrays.

    Small ones are one message with their header. Elements of others follow, one array
    after the other.
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
    """Receive what :func:`send` sent."""
    status = _communication_utility.import_mpi().Status()
    data = _recv_message(mpi_comm, 'recv', source, tag, status)
    if data[:len(_MAGIC)].tobytes() != _MAGIC:
        raise RuntimeError(
            'recv got a message of rank %s that is none of send. What send_obj sends '
            'is for recv_obj' % (status.source,))
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
    """Receive what :func:`send_obj` or ``mpi_comm.send`` sent."""
    if status is None:
        status = _communication_utility.import_mpi().Status()
    data = _recv_message(mpi_comm, 'recv_obj', source, tag, status)
    head = data[:len(_MAGIC)].tobytes()
    if head == _MAGIC:
        raise RuntimeError(
            'recv_obj got arrays of rank %s. What send sends is for recv'
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
    """Fill a flat array of bytes with the messages that follow one."""
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
    """Send flat arrays of bytes to processes, and receive others of them.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
    operation : str
    root : int or None
    call : callable
        ``call(sent, received)`` of MPI, with counts where there are several arrays.
    sent : list of numpy.ndarray or None
        For each receiver; one for all of them; or None where nothing is sent.
    sizes : list of int or None
        Bytes from each sender; one size if there is one sender; or None where nothing
        is received.
    longest : int
        Largest size of an array in any process.

    Returns
    -------
    list of numpy.ndarray
        What was received.
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
    """Return arrays of bytes that lie side by side, and their common memory."""
    ends = list(itertools.accumulate(sizes))
    whole = numpy.empty(ends[-1] if ends else 0, numpy.uint8)
    return [whole[end - n:end] for n, end in zip(sizes, ends, strict=True)], whole


def _joined(parts):
    if parts is None or len(parts) == 1:
        return parts and parts[0]
    return _counted(numpy.concatenate(parts), parts)


def _counted(buffer, parts):
    return buffer if len(parts) == 1 else (buffer, [part.size for part in parts])
