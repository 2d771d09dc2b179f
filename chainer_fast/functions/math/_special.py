"""Special functions that SciPy and CuPy compute."""
from __future__ import annotations

import importlib

import numpy

from chainer_fast import backend
from chainer_fast.functions.math import _unary
from chainer_fast.types import NdArray


def ufunc(x, name):
    """Returns a special function for the array module of ``x``.

    ``scipy.special`` takes long to import, so it is imported when first needed.

    Raises
    ------
    ImportError
        If SciPy is not installed.
    """
    xp = backend.get_array_module(x)
    package = 'scipy' if xp is numpy else 'cupyx.scipy'
    return getattr(importlib.import_module(package + '.special'), name)


class SpecialFunction(_unary.FloatUfunc):
    """Function of one array; ``ufunc`` is its name in ``scipy.special``."""

    def compute(self, x: NdArray) -> NdArray:
        return ufunc(x, self.ufunc)(x)
