"""Special functions that SciPy and CuPy compute."""
from __future__ import annotations

from chainer_fast.backends.kernels.arithmetic import special, unary
from chainer_fast.functions.math import _unary
from chainer_fast.types import NdArray


class SpecialFunction(_unary.FloatUfunc):
    """Function of one array; ``ufunc`` is its name in ``scipy.special``."""

    def compute(self, x: NdArray) -> NdArray:
        return unary.apply(special.ufunc(x, self.ufunc), x)
