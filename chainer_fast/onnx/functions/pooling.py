"""Converters of pooling functions."""
from __future__ import annotations

import math
import warnings
from typing import Any

import numpy

from chainer_fast.onnx.functions import _regions
from chainer_fast.onnx.functions._operators import emits, refuses


def _window(func):
    """Lengths, strides and pads of the windows, as lists."""
    return [list(numbers) for numbers in func._window]


def _padded(ops, x, fronts, ends, value):
    """Pad the axes of the images."""
    return ops.pad(x, [0, 0, *fronts, 0, 0, *ends], value)


def _average(ops, func, x):
    ksize, stride, pad = _window(func)
    # Runtimes do not support pads as long as the window.
    if any(p >= k for p, k in zip(pad, ksize, strict=True)):
        x, pad = _padded(ops, x, pad, pad, 0.), [0] * len(pad)
    counted = int(getattr(func, 'pad_value', 0) == 0)
    ops.op('AveragePool', [x], kernel_shape=ksize, pads=pad * 2, strides=stride,
           count_include_pad=counted)


convert_AveragePooling2D = convert_AveragePoolingND = emits(_average)


def _max(ops, func, x):
    ksize, stride, pad = _window(func)
    lengths, outs = ops.shape()[2:], func.outputs[0]().shape[2:]
    options = {'kernel_shape': ksize, 'strides': stride}
    if ops.takes('MaxPool', 'storage_order'):
        options['storage_order'] = 0
    ends = pad
    if func.cover_all:
        # A window may be completely in the end padding; rounding up does not count it.
        inside = all((out - 1) * s < n + p for out, s, n, p in zip(
            outs, stride, lengths, pad, strict=True))
        if inside and ops.opset_version >= 11:
            options['ceil_mode'] = 1
        else:
            ends = _ends(ksize, stride, pad, lengths, outs)
    if any(p >= k for p, k in zip(pad + ends, ksize * 2, strict=True)):
        if 'ceil_mode' in options:
            ends = _needed(ksize, stride, pad, lengths, outs)
            del options['ceil_mode']
        x = _padded(ops, x, pad, ends, -math.inf)
        pad = ends = [0] * len(pad)
    ops.op('MaxPool', [x], pads=pad + ends, **options)


def _needed(ksize, stride, pad, lengths, outs):
    """End pads that the windows overlap."""
    return [max((out - 1) * s + k - n - p, 0) for k, s, p, n, out in zip(
        ksize, stride, pad, lengths, outs, strict=True)]


def _ends(ksize, stride, pad, lengths, outs):
    """End pads such that windows cover all elements: Chainer's if runtimes allow."""
    ends = [p + s - 1 for p, s in zip(pad, stride, strict=True)]
    if all(e < k for e, k in zip(ends, ksize, strict=True)):
        return ends
    return _needed(ksize, stride, pad, lengths, outs)


convert_MaxPooling2D = convert_MaxPoolingND = emits(_max)


# ---------------------------------------------------------------------------- enlarging

def _unpooled(ops, func, x, outs):
    ksize, stride, pad = _window(func)
    lengths = ops.shape()[2:]
    full = [k * n for k, n in zip(ksize, lengths, strict=True)]
    if stride == ksize and not any(pad) and full == list(outs):
        _repeated(ops, x, [1., 1., *map(float, ksize)])
        return
    # Each element is spread over its window, and summed where windows overlap.
    channels = ops.shape()[1]
    ones = ops.const(numpy.ones([channels, 1, *ksize]), 'ones')
    whole = [s * (n - 1) + k - p for s, n, k, p in zip(
        stride, lengths, ksize, pad, strict=True)]
    ends = [max(size - out, 0) for size, out in zip(whole, outs, strict=True)]
    missing = [max(out - size, 0) for size, out in zip(whole, outs, strict=True)]
    x = ops.op('ConvTranspose', [x, ones], kernel_shape=ksize, strides=stride,
               pads=pad + ends, group=channels)
    if any(missing):
        _padded(ops, x, [0] * len(pad), missing, 0.)


def _repeated(ops, x, scales):
    """Repeat elements along the axes."""
    if not ops.has('Resize'):
        if ops.takes('Upsample', 'scales'):
            ops.op('Upsample', [x], scales=scales)
        else:
            ops.op('Upsample', [x, ops.const(scales, 'scales', numpy.float32)])
        return
    inputs = [x, ops.const(scales, 'scales', numpy.float32)]
    if ops.opset_version >= 13:
        inputs.insert(1, '')
    elif ops.opset_version >= 11:
        inputs.insert(1, ops.const([], 'roi', numpy.float32))
    ops.op('Resize', inputs)


@emits
def convert_Unpooling2D(ops: Any, func: Any, x: Any) -> None:
    _unpooled(ops, func, x, (func.outh, func.outw))


@emits
def convert_UnpoolingND(ops: Any, func: Any, x: Any) -> None:
    _unpooled(ops, func, x, func.outs)


convert_Upsampling2D = refuses(
    'the positions of its elements are an array outside of the graph')


# ------------------------------------------------------------------ regions of interest

def _maxima(ops, regions):
    """Emit the maxima of bins, 0 for those without pixels."""
    maxima, least = regions.maxima()
    empty = ops.op('Equal', [maxima, least])
    ops.op('Where', [empty, ops.const(0, 'zero'), maxima])


@emits
def convert_ROIPooling2D(ops: Any, func: Any, x: Any, rois: Any) -> None:
    if ops.opset_version >= 22:
        # ONNX Runtime does not implement the operator of this version.
        numbers = ops.along(
            'Squeeze', ops.op('Gather', [rois, ops.ints([0], 'first')], axis=1), [1])
        _maxima(ops, _regions.Regions(ops, x, rois, (2, 1, 4, 3), numbers, func, 1))
        return
    warnings.warn(
        'Runtimes differ in the pooling of regions of interest: some use 0 as the '
        'smallest output, which changes results for negative inputs. Compare the '
        'outputs of your runtime.', stacklevel=2)
    ops.op('MaxRoiPool', [x, rois], pooled_shape=[func.outh, func.outw],
           spatial_scale=func.spatial_scale)


@emits
def convert_ROIAverageAlign2D(
        ops: Any, func: Any, x: Any, rois: Any,
        roi_indices: Any) -> None:
    ratio = set(func._ratio)
    if len(ratio) > 1:
        raise ops.refusal(
            'ONNX supports one number of samples for both axes, not '
            '%s' % (func._ratio,))
    # Chainer stores the corners as (y, x).
    corners = ops.op('Gather', [rois, ops.ints([1, 0, 3, 2], 'order')], axis=1)
    options = {}
    if ops.takes('RoiAlign', 'coordinate_transformation_mode'):
        options['coordinate_transformation_mode'] = 'output_half_pixel'
    ops.op('RoiAlign', [x, corners, ops.cast(roi_indices, numpy.int64)],
           mode='avg', output_height=func.outh, output_width=func.outw,
           sampling_ratio=ratio.pop(), spatial_scale=func.spatial_scale, **options)


convert_ROIMaxAlign2D = refuses(
    'ONNX computes the maximum before it interpolates, not after')


@emits
def convert_ROIAveragePooling2D(
        ops: Any, func: Any, x: Any, rois: Any,
        roi_indices: Any) -> None:
    _regions.Regions(ops, x, rois, range(4), roi_indices, func, 0).means()


@emits
def convert_ROIMaxPooling2D(
        ops: Any, func: Any, x: Any, rois: Any,
        roi_indices: Any) -> None:
    _maxima(ops, _regions.Regions(ops, x, rois, range(4), roi_indices, func, 0))
