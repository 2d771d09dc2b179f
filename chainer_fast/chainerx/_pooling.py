"""Pooling along any number of axes."""
from __future__ import annotations

from chainer_fast.chainerx import _errors, _functions, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._connection import _Ints, for_each_axis
from chainer_fast.functions.pooling import average_pooling_nd, max_pooling_nd

__all__ = ['average_pool', 'max_pool']


def max_pool(x: ndarray, ksize: _Ints, stride: _Ints | None = None, pad: _Ints = 0,
             cover_all: bool = False) -> ndarray:
    """Return the maximum in a window at each position.

    Parameters
    ----------
    x : ndarray
        Of the shape ``(batch, channels, ...)``.
    ksize : int or sequence of int
        Lengths of the window.
    stride : int or sequence of int, optional
        Strides of the window; by default its lengths.
    pad : int or sequence of int
        Number of padding elements on both sides, which are never the maximum.
    cover_all : bool
        Whether to cover all elements.

    Raises
    ------
    DimensionError
        If the shape or parameters do not match.
    """
    ksize, stride, pad = _parameters(x, ksize, stride, pad)
    return _functions.apply(lambda v: max_pooling_nd.max_pooling_nd(
        v, ksize, stride, pad, cover_all), x)


def average_pool(x: ndarray, ksize: _Ints, stride: _Ints | None = None, pad: _Ints = 0,
                 pad_mode: str | None = 'ignore') -> ndarray:
    """Return the average in a window at each position.

    Parameters
    ----------
    x, ksize, stride, pad
        As for :func:`max_pool`.
    pad_mode : {'ignore', 'zero'}
        Whether elements beyond the borders are treated as zeros.

    Raises
    ------
    DimensionError
        If the shape or parameters do not match.
    ValueError
        If ``pad_mode`` is invalid.
    """
    if pad_mode not in ('ignore', 'zero', None):
        raise ValueError("pad_mode must be 'ignore' or 'zero', not %r" % (pad_mode,))
    value = 0 if pad_mode == 'zero' else None
    ksize, stride, pad = _parameters(x, ksize, stride, pad)
    return _functions.apply(lambda v: average_pooling_nd.average_pooling_nd(
        v, ksize, stride, pad, value), x)


def _parameters(x, ksize, stride, pad):
    _routines.check(x)
    if x.ndim < 3:
        raise _errors.DimensionError(
            'expected an array with three or more axes, not the shape %s'
            % (x.shape,))
    stride = ksize if stride is None else stride
    return [for_each_axis(x.ndim - 2, each) for each in (ksize, stride, pad)]
