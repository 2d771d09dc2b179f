from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast.chainerx import _contexts, _conversion, _interop
from chainer_fast.chainerx._array import ndarray


def _fromnumpy(array: Any, keepstrides: bool = False,
               device: Any = None) -> ndarray:
    """Return an array with a copy of the elements of a NumPy array.

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
    low, size = _interop._extent(array.shape, array.strides, array.dtype)
    with device.scope():
        memory = device.xp.empty(size, numpy.uint8)
        where = (memory, -low) if device.native else (memory[-low:].data,)
        copy = device.xp.ndarray(
            array.shape, array.dtype, *where, strides=array.strides)
        copy[...] = device.xp.asarray(array)
    return _conversion.checked(copy, device)


def _DeviceBuffer(data: Sequence[Any], shape: Sequence[int], dtype: Any,
                  device: Any = None) -> Any:
    """Return memory of a device, for :func:`frombuffer`."""
    return _conversion.array(data, dtype, device=device)._array.reshape(shape)
