"""Resizing of images by interpolation."""
from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy

from chainer_fast import _numbers, backend
from chainer_fast.backends.kernels import bilinear
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import NdArray, Xp
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray

_MODES = 'bilinear', 'nearest'


def compute_indices_and_weights(
        out_size: Sequence[int], in_size: Sequence[int], mode: str,
        align_corners: bool,
        xp: Xp) -> tuple[NdArray, NdArray, NdArray, NdArray]:
    """Return the pixels, and their weights, that determine each new pixel.

    Parameters
    ----------
    out_size, in_size : (int, int)
        Height and width of the new images and of the original ones.
    mode : {'bilinear', 'nearest'}
        Kind of interpolation.
    align_corners : bool
        See :func:`resize_images`.
    xp : module
        NumPy or CuPy.

    Returns
    -------
    v, u : array
        For each new row and column, the index of the original one at or before it.
    vw, uw : array
        Distances from those pixels towards the next ones. All arrays are in double
        precision.

    Raises
    ------
    ValueError
        If the mode is unknown.
    """
    if mode not in _MODES:
        raise ValueError('mode must be one of %s, not %r' % (', '.join(_MODES), mode))
    (v, vw), (u, uw) = [
        bilinear.lines_of_axis(xp, count, length, mode == 'nearest', align_corners)
        for count, length in zip(out_size, in_size, strict=True)]
    return v, u, vw, uw


def _corners(v, u, vw, uw, height, width, xp, dtype):
    """Return rows, columns and weights of the pixels around each position."""
    following = xp.minimum(v + 1, height - 1), xp.minimum(u + 1, width - 1)
    vw, uw = vw.astype(dtype, copy=False), uw.astype(dtype, copy=False)
    return [(row, column, row_weight * column_weight)
            for row, row_weight in ((v, 1 - vw), (following[0], vw))
            for column, column_weight in ((u, 1 - uw), (following[1], uw))]


def interpolate_bilinear_cpu(
        x: NdArray, v: NdArray, u: NdArray, vw: NdArray, uw: NdArray) -> NdArray:
    """Interpolate images at individual positions.

    Parameters
    ----------
    x : array
        Images of shape ``(batch, channels, height, width)``.
    v, u : array of int
        Row and column of the pixel before each position; arrays with two axes.
    vw, uw : array
        Distances of the positions from those pixels.

    Returns
    -------
    array
        Images with a pixel for each position.
    """
    xp = backend.get_array_module(x)
    out_height, out_width = v.shape
    y = xp.zeros((*x.shape[:2], out_height, out_width), x.dtype)
    height, width = x.shape[2:]
    for row, column, weight in _corners(v, u, vw, uw, height, width, xp, x.dtype):
        y += x[:, :, row, column] * weight
    return y


def interpolate_grad_bilinear_cpu(
        gy: NdArray, v: NdArray, u: NdArray, vw: NdArray, uw: NdArray, H: int,
        W: int) -> NdArray:
    """Adjoint of :func:`interpolate_bilinear_cpu` for images of that height and width.
    """
    xp = backend.get_array_module(gy)
    batch, channels, _, _ = gy.shape
    gx = xp.zeros((batch, channels, H, W), gy.dtype)
    everywhere = slice(None), slice(None)
    for row, column, weight in _corners(v, u, vw, uw, H, W, xp, gy.dtype):
        xp.add.at(gx, (*everywhere, row, column), gy * weight)
    return gx


# CuPy has GPU kernels for all operations of these functions.
interpolate_bilinear_gpu = interpolate_bilinear_cpu
interpolate_grad_bilinear_gpu = interpolate_grad_bilinear_cpu


class _Resizing(FunctionNode):
    """Function between images of two sizes.

    Parameters
    ----------
    output_shape : (int, int)
        Height and width of the result.
    mode : {'bilinear', 'nearest'}
        Kind of interpolation.
    align_corners : bool
        See :func:`resize_images`.
    """

    align_corners: bool
    out_H: int
    out_W: int

    _argument = 'x'

    def __init__(
            self, output_shape: Sequence[int], mode: str,
            align_corners: bool) -> None:
        assert mode in _MODES, (
            'mode must be one of %s, not %r' % (', '.join(_MODES), mode))
        self.mode, self.align_corners = mode, align_corners
        if not hasattr(output_shape, '__getitem__'):
            raise TypeError('output_shape must be a pair, (height, width), but is %r'
                            % (output_shape,))
        self.out_H, self.out_W = output_shape[0], output_shape[1]

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, (self._argument,))
        images, = in_types
        type_check.expect(images.ndim == 4)
        type_check.expect(images.dtype == numpy.float32)

    def _lines(self, x, in_size):
        size = _numbers.plain(self.out_H), _numbers.plain(self.out_W)
        # In one case, Chainer computes evenly spaced positions and does not accept
        # floats. Otherwise it rounds a fraction of a pixel up to one.
        if self.align_corners and self.mode == 'bilinear':
            size = operator.index(size[0]), operator.index(size[1])
            if size[0] < 0 or size[1] < 0:
                raise ValueError(
                    'output_shape must not be negative, but is %s' % (size,))
        if size[0] <= 0:
            raise ZeroDivisionError(
                'output_shape must have a height of at least 1, but is %s' % (size,))
        return bilinear.lines(
            x, size, in_size, self.mode == 'nearest', bool(self.align_corners))


class ResizeImages(_Resizing):
    """Resizes images."""

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        v, vw, u, uw = self._lines(x, x.shape[2:])
        if self.mode == 'nearest':
            return x.take(v, axis=2).take(u, axis=3),
        return bilinear.resize(x, v, vw, u, uw),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        sizes = self.inputs[0].shape, (self.out_H, self.out_W)
        function = ResizeImagesGrad(*sizes, self.mode, self.align_corners)
        return function.apply(grad_outputs)


class ResizeImagesGrad(_Resizing):
    """Gradient of :class:`ResizeImages`.

    Parameters
    ----------
    input_shape : tuple of int
        Shape of the images that were resized.
    output_shape : (int, int)
        Height and width of the resized images.
    mode, align_corners
        See :class:`ResizeImages`.
    """

    _argument = 'gy'

    def __init__(
            self, input_shape: Sequence[int], output_shape: Sequence[int],
            mode: str, align_corners: bool) -> None:
        super().__init__(output_shape, mode, align_corners)
        self.input_shape = input_shape

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        gy, = inputs
        in_size = self.input_shape[2:]
        return bilinear.resize_adjoint(gy, *self._lines(gy, in_size), *in_size),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        size = self.out_H, self.out_W
        return ResizeImages(size, self.mode, self.align_corners).apply(grad_outputs)


def resize_images(
        x: VariableOrArray, output_shape: Sequence[int], *, mode: str = 'bilinear',
        align_corners: bool = True) -> Variable:
    """Resizes images.

    Parameters
    ----------
    x : Variable or array
        Images of shape ``(batch, channels, height, width)``, in single precision.
    output_shape : (int, int)
        Height and width of the result.
    mode : {'bilinear', 'nearest'}
        ``'bilinear'`` interpolates between four pixels, ``'nearest'`` uses one pixel.
    align_corners : bool
        Whether interpolation aligns the centers of the outermost pixels. If False, it
        aligns the edges of the images.

    Returns
    -------
    Variable
        Images of shape ``(batch, channels, *output_shape)``, in single precision.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not in single precision or does not have four axes.
    AssertionError
        If the mode is unknown.
    ValueError
        If a length is negative, with bilinear interpolation and ``align_corners``.
    ZeroDivisionError
        If the height or the width is zero, unless ``mode`` is bilinear and
        ``align_corners`` is true.

    See Also
    --------
    chainer_fast.functions.spatial_transformer_sampler
    chainer_fast.functions.upsampling_2d

    Notes
    -----
    Images are not smoothed: if an image is made much smaller, the pixels in between are
    ignored.

    Examples
    --------
    >>> x = np.array([[[[0., 1.], [2., 3.]]]], np.float32)
    >>> F.resize_images(x, (2, 3)).array
    array([[[[0. , 0.5, 1. ],
             [2. , 2.5, 3. ]]]], dtype=float32)
    """
    y, = ResizeImages(output_shape, mode, align_corners).apply((x,))
    return y
