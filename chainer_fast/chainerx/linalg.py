"""Linear algebra of matrices of float32 and float64."""
from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import linalg as kernels
from chainer_fast.chainerx import _decompositions, _errors, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.math import cholesky as cholesky_mod
from chainer_fast.functions.math import inv as inv_mod

__all__ = ['cholesky', 'eigh', 'eigvalsh', 'inv', 'pinv', 'qr', 'solve', 'svd']


def _is_lapack_available() -> bool:
    return True     # It comes with NumPy.


def _check(a, square=False):
    _routines.check(a)
    if a.dtype.name not in ('float32', 'float64'):
        raise _errors.DtypeError(
            'matrices must be float32 or float64, not %s' % (a.dtype,))
    if a.ndim != 2 or square and a.shape[0] != a.shape[1]:
        raise _errors.DimensionError('expected a %smatrix, not the shape %s'
                                     % ('square ' * square, a.shape))


def _errors_of_lapack(routine):
    """Return a routine that raises errors of ChainerX, also on a GPU."""
    @functools.wraps(routine)
    def call(a, *args, **kwargs):
        _routines.check(a)
        scope = contextlib.nullcontext()
        if not a.device.native:
            scope = cuda.cupyx.errstate(linalg='raise')
        try:
            with scope:
                return routine(a, *args, **kwargs)
        except numpy.linalg.LinAlgError as e:
            raise _errors.ChainerxError(str(e)) from e
    return call


@_errors_of_lapack
def solve(a: ndarray, b: ndarray) -> ndarray:
    """Return ``x`` with ``a x = b``.

    Parameters
    ----------
    a : ndarray
        A square matrix.
    b : ndarray
        A vector or a matrix.

    Raises
    ------
    ChainerxError
        If the matrix is singular; DtypeError and DimensionError are subclasses.
    """
    _check(a, square=True)
    _routines.check(b)
    if b.ndim not in (1, 2) or a.shape[0] != b.shape[0]:
        raise _errors.DimensionError(
            'the shapes %s and %s do not match' % (a.shape, b.shape))
    if b.dtype.name not in ('float32', 'float64'):
        raise _errors.DtypeError('expected float32 or float64, not %s' % (b.dtype,))
    return _routines.compute(
        [a, b], lambda xp, x, y: kernels.call(xp.linalg.solve, x, y),
        _decompositions.solve,
        numpy.promote_types(a.dtype, b.dtype))


@_errors_of_lapack
def inv(a: ndarray) -> ndarray:
    """Return the inverse of a square matrix.

    Raises
    ------
    ChainerxError
        If the matrix is singular; DtypeError and DimensionError are subclasses.
    """
    _check(a, square=True)
    try:
        return _routines.compute(
            [a], lambda xp, x: kernels.call(xp.linalg.inv, x), inv_mod.inv)
    except ValueError as e:
        raise _errors.ChainerxError(str(e)) from e


def pinv(a: ndarray, rcond: float = 1e-15) -> ndarray:
    """Return the pseudo-inverse of a matrix.

    Parameters
    ----------
    a : ndarray
    rcond : float
        Singular values up to ``rcond`` times the largest are ignored.
    """
    _check(a)
    return _routines.compute(
        [a], lambda xp, x: kernels.call(xp.linalg.pinv, x, rcond),
        lambda v: _decompositions.pinv(v, rcond))


@_errors_of_lapack
def svd(a: ndarray, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return the singular value decomposition of a matrix: ``a = u diag(s) vt``.

    Parameters
    ----------
    a : ndarray
    full_matrices : bool
        Whether ``u`` and ``vt`` are square; the reduced form has a gradient.
    compute_uv : bool
        Whether to return ``u, s, vt``, or only ``s``.
    """
    _check(a)

    def function(v):
        if not compute_uv:
            return _decompositions.svd(v)[1]
        if not full_matrices or a.shape[0] == a.shape[1]:
            return _decompositions.svd(v)
        return _decompositions.WithoutGradient(
            ordinary, 'svd with full_matrices').apply((v,))

    def ordinary(xp, x):
        return kernels.call(xp.linalg.svd, x, full_matrices, compute_uv)

    return _routines.compute([a], ordinary, function)


def qr(a: ndarray, mode: str = 'reduced') -> Any:
    """Return the QR decomposition of a matrix.

    Parameters
    ----------
    a : ndarray
    mode : {'reduced', 'complete', 'r', 'raw'}
        ``q`` and ``r`` of minimum size; with square ``q``; only ``r``; or the results
        of LAPACK. The last mode, and the second one for a matrix with more rows than
        columns, have no gradient.

    Raises
    ------
    ValueError
        If the mode is invalid.
    """
    if mode not in ('reduced', 'complete', 'r', 'raw'):
        raise ValueError(
            "mode must be 'reduced', 'complete', 'r' or 'raw', not %r" % (mode,))
    _check(a)

    def function(v):
        if mode == 'raw' or mode == 'complete' and a.shape[0] > a.shape[1]:
            return _decompositions.WithoutGradient(
                ordinary, 'qr with mode=%r' % mode).apply((v,))
        found = _decompositions.qr(v)
        return found[1] if mode == 'r' else found

    def ordinary(xp, x):
        return kernels.call(xp.linalg.qr, x, mode)

    return _routines.compute([a], ordinary, function)


@_errors_of_lapack
def cholesky(a: ndarray) -> ndarray:
    """Return the lower triangular matrix whose product with its transpose is ``a``.

    Raises
    ------
    ChainerxError
        If ``a`` is not positive definite; DtypeError and DimensionError are subclasses.
    """
    _check(a, square=True)
    return _routines.compute(
        [a], lambda xp, x: kernels.call(xp.linalg.cholesky, x), cholesky_mod.cholesky)


@_errors_of_lapack
def eigh(a: ndarray, UPLO: str = 'L') -> tuple[ndarray, ndarray]:
    """Return the eigenvalues and eigenvectors of a symmetric matrix.

    Parameters
    ----------
    a : ndarray
    UPLO : {'L', 'U'}
        The triangle that is used.

    Raises
    ------
    TypeError, ValueError, ChainerxError
        If ``UPLO`` is not a string, not a single letter, or invalid.
    """
    half = _half(UPLO)
    _check(a, square=True)
    return _routines.compute(
        [a], lambda xp, x: kernels.call(xp.linalg.eigh, x, half),
        lambda v: _decompositions.Eigh(half).apply((v,)))


@_errors_of_lapack
def eigvalsh(a: ndarray, UPLO: str = 'L') -> ndarray:
    """Return the eigenvalues of a symmetric matrix: see :func:`eigh`."""
    half = _half(UPLO)
    _check(a, square=True)
    return _routines.compute(
        [a], lambda xp, x: kernels.call(xp.linalg.eigvalsh, x, half),
        lambda v: _decompositions.Eigh(half).apply((v,))[0])


def _half(letter):
    if not isinstance(letter, str):
        raise TypeError('UPLO must be a string, not %s' % type(letter).__name__)
    if len(letter) != 1:
        raise ValueError("UPLO must be 'L' or 'U', not %r" % (letter,))
    if letter.upper() not in 'LU':
        raise _errors.ChainerxError("UPLO must be 'L' or 'U', not %r" % (letter,))
    return letter.upper()
