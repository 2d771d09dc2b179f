"""Lengths of axes before and after a sliding window."""
from __future__ import annotations

import typing as tp

from chainer_fast import _numbers


def get_conv_outsize(
        size: int, k: int, s: int, p: int, cover_all: bool = False, d: int = 1) -> int:
    """Return the number of positions of a window along an axis.

    .. math:: \\left\\lfloor \\frac{n + 2 p - d (k - 1) - 1}{s} \\right\\rfloor + 1

    With ``cover_all`` it is the ceiling instead of the floor.

    Parameters
    ----------
    size : int
        Length of the axis.
    k : int
        Length of the window, in elements.
    s : int
        Stride: distance between two positions.
    p : int
        Padding on both sides.
    cover_all : bool
        Whether to cover every element, even with a window that extends beyond the
        end.
    d : int
        Dilation: distance between neighbouring elements of the window.

    Returns
    -------
    int
        Length of the axis after the convolution. It can be negative, if the window is
        longer than the axis.

    Raises
    ------
    ZeroDivisionError
        If the stride is zero.

    Examples
    --------
    >>> chainer.utils.get_conv_outsize(size=28, k=5, s=2, p=2)
    14
    >>> chainer.utils.get_conv_outsize(size=28, k=5, s=2, p=2, cover_all=True)
    15
    """
    if not (type(size) is int and type(k) is int and type(s) is int
            and type(p) is int and type(d) is int):
        size, k, s, p, d = map(_numbers.plain, (size, k, s, p, d))
    room = size + 2 * p - _extent(k, d)
    if cover_all:
        room += s - 1
    try:
        return room // s + 1
    except ZeroDivisionError:
        raise ZeroDivisionError(
            'the stride must not be zero, for a window of %s in %s elements' % (k, size)
        ) from None


def get_deconv_outsize(
        size: int, k: float, s: tp.Any, p: tp.Any, cover_all: bool = False,
        d: tp.Any = 1) -> int:
    """Return the length of an axis after a deconvolution (transposed convolution).

    This is the smallest length whose :func:`get_conv_outsize` is ``size``:

    .. math:: s (n - 1) + d (k - 1) + 1 - 2 p

    Parameters
    ----------
    size : int
        Length of the axis before the deconvolution.
    k, s, p, cover_all, d
        Arguments of the convolution that is transposed, see :func:`get_conv_outsize`.

    Returns
    -------
    int
        Length of the axis after the deconvolution.

    Examples
    --------
    >>> chainer.utils.get_deconv_outsize(size=14, k=4, s=2, p=1)
    28
    """
    if not (type(size) is int and type(k) is int and type(s) is int
            and type(p) is int and type(d) is int):
        size, k, s, p, d = map(_numbers.plain, (size, k, s, p, d))
    length = (size - 1) * s + _extent(k, d) - 2 * p
    return length - s + 1 if cover_all else length


def _extent(k, d):
    """Return the length of a window including the gaps of dilation."""
    return (k - 1) * d + 1
