"""Axes that loops take at once."""
from __future__ import annotations

import functools
import typing as tp

import numpy

from chainer_fast.types import NdArray

Form = tp.Callable[..., tp.Any]


def adjacent(axis: int | tuple[int, ...] | None, ndim: int) -> list[tuple[int, ...]]:
    """Return groups of adjacent axes, the last one first.

    A loop for one group after the other reduces all. There is no group if an axis comes
    twice or is out of range: NumPy reports the error.

    Parameters
    ----------
    axis : int, tuple of int or None
        Axes of an array, all of them when None.
    ndim : int
        Number of axes of the array.
    """
    if axis is None:
        return [tuple(range(ndim))]
    axes = (axis,) if isinstance(axis, int) else axis
    named = sorted({each % ndim for each in axes if -ndim <= each < ndim})
    if len(named) < len(axes):
        return []
    groups: list[list[int]] = []
    for each in named:
        if groups and groups[-1][-1] == each - 1:
            groups[-1].append(each)
        else:
            groups.append([each])
    return [tuple(group) for group in reversed(groups)]


def order_of_memory(x: NdArray) -> list[int] | None:
    """Return the axes of an array from the outermost in memory on.

    It is None if that is their order already, or if elements are repeated or come
    backwards.
    """
    if x.flags.c_contiguous or min(x.strides) <= 0:
        return None
    order = sorted(range(x.ndim), key=x.strides.__getitem__, reverse=True)
    return None if order == list(range(x.ndim)) else order


def in_order_of_memory(form: Form) -> Form:
    """Return a form that is called with the axes of arrays in the order of memory.

    Parameters
    ----------
    form : callable
        Takes arrays with the same number of axes, and groups of adjacent axes. It
        returns an array with as many axes, or ``NotImplemented``. Arrays behind the
        first are copied if necessary.

    Returns
    -------
    callable
        Takes axes as :func:`adjacent` does instead.
    """
    @functools.wraps(form)
    def ordered(x, *others):
        *arrays, axis = others
        groups = adjacent(axis, x.ndim)
        order = order_of_memory(x) if groups else None
        if order is None:
            return form(x, *arrays, groups) if groups else NotImplemented
        axes = tuple([order.index(each) for each in sum(groups, ())])
        others = [numpy.ascontiguousarray(each.transpose(order)) for each in arrays]
        found = form(x.transpose(order), *others, adjacent(axes, x.ndim))
        return found if found is NotImplemented else found.transpose(
            numpy.argsort(order))
    return ordered


def _repeated(array, shape):
    # NumPy's function takes longer to make a view.
    out = numpy.empty(shape, array.dtype)
    out[...] = array
    return out


def grad_of_groups(loop: Form) -> Form:
    """Return a form of the gradient of a reduction: along one group of axes.

    Over the others, results and their gradients are repeated.

    Parameters
    ----------
    loop : callable
        Takes an array, its reduction and the gradient of that, without the axes that
        come last.

    Returns
    -------
    callable
        Takes arrays; those behind the first have the reduced axes, of length one.
    """
    def of_group(x, y, g, group):
        kept = tuple([n for axis, n in enumerate(x.shape) if axis not in group])
        y, g = [each.squeeze(group) for each in (y, g)]
        if y.shape != kept:
            try:
                y, g = [_repeated(each, kept) for each in (y, g)]
            except ValueError:
                return NotImplemented
        return loop(x, y, g, group)

    @in_order_of_memory
    def of_groups(x, y, g, groups):
        group = groups[0]
        gx = of_group(x, y, g, group)
        if gx is NotImplemented and len(group) > 1:
            # The axes may be adjacent, but not so in memory.
            gx = of_group(x, y, g, group[-1:])
        return gx

    def of_arrays(x, y, g):
        if x.ndim != y.ndim or y.shape != g.shape:
            return NotImplemented
        return of_groups(x, y, g, tuple([i for i, n in enumerate(y.shape) if n == 1]))
    return of_arrays
