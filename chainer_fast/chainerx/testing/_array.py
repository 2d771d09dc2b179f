"""Assertions about arrays of NumPy, CuPy and ChainerX, and numbers."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast.backends import cuda
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._conversion import to_host


def _plain(x):
    return to_host(x) if isinstance(x, ndarray) else cuda.to_cpu(x) if isinstance(
        x, cuda.ndarray) else x


def assert_array_equal(
        x: Any, y: Any, err_msg: str = '', verbose: bool = True) -> None:
    """Assert that two arrays or numbers have equal elements, regardless of dtype."""
    numpy.testing.assert_array_equal(_plain(x), _plain(y), err_msg, verbose)


def assert_allclose(
        x: Any, y: Any, rtol: float = 1e-7, atol: float = 0,
        equal_nan: bool = True, err_msg: str = '', verbose: bool = True) -> None:
    """Assert that two arrays or numbers have close elements, regardless of dtype.

    Parameters
    ----------
    x, y : array or number
    rtol, atol : float
        Tolerances as in :func:`numpy.testing.assert_allclose`.
    equal_nan : bool
        Whether two NaNs are equal.
    err_msg : str
    verbose : bool
    """
    numpy.testing.assert_allclose(
        _plain(x), _plain(y), rtol, atol, equal_nan, err_msg, verbose)


def _check_layouts(x, y, dtype_check, strides_check):
    if not dtype_check:
        return
    assert x.dtype == y.dtype, 'dtypes differ: %s and %s' % (x.dtype, y.dtype)
    if strides_check:
        assert x.strides == y.strides, 'strides differ: %s and %s' % (
            x.strides, y.strides)


def assert_array_equal_ex(
        x: Any, y: Any, err_msg: str = '', verbose: bool = True,
        dtype_check: bool = True, strides_check: bool = True) -> None:
    """Assert that two arrays have equal elements, dtypes and strides.

    Parameters
    ----------
    x, y : array
    err_msg : str
    verbose : bool
    dtype_check, strides_check : bool
        Strides are only compared if dtypes are.
    """
    assert_array_equal(x, y, err_msg, verbose)
    _check_layouts(x, y, dtype_check, strides_check)


def assert_allclose_ex(
        x: Any, y: Any, rtol: float = 1e-7, atol: float = 0,
        equal_nan: bool = True, err_msg: str = '', verbose: bool = True,
        float16_rtol: float | None = None, float16_atol: float | None = None,
        dtype_check: bool = True, strides_check: bool = True) -> None:
    """Assert that two arrays have close elements, and equal dtypes and strides.

    Parameters
    ----------
    x, y : array
    rtol, atol : float
        Tolerances as in :func:`numpy.testing.assert_allclose`.
    equal_nan : bool
    err_msg : str
    verbose : bool
    float16_rtol, float16_atol : float, optional
        Tolerances if one of the arrays is ``float16``.
    dtype_check, strides_check : bool
        Strides are only compared if dtypes are.
    """
    if 'float16' in (x.dtype, y.dtype):
        rtol = rtol if float16_rtol is None else float16_rtol
        atol = atol if float16_atol is None else float16_atol
    assert_allclose(x, y, rtol, atol, equal_nan, err_msg, verbose)
    _check_layouts(x, y, dtype_check, strides_check)
