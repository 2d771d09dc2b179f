"""Rearrangement of arrays on a GPU."""
from __future__ import annotations

import math
import typing as tp

from chainer_fast.backends import _image_orders, cuda
from chainer_fast.types import NdArray

# CuPy joins more arrays than this by one launch, and fewer by one launch for each.
_FEW = 8

# An element's row, of all axes up to that of the joint, and its place in that row. The
# arrays have their share of each row.
_ROW = '''
    ptrdiff_t place = i % width;
    const ptrdiff_t row = i / width;
'''


def join(first: NdArray, arrays: tp.Sequence[NdArray], axis: int) -> NdArray:
    if not 1 < len(arrays) <= _FEW or not all([x.dtype == first.dtype for x in arrays]):
        return NotImplemented
    axis = axis % first.ndim
    if axis == 1 and _image_orders.keeps(*arrays):
        # In memory, channels are the last axis.
        arrays = [_image_orders.raw(x) for x in arrays]
        return _image_orders.semantic(_join(arrays, first.ndim - 1))
    return _join(arrays, axis)


def _join(arrays, axis):
    first = arrays[0]
    outer, inner = first.shape[:axis], first.shape[axis + 1:]
    lengths = [x.shape[axis] for x in arrays]
    out = cuda.cupy.empty((*outer, sum(lengths), *inner), first.dtype)
    if out.size == 0:
        return out
    widths = [n * math.prod(inner) for n in lengths]
    params = ['raw T x%d' % k for k in range(len(arrays))]
    params += ['int64 width%d' % k for k in range(len(arrays))]
    choices = [
        'if ((place -= %s) < width%d) out = x%d[row * width%d + place];' % (
            'width%d' % (k - 1) if k else '0', k, k, k) for k in range(len(arrays))]
    cuda.elementwise(
        ', '.join(params) + ', int64 width', 'T out', _ROW + ' else '.join(choices),
        'join_%d' % len(arrays))(*arrays, *widths, sum(widths), out)
    return out
