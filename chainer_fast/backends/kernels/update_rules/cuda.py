"""Changes of the arrays of many parameters with as few CUDA kernels as possible.

A kernel handles about a hundred parameters. The kernels are in
``many_arrays.hpp``, the arithmetic in ``elements.hpp``.
"""
from __future__ import annotations

import itertools
import typing as tp

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels.common import many_arrays
from chainer_fast.backends.kernels.common.many_arrays import (
    TYPES,
    Contiguous,
    by_kind,
    calls,
    is_like,
    is_plain,
    overlap,
)
from chainer_fast.types import NdArray

_HEADER = 'chainer_fast/backends/kernels/update_rules/many_arrays.hpp'

_NUMBERS = {'e': 'float', 'f': 'float', 'd': 'double'}


class Batch:
    """Queued changes of parameters.

    A step of a change is a pair: a type of ``many_arrays.hpp``, such as
    ``'Update<Adam, 2>'``, and its coefficients as the bytes of doubles.
    """

    def __init__(self) -> None:
        self._changes = []

    @staticmethod
    def place(arrays: tp.Sequence[NdArray]) -> tuple[tp.Any, ...] | None:
        """Return the device of arrays and their types.

        Parameters
        ----------
        arrays : sequence of cupy.ndarray
            A parameter, its gradient and the states of its rule, which are in float32
            for a parameter in float16. If the parameter is the float32 copy of one in
            float16, the gradient is in float16, and the float16 parameter comes last.

        Returns
        -------
        tuple
            None if kernels do not support them.
        """
        param, grad = arrays[:2]
        kinds = param.dtype.char + grad.dtype.char
        of_state = kinds[0].replace('e', 'f')
        expected = [kinds[0], kinds[0], *[of_state] * (len(arrays) - 2)]
        if kinds == 'fe' and len(arrays) > 2:
            expected[1] = expected[-1] = 'e'
        if not all(map(is_like, arrays, itertools.repeat(param), expected)):
            return None
        return param.data.device_id, kinds

    def add(
            self, place: tuple[tp.Any, ...], hooks: tuple[tuple[str, bytes], ...],
            steps: tuple[tuple[str, bytes], ...], arrays: tp.Sequence[NdArray]) -> None:
        """Queue a change.

        Parameters
        ----------
        place : tuple
            Result of :meth:`place`.
        hooks : tuple of (str, bytes)
            Steps to run for all parameters, before the steps of any.
        steps : tuple of (str, bytes)
            The other steps.
        arrays : sequence of cupy.ndarray
        """
        self._changes.append((place, hooks, steps, arrays))

    def launch(self) -> None:
        """Make all changes, and clear the queue."""
        changes, self._changes = self._changes, []
        if overlap([array for *_, arrays in changes for array in arrays]):
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


def _by_value(kinds, *numbers):
    """Return doubles as an argument, a structure of the number type."""
    values = numpy.frombuffer(b''.join(numbers))
    values = values.astype(numpy.float64 if kinds[0] == 'd' else numpy.float32)
    return values.view('V%d' % values.nbytes)


def _launch(body, params, call, *args):
    many_arrays.launch(_HEADER, body, params, call, *args)


def _make_changes(place, steps, group):
    """Make the same changes to all parameters of a group."""
    device, kinds = place
    names = [name for name, _ in steps]
    numbers = _by_value(kinds, *[numbers for _, numbers in steps])
    with cuda.Device(device):
        if names == ['Change<LARS>']:
            _scale_by_size(kinds[0], numbers, group)
        else:
            _update(kinds, names, numbers, group)


def _kernel_of(names, kinds, n_arrays):
    """Return parameters and body of a kernel, and which arrays it writes to."""
    moves = names[-1].startswith('Update')
    rounds = kinds == 'fe'
    changes_grad = not moves or len(names) > 1 and not rounds
    n_states = n_arrays - 2 - rounds if moves else -1
    params = ', const Steps<%s, %s> steps' % (_NUMBERS[kinds[0]], ', '.join(names))
    body = 'update<%s, %s, %d, %s>(arrays, steps)' % (
        TYPES[kinds[0]], TYPES[kinds[1]], n_states, str(changes_grad).lower())
    return params, body, [moves, changes_grad, *[True] * (n_arrays - 2)]


def make_kernel(names: list[str], kinds: str, n_arrays: int) -> tp.Any:
    """Return the compiled kernel of steps.

    Parameters
    ----------
    names : list of str
        Types of ``many_arrays.hpp``.
    kinds : str
        Characters of the dtypes of parameters and gradients.
    n_arrays : int
        Number of arrays of a parameter, including itself and its gradient.
    """
    params, body, _ = _kernel_of(names, kinds, n_arrays)
    return many_arrays.kernel_of(_HEADER, body, params, n_arrays).kernel


def _update(kinds, names, numbers, group):
    params, body, written = _kernel_of(names, kinds, len(group[0]))
    with Contiguous(group, written) as group:
        for _, call in calls(group):
            _launch(body, params, call, numbers)


def _sum_squares(kind, call, n_arrays, sums):
    _launch('sum_squares<%s, %d>(arrays, sums)' % (TYPES[kind], n_arrays),
            ', double *sums', call, sums)


def _scale_by_size(kind, numbers, group):
    params = ', const LARS<%s> lars, const double *sums' % _NUMBERS[kind]
    with Contiguous(group, [False, True]) as group:
        for _, call in calls(group):
            sums = cuda.cupy.empty(2 * call[0], numpy.float64)
            _sum_squares(kind, call, 2, sums)
            _launch('scale_by_size<%s>(arrays, lars, sums)' % TYPES[kind], params, call,
                    numbers, sums)


def clip(grads: list[NdArray], threshold: tp.Any) -> bool:
    """Scale gradients in place so that their norm is at most a threshold.

    Parameters
    ----------
    grads : list of cupy.ndarray
    threshold : float

    Returns
    -------
    bool
        False, without any change, if kernels do not support these arrays, two of
        them overlap, or they are not all on one device.
    """
    if (not all(map(is_plain, grads))
            or len({grad.device.id for grad in grads}) != 1 or overlap(grads)):
        return False
    with grads[0].device, Contiguous([grads], [True] * len(grads)) as (grads,):
        launches = [(kind, call) for kind, _, group in by_kind(grads)
                    for _, call in calls(group)]
        firsts = [0, *itertools.accumulate(n_blocks for _, (n_blocks, _) in launches)]
        sums = cuda.cupy.empty(firsts[-1], numpy.float64)
        for first, (kind, call) in zip(firsts, launches, strict=False):
            _sum_squares(kind, call, 1, sums[first:])
        factor = cuda.cupy.empty((), numpy.float64)
        many_arrays.kernel(
            _HEADER,
            'const double *sums, long long n, double threshold, double *factor',
            'find_clipping_factor(sums, n, threshold, factor)')(
                (1,), (many_arrays.THREADS,),
                (sums, numpy.int64(sums.size), numpy.float64(threshold), factor))
        for kind, call in launches:
            _launch('scale<%s>(arrays, factor)' % TYPES[kind],
                    ', const double *factor', call, factor)
    return True


def are_finite(arrays: list[NdArray]) -> list[bool]:
    """Return which arrays have neither infinite elements nor NaN.

    It waits once for each device.

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
    """Return, for each array of a device, whether any element is not finite."""
    if not all(map(is_plain, arrays)):
        finite = [cuda.cupy.isfinite(array).all() for array in arrays]
        return ~cuda.cupy.stack(finite).get()
    order = []
    found = cuda.cupy.zeros(len(arrays), numpy.int32)
    with Contiguous([arrays], [False] * len(arrays)) as (arrays,):
        for kind, indices, group in by_kind(arrays):
            for part, call in calls(group):
                _launch('find_not_finite<%s>(arrays, found)' % TYPES[kind],
                        ', int *found', call, found[len(order) + part.start:])
            order += indices
    return found.get()[numpy.argsort(order)]


def copy_arrays(
        pairs: tp.Iterable[tuple[NdArray, NdArray]]) -> list[tuple[NdArray, NdArray]]:
    """Copy arrays into others.

    Parameters
    ----------
    pairs : iterable of (array, array)

    Returns
    -------
    list of (array, array)
        The pairs that kernels do not support, which are left to the caller.
    """
    groups, rest = {}, []
    for source, target in pairs:
        if is_plain(source) and is_like(target, source, target.dtype.char):
            kinds = source.dtype.char, target.dtype.char
            groups.setdefault((source.data.device_id, *kinds), []).append(
                (source, target))
        else:
            rest.append((source, target))
    for (device, *kinds), group in groups.items():
        with cuda.Device(device), Contiguous(group, [False, True]) as group:
            for _, call in calls(group):
                _launch('copy_scaled<%s, %s>(arrays, 1)' % tuple(
                    map(TYPES.get, kinds)), '', call)
    return rest
