"""Memory of the stand-in's arrays by its address."""
import ctypes
import gc
import weakref

import numpy

from tests.doubles.host_cupy import device

_known = weakref.WeakSet()


def at(address, dtype, shape, strides):
    """Return an array of NumPy at an address; the strides count elements."""
    size = 1 + sum([(n - 1) * s for n, s in zip(shape, strides, strict=True)])
    flat = numpy.frombuffer(
        (ctypes.c_char * (size * dtype.itemsize)).from_address(address), dtype)
    return numpy.lib.stride_tricks.as_strided(
        flat, shape, [s * dtype.itemsize for s in strides])


def device_of(address):
    """Return the number of the device that an address is on, -1 for the host's.

    A device's addresses are those of the arrays and pointers that there are.
    """
    from tests.doubles.host_cupy.array import ndarray
    for memory in [
            *[each.data.mem for each in gc.get_objects() if type(each) is ndarray],
            *_known]:
        if memory.ptr <= address < memory.ptr + memory.size:
            return memory.device_id
    return -1


class UnownedMemory:
    """Bytes at an address, and what keeps them."""

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner = ptr, size, owner
        self.device_id = device_of(ptr) if device_id < 0 else device_id
        if self.device_id < 0:
            raise RuntimeError('cudaErrorInvalidValue: not an address of a device')
        _known.add(self)

    @property
    def device(self):
        return device.Device(self.device_id)

    def bytes(self):
        return (ctypes.c_char * self.size).from_address(self.ptr)


class MemoryPointer:
    """A place in the memory of a device."""

    def __init__(self, mem, offset):
        self.mem, self.ptr, self.device_id = mem, mem.ptr + offset, mem.device_id

    @property
    def device(self):
        return self.mem.device

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    def __sub__(self, offset):
        return self + -offset
