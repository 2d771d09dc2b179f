"""Linear algebra beyond products."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.common import blas
from chainer_fast.types import NdArray

_Result = tp.TypeVar('_Result')

#: The least length of matrices for which SciPy's LAPACK is called. It is twice to four
#: times as fast as NumPy's functions, but may round differently.
LONG = 64
#: The least length of matrices for which threads of LAPACK save time. They save little
#: below, and if another program needs a processor, all of them wait again and again.
THREADED = 512


def call(
        function: tp.Callable[..., _Result], x: NdArray,
        *arguments: tp.Any) -> _Result:
    """Call a function of matrices, with threads of LAPACK if they save time.

    Parameters
    ----------
    function : callable
        Of the array's module, such as :func:`numpy.linalg.qr`.
    x : array
        Its first argument.
    *arguments
        The others.
    """
    if isinstance(x, numpy.ndarray) and x.ndim > 1 and (
            LONG <= max(x.shape[-2:]) < THREADED):
        return blas.without_threads(function, x, *arguments)
    return function(x, *arguments)


def _lapack(x, *names):
    """Return SciPy's LAPACK routines for long matrices; None for other arrays."""
    if x.ndim < 2 or x.shape[-1] < LONG or x.shape[-2] != x.shape[-1] or (
            x.dtype.char not in 'fd' or not x.dtype.isnative):
        return None
    # SciPy's linear algebra takes long to import.
    from scipy.linalg import get_lapack_funcs
    return get_lapack_funcs(names, (x,))


def _each(x, compute):
    """Compute a matrix from each one in the last two axes."""
    y = numpy.empty(x.shape, x.dtype)
    for at in numpy.ndindex(*x.shape[:-2]):
        y[at] = compute(x[at])
    return y


def _inverse_by_lapack(x, check):
    routines = _lapack(x, 'getrf', 'getri')
    if routines is None:
        return NotImplemented
    factors, inverted = routines

    def compute(a):
        # The transposed matrix is in Fortran's order, and so is its inverse.
        lu, pivots, info = factors(a.T)
        if info > 0:
            raise numpy.linalg.LinAlgError('Singular matrix')
        return inverted(lu, pivots, 64 * len(a), overwrite_lu=True)[0].T
    return call(_each, x, compute)


def _cholesky_by_lapack(x):
    routines = _lapack(x, 'potrf')
    if routines is None:
        return NotImplemented
    factored, = routines

    def compute(a):
        upper, info = factored(a.T)
        if info > 0:
            raise numpy.linalg.LinAlgError('Matrix is not positive definite')
        return upper.T
    return call(_each, x, compute)


def _determinant_by_lapack(x):
    if x.ndim < 2 or x.shape[-1] < LONG:
        return NotImplemented
    return call(numpy.linalg.det, x)


def _inverse_on_device(x, check):
    if not check:
        return NotImplemented
    with cuda.cupyx.errstate(linalg='raise'):
        y = cuda.cupy.linalg.inv(x)
    if not cuda.cupy.isfinite(y).all() and cuda.cupy.isfinite(x).all():
        raise numpy.linalg.LinAlgError('Singular matrix')
    return y


@kernel(compiled=_inverse_by_lapack, device=_inverse_on_device)
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


@kernel(compiled=_cholesky_by_lapack)
def cholesky(x: NdArray) -> NdArray:
    """Factorize a symmetric positive definite matrix, of which half is read.

    Parameters
    ----------
    x : array
        Matrix.

    Returns
    -------
    array
        Lower triangular matrix.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is not positive definite, on the host.
    """
    return cuda.get_array_module(x).linalg.cholesky(x)


@kernel(compiled=_determinant_by_lapack)
def determinant(x: NdArray) -> NdArray:
    """Determinants of the matrices in the last two axes.

    Parameters
    ----------
    x : array
        Square matrices.

    Returns
    -------
    array
        Determinants, without the last two axes.
    """
    return cuda.get_array_module(x).linalg.det(x)
