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
    *xs : Variable or array
        Its arguments.
    """
    for x in xs:
        dtype = getattr(x, 'dtype', None)
        if dtype is None or dtype.char != 'e':
            return compute(*xs)
    y = compute(*[cast.cast(x, numpy.float32) for x in xs])
    return cast.cast(y, numpy.float16)
