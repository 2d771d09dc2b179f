"""Tests that run with NumPy and ChainerX, and compare the results."""
from __future__ import annotations

import functools
import inspect
import numbers
from collections.abc import Callable
from typing import Any

import numpy

import chainer_fast.chainerx
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx.testing import _array


class _Ignored:
    pass


_ignored = _Ignored()


def ignore() -> Any:
    """Object that a test returns to skip the comparison."""
    return _ignored


def _outcome(function, args, kwargs, name, module, accept_error):
    """Return the result of a test and the accepted error that it raises."""
    try:
        return function(*args, **{**kwargs, name: module}), None
    except accept_error as e:
        return None, e


def _compare(expected, found, compare):
    if expected is _ignored or found is _ignored:
        assert expected is found, 'only one of both is to be ignored'
        return
    if isinstance(expected, (tuple, list)) and isinstance(found, (tuple, list)):
        assert len(expected) == len(found), 'NumPy returned %d values, ChainerX %d' % (
            len(expected), len(found))
        for pair in zip(expected, found, strict=True):
            _compare(*pair, compare)
        return
    if isinstance(found, ndarray):
        assert isinstance(expected, (numpy.ndarray, numpy.generic)), (
            'NumPy returned %r' % (expected,))
        compare(found, numpy.asarray(expected))
        return
    assert isinstance(found, numbers.Number) and not isinstance(found, numpy.generic), (
        'ChainerX returned %r' % (found,))
    assert type(expected) is type(found), (
        'NumPy returned %r, ChainerX %r' % (expected, found))
    _array.assert_array_equal(expected, found)


def _decorator(compare, name, accept_error):
    def decorate(function):
        signature = inspect.signature(function)

        @functools.wraps(function)
        def test(*args, **kwargs):
            expected, numpy_error = _outcome(
                function, args, kwargs, name, numpy, accept_error)
            found, error = _outcome(
                function, args, kwargs, name, chainer_fast.chainerx, accept_error)
            if numpy_error is not None or error is not None:
                assert numpy_error is not None, 'only ChainerX raised: %r' % (error,)
                assert error is not None, 'only NumPy raised: %r' % (numpy_error,)
                return
            _compare(expected, found, compare)

        test.__signature__ = signature.replace(parameters=[  # type: ignore[attr-defined]
            each for each in signature.parameters.values() if each.name != name])
        return test
    return decorate


def numpy_chainerx_array_equal(
        *, err_msg: str = '', verbose: bool = True, name: str = 'xp',
        dtype_check: bool = True, strides_check: bool = True,
        float16_rtol: float | None = None, float16_atol: float | None = None,
        accept_error: Any = ()) -> Callable[..., Any]:
    """Return a decorator of tests whose results are equal with NumPy and ChainerX.

    Parameters
    ----------
    err_msg : str
    verbose : bool
    name : str
        The parameter that is ``numpy`` or ``chainerx``.
    dtype_check, strides_check : bool
        Strides are only compared if dtypes are.
    float16_rtol, float16_atol : float, optional
        Tolerances if one of the arrays is ``float16``.
    accept_error : type or tuple of type
        Errors that both may raise.
    """
    same = _array.assert_array_equal_ex
    if float16_rtol is not None or float16_atol is not None:
        same = functools.partial(
            _array.assert_allclose_ex, rtol=0, float16_rtol=float16_rtol,
            float16_atol=float16_atol)
    compare = functools.partial(
        same, err_msg=err_msg, verbose=verbose, dtype_check=dtype_check,
        strides_check=strides_check)
    return _decorator(compare, name, accept_error)


def numpy_chainerx_allclose(
        *, rtol: float = 1e-7, atol: float = 0, equal_nan: bool = True,
        err_msg: str = '', verbose: bool = True, name: str = 'xp',
        dtype_check: bool = True, strides_check: bool = True,
        float16_rtol: float | None = None, float16_atol: float | None = None,
        accept_error: Any = ()) -> Callable[..., Any]:
    """Return a decorator of tests whose results are close with NumPy and ChainerX.

    Parameters
    ----------
    rtol, atol : float
        Tolerances as in :func:`numpy.testing.assert_allclose`.
    equal_nan : bool
    err_msg : str
    verbose : bool
    name : str
        The parameter that is ``numpy`` or ``chainerx``.
    dtype_check, strides_check : bool
        Strides are only compared if dtypes are.
    float16_rtol, float16_atol : float, optional
        Tolerances if one of the arrays is ``float16``.
    accept_error : type or tuple of type
        Errors that both may raise.
    """
    compare = functools.partial(
        _array.assert_allclose_ex, rtol=rtol, atol=atol, equal_nan=equal_nan,
        err_msg=err_msg, verbose=verbose, dtype_check=dtype_check,
        strides_check=strides_check, float16_rtol=float16_rtol,
        float16_atol=float16_atol)
    return _decorator(compare, name, accept_error)
