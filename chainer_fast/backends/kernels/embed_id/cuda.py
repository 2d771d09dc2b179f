"""Rows and elements of matrices on a GPU, found by their numbers, in one launch."""
from __future__ import annotations

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.common import ignored
from chainer_fast.types import NdArray

_PREAMBLE = header('chainer_fast/backends/kernels/common/labels.hpp')
_PARAMS = 'I id, int64 ignored, int64 rows, int64 columns'


def _args(ids, shape, ignore_label):
    return ids[..., None], ignore_label, *shape


@ignored.on_device
def look_up(ids: NdArray, W: NdArray, ignore_label: int) -> NdArray:
    y = cuda.cupy.empty((*ids.shape, W.shape[1]), W.dtype)
    cuda.elementwise(
        _PARAMS + ', raw T W', 'T y', '''
            y = id == ignored ? T(0)
                : W[chainer_fast::class_of(id, rows) * columns + i % columns];
        ''', 'look_up', preamble=_PREAMBLE)(*_args(ids, W.shape, ignore_label), W, y)
    return y


@ignored.on_device
def add_rows(
        ids: NdArray, gy: NdArray, shape: tuple[int, ...],
        ignore_label: int) -> NdArray:
    if gy.dtype.kind != 'f':
        return NotImplemented
    # Half floats are added up in single precision.
    out = cuda.cupy.zeros(shape, numpy.promote_types(gy.dtype, numpy.float32))
    cuda.elementwise(
        _PARAMS + ', T gy', 'raw S out', '''
            if (id != ignored)
                atomicAdd(&out[chainer_fast::class_of(id, rows) * columns
                               + i % columns], S(gy));
        ''', 'add_rows', preamble=_PREAMBLE)(
            *_args(ids, shape, ignore_label), gy, out)
    return out.astype(gy.dtype, copy=False)


def select(x: NdArray, t: NdArray) -> NdArray:
    return cuda.elementwise(
        'L t, raw T x, int64 columns', 'T y',
        'y = x[i * columns + chainer_fast::class_of(t, columns)]', 'select_item',
        preamble=_PREAMBLE)(t, x, x.shape[1])


def place(y: NdArray, t: NdArray, columns: int) -> NdArray:
    x = cuda.cupy.empty((len(t), columns), y.dtype)
    cuda.elementwise(
        'T y, L t, int64 columns', 'T x',
        'x = i % columns == chainer_fast::class_of(t, columns) ? y : T(0)',
        'place_item', preamble=_PREAMBLE)(y[:, None], t[:, None], columns, x)
    return x
