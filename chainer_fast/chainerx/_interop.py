"""Sharing memory with NumPy, CuPy and buffers."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast.chainerx import _contexts, _dtypes, _errors, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._conversion import checked, to_host

__all__ = ['from_dlpack', 'frombuffer', 'to_numpy']


def to_numpy(array: ndarray, copy: bool = True) -> numpy.ndarray[Any, Any]:
    """Return a NumPy array with the elements of an array.

    Parameters
    ----------
    array : ndarray
    copy : bool
        Otherwise, the memory of an array on ``native`` is shared.
    """
    _routines.check(array)
    found = to_host(array)
    return found.copy() if copy and array.device.native else found


def _to_cupy(array: ndarray) -> Any:
    """Return a CuPy array that shares the memory of one on ``cuda``."""
    _routines.check(array)
    if array.device.native:
        raise _errors.ChainerxError(
            'an array on %s does not use memory of CuPy' % (array.device,))
    return array._array


def frombuffer(buffer: Any, dtype: Any = 'float32', count: int = -1,
               offset: int = 0, device: Any = None) -> ndarray:
    """Return an array with the memory of a buffer.

    Parameters
    ----------
    buffer : buffer
        A contiguous buffer; on ``cuda``, a CuPy array.
    dtype : dtype
    count : int
        Number of elements; all for -1.
    offset : int
        Bytes to skip.
    device : Device or str, optional

    Raises
    ------
    ChainerxError
        If the memory does not belong to the device.
    ValueError
        If the buffer is not contiguous, or too small.
    """
    device = _contexts.get_device(device)
    dtype = _dtypes.dtype(dtype)
    if device.native:
        return checked(numpy.frombuffer(buffer, dtype, count, offset), device)
    if not isinstance(buffer, device.xp.ndarray) or buffer.device.id != device.index:
        raise _errors.ChainerxError('the buffer is not in memory of %s' % (device,))
    if not buffer.flags.c_contiguous:
        raise ValueError('the buffer is not contiguous')
    data = buffer.ravel().view(numpy.uint8)[offset:].view(dtype)
    if count > len(data):
        raise ValueError('the buffer has %d elements, not %d' % (len(data), count))
    return checked(data if count < 0 else data[:count], device)


def _memory(a):
    """Return first address and size of the memory that contains an array."""
    array = a._array
    while isinstance(array.base, type(array)):
        array = array.base
    low, size = _extent(array.shape, array.strides, array.dtype)
    return _address(array) + low, size


def _address(array):
    """Return the address of the first element of an array of NumPy or CuPy."""
    return array.ctypes.data if isinstance(array, numpy.ndarray) else array.data.ptr


def _extent(shape, strides, dtype):
    """Return the memory's offset from the first element and its size, in bytes."""
    if 0 in shape:
        return 0, 0
    spans = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    low = sum([min(span, 0) for span in spans])
    return low, sum([abs(span) for span in spans]) + dtype.itemsize


for _name, _get, _doc in (
        ('data_ptr', lambda a: _memory(a)[0],
         'Address of the memory; the array starts at ``offset``.'),
        ('data_size', lambda a: _memory(a)[1], 'Size of the memory in bytes.'),
        ('offset', lambda a: _address(a._array) - _memory(a)[0],
         'Bytes from the start of the memory to the first element.'),
        ('_debug_data_memory_address', lambda a: _memory(a)[0],
         'Address of the memory.'),
        ('_debug_flat_data', lambda a: to_host(a).ravel().tolist(),
         'The elements as Python numbers.')):
    setattr(ndarray, _name, property(_get, doc=_doc))


def _as_numpy(a, dtype=None, copy=None):
    """Return the elements, for :func:`numpy.asarray`."""
    found = to_host(a)
    if dtype is not None and dtype != found.dtype:
        return found.astype(dtype)
    return found.copy() if copy else found


def _dlpack(a, **kwargs):
    """Return a capsule for other libraries, with the memory of an array."""
    if a._is_connected():
        raise _errors.ChainerxError(
            'an array that is in a graph cannot be shared with other libraries: '
            'as_grad_stopped() returns a view outside of graphs')
    return a._array.__dlpack__(**kwargs)


for _name, _method in {
        '__array__': _as_numpy, '__dlpack__': _dlpack,
        '__dlpack_device__': lambda a: a._array.__dlpack_device__()}.items():
    setattr(ndarray, _name, _method)


def from_dlpack(x: Any, device: Any = None) -> ndarray:
    """Return an array with the memory of another library's array with ``__dlpack__``.

    Parameters
    ----------
    x : array
        Array on that device.
    device : Device or str, optional
    """
    device = _contexts.get_device(device)
    with device.scope():
        # The memory may belong to another GPU.
        return checked(device.xp.asarray(device.xp.from_dlpack(x)), device)


def _fromrawpointer(
        ptr: int, shape: Sequence[int], dtype: Any, strides: Sequence[int],
        device: Any, offset: int, base: object) -> ndarray:
    """Return an array with memory that another object owns.

    Parameters
    ----------
    ptr : int
        Address of the memory.
    shape, strides : sequence of int
    dtype : dtype
    device : Device or str
    offset : int
        Bytes from the address to the first element.
    base : object
        Object that is kept alive as long as the array.

    Raises
    ------
    ChainerxError
        If the memory does not belong to the device.
    """
    device = _contexts.get_device(device)
    dtype = _dtypes.dtype(dtype)
    low, size = _extent(shape, strides, dtype)
    start = ptr + offset + low
    if device.native:
        buffer: Any = (ctypes.c_char * size).from_address(start)
        buffer._base = base
        return checked(numpy.ndarray(shape, dtype, buffer, -low, strides), device)
    cupy = device.xp
    found = cupy.cuda.runtime.pointerGetAttributes(ptr)
    if found.device != device.index or not found.devicePointer:
        raise _errors.ChainerxError('the memory does not belong to %s' % (device,))
    memory = cupy.cuda.UnownedMemory(start, size, base, device.index)
    return checked(cupy.ndarray(
        shape, dtype, cupy.cuda.MemoryPointer(memory, -low), strides), device)
