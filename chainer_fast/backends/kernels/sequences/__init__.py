"""Sequences of different lengths: padding them, and regrouping their elements."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import array, kernel
from chainer_fast.backends.kernels.array import compiled as _compiled
from chainer_fast.backends.kernels.sequences import cuda as _cuda
from chainer_fast.types import NdArray


@kernel(compiled=_compiled.stack_padded)
def stack_padded(
        first: NdArray, xs: tp.Sequence[NdArray], length: int,
        padding: tp.Any) -> NdArray:
    """Stack arrays whose first axes differ in length.

    Parameters
    ----------
    first : array
        The first of them, which decides which form of the kernel runs.
    xs : sequence of array
        The arrays, of one dtype.
    length : int
        Length of each in the result, at least that of the longest.
    padding : numpy scalar
        Value to pad with, in their dtype.

    Returns
    -------
    array, shape (len(xs), length, ...)
    """
    xp = get_array_module(first)
    y = xp.full((len(xs), length, *first.shape[1:]), padding, first.dtype)
    for row, x in zip(y, xs, strict=True):
        row[:len(x)] = x
    return y


@kernel(compiled=_compiled.transpose_sequences)
def transpose(
        first: NdArray, xs: tp.Sequence[NdArray], count: int) -> tuple[NdArray, ...]:
    """Regroup the elements of arrays by their positions along the first axis.

    Parameters
    ----------
    first : array
        The first of them, which decides which form of the kernel runs.
    xs : sequence of array
        The arrays, none longer than the one before it.
    count : int
        Number of positions, at least as many as the first array has.

    Returns
    -------
    tuple of array
        The elements at each position, in C order and the dtype of the first array.
        They may share memory that nothing else uses.
    """
    xp = get_array_module(first)
    lengths = numpy.array([len(x) for x in xs])
    starts = numpy.cumsum(lengths) - lengths
    counts = [int(n) for n in (lengths > numpy.arange(count)[:, None]).sum(axis=1)]
    order = numpy.concatenate(
        [starts[:0]] + [starts[:n] + place for place, n in enumerate(counts)])
    flat = xp.concatenate(xs)[xp.asarray(order)].astype(first.dtype, copy=False)
    ends = numpy.cumsum(counts).tolist()
    return tuple([
        flat[end - n:end] for n, end in zip(counts, ends, strict=True)])


@kernel(compiled=_compiled.join_rows, device=_cuda.rows)
def rows(first: NdArray, xs: tp.Sequence[NdArray]) -> NdArray:
    """Join arrays along the first axis.

    Parameters
    ----------
    first : array
        The first of them, which decides which form of the kernel runs.
    xs : sequence of array
        The arrays, of one dtype.

    Returns
    -------
    array
        An array that may share their memory, for reading.
    """
    return array.join(first, xs, 0)
