"""The arrays of the stand-in."""
import numpy

from tests.host_cupy import device, ledger


class ndarray:
    """An array on a device. Its elements are in the NumPy array ``_host``."""

    __array_priority__ = 100

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order='C'):
        self._host = numpy.empty(shape, dtype, order)
        self.device = device.Device()

    shape = property(lambda self: self._host.shape)
    dtype = property(lambda self: self._host.dtype)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    nbytes = property(lambda self: self._host.nbytes)
    strides = property(lambda self: self._host.strides)


def wrap(host):
    """Return an array of the current device that holds a NumPy array, uncopied."""
    out = ndarray.__new__(ndarray)
    out._host = host if type(host) is numpy.ndarray else numpy.asarray(host)
    out.device = device.Device()
    return out


def check_device(array):
    """Raise ``ValueError`` if an array is not on the current device."""
    if array.device.id != device.current():
        raise ValueError(
            'The device where the array resides (%d) is different from the current '
            'device (%d). Peer access is unavailable between these devices.'
            % (array.device.id, device.current()))
