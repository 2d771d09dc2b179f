"""Exponentials of arrays of any device; the package computes those of floats itself.

They are within one unit in the last place, and have the same bits as in compiled loops.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels.common import ufuncs as _ufuncs
from chainer_fast.types import NdArray

_ON_HOST = (numpy.ndarray, numpy.generic)


def _functions_for(x):
    """Return the module with the functions of the type of an array."""
    if isinstance(x, _ON_HOST):
        return _ufuncs if x.dtype.char == 'f' else numpy
    return get_array_module(x)


def exp(x: NdArray, out: tp.Any = None) -> NdArray:
    """Return the exponentials of an array of a floating dtype."""
    return _functions_for(x).exp(x, out=out)


def tanh(x: NdArray, out: tp.Any = None) -> NdArray:
    """Return the hyperbolic tangents of an array of a floating dtype."""
    return _functions_for(x).tanh(x, out=out)


def expm1_of_negative(x: NdArray) -> NdArray:
    """Return ``exp(x) - 1`` of an array without positive elements."""
    functions = _functions_for(x)
    if functions is _ufuncs:
        return _ufuncs.expm1_of_negative(x)
    return functions.expm1(x)


def log1p_exp_of_negative(x: NdArray) -> NdArray:
    """Return ``log(1 + exp(x))`` of an array without positive elements."""
    functions = _functions_for(x)
    if functions is _ufuncs:
        return _ufuncs.log1p_exp_of_negative(x)
    return functions.log1p(functions.exp(x))


def sigmoid(x: NdArray) -> NdArray:
    """Return the logistic sigmoid of an array of a floating dtype."""
    functions = _functions_for(x)
    if functions is _ufuncs:
        return _ufuncs.sigmoid(x)
    # The identity sigmoid(x) = (tanh(x / 2) + 1) / 2 neither overflows
    # nor loses the tails to a division.
    half = x.dtype.type(0.5)
    return functions.tanh(x * half) * half + half
