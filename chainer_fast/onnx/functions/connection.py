"""Converters of connections."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast.onnx.functions._operators import emits, refuses


def _ints(values):
    return [int(value) for value in values]


def _planar(func):
    """Stride, pad and dilation of a function on two-dimensional images."""
    return [_ints(pair) for pair in (
        (func.sy, func.sx), (func.ph, func.pw), (func.dy, func.dx))]


def _spatial(func):
    """The same for a function on images with any number of axes."""
    return [_ints(numbers) for numbers in (func.stride, func.pad, func.dilate)]


def _convolution(ops, func, names, window, dilations):
    stride, pad, dilate = window
    ksize = ops.shape(1)[2:]
    ends = pad
    if func.cover_all:
        ends = [
            max((out - 1) * s + (k - 1) * d + 1 - length - p, 0)
            for out, s, k, d, length, p in zip(
                func.outputs[0]().shape[2:], stride, ksize, dilate, ops.shape()[2:],
                pad, strict=True)]
    ops.op('Conv', names, kernel_shape=ksize, pads=pad + ends, strides=stride,
           group=func.groups, **dilations)


def _dilations(dilate):
    # As in Chainer: a missing attribute has its default.
    return {} if set(dilate) == {1} else {'dilations': dilate}


@emits
def convert_Convolution2DFunction(ops: Any, func: Any, *names: Any) -> None:
    window = _planar(func)
    _convolution(ops, func, names, window, {'dilations': window[2]})


@emits
def convert_ConvolutionND(ops: Any, func: Any, *names: Any) -> None:
    window = _spatial(func)
    _convolution(ops, func, names, window, _dilations(window[2]))


def _deconvolution(ops, func, names, window, outs):
    stride, pad, dilate = window
    outs, ksize = _ints(outs), ops.shape(1)[2:]
    if len(names) == 3 and ops.shape(2)[0] != ops.shape(1)[1] * func.groups:
        raise ops.refusal(
            'its bias has %d elements, but there are %d channels'
            % (ops.shape(2)[0], ops.shape(1)[1] * func.groups))
    extra = [out - (s * (length - 1) + (k - 1) * d + 1 - 2 * p)
             for out, s, length, k, d, p in zip(
                 outs, stride, ops.shape()[2:], ksize, dilate, pad, strict=True)]
    if any(extra):
        # An output shape would override the pads: runtimes distribute the remainder.
        size = {
            'pads': pad + [p - min(e, 0) for p, e in zip(pad, extra, strict=True)],
            'output_padding': [max(e, 0) for e in extra]}
    else:
        size = {'output_shape': outs, 'pads': pad * 2}
    ops.op('ConvTranspose', names, kernel_shape=ksize, strides=stride,
           group=func.groups, **size, **_dilations(dilate))


@emits
def convert_Deconvolution2DFunction(ops: Any, func: Any, *names: Any) -> None:
    _deconvolution(ops, func, names, _planar(func), (func.outh, func.outw))


@emits
def convert_DeconvolutionND(ops: Any, func: Any, *names: Any) -> None:
    _deconvolution(ops, func, names, _spatial(func), func.outs)


@emits
def convert_EmbedIDFunction(ops: Any, func: Any, ids: Any, W: Any) -> None:
    dtype = ops.dtype()
    if dtype not in (numpy.int32, numpy.int64):
        dtype = numpy.dtype(numpy.int64)
        ids = ops.cast(ids, dtype)
    if func.ignore_label is None:
        ops.op('Gather', [W, ids], axis=0)
        return
    label = ops.const(func.ignore_label, 'ignore_label', dtype)
    ignored = ops.op('Equal', [ids, label])
    rows = ops.op('Gather', [W, ops.zero_where(ignored, ids, dtype)], axis=0)
    ignored = ops.along('Unsqueeze', ignored, [len(ops.shape())])
    ops.zero_where(ignored, rows, ops.dtype(1))


def affine(ops: Any, *names: Any) -> None:
    """Add the product of rows with a matrix, and a bias if given."""
    if len(names) == 2 and ops.opset_version < 12:
        # Optional from version 11 on; Chainer writes it there, too.
        bias = numpy.zeros(ops.shape(1)[0], ops.dtype(1))
        names = *names, ops.context.add_param(bias, 'bias')
    ops.op('Gemm', names, alpha=1.0, beta=1.0, transA=0, transB=1)


@emits
def convert_LinearFunction(ops: Any, func: Any, *names: Any) -> None:
    affine(ops, *names)


@emits
def convert_BilinearFunction(
        ops: Any, func: Any, e1: Any, e2: Any, W: Any,
        *linear: Any) -> None:
    e1, e2 = [x if len(ops.shape(i)) == 2 else ops.op('Flatten', [x], axis=1)
              for i, x in enumerate((e1, e2))]
    j, k, n = ops.shape(2)
    pairs = ops.op('Mul', [
        ops.along('Unsqueeze', e1, [2]), ops.along('Unsqueeze', e2, [1])])
    y = ops.op('MatMul', [
        ops.op('Flatten', [pairs], axis=1), ops.reshape(W, [j * k, n])])
    if linear:
        for x, matrix in ((e1, linear[0]), (e2, linear[1])):
            y = ops.op('Add', [y, ops.op('MatMul', [x, matrix])])
        ops.op('Add', [y, linear[2]])


convert_LocalConvolution2DFunction = refuses(
    'ONNX has no convolution with separate filters at each position')
