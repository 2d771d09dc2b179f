"""Changes of the arrays of many parameters by as few CUDA kernels as possible.

A kernel serves about a hundred parameters. The addresses of their arrays are arguments
by value, so that nothing is copied to the device and nothing waits for it. The kernels
stand in ``many_arrays.hpp``, the arithmetic in ``elements.hpp``.
"""
import functools
import itertools

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header

_HEADER = 'chainer_fast/backends/kernels/update_rules/many_arrays.hpp'

# As in the header.
_THREADS = 256
_PIECE = 4096

# Bytes of arguments that kernels can have on every device, and how many of them are for
# other things than arrays.
_BYTES = 4096
_OTHER_BYTES = 160

_TYPES = {'e': 'half', 'f': 'float', 'd': 'double'}
_NUMBERS = {'e': 'float', 'f': 'float', 'd': 'double'}


class Batch:
    """Changes of parameters that wait to be made together.

    A step of a change is a pair: a type of ``many_arrays.hpp``, such as
    ``'Update<Adam, 2>'``, and its coefficients as the bytes of doubles.
    """

    def __init__(self):
        self._changes = []

    def place(self, arrays):
        """Return the device of arrays and their types.

        Parameters
        ----------
        arrays : sequence of cupy.ndarray
            A parameter, its gradient and the states of its rule. If the parameter is
            the twin in float32 of one in float16, the gradient is in float16, and the
            parameter in float16 comes last.

        Returns
        -------
        tuple
            None if there is no kernel for them.
        """
        param, grad = arrays[:2]
        kinds = param.dtype.char + grad.dtype.char
        expected = [kinds[0]] * len(arrays)
        if kinds == 'fe' and len(arrays) > 2:
            expected[1] = expected[-1] = 'e'
        if not all(map(_is_like, arrays, itertools.repeat(param), expected)):
            return None
        return param.data.device_id, kinds

    def add(self, place, hooks, steps, arrays):
        """Note a change to be made.

        Parameters
        ----------
        place : tuple
            Result of :meth:`place`.
        hooks : tuple of (str, bytes)
            Steps to be done for all parameters, before those of any.
        steps : tuple of (str, bytes)
            The other steps.
        arrays : sequence of cupy.ndarray
        """
        self._changes.append((place, hooks, steps, arrays))

    def launch(self):
        """Make all changes, and forget them."""
        changes, self._changes = self._changes, []
        if _overlap([array for *_, arrays in changes for array in arrays]):
            for place, hooks, _, arrays in changes:
                if hooks:
                    _make_changes(place, hooks, [arrays[:2]])
            for place, _, steps, arrays in changes:
                _make_changes(place, steps, [arrays])
            return
        groups = {}
        for place, hooks, steps, arrays in changes:
            groups.setdefault((place, hooks + steps), []).append(arrays)
        for (place, steps), group in groups.items():
            _make_changes(place, steps, group)


def _is_like(array, param, kind):
    """Tell whether kernels can go over an array beside that of a parameter."""
    if not isinstance(array, cuda.ndarray) or array.dtype.char != kind:
        return False
    memory = array.data
    return (
        kind in _TYPES and array.shape == param.shape and array.size < 2 ** 31
        and memory.device_id == param.data.device_id and not memory.ptr >> 48)


def _overlap(arrays):
    """Tell whether any two arrays have memory in common."""
    bounds = numpy.array([_bounds(array) for array in arrays], numpy.int64)
    if len(bounds) < 2:
        return False
    begins, ends = bounds[bounds[:, 0].argsort()].T
    return (ends[:-1] > begins[1:]).any()


def _bounds(array):
    """Return the addresses between which an array lies."""
    begin = end = array.data.ptr
    flags = array.flags
    if flags.c_contiguous or flags.f_contiguous:
        return begin, begin + array.nbytes
    for n, stride in zip(array.shape, array.strides, strict=True):
        reach = (n - 1) * stride
        begin, end = begin + min(reach, 0), end + max(reach, 0)
    return begin, end + array.itemsize


# -- kernels


@functools.cache
def _kernel(params, body):
    code = '''
        {}
        {}
        using namespace chainer_fast;
        extern "C" __global__ void change_many({}) {{ {}; }}
        '''.format('#include <cuda_fp16.h>' if 'half' in body else '',
                   header(_HEADER), params, body)
    return cuda.raw(code, 'change_many', ('-std=c++17',))


def _by_value(kinds, *numbers):
    """Return doubles as an argument that is a structure of the type of numbers."""
    values = numpy.frombuffer(b''.join(numbers))
    values = values.astype(numpy.float64 if kinds[0] == 'd' else numpy.float32)
    return values.view('V%d' % values.nbytes)


@functools.cache
def _layout(n_arrays):
    """Return the structure of the addresses, as in the header, and its capacity."""
    capacity = (_BYTES - _OTHER_BYTES) // (8 + 6 * n_arrays) // 2 * 2
    return capacity, numpy.dtype([
        ('first_block', 'u4', capacity), ('size', 'u4', capacity),
        ('low', 'u4', (n_arrays, capacity)), ('high', 'u2', (n_arrays, capacity))],
        align=True)


def _launch(body, params, call, *args):
    """Run a kernel on the arrays of a call."""
    n_blocks, arrays = call
    capacity, _ = _layout(len(arrays['low']))
    _kernel(
        'const Arrays<%d, %d> arrays%s' % (len(arrays['low']), capacity, params), body)(
            (n_blocks,), (_THREADS,), (arrays, *args))


def _calls(group):
    """Yield the arguments of kernels that together go over arrays of a group.

    Parameters
    ----------
    group : list of sequence of cupy.ndarray
        Contiguous arrays: as many for each parameter, in the same order.

    Yields
    ------
    slice
        Of the group.
    tuple of (int, numpy.ndarray)
        Number of blocks, and the structure of addresses.
    """
    capacity, layout = _layout(len(group[0]))
    sizes = numpy.array([arrays[0].size for arrays in group], numpy.int64)
    addresses = numpy.array(
        [[array.data.ptr for array in arrays] for arrays in group], numpy.int64)
    blocks = -(-sizes // _PIECE)
    for first in range(0, len(group), capacity):
        part = slice(first, first + capacity)
        n = len(sizes[part])
        ends = blocks[part].cumsum()
        if ends[-1] == 0:
            continue
        arrays = numpy.zeros((), layout)
        arrays['first_block'][n:] = 0xffffffff
        arrays['first_block'][:n] = ends - blocks[part]
        arrays['size'][:n] = sizes[part]
        arrays['low'][:, :n] = (addresses[part] & 0xffffffff).T
        arrays['high'][:, :n] = (addresses[part] >> 32).T
        yield part, (int(ends[-1]), arrays)


class _Contiguous:
    """Arrays of a group, with copies in the place of those that are not contiguous.

    At the end of the ``with`` block, what has been written is copied back.
    """

    def __init__(self, group, written):
        self._group, self._written, self._changed = group, written, []

    def __enter__(self):
        return [self._copies(arrays) for arrays in self._group]

    def _copies(self, arrays):
        if all(array.flags.c_contiguous for array in arrays):
            return arrays
        copies = [cuda.cupy.ascontiguousarray(array) for array in arrays]
        self._changed += [
            (array, copy) for array, copy, written
            in zip(arrays, copies, self._written, strict=True)
            if written and copy is not array]
        return copies

    def __exit__(self, kind, value, traceback):
        if kind is None:
            for array, copy in self._changed:
                array[...] = copy


# -- changes


def _make_changes(place, steps, group):
    """Make the same changes of all parameters of a group."""
    device, kinds = place
    names = [name for name, _ in steps]
    numbers = _by_value(kinds, *[numbers for _, numbers in steps])
    with cuda.Device(device):
        if names == ['Change<LARS>']:
            _scale_by_size(kinds[0], numbers, group)
        else:
            _update(kinds, names, numbers, group)


def _update(kinds, names, numbers, group):
    moves = names[-1].startswith('Update')
    rounds = kinds == 'fe'
    changes_grad = not moves or len(names) > 1 and not rounds
    n_states = len(group[0]) - 2 - rounds if moves else -1
    params = ', const Steps<%s, %s> steps' % (_NUMBERS[kinds[0]], ', '.join(names))
    body = 'update<%s, %s, %d, %s>(arrays, steps)' % (
        _TYPES[kinds[0]], _TYPES[kinds[1]], n_states, str(changes_grad).lower())
    written = [moves, changes_grad, *[True] * (len(group[0]) - 2)]
    with _Contiguous(group, written) as group:
        for _, call in _calls(group):
            _launch(body, params, call, numbers)


def _sum_squares(kind, call, n_arrays, sums):
    _launch('sum_squares<%s, %d>(arrays, sums)' % (_TYPES[kind], n_arrays),
            ', double *sums', call, sums)


def _scale_by_size(kind, numbers, group):
    params = ', const LARS::Coefficients<%s> c, const double *sums' % _NUMBERS[kind]
    with _Contiguous(group, [False, True]) as group:
        for _, call in _calls(group):
            sums = cuda.cupy.empty(2 * call[0], numpy.float64)
            _sum_squares(kind, call, 2, sums)
            _launch('scale_by_size<%s>(arrays, c, sums)' % _TYPES[kind], params, call,
                    numbers, sums)


def clip(grads, threshold):
    """Scale gradients down in place, so that their norm is at most a threshold.

    Parameters
    ----------
    grads : list of cupy.ndarray
    threshold : float

    Returns
    -------
    bool
        False, and nothing has changed, if there are no kernels for these arrays, two
        of them overlap, or they are not all on one device.
    """
    if (not all(map(_is_plain, grads))
            or len({grad.device.id for grad in grads}) != 1 or _overlap(grads)):
        return False
    with grads[0].device, _Contiguous([grads], [True] * len(grads)) as (grads,):
        calls = [(kind, call) for kind, _, group in _by_kind(grads)
                 for _, call in _calls(group)]
        firsts = [0, *itertools.accumulate(n_blocks for _, (n_blocks, _) in calls)]
        sums = cuda.cupy.empty(firsts[-1], numpy.float64)
        for first, (kind, call) in zip(firsts, calls, strict=False):
            _sum_squares(kind, call, 1, sums[first:])
        factor = cuda.cupy.empty((), numpy.float64)
        _kernel('const double *sums, long long n, double threshold, double *factor',
                'find_clipping_factor(sums, n, threshold, factor)')(
                    (1,), (_THREADS,),
                    (sums, numpy.int64(sums.size), numpy.float64(threshold), factor))
        for kind, call in calls:
            _launch('scale<%s>(arrays, factor)' % _TYPES[kind],
                    ', const double *factor', call, factor)
    return True


def are_finite(arrays):
    """Tell which arrays have no element that is infinite or no number.

    It waits for the result once for each device.

    Parameters
    ----------
    arrays : list of cupy.ndarray

    Returns
    -------
    list of bool
    """
    by_device = {}
    for i, array in enumerate(arrays):
        by_device.setdefault(array.device.id, []).append(i)
    finite = [True] * len(arrays)
    for device, indices in by_device.items():
        with cuda.Device(device):
            found = _find_not_finite([arrays[i] for i in indices])
        for i, is_found in zip(indices, found, strict=True):
            finite[i] = not is_found
    return finite


def _find_not_finite(arrays):
    """Return for each array of a device whether some element is not finite."""
    if not all(map(_is_plain, arrays)):
        finite = [cuda.cupy.isfinite(array).all() for array in arrays]
        return ~cuda.cupy.stack(finite).get()
    order = []
    found = cuda.cupy.zeros(len(arrays), numpy.int32)
    with _Contiguous([arrays], [False] * len(arrays)) as (arrays,):
        for kind, indices, group in _by_kind(arrays):
            for part, call in _calls(group):
                _launch('find_not_finite<%s>(arrays, found)' % _TYPES[kind],
                        ', int *found', call, found[len(order) + part.start:])
            order += indices
    return found.get()[numpy.argsort(order)]


def copy_arrays(pairs):
    """Copy arrays into others.

    Parameters
    ----------
    pairs : iterable of (array, array)

    Returns
    -------
    list of (array, array)
        The pairs for which there is no kernel, and which are left to the caller.
    """
    groups, rest = {}, []
    for source, target in pairs:
        if _is_plain(source) and _is_like(target, source, target.dtype.char):
            kinds = source.dtype.char, target.dtype.char
            groups.setdefault((source.data.device_id, *kinds), []).append(
                (source, target))
        else:
            rest.append((source, target))
    for (device, *kinds), group in groups.items():
        with cuda.Device(device), _Contiguous(group, [False, True]) as group:
            for _, call in _calls(group):
                _launch('copy<%s, %s>(arrays)' % tuple(map(_TYPES.get, kinds)), '',
                        call)
    return rest


def _is_plain(array):
    return _is_like(array, array, array.dtype.char)


def _by_kind(arrays):
    """Return for each dtype its character, the indices of its arrays and a group."""
    by_kind = {}
    for i, array in enumerate(arrays):
        by_kind.setdefault(array.dtype.char, []).append(i)
    return [(kind, indices, [[arrays[i]] for i in indices])
            for kind, indices in by_kind.items()]
