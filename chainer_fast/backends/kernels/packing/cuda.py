"""Copies between arrays on a GPU and a flat buffer: one launch for many arrays.

There is a launch for each dtype, and about two hundred arrays.
"""
from __future__ import annotations

import itertools
import typing as tp

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels.common.many_arrays import (
    TYPES,
    Contiguous,
    by_kind,
    calls_at,
    is_plain,
    launch,
)
from chainer_fast.backends.kernels.packing import memory
from chainer_fast.types import NdArray

_HEADER = 'chainer_fast/backends/kernels/common/many_arrays.hpp'


def pack(buffer: NdArray, arrays: tp.Iterable[NdArray]) -> None:
    """Copy arrays to a buffer; the form of ``packing.pack`` for GPUs."""
    return _copy(buffer, tuple(arrays), 1., packs=True)


def unpack(buffer: NdArray, arrays: tp.Iterable[NdArray], scale: float) -> None:
    """Copy a buffer to arrays; the form of ``packing.unpack`` for GPUs."""
    return _copy(buffer, tuple(arrays), scale, packs=False)


def _copy(buffer, arrays, scale, packs):
    if not all(map(_is_cupy, (buffer, *arrays))) or not _are_apart(buffer, arrays):
        memory.check(buffer, arrays, packs)
    if not all(map(is_plain, (buffer, *arrays))):
        return NotImplemented
    ends = list(itertools.accumulate([array.size for array in arrays]))
    with (cuda.Device(buffer.data.device_id),
          Contiguous([arrays], [not packs] * len(arrays)) as (arrays,)):
        for kind, indices, group in by_kind(arrays):
            _launch(kind, buffer, [array for array, in group],
                    [ends[i] for i in indices], scale, packs)
    return None


def _launch(kind, buffer, arrays, ends, scale, packs):
    """Copy arrays of one dtype, whose parts of the buffer end at given positions."""
    sizes = numpy.array([array.size for array in arrays], numpy.int64)
    own = numpy.array([array.data.ptr for array in arrays], numpy.int64)
    parts = buffer.data.ptr + buffer.itemsize * (numpy.array(ends, numpy.int64) - sizes)
    kinds = [kind, buffer.dtype.char]
    addresses = [own, parts]
    if not packs:
        kinds.reverse()
        addresses.reverse()
    body = 'copy_scaled<%s, %s>(arrays, scale)' % tuple(map(TYPES.get, kinds))
    for _, call in calls_at(sizes, numpy.stack(addresses, 1)):
        launch(_HEADER, body, ', double scale', call, numpy.float64(scale))


def _is_cupy(array):
    return isinstance(array, cuda.ndarray)


def _are_apart(buffer, arrays):
    """Return whether arrays are contiguous, and certainly in separate memory."""
    device = buffer.data.device_id
    if buffer.ndim != 1 or not all([
            array.flags.c_contiguous and array.dtype.char in TYPES
            and array.data.device_id == device for array in (buffer, *arrays)]):
        return False
    sizes = numpy.array([array.size for array in arrays], numpy.int64)
    if sizes.sum() != buffer.size:
        return False
    bounds = numpy.array([
        (array.data.ptr, array.data.ptr + array.nbytes)
        for array in (buffer, *arrays) if array.size], numpy.int64).reshape(-1, 2)
    begins, ends = bounds[bounds[:, 0].argsort()].T
    return not (ends[:-1] > begins[1:]).any()
