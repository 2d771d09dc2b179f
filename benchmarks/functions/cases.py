"""Forward and backward of single functions, at a small and a large size.

A case has the arrays that gradients flow to, and the same function of them by Chainer's
interface and by PyTorch's, unless PyTorch lacks it.
"""
import dataclasses
from collections.abc import Callable

import numpy as np


@dataclasses.dataclass
class Case:
    """A function to time.

    Parameters
    ----------
    arrays : list of numpy.ndarray
        Inputs to differentiate with respect to.
    chainer : callable
        ``chainer(F, *variables)`` returns the output, or a tuple of outputs.
    torch : callable, optional
        ``torch(torch, *tensors)`` returns the same.
    torch_arrays : list of numpy.ndarray, optional
        Inputs for PyTorch, if it needs another layout; then the gradients are not
        compared.
    random : bool
        Whether the results are random, so that only programs with the same random
        stream can agree.
    variables : callable, optional
        ``variables(chainer)`` returns the variables of the arrays, some of which may
        be parameters of a link.
    """

    arrays: list
    chainer: Callable
    torch: Callable | None = None
    torch_arrays: list | None = None
    random: bool = False
    variables: Callable | None = None


MAKERS: dict[str, Callable] = {}
SIZES: dict[str, dict[str, dict]] = {}


def case(small, large):
    """Return a decorator that registers a maker of cases under its name."""
    def file(maker):
        MAKERS[maker.__name__] = maker
        SIZES[maker.__name__] = {'small': small, 'large': large}
        return maker
    return file


def make(name, size):
    """Return the case of a function, ``size`` being ``'small'`` or ``'large'``."""
    return MAKERS[name](**SIZES[name][size])


def floats(seed, *shape):
    """Random numbers between -1 and 1."""
    random = np.random.RandomState(seed)
    return np.asarray(random.rand(*shape) * 2 - 1, np.float32)


def integers(seed, high, *shape):
    return np.random.RandomState(seed).randint(0, high, shape)


def _elementwise(name, x):
    return Case(
        [x], lambda F, x: getattr(F, name)(x), lambda torch, x: getattr(torch, name)(x))


@case(small={'n': 8, 'units': 16}, large={'n': 256, 'units': 1024})
def linear(n, units):
    return Case(
        [floats(0, n, units), floats(1, units, units), floats(2, units)],
        lambda F, x, w, b: F.linear(x, w, b),
        lambda torch, x, w, b: torch.nn.functional.linear(x, w, b))


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def relu(n, units):
    return _elementwise('relu', floats(0, n, units))


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def sigmoid(n, units):
    return _elementwise('sigmoid', floats(0, n, units))


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def tanh(n, units):
    return _elementwise('tanh', floats(0, n, units))


@case(small={'n': 8, 'classes': 10}, large={'n': 1024, 'classes': 1000})
def softmax(n, classes):
    return Case(
        [floats(0, n, classes)], lambda F, x: F.softmax(x),
        lambda torch, x: torch.softmax(x, 1))


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def dropout(n, units):
    return Case(
        [floats(0, n, units)], lambda F, x: F.dropout(x, 0.3),
        lambda torch, x: torch.nn.functional.dropout(x, 0.3), random=True)


@case(small={'shape': (8, 16)}, large={'shape': (32, 64, 56, 56)})
def batch_normalization(shape):
    channels = shape[1]

    def by_torch(torch, x, gamma, beta):
        return torch.nn.functional.batch_norm(
            x, None, None, gamma, beta, training=True, eps=2e-5)
    return Case(
        [floats(0, *shape), floats(1, channels), floats(2, channels)],
        lambda F, x, gamma, beta: F.batch_normalization(x, gamma, beta), by_torch)


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def layer_normalization(n, units):
    return Case(
        [floats(0, n, units), floats(1, units), floats(2, units)],
        lambda F, x, gamma, beta: F.layer_normalization(x, gamma, beta),
        lambda torch, x, gamma, beta: torch.nn.functional.layer_norm(
            x, (units,), gamma, beta, 1e-5))


def _convolution(n, channels, outs, side, window, pad):
    arrays = [floats(0, n, channels, side, side),
              floats(1, outs, channels, window, window), floats(2, outs)]
    return Case(
        arrays, lambda F, x, w, b: F.convolution_2d(x, w, b, pad=pad),
        lambda torch, x, w, b: torch.nn.functional.conv2d(x, w, b, padding=pad))


@case(small={'n': 2, 'channels': 3, 'outs': 8, 'side': 8},
      large={'n': 32, 'channels': 64, 'outs': 64, 'side': 32})
def convolution_2d_3x3(n, channels, outs, side):
    return _convolution(n, channels, outs, side, 3, 1)


@case(small={'n': 2, 'channels': 8, 'outs': 8, 'side': 8},
      large={'n': 32, 'channels': 64, 'outs': 64, 'side': 32})
def convolution_2d_1x1(n, channels, outs, side):
    return _convolution(n, channels, outs, side, 1, 0)


@case(small={'n': 2, 'channels': 8, 'outs': 4, 'side': 4},
      large={'n': 32, 'channels': 64, 'outs': 32, 'side': 16})
def deconvolution_2d(n, channels, outs, side):
    return Case(
        [floats(0, n, channels, side, side), floats(1, channels, outs, 4, 4),
         floats(2, outs)],
        lambda F, x, w, b: F.deconvolution_2d(x, w, b, stride=2, pad=1),
        lambda torch, x, w, b: torch.nn.functional.conv_transpose2d(
            x, w, b, stride=2, padding=1))


@case(small={'shape': (2, 4, 8, 8)}, large={'shape': (32, 64, 56, 56)})
def max_pooling_2d(shape):
    return Case(
        [floats(0, *shape)], lambda F, x: F.max_pooling_2d(x, 2),
        lambda torch, x: torch.nn.functional.max_pool2d(x, 2))


@case(small={'shape': (2, 4, 8, 8)}, large={'shape': (32, 64, 56, 56)})
def average_pooling_2d(shape):
    return Case(
        [floats(0, *shape)], lambda F, x: F.average_pooling_2d(x, 2),
        lambda torch, x: torch.nn.functional.avg_pool2d(x, 2))


@case(small={'n': 8, 'units': 16}, large={'n': 256, 'units': 1024})
def lstm(n, units):
    def by_torch(torch, c, x):
        # The gates of a unit are adjacent: input, in-gate, forget, out.
        a, i, f, o = x.reshape(n, units, 4).unbind(2)
        c = torch.tanh(a) * torch.sigmoid(i) + torch.sigmoid(f) * c
        return c, torch.sigmoid(o) * torch.tanh(c)
    return Case(
        [floats(0, n, units), floats(1, n, 4 * units)],
        lambda F, c, x: F.lstm(c, x), by_torch)


@case(small={'n': 4, 'length': 5, 'units': 16, 'layers': 1},
      large={'n': 32, 'length': 30, 'units': 256, 'layers': 2})
def n_step_lstm(n, length, units, layers):
    states = [floats(0, layers, n, units), floats(1, layers, n, units)]
    steps = [floats(200 + i, n, units) for i in range(length)]
    weights = [0.1 * floats(10 + i, units, units) for i in range(8 * layers)]
    biases = [0.1 * floats(90 + i, units) for i in range(8 * layers)]

    def by_chainer(F, h, c, *rest):
        xs, ws, bs = (rest[:length], rest[length:length + 8 * layers],
                      rest[length + 8 * layers:])
        h, c, ys = F.n_step_lstm(
            layers, 0.0, h, c, [ws[8 * i:8 * i + 8] for i in range(layers)],
            [bs[8 * i:8 * i + 8] for i in range(layers)], xs)
        return (h, c, *ys)

    # PyTorch keeps the gates of a layer in one array.
    stacked = [
        np.concatenate([part[at + gate] for gate in range(4)])
        for layer in range(layers) for part in (weights, biases)
        for at in (8 * layer, 8 * layer + 4)]

    def by_torch(torch, h, c, *rest):
        y, h, c = torch._VF.lstm(
            torch.stack(rest[:length]), (h, c), list(rest[length:]), True, layers, 0.0,
            True, False, False)
        return (h, c, *y.unbind(0))
    return Case(
        [*states, *steps, *weights, *biases], by_chainer, by_torch,
        torch_arrays=[*states, *steps, *stacked])


@case(small={'words': 100, 'units': 16, 'n': 32},
      large={'words': 20000, 'units': 256, 'n': 4096})
def embed_id(words, units, n):
    ids = integers(1, words, n).astype(np.int32)
    return Case(
        [floats(0, words, units)], lambda F, w: F.embed_id(ids, w),
        lambda torch, w: torch.nn.functional.embedding(torch.from_numpy(ids), w))


@case(small={'n': 8, 'units': 4}, large={'n': 256, 'units': 512})
def slstm(n, units):
    return Case(
        [floats(0, n, units), floats(1, n, units),
         floats(2, n, 4 * units), floats(3, n, 4 * units)],
        lambda F, *xs: F.slstm(*xs))


@case(small={'n': 16}, large={'n': 768})
def matmul(n):
    return Case(
        [floats(0, n, n), floats(1, n, n)], lambda F, a, b: F.matmul(a, b),
        lambda torch, a, b: torch.matmul(a, b))


@case(small={'batch': 4, 'n': 8}, large={'batch': 64, 'n': 128})
def einsum(batch, n):
    return Case(
        [floats(0, batch, n, n), floats(1, batch, n, n)],
        lambda F, a, b: F.einsum('bij,bjk->bik', a, b),
        lambda torch, a, b: torch.einsum('bij,bjk->bik', a, b))


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def sum(n, units):
    return Case(
        [floats(0, n, units)], lambda F, x: F.sum(x, axis=1),
        lambda torch, x: torch.sum(x, 1))


@case(small={'n': 8, 'units': 16}, large={'n': 1024, 'units': 1024})
def row_arithmetic(n, units):
    return Case(
        [floats(0, n, units), floats(1, units) + 2],
        lambda F, x, row: (x + row) * row / row,
        lambda torch, x, row: (x + row) * row / row)


@case(small={'channels': 4, 'side': 8, 'rois': 4, 'out': 2},
      large={'channels': 64, 'side': 56, 'rois': 64, 'out': 7})
def roi_pooling_2d(channels, side, rois, out):
    corners = np.sort(integers(1, side, rois, 2, 2), axis=1).reshape(rois, 4)
    boxes = np.hstack([integers(2, 2, rois, 1), corners]).astype(np.float32)
    return Case(
        [floats(0, 2, channels, side, side)],
        lambda F, x: F.roi_pooling_2d(x, boxes, out, out, 1.0))
