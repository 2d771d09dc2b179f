"""Computation of variables of float16 in float32."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.functions.array import cast
from chainer_fast.variable import Variable


def in_single(compute: tp.Callable[..., Variable], *xs: tp.Any) -> Variable:
    """Return ``compute(*xs)``, in float32 and rounded once if all are of float16.

    Parameters
    ----------
    compute : callable
        Function of variables or arrays.
    *xs : Variable, array or scalar
        Its arguments.
    """
    for x in xs:
        # A number of Python has no dtype: what it meets decides.
        if not hasattr(x, 'dtype') or x.dtype.char != 'e':
            return compute(*xs)
    y = compute(*[
        numpy.float32(x) if isinstance(x, numpy.generic)
        else cast.cast(x, numpy.float32) for x in xs])
    return cast.cast(y, numpy.float16)
