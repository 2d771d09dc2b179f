"""New arrays with a shape: empty, constant, ranges, diagonals."""
from __future__ import annotations

from typing import Any

from chainer_fast.chainerx import _contexts, _dtypes, _errors, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._conversion import checked

__all__ = [
    'arange', 'empty', 'empty_like', 'eye', 'full', 'full_like', 'identity',
    'linspace', 'ones', 'ones_like', 'tri', 'zeros', 'zeros_like']


def _new(device, make, *args, **kwargs):
    """Return an array made by a function of the module of plain arrays."""
    device = _contexts.get_device(device)
    with device.scope():
        return checked(getattr(device.xp, make)(*args, **kwargs), device)


def _float(dtype):
    return _dtypes.dtype('float32' if dtype is None else dtype)


def empty(shape: Any, dtype: Any = None, device: Any = None) -> ndarray:
    """Return an uninitialized array.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : dtype, optional
        By default ``float32``.
    device : Device or str, optional
    """
    return _new(device, 'empty', _dtypes.shape(shape), _float(dtype))


def zeros(shape: Any, dtype: Any = None, device: Any = None) -> ndarray:
    """Return an array of zeros, with the dtypes of :func:`empty`."""
    return _new(device, 'zeros', _dtypes.shape(shape), _float(dtype))


def ones(shape: Any, dtype: Any = None, device: Any = None) -> ndarray:
    """Return an array of ones, with the dtypes of :func:`empty`."""
    return _new(device, 'ones', _dtypes.shape(shape), _float(dtype))


def full(shape: Any, fill_value: Any, dtype: Any = None,
         device: Any = None) -> ndarray:
    """Return an array of one value.

    Parameters
    ----------
    shape : int or sequence of int
    fill_value : number
    dtype : dtype, optional
        By default ``bool_``, ``int32`` or ``float32``, depending on the value.
    device : Device or str, optional
    """
    dtype = _dtypes.default_of(fill_value) if dtype is None else _dtypes.dtype(dtype)
    value = _dtypes.number(fill_value, dtype)
    return _new(device, 'full', _dtypes.shape(shape), value, dtype)


def _like(a, device):
    _routines.check(a)
    return a.shape, a.dtype, a.device if device is None else device


def empty_like(a: ndarray, device: Any = None) -> ndarray:
    """Return an uninitialized array with the shape and dtype of another."""
    return empty(*_like(a, device))


def zeros_like(a: ndarray, device: Any = None) -> ndarray:
    """Return an array of zeros with the shape and dtype of another."""
    return zeros(*_like(a, device))


def ones_like(a: ndarray, device: Any = None) -> ndarray:
    """Return an array of ones with the shape and dtype of another."""
    return ones(*_like(a, device))


def full_like(a: ndarray, fill_value: Any, device: Any = None) -> ndarray:
    """Return an array of one value with the shape and dtype of another."""
    shape, dtype, device = _like(a, device)
    return full(shape, fill_value, dtype, device)


def arange(start: Any, stop: Any = None, step: Any = None,
           dtype: Any = None, device: Any = None) -> ndarray:
    """Return a range of numbers.

    Parameters
    ----------
    start, stop, step : number
        A single number is ``stop``.
    dtype : dtype, optional
        By default ``bool_``, ``int32`` or ``float32``, depending on the
        numbers.
    device : Device or str, optional

    Raises
    ------
    ChainerxError
        If the step is zero.
    DtypeError
        If a range of booleans has more than two elements.
    """
    if stop is None:
        start, stop = False if isinstance(start, bool) else 0, start
    if step is None:
        step = isinstance(stop, bool) or 1
    if not step:
        raise _errors.ChainerxError('the step of a range must not be zero')
    dtype = (_dtypes.result_type((), (start, stop, step)) if dtype is None
             else _dtypes.dtype(dtype))
    if dtype.kind == 'b' and (stop - start) / step > 2:
        raise _errors.DtypeError('a range of bool_ can have at most two elements')
    return _new(device, 'arange', start, stop, step, dtype)


def linspace(start: float, stop: float, num: int = 50, endpoint: bool = True,
             dtype: Any = None, device: Any = None) -> ndarray:
    """Return evenly spaced numbers.

    Parameters
    ----------
    start, stop : number
    num : int
        Number of elements.
    endpoint : bool
        Whether ``stop`` is the last element.
    dtype : dtype, optional
        By default ``float32``.
    device : Device or str, optional

    Raises
    ------
    ChainerxError
        If ``num`` is negative.
    """
    if num < 0:
        raise _errors.ChainerxError('the number of elements is negative: %s' % (num,))
    return _new(device, 'linspace', start, stop, num, endpoint, dtype=_float(dtype))


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None,
        device: Any = None) -> ndarray:
    """Return a matrix with ones on a diagonal.

    Parameters
    ----------
    N, M : int
        Numbers of rows and columns, which are equal by default.
    k : int
        Index of the diagonal: the k-th above the main one.
    dtype : dtype, optional
        By default ``float64``.
    device : Device or str, optional

    Raises
    ------
    DimensionError
        If a number is negative.
    """
    _numbers(N, M)
    return _new(device, 'eye', N, M, k, 'float64' if dtype is None else dtype)


def identity(n: int, dtype: Any = None, device: Any = None) -> ndarray:
    """Return a square matrix with ones on the main diagonal.

    Parameters
    ----------
    n : int
        Number of rows.
    dtype : dtype, optional
        By default ``float64``.
    device : Device or str, optional

    Raises
    ------
    DimensionError
        If ``n`` is negative.
    """
    return eye(n, dtype=dtype, device=device)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None,
        device: Any = None) -> ndarray:
    """Return a matrix with ones on a diagonal and below it.

    Parameters
    ----------
    N, M : int
        Numbers of rows and columns, which are equal by default.
    k : int
        Index of the diagonal: the k-th above the main one.
    dtype : dtype, optional
        By default ``float32``.
    device : Device or str, optional
    """
    _numbers(N, M)
    return _new(device, 'tri', N, M, k, _float(dtype))


def _numbers(*numbers):
    for number in numbers:
        if number is not None and number < 0:
            raise _errors.DimensionError(
                'the length of an axis is negative: %s' % (number,))
