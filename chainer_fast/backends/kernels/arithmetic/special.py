"""Special functions that SciPy and CuPy compute, and some of floats that we do."""
from __future__ import annotations

import importlib
import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels.common import halves, ufuncs
from chainer_fast.types import NdArray


def are_own(x: NdArray) -> bool:
    """Return whether there may be a function of our own for an array."""
    return type(x) is numpy.ndarray and x.dtype.char == 'f'


def ufunc(x: NdArray, name: str) -> tp.Any:
    """Return a special function for the array module of ``x``.

    ``scipy.special`` takes long to import, so it is imported when first needed.

    Parameters
    ----------
    x : array
        Its argument.
    name : str
        Its name in ``scipy.special``.

    Returns
    -------
    callable

    Raises
    ------
    ImportError
        If SciPy is not installed.
    """
    if are_own(x) and hasattr(ufuncs, name):
        return getattr(ufuncs, name)
    package = 'scipy' if get_array_module(x) is numpy else 'cupyx.scipy'
    return getattr(importlib.import_module(package + '.special'), name)


def polygamma(n: NdArray, x: NdArray) -> NdArray:
    """Return the polygamma function of order ``n``, of arrays that broadcast."""
    if type(x) is numpy.ndarray and x.dtype.char == 'e':
        return halves.cast(polygamma(n, halves.cast(x, numpy.float32)), x.dtype)
    if are_own(x) and type(n) is numpy.ndarray and n.ndim <= x.ndim and (
            n.size == 1 and n.item() == 1):
        return ufuncs.trigamma(x)
    return ufunc(x, 'polygamma')(n, x)
