"""Checks of arrays and their buffer."""
from __future__ import annotations

import itertools

import numpy

from chainer_fast.backends import cuda
from chainer_fast.types import NdArray


def check(buffer: NdArray, arrays: tuple[NdArray, ...], packs: bool) -> None:
    """Raise an error unless arrays can be copied to a buffer, or from it.

    Parameters
    ----------
    buffer : array
    arrays : tuple of array
    packs : bool
        Whether the buffer is written to.

    Raises
    ------
    TypeError, ValueError
        As described in :func:`chainer_fast.backends.kernels.packing.pack` and
        ``unpack``.
    """
    for name, array in [('the buffer', buffer), *_named(arrays)]:
        _check_type(name, array, buffer)
    if buffer.ndim != 1 or not buffer.flags.c_contiguous:
        raise ValueError(
            'the buffer must be contiguous and have one axis, got the shape %s and the '
            'strides %s' % (buffer.shape, buffer.strides))
    size = sum([array.size for array in arrays])
    if buffer.size != size:
        raise ValueError(
            'the arrays have %s elements together, so the buffer must have as many, '
            'not %d' % (size, buffer.size))
    _check_memory(buffer, arrays, packs)


def _named(arrays):
    return [('array %d' % i, array) for i, array in enumerate(arrays)]


def _check_type(name, array, buffer):
    kind = cuda.ndarray if isinstance(buffer, cuda.ndarray) else numpy.ndarray
    if not isinstance(array, kind):
        raise TypeError('%s must be a %s.ndarray like the buffer, got %s' % (
            name, kind.__module__.partition('.')[0], type(array).__name__))
    if array.dtype.kind != 'f':
        raise TypeError('%s must have a dtype of floats, got %s' % (name, array.dtype))
    if kind is not numpy.ndarray and array.device != buffer.device:
        raise TypeError('%s must be on %s like the buffer, it is on %s' % (
            name, buffer.device, array.device))


def _check_memory(buffer, arrays, packs):
    whole = extent(buffer)
    extents = [(*extent(array), name) for name, array in _named(arrays) if array.size]
    for first, last, name in extents:
        if first < whole[1] and whole[0] < last:
            raise ValueError(
                '%s and the buffer have memory in common: copy one of them' % (name,))
    for name, array in [('the buffer', buffer)] if packs else _named(arrays):
        # Arrays of CuPy can always be written to.
        if not getattr(array.flags, 'writeable', True):
            raise ValueError('%s is read-only: copy it first' % (name,))
        if array.size and overlaps_itself(array):
            raise ValueError(
                '%s has elements that share memory: copy it first' % (name,))
    if not packs:
        extents.sort()
        for (_, last, name), (first, _, other) in itertools.pairwise(extents):
            if first < last:
                raise ValueError(
                    '%s and %s have memory in common: copy one of them' % (name, other))


def extent(array: NdArray) -> tuple[int, int]:
    """Return the address of the first element of an array, and that after the last."""
    begin = end = (
        array.data.ptr if isinstance(array, cuda.ndarray) else array.ctypes.data)
    if array.size == 0:
        return begin, begin
    for n, stride in zip(array.shape, array.strides, strict=True):
        reach = (n - 1) * stride
        begin, end = begin + min(reach, 0), end + max(reach, 0)
    return begin, end + array.itemsize


def overlaps_itself(array: NdArray) -> bool:
    """Return whether elements of an array may share memory; true when in doubt."""
    covered = array.itemsize
    for stride, n in sorted(zip(map(abs, array.strides), array.shape, strict=True)):
        if n > 1:
            if stride < covered:
                return True
            covered += (n - 1) * stride
    return False
