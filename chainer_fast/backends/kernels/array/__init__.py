"""Rearrangement of arrays."""
from __future__ import annotations

import typing as tp

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.array import cuda as _cuda
from chainer_fast.types import NdArray


@kernel(device=_cuda.join)
def join(first: NdArray, arrays: tp.Sequence[NdArray], axis: int) -> NdArray:
    """Join arrays along an axis.

    Parameters
    ----------
    first : array
        The first of them, which decides which form of the kernel runs.
    arrays : sequence of array
        The arrays, of one dtype and of equal shapes but for the axis.
    axis : int
        The axis.

    Returns
    -------
    array
    """
    return get_array_module(first).concatenate(arrays, axis)
