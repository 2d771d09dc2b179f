"""Computation with float16 variables in float32."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast.functions.array import cast
from chainer_fast.variable import Variable


def in_single(compute: Callable[..., Variable], *xs: Any) -> Variable:
    """Return ``compute(*xs)``, computed in float32 and rounded if all are float16.

    Parameters
    ----------
    compute : callable
        Function of variables or arrays.
    *xs : Variable, array or scalar
        Arguments of the function.
    """
    for x in xs:
        # A Python number has no dtype: the other operand determines it.
        if not hasattr(x, 'dtype') or x.dtype.char != 'e':
            return compute(*xs)
    y = compute(*[
        numpy.float32(x) if isinstance(x, numpy.generic)
        else cast.cast(x, numpy.float32) for x in xs])
    return cast.cast(y, numpy.float16)
