"""Special functions of SciPy and CuPy, and some for floats of this package."""
from __future__ import annotations

import importlib
import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels.common import ufuncs
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
    if type(x) is numpy.ndarray and x.dtype.char == 'f' and hasattr(ufuncs, name):
        return getattr(ufuncs, name)
    package = 'scipy' if get_array_module(x) is numpy else 'cupyx.scipy'
    return getattr(importlib.import_module(package + '.special'), name)
