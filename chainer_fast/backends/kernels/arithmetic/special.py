"""Special functions of SciPy and CuPy, and some for floats of this package."""
from __future__ import annotations

import importlib
import typing as tp

import numpy

from chainer_fast.backends import arrays
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.arithmetic import unary
from chainer_fast.backends.kernels.declared import declared
from chainer_fast.types import NdArray


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
    own = unary.own_function(x, name)
    if own is not None:
        return own
    package = 'scipy' if get_array_module(x) is numpy else 'cupyx.scipy'
    return getattr(importlib.import_module(package + '.special'), name)


_polygamma = declared('polygamma')
# Of a higher order the series has more terms.
_MOST = 10


def _polygamma_of_loop(x, n):
    if type(n) is not numpy.ndarray or n.shape not in ((), x.shape) or not n.size:
        return NotImplemented
    order = int(n.flat[0])
    if not 1 <= order <= _MOST or (n.ndim and (n != order).any()):
        return NotImplemented
    return _polygamma(x, order)


@kernel(compiled=_polygamma_of_loop, in_single=True)
def polygamma(x: NdArray, n: NdArray) -> NdArray:
    """Return derivatives of the digamma function, of the orders ``n``.

    The loop is for positive numbers and one order; it rounds once, too.
    """
    return arrays.force_array(ufunc(x, 'polygamma')(n, x), x.dtype)
