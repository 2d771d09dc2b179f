"""Converters of functions on images."""
import warnings

import numpy

from chainer_fast.onnx.functions._operators import emits
from chainer_fast.utils.conv import get_conv_outsize


@emits
def convert_Depth2Space(ops, func, x):
    ops.op('DepthToSpace', [x], blocksize=func.r)


@emits
def convert_Space2Depth(ops, func, x):
    ops.op('SpaceToDepth', [x], blocksize=func.r)


@emits
def convert_Im2Col(ops, func, x):
    batch, channels, height, width = ops.shape()
    rows, below = _windows(
        height, func.kh, func.sy, func.ph, func.cover_all, func.dy)
    columns, right = _windows(
        width, func.kw, func.sx, func.pw, func.cover_all, func.dx)
    pads = [0, 0, func.ph, func.pw, 0, 0, below, right]
    if any(pads):
        x = ops.pad(x, pads, 0.)
    x = ops.op('Gather', [x, ops.ints(columns, 'columns')], axis=3)
    x = ops.op('Gather', [x, ops.ints(rows, 'rows')], axis=2)
    # The axes are now batch, channels, rows of the window, rows of the image, columns.
    x = ops.transpose(x, [0, 1, 2, 4, 3, 5])
    ops.reshape(x, [
        0, channels * func.kh * func.kw, rows.shape[1], columns.shape[1]])


def _windows(length, size, stride, pad, cover_all, dilation):
    """Return the indices of a window by offset and position, and the end padding.  """
    count = get_conv_outsize(length, size, stride, pad, cover_all, dilation)
    places = numpy.arange(size)[:, None] * dilation + numpy.arange(count) * stride
    return places, max(int(places.max()) + 1 - length - pad, 0)


@emits
def convert_ResizeImages(ops, func, x):
    height, width = ops.shape()[2:]
    if func.mode == 'nearest':
        for axis, places in (
                (2, _resize_line(func, height, func.out_H, numpy.arange(height)[None])),
                (3, _resize_line(func, width, func.out_W, numpy.arange(width)[None]))):
            x = ops.op('Gather', [x, ops.ints(places[0], 'indices')], axis=axis)
    elif ops.has('GatherElements'):     # in the same version as the modes of Resize
        scales = [1, 1, _scale(height, func.out_H), _scale(width, func.out_W)]
        region = '' if ops.opset_version >= 13 else ops.const(
            [], 'roi', numpy.float32)
        ops.op(
            'Resize', [x, region, ops.const(scales, 'scales', numpy.float32)],
            mode='linear', coordinate_transformation_mode='align_corners'
            if func.align_corners else 'half_pixel')
    else:
        warnings.warn(
            'resize_images becomes two products of matrices in opset version %d; it is '
            'one operator from version 11 on' % ops.opset_version, UserWarning)
        above = _resize_line(func, height, func.out_H, numpy.eye(height)).T
        beside = _resize_line(func, width, func.out_W, numpy.eye(width))
        x = ops.op('MatMul', [ops.const(above, 'rows'), x])
        ops.op('MatMul', [x, ops.const(beside, 'columns')])


def _resize_line(func, length, out_length, values):
    """Resize rows of pixels with the function's own arithmetic."""
    resize = type(func)((out_length, 1), func.mode, func.align_corners)
    images = values.astype(numpy.float32)[None, :, :, None]
    return resize.forward((images,))[0][0, :, :, 0]


def _scale(length, out_length):
    """Return a factor that gives the length after rounding down."""
    scale = numpy.float32(out_length / length)
    while length * float(scale) < out_length:
        scale = numpy.nextafter(scale, numpy.float32(numpy.inf))
    return scale


@emits
def convert_SpatialTransformerGrid(ops, func, theta):
    height, width = func.output_shape
    y, x = numpy.meshgrid(
        numpy.linspace(-1, 1, height), numpy.linspace(-1, 1, width), indexing='ij')
    points = numpy.stack([x.ravel(), y.ravel(), numpy.ones(x.size)])
    moved = ops.op('MatMul', [theta, ops.const(points, 'points')])
    ops.reshape(moved, [0, 2, height, width])


@emits
def convert_SpatialTransformerSampler(ops, func, x, grid):
    ops.op('GridSample', [x, ops.transpose(grid, [0, 2, 3, 1])], align_corners=1,
           mode='bilinear' if ops.opset_version < 20 else 'linear')
