"""Elements of two arrays, selected by a condition."""
from __future__ import annotations

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.array import compiled as _compiled
from chainer_fast.backends.kernels.common.copies import in_order_of_results
from chainer_fast.types import NdArray


@kernel(compiled=in_order_of_results(_compiled.where))
def where(condition: NdArray, x: NdArray, y: NdArray) -> NdArray:
    """Return elements of one array where a condition is true, otherwise of another.

    Parameters
    ----------
    condition : array of bool
        The condition.
    x, y : array
        The arrays, of one dtype. All three are broadcast.

    Returns
    -------
    array
    """
    return get_array_module(condition).where(condition, x, y)
