"""Sums, means and products."""
from __future__ import annotations

import functools
import operator
import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module, ndarray
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.common import halves
from chainer_fast.backends.kernels.common.axes import (
    grad_of_groups, in_order_of_memory, order_of_memory)
from chainer_fast.backends.kernels.common.halves import in_single
from chainer_fast.backends.kernels.declared import declared
from chainer_fast.backends.kernels.reduction import cuda as _device
from chainer_fast.backends.kernels.reduction import products, shortcuts
from chainer_fast.types import DTypeSpec, NdArray


def total(
        x: NdArray, axis: int | tuple[int, ...] | None, keepdims: bool = False,
        dtype: DTypeSpec = None) -> NdArray:
    """Return ``x.sum(axis, dtype, keepdims=keepdims)``, long ones on a GPU in steps.

    Halves are added up in single precision, which NumPy does along the last axis alone.

    This is no kernel, so that it costs a processor next to nothing.

    Parameters
    ----------
    x : array
        Elements.
    axis : None, int or tuple of int
        Axes to sum over; all of them when None.
    keepdims : bool
        Whether these axes stay, with length 1.
    dtype : dtype, optional
        Type of the sum; by default that of ``x``.

    Returns
    -------
    array
        A scalar instead, if NumPy's sum is one.
    """
    if isinstance(x, ndarray):
        result = _device.total(x, axis, keepdims, dtype)
        if result is not NotImplemented:
            return result
    elif dtype is None and x.dtype.char == 'e':     # CuPy sums them so by itself
        return halves.cast(
            total(halves.cast(x, numpy.float32), axis, keepdims), numpy.float16)
    elif dtype is None:
        result = shortcuts.reduction('sum', x, axis, keepdims)
        if result is not NotImplemented:
            return result
    return x.sum(axis, dtype, keepdims=keepdims)


@kernel(compiled=functools.partial(shortcuts.reduction, 'prod'))
def product(x: NdArray, axis: tp.Any, keepdims: bool) -> NdArray:
    """Return the product over axes."""
    return x.prod(axis, keepdims=keepdims)


@kernel(compiled=functools.partial(shortcuts.reduction, 'max'))
def largest(x: NdArray, axis: tp.Any, keepdims: bool) -> NdArray:
    """Return the largest elements over axes."""
    return x.max(axis, keepdims=keepdims)


@kernel(compiled=functools.partial(shortcuts.reduction, 'min'))
def smallest(x: NdArray, axis: tp.Any, keepdims: bool) -> NdArray:
    """Return the smallest elements over axes."""
    return x.min(axis, keepdims=keepdims)


@kernel(compiled=grad_of_groups(declared('selected_grad')))
@in_single
def selected_grad(x: NdArray, y: NdArray, g: NdArray) -> NdArray:
    """Return the gradient of elements that are selected from others over axes.

    Each that equals the one selected gets the gradient of that.

    Parameters
    ----------
    x : array
        Elements.
    y, g : array
        Those selected, with length 1 in the reduced axes, and their gradients.
    """
    return g * halves.cast(x == y, x.dtype)


_positions = declared('positions')


def _positions_of_loop(x, axis, of_smallest):
    found = shortcuts.positions(x, axis, of_smallest)
    if found is not NotImplemented:
        return found
    if axis is None or not -x.ndim <= axis < x.ndim:
        return NotImplemented
    order = order_of_memory(x)
    if order is not None:
        place = order.index(axis % x.ndim)
        found = _positions_of_loop(x.transpose(order), place, of_smallest)
        if found is NotImplemented or found.ndim < 2:
            return found
        return found.transpose(numpy.argsort(order[:place] + order[place + 1:])).copy()
    if x.strides[axis] == x.itemsize and not x.flags.c_contiguous:
        return NotImplemented       # NumPy need not copy the rows.
    return _positions(x, axis, of_smallest)


@kernel(compiled=_positions_of_loop)
def positions(x: NdArray, axis: int | None, of_smallest: bool) -> tp.Any:
    """Return the positions of the largest elements along an axis, or the smallest.

    They are integers of any type, or floats.
    """
    return x.argmin(axis) if of_smallest else x.argmax(axis)


def _add_slices(x: NdArray) -> tp.Any:
    # For each of many short sums NumPy takes a long time.
    if x.dtype.char not in 'fd' or not 1 < x.shape[1] < 8:
        return NotImplemented
    try:
        with numpy.errstate(over='raise', invalid='raise'):
            return functools.reduce(operator.add, [x[:, i] for i in range(x.shape[1])])
    except FloatingPointError:
        return NotImplemented


@kernel(compiled=_add_slices)
def sum_second_axis(x: NdArray) -> NdArray:
    """Return the sums over axis 1."""
    return total(x, 1)


_running_sum = declared('running_sum')


def _running_sum_of_loop(x, axis, from_the_end):
    if axis is None:
        x, axis = x.reshape(-1), 0
    return _running_sum(x, axis, from_the_end)


@kernel(compiled=_running_sum_of_loop)
@in_single
def running_sum(x: NdArray, axis: tp.Any, from_the_end: bool) -> NdArray:
    """Return running sums along an axis.

    The axis None, only from the start, runs through the flattened array.
    """
    if not from_the_end:
        return x.cumsum(axis)
    back = (slice(None),) * (axis % x.ndim) + (slice(None, None, -1),)
    return x[back].cumsum(axis)[back]


_running_product = declared('running_product')
_running_product_grad = declared('running_product_grad')
_product_grad = declared('product_grad')


def _running_product_of_loop(x, axis):
    return _running_product(x.reshape(-1), 0) if axis is None else (
        _running_product(x, axis))


@kernel(compiled=_running_product_of_loop)
@in_single
def running_product(x: NdArray, axis: int | None) -> NdArray:
    """Return running products along an axis, or through the flattened array."""
    return x.cumprod(axis)


def _running_product_grad_of_loop(x, y, g, axis):
    if axis is not None:
        return _running_product_grad(x, y, g, axis)
    found = _running_product_grad(x.reshape(-1), y, g, 0)
    return found if found is NotImplemented else found.reshape(x.shape)


@kernel(compiled=_running_product_grad_of_loop)
@in_single
def running_product_grad(
        x: NdArray, y: NdArray, g: NdArray, axis: int | None) -> NdArray:
    """Return the gradient of :func:`running_product`, of which ``y`` is the result.

    An element gets the product of those before it, times the sum over the products of
    those behind it: no division, which zeros would not allow.
    """
    along = 0 if axis is None else axis
    sums = g.copy('K')
    rest, factors, before = [
        each.swapaxes(along, 0) for each in (sums, x.reshape(y.shape), y)]
    for k in range(len(rest) - 1, 0, -1):
        rest[k - 1] += factors[k] * rest[k]
    rest[1:] *= before[:-1]
    return sums.reshape(x.shape)


@in_order_of_memory
def _product_grad_of_loop(x, g, groups):
    if len(groups) != 1:
        return NotImplemented
    return _product_grad(x, g.squeeze(groups[0]), groups[0])


@kernel(compiled=_product_grad_of_loop)
@in_single
def product_grad(
        x: NdArray, g: NdArray, axis: int | tuple[int, ...] | None) -> NdArray:
    """Return the gradient of products over axes, which ``g`` has with length one."""
    rest = products.of_others(x, axis)
    return get_array_module(x).multiply(g, rest, out=rest)
