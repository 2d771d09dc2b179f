"""Agreement of processes before they exchange data.

All processes of a collective operation first exchange a header of 64 bytes with the
operation, the root and a description of the array. Therefore all of them detect
disagreement and raise an error, instead of reading wrong memory or waiting forever.
"""
import collections
import functools
import hashlib
import struct

import numpy

from chainer_fast.mn.communicators._waiting import waiting

#: Operations by their number in a header. All ranks run the same version.
OPERATIONS = (
    'allgather', 'allreduce', 'alltoall', 'bcast', 'bcast_data', 'bcast_obj', 'gather',
    'gather_obj', 'multi_node_mean_grad', 'scatter')

_FAILED, _ON_DEVICE = 1, 2
_DIMS = 6
_LAYOUT = struct.Struct('<BBcBiq%dq' % _DIMS)
_NO_SHAPE = (0,) * _DIMS


class Header(collections.namedtuple('Header', 'operation flags dtype ndim root extra')):
    """Description of what one process does.

    ``extra`` is a number that an operation may send besides the array.
    """

    __slots__ = ()

    @property
    def on_device(self):
        return bool(self.flags & _ON_DEVICE)


def meet(
        mpi_comm, operation, root=None, array=None, on_device=False, extra=0,
        error=None):
    """Exchange headers with all processes.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
    operation : str
        One of :data:`OPERATIONS`.
    root : int, optional
        Rank that sends or receives the data, if any.
    array : numpy.ndarray, optional
        Array whose dtype and shape are sent.
    on_device : bool
        Whether it is a copy of an array on a GPU.
    extra : int
        Another number to send.
    error : Exception, optional
        Reason why this process cannot participate. It is raised after the
        others have been notified.

    Returns
    -------
    headers : list of Header
    shapes : list of tuple of int
        Both are in the order of ranks.

    Raises
    ------
    RuntimeError
        If another process failed, or they call different operations.
    ValueError
        If no process has the rank ``root``.
    """
    size = mpi_comm.size
    if root is None:
        root = -1
    elif not 0 <= root < size and error is None:
        error = ValueError('%s got root=%s, but ranks are 0 to %d' % (
            operation, root, size - 1))
    code = OPERATIONS.index(operation)
    flags = (_FAILED if error is not None else 0) | (_ON_DEVICE if on_device else 0)
    if array is None:
        mine = _LAYOUT.pack(code, flags, b'-', 0, root, extra, *_NO_SHAPE)
        shape = ()
    else:
        shape = array.shape
        told = (shape + _NO_SHAPE)[:_DIMS]
        mine = _LAYOUT.pack(
            code, flags, array.dtype.char.encode(), len(shape), root, extra, *told)
    everyone = bytearray(len(mine) * size)
    waiting(operation, None if root < 0 else root, mpi_comm.Allgather, mine, everyone)
    if everyone == mine * size and not flags & _FAILED and len(shape) <= _DIMS:
        header = Header(code, flags, mine[2:3], len(shape), root, extra)
        return [header] * size, [shape] * size
    if error is not None:
        raise error
    fields = list(_LAYOUT.iter_unpack(everyone))
    headers = [Header(*f[:6]) for f in fields]
    _check_operations(headers, operation)
    shapes = [f[6:6 + f[3]] for f in fields]
    if any(header.ndim > _DIMS for header in headers):
        shapes = waiting(operation, None, mpi_comm.allgather, shape)
    return headers, shapes


def _check_operations(headers, operation):
    failed = [rank for rank, header in enumerate(headers) if header.flags & _FAILED]
    if failed:
        raise RuntimeError(
            '%s cannot continue, as it failed on %s: see the error of that process'
            % (operation, ranks_in_words(failed)))
    calls = [
        OPERATIONS[h.operation] + ('' if h.root < 0 else '(root=%d)' % h.root)
        for h in headers]
    if len(set(calls)) > 1:
        raise RuntimeError(
            'The processes call different operations: %s. All processes of a '
            'communicator must call its collective operations in the same order, with '
            'the same root' % by_rank(calls))


def check_same_dtype(operation, headers, shapes):
    """Raise TypeError if arrays have different dtypes."""
    if len({header.dtype for header in headers}) > 1:
        raise TypeError(
            '%s needs arrays of one dtype, but %s. Convert them with astype'
            % (operation, _arrays_in_words(headers, shapes)))


def check_same_arrays(operation, headers, shapes):
    """Raise TypeError or ValueError if arrays have different dtypes or shapes."""
    check_same_dtype(operation, headers, shapes)
    if len(set(shapes)) > 1:
        raise ValueError(
            '%s needs arrays of one shape, but %s. Pass arrays of the same shape in '
            'all processes' % (operation, _arrays_in_words(headers, shapes)))


def _arrays_in_words(headers, shapes):
    return by_rank([
        '%s %s' % (numpy.dtype(header.dtype.decode()), shape)
        for header, shape in zip(headers, shapes, strict=True)])


def ranks_in_words(ranks):
    """Return text for ranks in ascending order, as in ``'ranks 0, 2-5'``."""
    spans = []
    for rank in ranks:
        if spans and spans[-1][1] == rank - 1:
            spans[-1][1] = rank
        else:
            spans.append([rank, rank])
    text = ', '.join('%d' % a if a == b else '%d-%d' % (a, b) for a, b in spans)
    return ('rank ' if len(ranks) == 1 else 'ranks ') + text


def by_rank(texts):
    """Return text that lists the value of each rank, grouping equal values."""
    owners = collections.defaultdict(list)
    for rank, text in enumerate(texts):
        owners[text].append(rank)
    return ', '.join(
        '%s has %s' % (ranks_in_words(ranks), text)
        if len(ranks) == 1 else '%s have %s' % (ranks_in_words(ranks), text)
        for text, ranks in owners.items())


# -- models

_SHOWN = 5


def check_model(mpi_comm, operation, model, zero_fill=None):
    """Raise the same error in all processes if their models differ.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
    operation : str
        One of :data:`OPERATIONS`.
    model : Link
        The model.
    zero_fill : bool, optional
        If given, gradients are compared instead of parameters; with True, missing
        gradients match any other.

    Returns
    -------
    list of tuple of str and Parameter
        All parameters with their paths, sorted by path.

    Raises
    ------
    ValueError
        The message lists the parameters, the values of each rank, and the fix.
    """
    params = sorted(model.namedparams())
    told = tuple([(path, *_kind(param, zero_fill)) for path, param in params])
    headers, _ = meet(mpi_comm, operation, extra=_digest(told))
    if len({header.extra for header in headers}) == 1:
        return params
    lines = [(path, _in_words(dtype, shape)) for path, dtype, shape in told]
    models = [
        dict(each) for each in waiting(operation, None, mpi_comm.allgather, lines)]
    paths = dict.fromkeys(path for each in models for path in each)
    differ = []
    for path in paths:
        texts = [each.get(path, 'no such parameter') for each in models]
        if len(set(texts)) > 1:
            differ.append('  %s: %s' % (path, by_rank(texts)))
    more = len(differ) - _SHOWN
    raise ValueError(
        '%s: the models of the processes differ:\n%s%s\nBuild the same model in all '
        'processes%s' % (
            operation, '\n'.join(differ[:_SHOWN]),
            '\n  and %s more' % (more,) if more > 0 else '', _fix(differ, zero_fill)))


def _kind(param, zero_fill):
    """Return dtype and shape of the array to exchange, or a reason and None."""
    param = param._plain()
    array = param.raw_array
    if array is None:
        return 'no data yet', None
    if zero_fill is not None:
        if param._grad is not None:
            array = param._grad
        elif not zero_fill:
            return 'no gradient', None
    return array.dtype, array.shape


# Training needs the same few in each iteration, and formatting dtypes is slow.
@functools.lru_cache(8)
def _digest(told):
    digest = hashlib.blake2b(repr(told).encode(), digest_size=7).digest()
    return int.from_bytes(digest, 'little')


def _in_words(dtype, shape):
    return dtype if shape is None else '%s %s' % (dtype, shape)


def _fix(differ, zero_fill):
    text = '\n'.join(differ)
    fix = ''
    if 'no data yet' in text:
        fix += (
            '; initialize parameters without data in all of them first, for example '
            'by one forward pass')
    if 'no gradient' in text:
        fix += '; zero_fill=True treats missing gradients as zeros'
    return fix
