"""Convolutions with cuDNN: forward, and the gradients of images and filters.

Arguments are those of :mod:`chainer_fast.backends.kernels.convolution`, on a GPU. All
functions return ``NotImplemented`` if cuDNN has no engine.
"""
import functools

from chainer_fast.backends import _captures, _image_orders
from chainer_fast.backends._cudnn import plans, sessions


@sessions.Repeated
def convolve(x, W, b, stride, pad, dilate, groups, outs):
    """Convolve images with filters."""
    geometry = _geometry(x, W, W.shape, stride, pad, dilate, x.shape[2:], outs)
    if geometry is None:
        return NotImplemented
    for last in _image_orders.orders(x):
        y = _image_orders.empty((x.shape[0], W.shape[0]) + tuple(outs), x.dtype, last)
        facts = x.shape, W.shape, y.shape, *geometry
        # Copies that the arrays may need are made here, for both attempts.
        arrays = {'x': _image_orders.dense(x, last),
                  'W': _image_orders.dense(W, last), 'result': y}
        if b is not None and b.dtype == x.dtype:
            # Few engines support a bias; those that do save a launch.
            bias = _image_orders.dense(b, False)
            if _run(_biased, facts, {**arrays, 'b': bias}, last):
                return y
        if _run(_forward, facts, arrays, last):
            return _add_bias(y, b)
    return NotImplemented


@sessions.Repeated
def convolve_transposed(x, W, b, stride, pad, dilate, groups, outs):
    """Compute the gradient of images, a transposed convolution."""
    geometry = _geometry(x, W, W.shape, stride, pad, dilate, outs, x.shape[2:])
    if geometry is None:
        return NotImplemented
    for last in _image_orders.orders(x):
        y = _image_orders.empty(
            (x.shape[0], W.shape[1] * groups) + tuple(outs), x.dtype, last)
        arrays = {'x': _image_orders.dense(x, last),
                  'W': _image_orders.dense(W, last), 'result': y}
        if _run(_by_data, (x.shape, W.shape, y.shape, *geometry), arrays, last):
            return _add_bias(y, b)
    return NotImplemented


@sessions.Repeated
def correlate(x, gy, ksize, stride, pad, dilate, groups, dtype):
    """Compute the gradient of filters."""
    shape = (gy.shape[1], x.shape[1] // groups) + tuple(ksize)
    geometry = _geometry(x, gy, shape, stride, pad, dilate, x.shape[2:], gy.shape[2:])
    if geometry is None or dtype != x.dtype:
        return NotImplemented
    for last in _image_orders.orders(x):
        gW = _image_orders.empty(shape, dtype, last)
        arrays = {'x': _image_orders.dense(x, last),
                  'gy': _image_orders.dense(gy, last), 'result': gW}
        if _run(_by_filters, (x.shape, gy.shape, shape, *geometry), arrays, last):
            return gW
    return NotImplemented


def laid_out(W):
    """Return filters in the order that convolutions prefer, copied if necessary.

    During a capture, when a copy would have no values yet, they are returned unchanged.
    """
    if _image_orders.channels_last(W) or W.ndim < 3 or (
            _image_orders.raw(W).flags.c_contiguous
            or not _image_orders.orders(W)[0] or _captures.is_capturing()):
        return W
    with W.device:
        return _image_orders.dense(W, True)


def _run(describe, facts, arrays, last):
    return plans.run(describe, facts, arrays, arrays['x'].dtype, last, tunable=True)


def _add_bias(y, b):
    if b is not None and _image_orders.channels_last(y):
        in_memory = _image_orders.raw(y)
        in_memory += b
    elif b is not None:
        y += b.reshape((-1,) + (1,) * (y.ndim - 2))
    return y


def _geometry(a, b, filters, stride, pad, dilate, lengths, outs):
    """Return padding before and after, stride and dilation; None without an engine."""
    if a.dtype != b.dtype or a.dtype.char not in 'efd' or not 3 <= a.ndim <= 5 or (
            0 in a.shape or 0 in b.shape or 0 in filters):
        return None
    return _padded(
        filters[2:], tuple(stride), tuple(pad), tuple(dilate), lengths, tuple(outs))


@functools.lru_cache(plans.LIMIT)
def _padded(ksize, stride, pad, dilate, lengths, outs):
    """Return the same for windows.

    The padding after the images is that needed by the windows: less than the one
    before if the last elements are not covered, more if all must be covered.
    """
    after = []
    for n, out, k, s, p, d in zip(
            lengths, outs, ksize, stride, pad, dilate, strict=True):
        room = n + p - (k - 1) * d - 1      # outside any window
        if (room + p) // s + 1 == out:
            after.append(p)
        else:
            after.append((out - 1) * s - room)
    return None if min(after) < 0 else (pad, tuple(after), stride, dilate)


# Graphs
#

def _planar(shape):
    """Return the shape of images with two or three axes, adding a first axis to one."""
    return shape if len(shape) > 3 else (*shape[:2], 1, shape[2])


def _window(before, after, stride, dilate):
    """Return the arguments of a convolution, also for two or three axes."""
    if len(stride) == 1:
        before, after, stride, dilate = (
            (0, *before), (0, *after), (1, *stride), (1, *dilate))
    return {'pre_padding': list(before), 'post_padding': list(after),
            'stride': list(stride), 'dilation': list(dilate)}


def _convolved(graph, x, W, window):
    return graph.native.conv_fprop(
        image=graph.operand('x', _planar(x)), weight=graph.operand('W', _planar(W)),
        **_window(*window))


def _forward(graph, x, W, y, *window):
    graph.result(_convolved(graph, x, W, window), 'result', _planar(y))


def _biased(graph, x, W, y, *window):
    result = _convolved(graph, x, W, window)
    shape = (1, y[1]) + (1,) * (len(_planar(y)) - 2)
    result = graph.native.bias(input=result, bias=graph.operand('b', shape))
    graph.result(result, 'result', _planar(y))


def _by_data(graph, gy, W, gx, *window):
    result = graph.native.conv_dgrad(
        loss=graph.operand('x', _planar(gy)), filter=graph.operand('W', _planar(W)),
        **_window(*window))
    graph.result(result, 'result', _planar(gx))


def _by_filters(graph, x, gy, gW, *window):
    result = graph.native.conv_wgrad(
        image=graph.operand('x', _planar(x)), loss=graph.operand('gy', _planar(gy)),
        **_window(*window))
    graph.result(result, 'result', _planar(gW))
