from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.chainerx import _contexts, _conversion
from chainer_fast.chainerx._array import ndarray


def _fromnumpy(array: tp.Any, keepstrides: bool = False,
               device: tp.Any = None) -> ndarray:
    """Return an array with the elements of one of NumPy, which it does not share.

    Parameters
    ----------
    array : numpy.ndarray
    keepstrides : bool
        Whether the strides are kept, too.
    device : Device or str, optional
    """
    device = _contexts.get_device(device)
    if not keepstrides:
        return _conversion.array(array, device=device)
    low, high = numpy.lib.array_utils.byte_bounds(array)
    if not array.size:
        low = high = array.ctypes.data
    with device.scope():
        memory = device.xp.empty(high - low, numpy.uint8)
        offset = array.ctypes.data - low
        if device.native:
            copy = numpy.ndarray(
                array.shape, array.dtype, memory, offset, array.strides)
        else:
            copy = device.xp.ndarray(
                array.shape, array.dtype, memory.data + offset, array.strides)
        copy[...] = device.xp.asarray(array)
    return _conversion.checked(copy, device)


def _DeviceBuffer(data: tp.Sequence[tp.Any], shape: tp.Sequence[int], dtype: tp.Any,
                  device: tp.Any = None) -> tp.Any:
    """Return memory of a device, for :func:`frombuffer`."""
    return _conversion.array(data, dtype, device=device)._array.reshape(shape)
