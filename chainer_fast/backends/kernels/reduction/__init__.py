"""Sums and means."""
from __future__ import annotations

from chainer_fast.backends.cuda import ndarray
from chainer_fast.backends.kernels.reduction import cuda as _device
from chainer_fast.types import DTypeSpec, NdArray


def total(
        x: NdArray, axis: int | tuple[int, ...] | None, keepdims: bool = False,
        dtype: DTypeSpec = None) -> NdArray:
    """Return ``x.sum(axis, dtype, keepdims=keepdims)``, long ones on a GPU in steps.

    This is no kernel, so that it costs a processor next to nothing.

    Parameters
    ----------
    x : array
        Elements.
    axis : None, int or tuple of int
        Axes to sum over; all of them when None.
    keepdims : bool
        Whether these axes stay, with length 1.
    dtype : dtype, optional
        Type of the sum; by default that of ``x``.

    Returns
    -------
    array
        A scalar instead, if NumPy's sum is one.
    """
    if isinstance(x, ndarray):
        result = _device.total(x, axis, keepdims, dtype)
        if result is not NotImplemented:
            return result
    return x.sum(axis, dtype, keepdims=keepdims)
