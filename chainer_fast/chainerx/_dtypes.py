"""Dtypes: their names, and the promotion of several operands.

Floats take precedence over integers without becoming wider, and only the kind of
numbers of Python and NumPy is considered.
"""
from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast._core.graphs import graph
from chainer_fast.chainerx import _errors

dtype = numpy.dtype
ALL = tuple([numpy.dtype(name) for name in (
    'bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'float16', 'float32',
    'float64')])


_KINDS = {bool: 'b', int: 'i', float: 'f'}


def shape(value: Any) -> tuple[int, ...]:
    """Return the shape given by an integer or a sequence."""
    try:
        return operator.index(value),
    except TypeError:
        return tuple(map(operator.index, value))


def kind_of_scalar(value: Any) -> str:
    """Return 'b', 'i' or 'f' for a number of Python or NumPy."""
    kind = _KINDS.get(type(value)) or numpy.asarray(value).dtype.kind
    return 'i' if kind == 'u' else kind


def number(value: Any, dtype: numpy.dtype[Any]) -> Any:
    """Convert a NumPy number to a dtype like elements of arrays."""
    return graph.silently(lambda: numpy.asarray(value).astype(dtype)[()])


@functools.lru_cache(None)
def promote(a: numpy.dtype[Any], b: numpy.dtype[Any]) -> numpy.dtype[Any]:
    """Return the dtype of a result of two arrays."""
    if (a.kind == 'f') != (b.kind == 'f'):
        return a if a.kind == 'f' else b
    return numpy.promote_types(a, b)


def result_type(
        dtypes: Sequence[numpy.dtype[Any]],
        scalars: Sequence[Any] = ()) -> numpy.dtype[Any]:
    """Return the dtype of a result of arrays and numbers.

    Without arrays, numbers are bool, int32 or float32.
    """
    found = functools.reduce(promote, dtypes) if dtypes else None
    kinds = {kind_of_scalar(value) for value in scalars}
    for kind, least in (('f', 'float32'), ('i', 'int32'), ('b', 'bool')):
        if kind not in kinds:
            continue
        if found is None or (kind == 'f' and found.kind != 'f') or (
                kind == 'i' and found.kind == 'b'):
            found = numpy.dtype(least)
    if found is None:
        raise _errors.DtypeError('no operands are given')
    return found


def floating(found: numpy.dtype[Any]) -> numpy.dtype[Any]:
    """Return the dtype of a result that is always a float: float32 for integers."""
    return found if found.kind == 'f' else numpy.dtype('float32')


def default_of(value: Any) -> numpy.dtype[Any]:
    """Return the dtype of new arrays of a number: bool, int32 or float32."""
    return result_type((), (value,))
