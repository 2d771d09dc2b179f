"""Arrays from other arrays and Python data; copies, numbers, text and pickles."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast.chainerx import (
    _array,
    _contexts,
    _dtypes,
    _errors,
    _routines,
    _running,
)
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.array import cast
from chainer_fast.functions.array import copy as copy_

__all__ = ['array', 'asanyarray', 'asarray', 'ascontiguousarray', 'copy']

_ALL = frozenset(_dtypes.ALL)


def checked(array: Any, device: _contexts.Device) -> ndarray:
    """Return an array that wraps one of NumPy or CuPy, with a supported dtype.

    Raises
    ------
    DtypeError
        If arrays do not support that dtype.
    """
    _known(array.dtype)
    return _array.plain(array, device)


def _known(dtype):
    if dtype not in _ALL:
        raise _errors.DtypeError('arrays do not support the dtype %s' % (dtype,))


def array(object: Any, dtype: Any = None, copy: bool = True,
          device: Any = None) -> ndarray:
    """Return an array made from an object.

    Parameters
    ----------
    object : ndarray, array of NumPy or CuPy, number, or nested sequence of numbers
    dtype : dtype, optional
        By default that of ``object``; for numbers, as in NumPy.
    copy : bool
        Whether to copy the memory. Otherwise, an array with the requested dtype and
        device is returned itself, or shared.
    device : Device or str, optional
        By default that of ``object``, or the default one.
    """
    if isinstance(object, ndarray):
        found = object if device is None else _moved(object, device)
        if dtype is not None:
            found = found.astype(dtype, copy=False)
        return found.copy() if copy and found is object else found
    device = _contexts.get_device(device)
    with device.scope():
        if not device.native and not isinstance(object, device.xp.ndarray):
            object = numpy.asarray(object, dtype)
            _known(object.dtype)
        if copy:
            found = device.xp.array(object, dtype, order='C')
        else:
            found = device.xp.asarray(object, dtype)
    return checked(found, device)


def asarray(a: Any, dtype: Any = None, device: Any = None) -> ndarray:
    """Return an array made from an object, without a copy if possible.

    Parameters
    ----------
    a : ndarray, array of NumPy or CuPy, number, or nested sequence of numbers
        The object. Memory of a NumPy array is shared on ``native``, that of a CuPy
        array on ``cuda``.
    dtype : dtype, optional
    device : Device or str, optional
    """
    return array(a, dtype, False, device)


def asanyarray(a: Any, dtype: Any = None, device: Any = None) -> ndarray:
    """Return an array made from an object: the same as :func:`asarray`."""
    return asarray(a, dtype, device)


def ascontiguousarray(
        a: Any, dtype: Any = None, device: Any = None) -> ndarray:
    """Return an array that is contiguous in C order.

    Parameters
    ----------
    a : ndarray, array of NumPy or CuPy, number, or nested sequence of numbers
    dtype : dtype, optional
    device : Device or str, optional

    Returns
    -------
    ndarray
        ``a`` itself if it is contiguous, with that dtype and on that device. The
        result has at least one axis.
    """
    found = asarray(a, dtype, device)
    if not found.is_contiguous:
        found = found.copy()
    return found if found.ndim else found.reshape(1)


@_array.method
def copy(a: ndarray) -> ndarray:
    """Return a copy that is contiguous, on the device of the array.

    Parameters
    ----------
    a : ndarray
    """
    _routines.check(a)
    return _routines.compute(
        [a], lambda xp, a: a.copy(order='C'), lambda a: copy_.copy(a, a.device))


@_array.method
def astype(a: ndarray, dtype: Any, copy: bool = True) -> ndarray:
    """Convert the array to another dtype.

    Parameters
    ----------
    dtype : dtype
    copy : bool
        Otherwise, an array with that dtype is returned itself.
    """
    dtype = _dtypes.dtype(dtype)
    _known(dtype)
    if dtype == a.dtype:
        return a.copy() if copy else a
    return _routines.compute(
        [a], lambda xp, a: a.astype(dtype, order='C'),
        (lambda a: cast.cast(a, dtype)) if dtype.kind == 'f' else None)


@_array.method
def to_device(a: ndarray, device: _contexts.Device | str,
              index: int | None = None) -> ndarray:
    """Move the array to another device.

    Parameters
    ----------
    device : Device or str
    index : int, optional
        The number of the device, if it is not in the name.

    Returns
    -------
    ndarray
        A view, if the array is already on the device.
    """
    found = _moved(a, _contexts.get_device(device, index))
    return a.view() if found is a else found


def _moved(a, device):
    """Move an array to a device; return it unchanged if it is already on the device."""
    device = _contexts.get_device(device)
    if device is a.device:
        return a
    target = backend.get_device(
        '@numpy' if device.native else '@cupy:%d' % device.index)
    moved = _running.run(lambda a: copy_.copy(a, target), a)
    moved._device = device
    return moved


# -- numbers, text, pickles

@_array.method
def item(a: ndarray) -> bool | int | float:
    """Return the only element, as a number of Python.

    Raises
    ------
    DimensionError
        Unless the array has exactly one element.
    """
    if a.size != 1:
        raise _errors.DimensionError(
            'an array of shape %s is not a number' % (a.shape,))
    return a._array.item()


@_array.method
def tolist(a: ndarray) -> Any:
    """Return the elements as Python numbers, in nested lists."""
    return a._array.tolist()


def _repr(a):
    text = 'array(%s, shape=%s, dtype=%s, device=%r' % (
        numpy.array2string(to_host(a), separator=', ', prefix='array('),
        a.shape, a.dtype.name, a.device.name)
    ids = a._all_graphs()
    if ids:
        text += ', backprop_ids=%s' % sorted(map(repr, ids))
    return text + ')'


def _length(a):
    if not a.ndim:
        raise TypeError('a 0-dimensional array has no length')
    return a.shape[0]


def to_host(a: ndarray) -> numpy.ndarray[Any, Any]:
    """Return the elements as a NumPy array, which shares memory on ``native``."""
    return a._array if a._device.native else a._array.get()


def _reduce(a):
    return asarray, (to_host(a), None, a._device)


def _deepcopy(a, memo):
    return a.as_grad_stopped(copy=True)


for _name, _method in {
        '__repr__': _repr, '__len__': _length, '__reduce__': _reduce,
        '__deepcopy__': _deepcopy,
        '__bool__': lambda a: bool(a.item()), '__int__': lambda a: int(a.item()),
        '__float__': lambda a: float(a.item())}.items():
    setattr(ndarray, _name, _method)
