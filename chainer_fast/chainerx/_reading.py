"""Arrays from files, texts, iterators and functions, read by NumPy."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy

from chainer_fast.chainerx import _conversion, _dtypes
from chainer_fast.chainerx._array import ndarray

__all__ = ['fromfile', 'fromfunction', 'fromiter', 'fromstring', 'loadtxt']


def fromfile(file: Any, dtype: Any = 'float32', count: int = -1, sep: str = '',
             offset: int = 0, device: Any = None) -> ndarray:
    """Return an array from a file, like :func:`numpy.fromfile`.

    Parameters
    ----------
    file : file or str
    dtype : dtype
    count : int
        Number of elements; all for -1.
    sep : str
        Separator of the numbers in a text; empty for bytes.
    offset : int
        Bytes to skip.
    device : Device or str, optional
    """
    return _conversion.asarray(
        numpy.fromfile(file, _dtypes.dtype(dtype), count, sep, offset), device=device)


def fromfunction(function: Callable[..., Any], shape: Sequence[int],
                 dtype: Any = 'float32', device: Any = None,
                 **kwargs: Any) -> ndarray:
    """Return an array of the values of a function of the indices of all elements.

    Parameters
    ----------
    function : callable
        Function of one NumPy array for each axis.
    shape : sequence of int
    dtype : dtype
        Dtype of the indices.
    device : Device or str, optional
    **kwargs
        Further arguments of the function.
    """
    return _conversion.asarray(
        numpy.fromfunction(function, shape, dtype=_dtypes.dtype(dtype), **kwargs),
        device=device)


def fromiter(iterable: Iterable[Any], dtype: Any, count: int = -1,
             device: Any = None) -> ndarray:
    """Return an array of the values of an iterator.

    Parameters
    ----------
    iterable : iterable of number
    dtype : dtype
    count : int
        Number of elements; all for -1.
    device : Device or str, optional
    """
    return _conversion.asarray(
        numpy.fromiter(iterable, _dtypes.dtype(dtype), count), device=device)


def fromstring(string: str, dtype: Any = 'float32', count: int = -1,
               sep: str = ' ', device: Any = None) -> ndarray:
    """Return an array of the numbers in a text.

    Parameters
    ----------
    string : str
    dtype : dtype
    count : int
        Number of elements; all for -1.
    sep : str
        Separator of the numbers.
    device : Device or str, optional
    """
    return _conversion.asarray(
        numpy.fromstring(string, _dtypes.dtype(dtype), count, sep=sep), device=device)


def loadtxt(fname: Any, dtype: Any = 'float32', *args: Any,
            device: Any = None, **kwargs: Any) -> ndarray:
    """Return an array from a text file, like :func:`numpy.loadtxt`.

    Parameters
    ----------
    fname : file, str or iterable of str
    dtype : dtype
    *args, **kwargs
        As in NumPy.
    device : Device or str, optional
    """
    return _conversion.asarray(
        numpy.loadtxt(fname, _dtypes.dtype(dtype), *args, **kwargs), device=device)
