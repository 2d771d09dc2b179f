"""Multiply-adds of functions, by their classes and the shapes of their inputs."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from chainer_fast.functions.connection import (
    bilinear,
    convolution_2d,
    convolution_nd,
    deconvolution_2d,
    deconvolution_nd,
    linear,
    local_convolution_2d,
)
from chainer_fast.functions.math import einsum, matmul, tensordot
from chainer_fast.functions.normalization import (
    batch_normalization,
    batch_renormalization,
    decorrelated_batch_normalization,
    group_normalization,
    layer_normalization,
)
from chainer_fast.functions.rnn import _stacked
from chainer_fast.utils import conv


def multiply_adds(function: Any, inputs: Sequence[Any]) -> int:
    """Return the multiply-adds of a call; 0 for functions without a formula.

    Parameters
    ----------
    function : FunctionNode or Function
        The called function.
    inputs : sequence of arrays
        Its inputs.
    """
    for cls in type(function).__mro__:
        if cls in _COSTS:
            return int(_COSTS[cls](function, *inputs))
    return 0


def _each_weight_once(function, x, W, *_):
    # Every sample is multiplied by every weight.
    return len(x) * W.size


def _bilinear(function, e1, e2, W, *_):
    return len(e1) * W.size


def _convolution(function, x, W, *_):
    stride, pad, dilate = function._window()
    places = [
        conv.get_conv_outsize(length, k, s, p, function.cover_all, d)
        for length, k, s, p, d in zip(
            x.shape[2:], W.shape[2:], stride, pad, dilate, strict=True)]
    return len(x) * math.prod(places) * W.size


def _deconvolution(function, x, W, *_):
    return len(x) * math.prod(x.shape[2:]) * W.size


def _matmul(function, a, b):
    left, right = _matrix(a, function.transa, 0), _matrix(b, function.transb, 1)
    batch = numpy.broadcast_shapes(left[:-2], right[:-2])
    return math.prod(batch) * left[-2] * left[-1] * right[-1]


def _matrix(x, transposed, axis):
    """Return the shape of an operand, with a vector as one row or column."""
    if x.ndim == 1:
        return (1, x.size) if axis == 0 else (x.size, 1)
    if transposed:
        return *x.shape[:-2], x.shape[-1], x.shape[-2]
    return x.shape


def _tensordot(function, a, b):
    summed, _ = tensordot._read_axes(function.axes, a.shape, b.shape)
    return a.size * b.size // math.prod([a.shape[axis] for axis in summed] or [1])


def _einsum(function, *xs):
    if len(xs) == 1:
        return 0
    lengths = {}
    for term, x in zip(function.in_subs.split(','), xs, strict=True):
        for axis, symbol in einsum._enumerate_axes(term):
            lengths[symbol] = int(numpy.prod(x.shape[axis]))
    return math.prod(lengths.values())


def _stacked_rnn(function, *inputs):
    _, _, xs, weights, _ = function._parts(inputs)
    return sum(map(len, xs)) * sum(w.size for group in weights for w in group)


def _normalization(function, x, *_):
    return x.size


_COSTS: dict[type, Callable[..., Any]] = {
    linear.LinearFunction: _each_weight_once,
    local_convolution_2d.LocalConvolution2DFunction: _each_weight_once,
    bilinear.BilinearFunction: _bilinear,
    convolution_2d.Convolution2DFunction: _convolution,
    convolution_nd.ConvolutionND: _convolution,
    deconvolution_2d.Deconvolution2DFunction: _deconvolution,
    deconvolution_nd.DeconvolutionND: _deconvolution,
    matmul.MatMul: _matmul,
    tensordot.TensorDot: _tensordot,
    einsum.EinSum: _einsum,
    _stacked.StackedRNN: _stacked_rnn,
    batch_normalization.BatchNormalization: _normalization,
    batch_normalization.FixedBatchNormalization: _normalization,
    batch_renormalization.BatchRenormalizationFunction: _normalization,
    decorrelated_batch_normalization.DecorrelatedBatchNormalization: _normalization,
    decorrelated_batch_normalization.FixedDecorrelatedBatchNormalization:
        _normalization,
    group_normalization.GroupNormalization: _normalization,
    layer_normalization.LayerNormalization: _normalization,
}
