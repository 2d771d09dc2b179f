"""Sums and means."""
from __future__ import annotations

from chainer_fast.backends import arrays
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.reduction import cuda as _device
from chainer_fast.types import NdArray


@kernel(device=_device.total)
def total(
        x: NdArray, axis: int | tuple[int, ...] | None,
        keepdims: bool = False) -> NdArray:
    """Sum of array elements over axes.

    Parameters
    ----------
    x : array
        Elements.
    axis : None, int or tuple of int
        Axes to sum over; all of them when None.
    keepdims : bool
        Whether these axes stay, with length 1.

    Returns
    -------
    array
    """
    return arrays.force_array(x.sum(axis=axis, keepdims=keepdims))
