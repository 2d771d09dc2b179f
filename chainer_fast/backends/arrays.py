"""Types and sizes of arrays of all libraries, and conversion of scalars."""
from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy

from chainer_fast import _numbers
from chainer_fast._core import kinds
from chainer_fast.types import DTypeSpec, NdArray

# The available libraries do not change while a program runs.
_CPU_TYPES = (numpy.ndarray,)


def get_array_types() -> tuple[type[Any], ...]:
    """Return the array types that functions accept on this machine.

    Returns
    -------
    tuple of type
        ``numpy.ndarray`` first, then those of other available libraries that are
        imported.

    Examples
    --------
    >>> isinstance(np.ones(2), chainer.get_array_types())
    True
    """
    return kinds.types


def get_cpu_array_types() -> tuple[type[Any], ...]:
    """Return the host array types that functions accept on this machine.

    Returns
    -------
    tuple of type
        ``numpy.ndarray`` first, then that of iDeep, if available.

    Examples
    --------
    >>> isinstance(np.ones(2), chainer.get_cpu_array_types())
    True
    """
    return _CPU_TYPES


def is_arrays_compatible(arrays: Iterable[NdArray]) -> bool:
    """Return whether arrays can be used together, as inputs of one function.

    Parameters
    ----------
    arrays : iterable of arrays
        ``None`` is compatible with everything.

    Returns
    -------
    bool
        ``True`` if all are arrays of one library.

    Examples
    --------
    >>> chainer.is_arrays_compatible([np.ones(2), None, np.zeros(3)])
    True
    """
    given = [a for a in arrays if a is not None]
    in_host_memory = [isinstance(a, _CPU_TYPES) for a in given]
    return all(in_host_memory) or any([
        all([isinstance(a, kind.types) for a in given])
        for kind in kinds.kinds.values()])


def size_of_shape(shape: Sequence[int]) -> int:
    """Return the number of elements of an array.

    Parameters
    ----------
    shape : tuple of int
        Lengths of its axes.

    Returns
    -------
    int
        The product of the lengths; 1 for no axes.

    Examples
    --------
    >>> chainer.utils.size_of_shape((2, 3, 4))
    24
    """
    size = math.prod(shape)
    if type(size) is int:
        return size
    # A product of NumPy's integers has their dtype, which may overflow.
    if hasattr(shape, '__len__'):       # an iterator is exhausted by now
        size = math.prod([_numbers.plain(length) for length in shape])
    return int(size)


def weak(value: Any, dtype: numpy.dtype[Any]) -> Any:
    """Convert a scalar or 0-dimensional array to a dtype; return other arrays
    unchanged.

    Such operands must not determine the dtype of a result: NumPy 1 considered their
    values, but NumPy 2 does not.

    Examples
    --------
    >>> from chainer_fast.backends import arrays
    >>> arrays.weak(np.float64(0.5), np.dtype(np.float16)).dtype
    dtype('float16')
    """
    if isinstance(value, (numpy.generic, numpy.ndarray)) and value.ndim == 0:
        return value.astype(dtype, copy=False)
    return value


def floating(x: Any, dtype: numpy.dtype[Any]) -> NdArray:
    """Return a result as an array in the dtype of the input, if that is floating-point.

    The input may be an integer array if types are not checked; the result then keeps
    its dtype. The result is always in native byte order.

    Examples
    --------
    >>> from chainer_fast.backends import arrays
    >>> arrays.floating(np.sin(1), np.dtype(np.int32)).dtype
    dtype('float64')
    >>> arrays.floating(np.sin(1), np.dtype('>f4')).dtype.isnative
    True
    """
    if numpy.isscalar(x):
        x = numpy.asarray(x)
    if x.dtype == dtype or dtype.kind != 'f':
        return x
    return x.astype(dtype.newbyteorder('='), copy=False)


def unmasked(x: NdArray) -> NdArray:
    """Return the data of a masked array, for which NumPy computes no matrix products.

    Parameters
    ----------
    x : array
        Any array.

    Returns
    -------
    array
        ``x`` itself, unless it is masked.

    Examples
    --------
    >>> from chainer_fast.backends import arrays
    >>> type(arrays.unmasked(np.ma.masked_array([1., 2.])))
    <class 'numpy.ndarray'>
    """
    return x.data if isinstance(x, numpy.ma.MaskedArray) else x


def force_array(x: Any, dtype: DTypeSpec = None) -> NdArray:
    """Convert scalars that NumPy returns for 0-dimensional arrays back to arrays.

    Parameters
    ----------
    x : array or scalar
        Result of a computation.
    dtype : dtype, optional
        Type of the result; by default that of ``x``.

    Returns
    -------
    array
        ``x`` itself, if it is an array and has the dtype.

    Examples
    --------
    >>> x = np.array(2.0)
    >>> type(x + x), type(chainer.utils.force_array(x + x))
    (<class 'numpy.float64'>, <class 'numpy.ndarray'>)
    """
    if numpy.isscalar(x):
        x = numpy.asarray(x)
    return x if dtype is None else x.astype(dtype, copy=False)
