"""Definition of routines: for plain arrays, and for variables in graphs.

A routine defines the dtype of its computation, a function of NumPy or CuPy arrays,
and one of variables. The latter is used for arrays in a graph, the former for all
others, so that only functions with a gradient need a function of variables.
"""
from __future__ import annotations

import functools
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from chainer_fast._core.graphs import graph
from chainer_fast.chainerx import _array, _dtypes, _errors, _running
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.array import cast

_NUMBERS = {float, int, bool}


def is_scalar(value: object) -> bool:
    """Return whether an object is a number of Python or NumPy."""
    return type(value) in _NUMBERS or isinstance(value, (numbers.Number, numpy.generic))


def check(*arrays: object) -> None:
    """Raise an error for objects that are not arrays.

    Raises
    ------
    TypeError
    """
    for array in arrays:
        if not isinstance(array, ndarray):
            raise TypeError('expected a chainerx.ndarray, got %s: chainerx.array makes '
                            'one' % type(array).__name__)


def compute(
        operands: Sequence[Any], ordinary: Callable[..., Any],
        function: Callable[..., Any] | None = None,
        dtype: numpy.dtype[Any] | None = None) -> Any:
    """Return the result of a routine for arrays and numbers.

    Parameters
    ----------
    operands : sequence of ndarray or number
        At least one array, all on one device.
    ordinary : callable
        Function of the module of the plain arrays, and of these and the numbers. It
        returns an array, a number, or a tuple or list of arrays.
    function : callable, optional
        Function of variables and the numbers, which returns one or several variables.
        It is used for arrays of floats in a graph; without it, the result is in no
        graph.
    dtype : numpy.dtype, optional
        Arrays and numbers are converted to it first.

    Returns
    -------
    ndarray or tuple of ndarray
    """
    arrays = [x for x in operands if isinstance(x, ndarray)]
    device = _running.common_device(arrays)
    if function is not None:
        for x in arrays:
            if x._v.requires_grad:
                return _running.run(_with_numbers(function, operands, dtype), *arrays)
    if device.native:
        result = graph.silently(_computed, ordinary, numpy, operands, dtype)
    else:
        with device.scope():
            result = _computed(ordinary, device.xp, operands, dtype)
    if isinstance(result, (tuple, list)):
        return tuple([_array.plain(each, device) for each in result])
    return _array.plain(result, device)


def _computed(ordinary, xp, operands, dtype):
    result = ordinary(xp, *[converted(x, dtype) for x in operands])
    return result if isinstance(result, (tuple, list)) else xp.asarray(result)


def converted(x: Any, dtype: numpy.dtype[Any] | None) -> Any:
    """Convert a plain array or a number to a dtype; return other objects unchanged."""
    if isinstance(x, ndarray):
        v = x._v
        if dtype is None or v.dtype == dtype:
            return v.raw_array
        return v.raw_array.astype(dtype)
    if dtype is None or not is_scalar(x):
        return x
    if dtype.kind == 'f':
        return dtype.type(x)
    return _dtypes.number(x, dtype)


def _with_numbers(function, operands, dtype):
    """Return a function of only the arrays, which converts them first."""
    for x in operands:
        if not isinstance(x, ndarray) or dtype is not None and x._v.dtype != dtype:
            break
    else:
        return function

    def call(*variables):
        rest = iter(variables)
        given = []
        for x in operands:
            if not isinstance(x, ndarray):
                given.append(x)
                continue
            v = next(rest)
            same = dtype is None or v.dtype == dtype
            given.append(v if same else cast.cast(v, dtype))
        return function(*given)
    return call


def dimension_errors(routine: Callable[..., Any]) -> Callable[..., Any]:
    """Return a routine with the right types of errors for shapes and axes."""
    @functools.wraps(routine)
    def call(*args, **kwargs):
        try:
            return routine(*args, **kwargs)
        except (numpy.exceptions.AxisError, ValueError) as e:
            raise _errors.DimensionError(str(e)) from e
    return call
