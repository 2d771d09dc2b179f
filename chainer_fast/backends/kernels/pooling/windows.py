"""Places of windows, and checks of windows and of indexes in them."""
from __future__ import annotations

import typing as tp

from chainer_fast.backends.kernels.convolution.sizes import get_conv_outsize
from chainer_fast.backends.kernels.pooling import compiled


def places(
        lengths: tuple[int, ...], ksize: tp.Any, stride: tp.Any, pad: tp.Any,
        cover_all: bool) -> tuple[int, ...]:
    """Return the number of places of a window along each axis.

    Raises
    ------
    AssertionError
        If there is no place along an axis.
    """
    outs = compiled.places(lengths, ksize, stride, pad, cover_all)
    if outs is not NotImplemented:
        return outs
    outs = tuple([
        get_conv_outsize(length, k, s, p, cover_all)
        for length, k, s, p in zip(lengths, ksize, stride, pad, strict=True)])
    assert all(out > 0 for out in outs), (
        'Output sizes should be positive, but a window of %s with stride %s takes %s '
        'places in images of %s with padding %s' % (
            tuple(ksize), tuple(stride), outs, tuple(lengths), tuple(pad)))
    if not all(k > 0 for k in ksize):
        raise ValueError('ksize must be positive, but is %s' % (tuple(ksize),))
    return outs


def check_window(
        lengths: tp.Sequence[int], ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...]) -> None:
    """Raise ``ValueError`` if there is no such window, or no such images."""
    for name, numbers in (('pad', pad), ('ksize', ksize), ('outsize', lengths)):
        if any(n < 0 for n in numbers):
            raise ValueError(
                '%s must not be negative, but is %s' % (name, tuple(numbers)))
    if any(n < 1 for n in stride):
        raise ValueError('stride must be positive, but is %s' % (tuple(stride),))


def check_index_dtype(indexes: tp.Any) -> None:
    """Raise ``IndexError`` unless the indexes of elements are integers."""
    if indexes.dtype.kind not in 'iu':
        raise IndexError(
            'indexes must be an array of integers, not of %s' % (indexes.dtype,))
