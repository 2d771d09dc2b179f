"""Many arrays of floats in one flat buffer.

The buffer has the elements of the first array in C order, whatever its order in memory,
then those of the second one, and so on. Copies convert between float16, float32 and
float64: each number is rounded once.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.array import compiled as _compiled
from chainer_fast.backends.kernels.packing import cuda as _cuda
from chainer_fast.backends.kernels.packing import memory as _memory
from chainer_fast.types import NdArray


def pack(arrays: tp.Sequence[NdArray], buffer: NdArray) -> None:
    """Copy the elements of arrays to a buffer.

    Parameters
    ----------
    arrays : sequence of array
        Arrays of floats, of NumPy or all of one device. Some may be the same.
    buffer : array, shape (n,)
        Contiguous array of floats of the same device, for as many elements as the
        arrays have together, in separate memory.

    Raises
    ------
    TypeError
        If an object is not an array of floats, or is on another device.
    ValueError
        If the buffer has another size or is not contiguous, or cannot be written to, or
        has memory in common with an array. Nothing has changed then.
    """
    _pack(buffer, arrays)


def unpack(buffer: NdArray, arrays: tp.Sequence[NdArray], scale: float = 1.) -> None:
    """Copy the elements of a buffer to arrays, multiplied by a number.

    Parameters
    ----------
    buffer : array, shape (n,)
        As for :func:`pack`.
    arrays : sequence of array
        Arrays of floats, each in separate memory: arrays whose elements are between
        elements of another one are treated as arrays in the same memory.
    scale : float
        The number. The product is computed in the wider of both types, or in float32.

    Raises
    ------
    TypeError
        If an object is not an array of floats, or is on another device.
    ValueError
        If the buffer has another size or is not contiguous, or an array cannot be
        written to, or two have memory in common. Nothing has changed then.
    """
    _unpack(buffer, arrays, scale)


@kernel(compiled=_compiled.pack, device=_cuda.pack)
def _pack(buffer, arrays):
    arrays = tuple(arrays)
    _memory.check(buffer, arrays, packs=True)
    for array, part in _parts(arrays, buffer):
        part[...] = array


@kernel(compiled=_compiled.unpack, device=_cuda.unpack)
def _unpack(buffer, arrays, scale):
    arrays = tuple(arrays)
    _memory.check(buffer, arrays, packs=False)
    xp = get_array_module(buffer)
    for array, part in _parts(arrays, buffer):
        if scale != 1:
            dtype = numpy.result_type(part, array, numpy.float32)
            part = xp.multiply(part, dtype.type(scale), dtype=dtype)
        array[...] = part


def _parts(arrays, buffer):
    """Yield the arrays and their parts of the buffer, in their shapes."""
    begin = 0
    for array in arrays:
        end = begin + array.size
        yield array, buffer[begin:end].reshape(array.shape)
        begin = end
