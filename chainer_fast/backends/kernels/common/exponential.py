"""Exponentials of arrays of any device; those of floats on the processor are our own.

They are within one unit in the last place, and have the same bits as in compiled loops.
"""
import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels.common import exponential_ufuncs as _ufuncs

_ON_HOST = (numpy.ndarray, numpy.generic)


def exp(x, out=None):
    """Return the exponentials of an array of a floating dtype."""
    xp = _ufuncs if isinstance(x, _ON_HOST) else get_array_module(x)
    return xp.exp(x, out=out)


def tanh(x, out=None):
    """Return the hyperbolic tangents of an array of a floating dtype."""
    xp = _ufuncs if isinstance(x, _ON_HOST) else get_array_module(x)
    return xp.tanh(x, out=out)


def expm1_of_negative(x):
    """Return ``exp(x) - 1`` of an array without positive elements."""
    if isinstance(x, _ON_HOST):
        return _ufuncs.expm1_of_negative(x)
    return get_array_module(x).expm1(x)


def log1p_exp_of_negative(x):
    """Return ``log(1 + exp(x))`` of an array without positive elements."""
    if isinstance(x, _ON_HOST) and x.dtype.char == 'f':
        return _ufuncs.log1p_exp_of_negative(x)
    xp = get_array_module(x)
    return xp.log1p(xp.exp(x))


def sigmoid(x):
    """Return the logistic sigmoid of an array of a floating dtype."""
    if isinstance(x, _ON_HOST) and x.dtype.char == 'f':
        return _ufuncs.sigmoid(x)
    # The identity sigmoid(x) = (tanh(x / 2) + 1) / 2 neither overflows
    # nor loses the tails to a division.
    half = x.dtype.type(0.5)
    return get_array_module(x).tanh(x * half) * half + half
