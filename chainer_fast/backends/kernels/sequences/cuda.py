"""Sequences on a GPU; see :mod:`chainer_fast.backends.kernels.sequences`."""
from __future__ import annotations

import typing as tp

from chainer_fast.backends import cuda
from chainer_fast.types import NdArray


def rows(first: NdArray, xs: tp.Sequence[NdArray]) -> NdArray:
    # Steps are often parts of one array, as they come from ``transpose``.
    end = first.data.ptr
    for x in xs:
        if not (x.flags.c_contiguous and x.data.mem is first.data.mem
                and x.data.ptr == end and x.dtype == first.dtype):
            return NotImplemented
        end += x.nbytes
    shape = sum([len(x) for x in xs]), *first.shape[1:]
    return cuda.cupy.ndarray(shape, first.dtype, first.data)
