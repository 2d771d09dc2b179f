"""Rearrangement of arrays."""
from __future__ import annotations

import typing as tp

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.common import layout
from chainer_fast.backends.kernels.common.copies import in_c_order
from chainer_fast.backends.kernels.common.halves import in_single
from chainer_fast.backends.kernels.array import cuda as _cuda
from chainer_fast.backends.kernels.array import compiled as _compiled
from chainer_fast.backends.kernels.array.places import at_rows
from chainer_fast.types import NdArray

#: Number of elements from which on several threads copy them.
LEAST = 32768


@kernel(device=_cuda.join)
def join(first: NdArray, arrays: tp.Sequence[NdArray], axis: int) -> NdArray:
    """Join arrays along an axis.

    Parameters
    ----------
    first : array
        The first array; its device determines which form of the kernel runs.
    arrays : sequence of array
        The arrays, of one dtype and of equal shapes but for the axis.
    axis : int
        The axis.

    Returns
    -------
    array
    """
    return get_array_module(first).concatenate(arrays, axis)


@kernel(compiled=layout.copied)
def copied(x: NdArray) -> NdArray:
    """Return a copy of an array in C order."""
    return x.copy()


@kernel(compiled=layout.assign)
def assign(out: NdArray, x: NdArray) -> NdArray:
    """Copy an array, broadcast, into another, whose elements do not overlap.

    Returns
    -------
    array
        The array that was copied into.
    """
    out[...] = x
    return out


@kernel(compiled=at_rows(in_c_order(_compiled.add_at)), in_single=True)
@in_single
def add_at(
        values: NdArray, index: tuple[tp.Any, ...], base: NdArray | tuple[int, ...],
        ) -> NdArray:
    """Add values to the elements of an index, repeatedly for repeated elements.

    Parameters
    ----------
    values : array
        The values, of the shape of ``base[index]``.
    index : tuple
        The index, with arrays of the same device.
    base : array or tuple of int
        The array to whose copy the values are added; or the shape of an array of
        zeros.

    Returns
    -------
    array
    """
    xp = get_array_module(values)
    out = xp.zeros(base, values.dtype) if isinstance(base, tuple) else base.copy()
    xp.add.at(out, index, values)
    return out
