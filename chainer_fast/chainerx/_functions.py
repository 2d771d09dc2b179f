"""Functions of Chainer on arrays, with dtype promotion and errors of ChainerX."""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, overload

from chainer_fast._core.graphs import graph
from chainer_fast.chainerx import _array, _dtypes, _errors, _routines, _running
from chainer_fast.chainerx._array import ndarray
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable

_ERRORS = (type_check.InvalidType, ValueError, IndexError, AssertionError)

_Axis: TypeAlias = int | Sequence[int] | None


def apply(function: Callable[..., Any], *arrays: ndarray,
          integers: Callable[..., Any] | None = None) -> Any:
    """Apply a function of variables of floats.

    Parameters
    ----------
    function : callable
        Function of as many variables, which returns one or a tuple or list of
        new ones.
    *arrays : ndarray
        Arrays, which are converted to their common dtype, or to float32 if all
        are integers.
    integers : callable, optional
        Function that is called instead if all arrays are of integers.

    Returns
    -------
    ndarray or tuple of ndarray

    Raises
    ------
    DimensionError
        If the function does not support the shapes.
    """
    variables = graph.plain_variables(arrays)
    if variables is None:
        _routines.check(*arrays)
        if integers is not None and not any([a.dtype.kind == 'f' for a in arrays]):
            return integers(*arrays)
        return apply_as(common_float(*arrays), function, *arrays)
    try:
        y = graph.silently(function, *variables)
    except _ERRORS as e:
        raise _errors.DimensionError(str(e)) from e
    device = arrays[0]._device
    if type(y) is Variable and (not y._requires_grad or y.creator_node is not None):
        return _array.wrap(y, device)
    return _running.around(y, device, arrays)


def apply_as(dtype: Any, function: Callable[..., Any],
             *arrays: ndarray) -> Any:
    """Apply a function of variables to arrays that are converted to a dtype first."""
    return _run(_routines._with_numbers(function, arrays, dtype), arrays)


def apply_unchanged(function: Callable[..., Any], *arrays: ndarray) -> Any:
    """Apply a function of variables to arrays without conversion."""
    _routines.check(*arrays)
    return _run(function, arrays)


def _run(function, arrays):
    try:
        return _running.run(function, *arrays)
    except _ERRORS as e:
        raise _errors.DimensionError(str(e)) from e


def common_float(*arrays: ndarray) -> Any:
    """Return the common dtype of arrays, float32 for integers."""
    return _dtypes.floating(_dtypes.result_type([array.dtype for array in arrays]))


@overload
def axes(a: ndarray, axis: int | Sequence[int]) -> tuple[int, ...]: ...
@overload
def axes(a: ndarray, axis: None) -> None: ...
@overload
def axes(a: ndarray, axis: _Axis) -> tuple[int, ...] | None: ...
def axes(a: ndarray, axis: _Axis) -> tuple[int, ...] | None:
    """Return axes of an array as non-negative numbers, or None.

    Raises
    ------
    DimensionError
        If the array lacks an axis, or one is repeated.
    """
    if axis is None:
        return None
    ndim, found = a._v.ndim, []
    for each in _dtypes.shape(axis):
        if not -ndim <= each < ndim:
            raise _errors.DimensionError(
                'axis %s is out of bounds for an array of %d axes' % (each, ndim))
        found.append(each % ndim)
    if len(set(found)) < len(found):
        raise _errors.DimensionError('an axis is repeated: %s' % (axis,))
    return tuple(found)


def one_axis(axis: int, ndim: int) -> int:
    """Return an axis as a non-negative number.

    Raises
    ------
    DimensionError
        If the axis does not exist.
    """
    found = operator.index(axis)
    if not -ndim <= found < ndim:
        raise _errors.DimensionError('the axis %s does not exist among '
                                     '%d' % (found, ndim))
    return found % ndim


def kept_shape(a: ndarray, axis: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return the shape with length 1 for axes; None means all axes."""
    return tuple([1 if axis is None or i in axis else n for i, n in enumerate(a.shape)])


def expect_dtypes(kind: str, *arrays: ndarray) -> None:
    """Raise an error for arrays whose dtypes do not have a kind, such as ``'f'``.

    Raises
    ------
    DtypeError
    """
    _routines.check(*arrays)
    for array in arrays:
        if array.dtype.kind not in kind:
            raise _errors.DtypeError('expected %s, not %s' % (
                'floats' if kind == 'f' else 'integers', array.dtype))
