"""Linear algebra beyond products."""
from __future__ import annotations

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import kernel
from chainer_fast.types import NdArray


def _inverse_on_device(x, check):
    if not check:
        return NotImplemented
    with cuda.cupyx.errstate(linalg='raise'):
        y = cuda.cupy.linalg.inv(x)
    if not cuda.cupy.isfinite(y).all() and cuda.cupy.isfinite(x).all():
        raise numpy.linalg.LinAlgError('Singular matrix')
    return y


@kernel(device=_inverse_on_device)
def inverse(x: NdArray, check: bool) -> NdArray:
    """Invert the matrices in the last two axes.

    Parameters
    ----------
    x : array
        Square matrices.
    check : bool
        Whether to check for singular matrices on a GPU, too; the host then waits for
        the GPU.

    Returns
    -------
    array
        Inverses. On a GPU they are not finite if a matrix is singular.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix is singular, on the host or with ``check``.
    """
    return cuda.get_array_module(x).linalg.inv(x)
