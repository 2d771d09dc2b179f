"""Arrays of other arrays and of Python data; copies, numbers, text and pickles."""
from __future__ import annotations

import typing as tp

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


def checked(array: tp.Any, device: _contexts.Device) -> ndarray:
    """Return an array around one of NumPy or CuPy, of a dtype that arrays can have.

    Raises
    ------
    DtypeError
        If there are no arrays of that dtype.
    """
    _known(array.dtype)
    return _array.plain(array, device)


def _known(dtype):
    if dtype not in _ALL:
        raise _errors.DtypeError('there are no arrays of %s' % (dtype,))


def array(object: tp.Any, dtype: tp.Any = None, copy: bool = True,
          device: tp.Any = None) -> ndarray:
    """Return an array of what is given.

    Parameters
    ----------
    object : ndarray, array of NumPy or CuPy, number, or nested sequence of numbers
    dtype : dtype, optional
        By default that of ``object``; of numbers, as in NumPy.
    copy : bool
        Whether the memory is always the array's own. Without it, an array of the dtype
        and device asked for is returned itself, or shared.
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


def asarray(a: tp.Any, dtype: tp.Any = None, device: tp.Any = None) -> ndarray:
    """Return an array of what is given, without a copy where that is possible.

    Parameters
    ----------
    a : ndarray, array of NumPy or CuPy, number, or nested sequence of numbers
        Memory of a NumPy array is shared on ``native``, of a CuPy array on ``cuda``.
    dtype : dtype, optional
    device : Device or str, optional
    """
    return array(a, dtype, False, device)


def asanyarray(a: tp.Any, dtype: tp.Any = None, device: tp.Any = None) -> ndarray:
    """Return an array of what is given: the same as :func:`asarray`."""
    return asarray(a, dtype, device)


def ascontiguousarray(
        a: tp.Any, dtype: tp.Any = None, device: tp.Any = None) -> ndarray:
    """Return an array whose elements lie one after the other, in C order.

    Parameters
    ----------
    a : ndarray, array of NumPy or CuPy, number, or nested sequence of numbers
    dtype : dtype, optional
    device : Device or str, optional

    Returns
    -------
    ndarray
        ``a`` itself if it is contiguous, of that dtype and on that device. It has at
        least one axis.
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
def astype(a: ndarray, dtype: tp.Any, copy: bool = True) -> ndarray:
    """Return the array in another dtype.

    Parameters
    ----------
    dtype : dtype
    copy : bool
        Without it, an array of that dtype is returned itself.
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
    """Return the array on another device.

    Parameters
    ----------
    device : Device or str
    index : int, optional
        The number of the device, if it is not in the name.

    Returns
    -------
    ndarray
        A view, if that is the device it is on.
    """
    found = _moved(a, _contexts.get_device(device, index))
    return a.view() if found is a else found


def _moved(a, device):
    """Return an array on a device: itself if it is there."""
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
        Unless there is exactly one.
    """
    if a.size != 1:
        raise _errors.DimensionError(
            'an array of shape %s is not a number' % (a.shape,))
    return a._array.item()


@_array.method
def tolist(a: ndarray) -> tp.Any:
    """Return the elements as numbers of Python, in a list for each axis."""
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
        raise TypeError('an array without axes has no length')
    return a.shape[0]


def to_host(a: ndarray) -> numpy.ndarray[tp.Any, tp.Any]:
    """Return the elements in NumPy's memory, which an array on ``native`` shares."""
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
