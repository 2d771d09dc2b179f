"""Matrix products."""
from __future__ import annotations

from chainer_fast.backends import _cublas
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.matmul import compiled as _compiled
from chainer_fast.backends.kernels.matmul.compiled import dot as dot
from chainer_fast.types import NdArray


def _matmul_on_device(a, b):
    if a.dtype != b.dtype or a.dtype.char not in 'efd' or min(a.ndim, b.ndim) < 2:
        return NotImplemented
    if a.shape[-1] != b.shape[-2]:
        return NotImplemented       # CuPy raises an error
    return _cublas.product(a, b)


@kernel(compiled=_compiled.matmul, device=_matmul_on_device)
def matmul(a: NdArray, b: NdArray) -> NdArray:
    """Products of matrices in the last two axes; the other axes are broadcast.

    Parameters
    ----------
    a, b : array
        Floating-point operands. An operand with one axis is a vector.

    Returns
    -------
    array
    """
    return get_array_module(a, b).matmul(a, b)
