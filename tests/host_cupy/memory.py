"""Memory of the stand-in's arrays by its address, for libraries that take pointers."""
import ctypes

import numpy


def at(address, dtype, shape, strides):
    """Return an array of NumPy at an address; the strides count elements."""
    size = 1 + sum([(n - 1) * s for n, s in zip(shape, strides, strict=True)])
    flat = numpy.frombuffer(
        (ctypes.c_char * (size * dtype.itemsize)).from_address(address), dtype)
    return numpy.lib.stride_tricks.as_strided(
        flat, shape, [s * dtype.itemsize for s in strides])
