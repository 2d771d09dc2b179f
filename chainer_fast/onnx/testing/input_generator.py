"""Deterministic arrays for tests."""
from __future__ import annotations

import math
from typing import Any

import numpy

from chainer_fast.types import DTypeSpec, NdArray


def shaped_range(*shape: Any, dtype: DTypeSpec = numpy.float32) -> NdArray:
    """Return consecutive integers from zero.

    Parameters
    ----------
    *shape : int
        Shape.
    dtype : dtype
        Ignored, as in Chainer.

    Returns
    -------
    numpy.ndarray
        An array of int64.
    """
    return numpy.arange(math.prod(shape)).reshape(shape)


def increasing(*shape: Any, dtype: DTypeSpec = numpy.float32) -> NdArray:
    """Return increasing numbers around zero, in steps of 0.5, or of 1 for integers.

    Parameters
    ----------
    *shape : int
        Shape.
    dtype : dtype
        Dtype.

    Returns
    -------
    numpy.ndarray
        The numbers; the one in the middle is zero.
    """
    count = math.prod(shape)
    numbers = (numpy.arange(count) - count // 2).reshape(shape).astype(dtype)
    if numpy.dtype(dtype).kind == 'f':
        numbers *= numbers.dtype.type(0.5)
    return numbers


def nonzero_increasing(
        *shape: Any, dtype: DTypeSpec = numpy.float32,
        bias: float = 1e-7) -> NdArray:
    """Return increasing numbers around zero, none of which is zero.

    Parameters
    ----------
    *shape : int
        Shape.
    dtype : dtype
        Floating dtype.
    bias : float
        Number to add to :func:`increasing`.

    Returns
    -------
    numpy.ndarray
        The numbers.

    Raises
    ------
    AssertionError
        If an element is zero with this bias.
    """
    numbers = increasing(*shape, dtype=dtype) + numpy.asarray(bias, dtype)
    assert (numbers != 0).all(), (
        'with a bias of %s in %s, one element is zero' % (bias, dtype))
    return numbers


def positive_increasing(
        *shape: Any, dtype: DTypeSpec = numpy.float32,
        bias: float = 1e-7) -> NdArray:
    """Return increasing positive numbers, in steps of 0.5.

    Parameters
    ----------
    *shape : int
        Shape.
    dtype : dtype
        Floating dtype.
    bias : float
        The first number.

    Returns
    -------
    numpy.ndarray
        The numbers.

    Raises
    ------
    TypeError
        If the dtype is not floating.
    """
    if numpy.dtype(dtype).kind != 'f':
        raise TypeError('steps of 0.5 need a floating dtype, not %s' % dtype)
    numbers = shaped_range(*shape).astype(dtype)
    return numbers * numbers.dtype.type(0.5) + numpy.asarray(bias, dtype)
