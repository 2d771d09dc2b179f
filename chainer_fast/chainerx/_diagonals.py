"""Diagonals and triangles of matrices, and grids."""
from __future__ import annotations

from typing import Any

from chainer_fast import backend
from chainer_fast.chainerx import _errors, _manipulation, _routines, _running
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.array import broadcast, diagonal, pad
from chainer_fast.functions.array import where as where_

__all__ = ['diag', 'diagflat', 'meshgrid', 'tril', 'triu']


def diag(v: ndarray, k: int = 0, device: Any = None) -> ndarray:
    """Return a diagonal of a matrix, or a matrix with a diagonal.

    Parameters
    ----------
    v : ndarray
        Array with one or two axes.
    k : int
        Index of the diagonal: the k-th above the main one.
    device : Device or str, optional
        By default that of ``v``.

    Raises
    ------
    DimensionError
        If ``v`` has another number of axes.
    """
    _routines.check(v)
    if device is not None:
        v = v.to_device(device)
    if v.ndim == 1:
        return _routines.compute(
            [v], lambda xp, v: xp.diag(v, k), lambda v: _matrix(v, k))
    if v.ndim == 2:
        return _routines.compute(
            [v], lambda xp, v: xp.diagonal(v, k), lambda v: diagonal.diagonal(v, k))
    raise _errors.DimensionError('the array has %d axes instead of one or two' % v.ndim)


def diagflat(v: ndarray, k: int = 0, device: Any = None) -> ndarray:
    """Return a matrix with the elements of an array on a diagonal: see :func:`diag`."""
    _routines.check(v)
    return diag(v.ravel(), k, device)


def _matrix(v, k):
    """Return a matrix with a diagonal, for variables."""
    xp = backend.get_array_module(v)
    n = v.size + abs(k)
    rows = broadcast.broadcast_to(
        pad.pad(v, ((max(k, 0), max(-k, 0)),), 'constant'), (n, n))
    return where_.where(xp.eye(n, k=k, dtype=bool), rows, xp.zeros((), v.dtype))


def tril(m: ndarray, k: int = 0) -> ndarray:
    """Return the elements on and below a diagonal, and zeros elsewhere.

    Parameters
    ----------
    m : ndarray
        Matrices along the last two axes, or a vector that is used for all rows.
    k : int
        Index of the diagonal: the k-th above the main one.

    Raises
    ------
    DimensionError
        If the array has no axes.
    """
    return _triangle('tril', m, k)


def triu(m: ndarray, k: int = 0) -> ndarray:
    """Return the elements on and above a diagonal, and zeros elsewhere.

    See :func:`tril`.
    """
    return _triangle('triu', m, k)


def _triangle(name, m, k):
    _routines.check(m)
    if not m.ndim:
        raise _errors.DimensionError('the array has no axes')

    def of_variable(m):
        xp = backend.get_array_module(m)
        shape = m.shape[-2:] if m.ndim > 1 else m.shape * 2
        kept = getattr(xp, name)(xp.ones(shape, bool), k)
        return where_.where(kept, m, xp.zeros((), m.dtype))
    return _routines.compute(
        [m], lambda xp, m: getattr(xp, name)(m, k), of_variable)


def meshgrid(*arrays: ndarray, indexing: str = 'xy') -> list[ndarray]:
    """Return coordinates of the points of a grid.

    Parameters
    ----------
    *arrays : ndarray
        Coordinates along each axis.
    indexing : {'xy', 'ij'}
        ``'xy'`` if the first two arrays vary along the second and the first
        axis.

    Returns
    -------
    list of ndarray
        One array for each argument.

    Raises
    ------
    ValueError
        If ``indexing`` is neither.
    """
    if indexing not in ('xy', 'ij'):
        raise ValueError("indexing must be 'xy' or 'ij', not %r" % (indexing,))
    _routines.check(*arrays)
    if arrays:
        _running.common_device(arrays)
    places = list(range(len(arrays)))
    if indexing == 'xy':
        places[:2] = places[1::-1] if len(places) > 1 else places
    shape = [a.size for a, _ in sorted(
        zip(arrays, places, strict=True), key=lambda pair: pair[1])]
    return [
        _manipulation.broadcast_to(
            a.reshape([-1 if i == place else 1 for i in range(len(arrays))]),
            shape).copy()
        for a, place in zip(arrays, places, strict=True)]
