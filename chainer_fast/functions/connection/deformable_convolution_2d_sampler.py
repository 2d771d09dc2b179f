"""Convolution whose window is deformed at every position."""
from __future__ import annotations

from collections.abc import Sequence

import numpy

from chainer_fast import _numbers, backend, variable
from chainer_fast.configuration import config
from chainer_fast.functions.array import (
    cast,
    concat,
    reshape,
    spatial_transformer_sampler,
)
from chainer_fast.functions.array import (
    pad as pad_module,
)
from chainer_fast.functions.connection import convolution_2d
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable, VariableOrArray


def deformable_convolution_2d_sampler(
        x: VariableOrArray, offset: VariableOrArray, W: VariableOrArray,
        b: VariableOrArray | None = None, stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0) -> Variable:
    """Convolve images with a window whose elements are displaced at every position.

    Where :func:`convolution_2d` reads the pixel
    :math:`x_{n, c, s_y j + u - p_h, s_x k + v - p_w}`, this function reads the image at

    .. math::

        (s_y j + u - p_h + \\Delta^y_{n, u k_w + v, j, k},\\;
         s_x k + v - p_w + \\Delta^x_{n, u k_w + v, j, k})

    interpolated between four pixels; pixels outside of the image are zero. The
    displacements are usually computed from the images by another convolution.

    See: `Deformable Convolutional Networks <https://arxiv.org/abs/1703.06211>`_

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images, of a floating dtype.
    offset : Variable or array, shape (n, 2 * kh * kw, h_out, w_out)
        Displacements, in pixels and of the dtype of ``x``: first the horizontal ones
        :math:`\\Delta^x` of all elements of the window, row by row, then the vertical
        ones :math:`\\Delta^y`.
    W : Variable or array, shape (o, c, kh, kw)
        Filters.
    b : Variable or array, shape (o,), optional
        Bias.
    stride, pad : int or pair of int
        Stride, and padding on either side.

    Returns
    -------
    Variable
        Images of shape ``(n, o, h_out, w_out)``, in the dtype of ``x``.

    Raises
    ------
    ValueError
        If the offset or the filters have another number of channels than expected,
        any argument except the bias does not have four dimensions, or padding is
        negative.
    ZeroDivisionError
        If the stride is zero.
    chainer_fast.utils.type_check.InvalidType
        If dtypes do not match.

    See Also
    --------
    chainer_fast.functions.convolution_2d
    chainer_fast.functions.spatial_transformer_sampler
    chainer_fast.links.DeformableConvolution2D

    Examples
    --------
    >>> x = np.array([[[[1., 2., 3.]]]], np.float32)
    >>> W = np.ones((1, 1, 1, 1), np.float32)
    >>> offset = np.zeros((1, 2, 1, 3), np.float32)
    >>> offset[0, 0, 0] = [1., 0.5, 0.]     # to the right, in pixels
    >>> F.deformable_convolution_2d_sampler(x, offset, W).array
    array([[[[2. , 2.5, 3. ]]]], dtype=float32)
    """
    if not isinstance(offset, Variable) and offset.dtype.char != x.dtype.char:
        # The memory that a plain array is added to has the dtype float32.
        offset = offset.astype(numpy.promote_types(offset.dtype, numpy.float32))
    is_learned = isinstance(W, Variable)
    x, offset, W = map(variable.as_variable, (x, offset, W))
    sy, sx = _numbers.both(stride, 'stride')
    ph, pw = _numbers.both(pad, 'pad')
    _check(x, offset, W, (sy, sx), (ph, pw), is_learned)
    n, c, h, w = x.shape
    filters, _, kh, kw = W.shape
    places = offset.shape[2:]
    window = kh * kw

    grid = _offset2grid(offset, kh, kw, sy, sx, ph, pw, h, w)
    grid = reshape.reshape(
        grid, (offset.shape[0], 2, window, places[0] * places[1]))
    padded = pad_module.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)), 'constant')
    patches = spatial_transformer_sampler.spatial_transformer_sampler(padded, grid)

    # The patches form an image with many channels; the rest is pointwise.
    dtype = numpy.promote_types(x.dtype, W.dtype)
    pointwise = convolution_2d.Convolution2DFunction()
    pointwise._outs = places    # there may be none
    y, = pointwise.apply((
        cast.cast(reshape.reshape(patches, (n, c * window) + places), dtype),
        cast.cast(reshape.reshape(W, (filters, c * window, 1, 1)), dtype),
        *(() if b is None else (b,))))
    return y


def _check(x, offset, W, stride, pad, is_learned):
    for name, array in ('x', x), ('offset', offset), ('W', W):
        if array.ndim != 4:
            raise ValueError(
                '%s must have four dimensions, got shape %s' % (name, array.shape))
    if config.type_check:
        type_check.expect(type_check.make_variable(W.dtype, 'W.dtype').kind == 'f')
    if x.shape[1] != W.shape[1]:
        text = 'W must have filters of %d channels, those of x, got shape %s' % (
            x.shape[1], W.shape)
        if is_learned:
            raise type_check.InvalidType(
                'W.shape[1] == x.shape[1]', '%d != %d' % (W.shape[1], x.shape[1]), text)
        raise ValueError(text)
    expected = 2 * W.shape[2] * W.shape[3]
    if offset.shape[1] != expected:
        raise ValueError(
            'offset must have %s channels, two for each element of a window of %s, '
            'got %d' % (expected, W.shape[2:], offset.shape[1]))
    if 0 in stride:
        raise ZeroDivisionError('stride must be positive, got %s' % (stride,))
    if min(pad) < 0:
        raise ValueError('pad must not be negative, got %s' % (pad,))


def _offset2grid(offset, kh, kw, sy, sx, ph, pw, h, w):
    """Convert displacements to points of a grid on the padded images.

    The coordinates are those of ``spatial_transformer_sampler``: from -1 to 1, between
    the centers of the outermost pixels.
    """
    offset = variable.as_variable(offset)
    xp = backend.get_array_module(offset)
    out_h, out_w = offset.shape[2:]
    elements = xp.arange(kh * kw)
    at_x = (elements % kw)[:, None, None] + sx * xp.arange(out_w)
    at_y = (elements // kw)[:, None, None] + sy * xp.arange(out_h)[:, None]
    coordinates = []
    for displacement, at, length in (
            (offset[:, :kh * kw], at_x, w + 2 * pw),
            (offset[:, kh * kw:], at_y, h + 2 * ph)):
        # An image of one pixel has only one point.
        scale = 2 / max(length - 1, 1)
        at = xp.broadcast_to(at.astype(offset.dtype), displacement.shape)
        coordinates.append((displacement + at) * scale - 1)
    return concat.concat(coordinates, axis=1)
