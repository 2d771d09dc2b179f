"""Linear algebra beyond products."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.common import blas
from chainer_fast.backends.kernels.matmul import dot
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


def _are_long(x):
    """Return whether SciPy's LAPACK computes these matrices."""
    return (x.ndim > 1 and x.shape[-2] == x.shape[-1] >= LONG
            and x.dtype.char in 'fd' and x.dtype.isnative)


def _lapack(x, *names):
    """Return SciPy's LAPACK routines for long matrices; None for other arrays."""
    if not _are_long(x):
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


def _inverse_by_lapack(x, check, factors=None):
    routines = _lapack(x, 'getrf', 'getri')
    if routines is None:
        return NotImplemented
    factorize, inverted = routines
    known = iter(factors or ())
    # The transposed matrix is in Fortran's order, and so is its inverse.
    return call(_each, x, lambda a: _inverted(
        inverted, not factors, *next(known, None) or factorize(a.T)[:2]))


def _inverted(inverted, overwrites, lu, pivots):
    """Invert a matrix, of whose transpose these are the factors."""
    y, info = inverted(lu, pivots, 64 * len(lu), overwrite_lu=overwrites)
    if info > 0:
        raise numpy.linalg.LinAlgError('Singular matrix')
    return y.T


def _inverted_lower(x, solve, y):
    """Write the inverse of a lower triangular matrix to zeros, by halves.

    Threads share the products, and LAPACK would take longer than they do.
    """
    n = len(x)
    if n <= LONG:
        y[...], info = solve(x, numpy.eye(n, dtype=x.dtype), lower=True)
        if info > 0:
            raise numpy.linalg.LinAlgError('Singular matrix')
        return y
    half = (n // 2 + 15) // 16 * 16
    first = _inverted_lower(x[:half, :half], solve, y[:half, :half])
    last = _inverted_lower(x[half:, half:], solve, y[half:, half:])
    numpy.negative(dot(dot(last, x[half:, :half]), first), out=y[half:, :half])
    return y


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
    return call(_factorized, x) if _are_long(x) else NotImplemented


def _factorized(x):
    wide = x.astype(numpy.float64, copy=False)      # as in NumPy
    factorize, = _lapack(wide, 'getrf')
    y, factors = numpy.empty(x.shape[:-2]), []
    for at in numpy.ndindex(*y.shape):
        lu, pivots, _ = factorize(wide[at].T)
        diagonal = lu.diagonal()
        negative = (diagonal < 0).sum() + (pivots != numpy.arange(len(lu))).sum()
        with numpy.errstate(divide='ignore'):
            # Their product may leave the range of numbers where this does not.
            size = numpy.exp(numpy.log(abs(diagonal)).sum())
        y[at] = 0 - size if negative % 2 else size
        factors.append((lu.astype(x.dtype, copy=False), pivots))
    return y.astype(x.dtype, copy=False), factors


def _inverse_on_device(x, check, factors=None):
    if not check:
        return NotImplemented
    with cuda.cupyx.errstate(linalg='raise'):
        y = cuda.cupy.linalg.inv(x)
    if not cuda.cupy.isfinite(y).all() and cuda.cupy.isfinite(x).all():
        raise numpy.linalg.LinAlgError('Singular matrix')
    return y


@kernel(compiled=_inverse_by_lapack, device=_inverse_on_device)
def inverse(x: NdArray, check: bool, factors: tp.Any = None) -> NdArray:
    """Invert the matrices in the last two axes.

    Parameters
    ----------
    x : array
        Square matrices.
    check : bool
        Whether to check for singular matrices on a GPU, too; the host then waits for
        the GPU.
    factors : object, optional
        From :func:`determinant`, if it has been called.

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


def inverse_of_lower(x: NdArray) -> NdArray:
    """Invert a lower triangular matrix.

    It is not a kernel with two forms: one of them reads the upper half.

    Parameters
    ----------
    x : array
        Matrix; it has zeros above its diagonal.

    Returns
    -------
    array
        Lower triangular matrix.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is singular, on the host.
    """
    routines = _lapack(x, 'trtrs') if isinstance(x, numpy.ndarray) else None
    if routines is None:
        return cuda.get_array_module(x).linalg.inv(x)
    return call(_inverted_lower, x, routines[0], numpy.zeros_like(x))


@kernel(compiled=_determinant_by_lapack)
def determinant(x: NdArray) -> tuple[NdArray, tp.Any]:
    """Determinants of the matrices in the last two axes.

    Parameters
    ----------
    x : array
        Square matrices.

    Returns
    -------
    y : array
        Determinants, without the last two axes.
    factors : object
        What :func:`inverse` may read; None for short matrices, on a GPU, and
        for some dtypes.
    """
    return cuda.get_array_module(x).linalg.det(x), None
