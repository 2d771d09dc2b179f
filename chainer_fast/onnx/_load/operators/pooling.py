"""Pooling of windows and of regions."""
import numpy

from chainer_fast import backend
from chainer_fast import functions as F
from chainer_fast.onnx._load.node import Unsupported
from chainer_fast.onnx._load.operators.windows import (
    Window,
    count,
    padded,
    symmetric,
)
from chainer_fast.onnx._load.table import operator, raw


def _window(node):
    window = Window(node)
    if window.size is None:
        raise Unsupported("its attribute 'kernel_shape' is missing")
    if any([d != 1 for d in window.dilations(len(window.size))]):
        raise Unsupported(
            'dilated windows are not supported, but its attribute dilations is %s'
            % window.dilations(len(window.size)))
    return window, window.strides(len(window.size))


def _places(x, window, strides, ceil_mode):
    """Padding along each axis, number of windows, and padding that covers all
    windows.
    """
    size = window.size
    pads = window.pads(x.shape[2:], size)
    outs = [count(n, k, s, pad, ceil_mode) for n, k, s, pad in zip(
        x.shape[2:], size, strides, pads, strict=True)]
    wide = [(pad[0], max((out - 1) * s + k - n - pad[0], 0))
            for n, k, s, pad, out in zip(
                x.shape[2:], size, strides, pads, outs, strict=True)]
    return pads, outs, wide


@operator('MaxPool')
def max_pool(node):
    window, strides = _window(node)
    node.get('storage_order', 0)        # concerns indices only
    ceil_mode = bool(node.require('ceil_mode', 0, 1, default=0))

    def compute(x):
        pads, outs, wide = _places(x, window, strides, ceil_mode)
        if symmetric(pads) and outs == [
                -(-(n + 2 * pad[0] - k) // s) + 1 if ceil_mode else out
                for n, k, s, pad, out in zip(
                    x.shape[2:], window.size, strides, pads, outs, strict=True)]:
            return F.max_pooling_nd(
                x, window.size, strides, [before for before, _ in pads], ceil_mode)
        y = F.max_pooling_nd(
            padded(x, wide, -numpy.inf), window.size, strides, 0, False)
        return F.get_item(y, (..., *[slice(out) for out in outs]))

    return compute


def _covered(n, k, s, out, pad, include):
    """Number of elements that are averaged in each window along an axis."""
    start = numpy.arange(out) * s - pad[0]
    lowest, highest = (-pad[0], n + pad[1]) if include else (0, n)
    return (start + k).clip(None, highest) - start.clip(lowest)


@operator('AveragePool')
def average_pool(node):
    window, strides = _window(node)
    ceil_mode = bool(node.require('ceil_mode', 0, 1, default=0))
    include = bool(node.require('count_include_pad', 0, 1, default=0))

    def compute(x):
        pads, outs, wide = _places(x, window, strides, ceil_mode)
        size = window.size
        if symmetric(pads) and not ceil_mode:
            pad = [before for before, _ in pads]
            if len(size) == 2 and (include or not any(pad)):
                return F.average_pooling_2d(x, size, strides, pad)
            return F.average_pooling_nd(
                x, size, strides, pad, pad_value=0 if include else None)
        y = F.average_pooling_nd(padded(x, wide), size, strides)
        y = F.get_item(y, (..., *[slice(out) for out in outs]))
        xp = backend.get_array_module(raw(x))
        for i, (n, k, s, out, pad) in enumerate(zip(
                x.shape[2:], size, strides, outs, pads, strict=True)):
            share = k / _covered(n, k, s, out, pad, include)
            shape = [-1 if j == i else 1 for j in range(len(size))]
            y = y * xp.asarray(share.reshape(shape), y.dtype)
        return y

    return compute


@operator('GlobalAveragePool')
def global_average_pool(node):
    return lambda x: F.mean(x, axis=tuple(range(2, x.ndim)), keepdims=True)


@operator('GlobalMaxPool')
def global_max_pool(node):
    return lambda x: F.max(x, axis=tuple(range(2, x.ndim)), keepdims=True)


@operator('MaxRoiPool')
def max_roi_pool(node):
    height, width = node.get('pooled_shape')
    scale = node.get('spatial_scale', 1.)
    return lambda x, rois: F.roi_pooling_2d(x, rois, height, width, scale)


@operator('RoiAlign')
def roi_align(node):
    # ONNX computes the maximum of weighted pixels, not of interpolated ones.
    node.require('mode', 'avg', default='avg')
    if node.opset >= 16:
        node.require('coordinate_transformation_mode', 'output_half_pixel',
                     default='half_pixel')
    size = node.get('output_height', 1), node.get('output_width', 1)
    ratio, scale = node.get('sampling_ratio', 0), node.get('spatial_scale', 1.)

    def compute(x, rois, indices):
        turned = F.get_item(rois, (slice(None), [1, 0, 3, 2]))
        return F.roi_average_align_2d(
            x, turned, raw(indices).astype('i'), size, scale, ratio or None)

    return compute
