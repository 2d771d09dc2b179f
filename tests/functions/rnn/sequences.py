"""Networks of random weights, and steps written out for a single sample."""
import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F

GATES = {'lstm': 4, 'gru': 3, 'tanh': 1, 'relu': 1}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, h, c, w, b):
    i, f, a, o = [w[k] @ x + b[k] + w[k + 4] @ h + b[k + 4] for k in range(4)]
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(a)
    return sigmoid(o) * np.tanh(c), c


def gru(x, h, c, w, b):
    r, z = [sigmoid(w[k] @ x + b[k] + w[k + 3] @ h + b[k + 3]) for k in range(2)]
    new = np.tanh(w[2] @ x + b[2] + r * (w[5] @ h + b[5]))
    return (1 - z) * new + z * h, c


def tanh(x, h, c, w, b):
    return np.tanh(w[0] @ x + b[0] + w[1] @ h + b[1]), c


def relu(x, h, c, w, b):
    return np.maximum(w[0] @ x + b[0] + w[1] @ h + b[1], 0), c


STEPS = {'lstm': lstm, 'gru': gru, 'tanh': tanh, 'relu': relu}


class Network:
    """A network of one kind, and inputs of the given sizes of the steps.

    ``flat`` are all inputs of the function, in any order that ``run`` knows: ``drawn``
    on the device.
    """

    def __init__(self, device, kind, n_layers=2, directions=1, sizes=(3, 3, 1),
                 batch=None, m=2, n=3, dtype='d', seed=0):
        random = np.random.RandomState(seed)
        count = n_layers * directions
        gates = GATES[kind]
        self.device = device
        self.kind, self.n_layers, self.directions = kind, n_layers, directions
        self.sizes, self.n = sizes, n
        self.shapes = [(count, batch or sizes[0], n)] * (2 if kind == 'lstm' else 1)
        self.shapes += [(size, m) for size in sizes]
        for k in range(count):
            width = m if k < directions else n * directions
            self.shapes += [(n, width)] * gates + [(n, n)] * gates + [(n,)] * 2 * gates
        self.drawn = [
            random.uniform(-1, 1, shape).astype(dtype) for shape in self.shapes]
        self.flat = device.send(self.drawn)

    def parts(self, flat):
        hx, *rest = flat
        cx = rest.pop(0) if self.kind == 'lstm' else None
        xs, rest = rest[:len(self.sizes)], rest[len(self.sizes):]
        width = 2 * GATES[self.kind]
        groups = [rest[k:k + width] for k in range(0, len(rest), width)]
        return hx, cx, groups[::2], groups[1::2], xs

    def run(self, *flat, ratio=0.):
        """All outputs of the function, as a flat tuple."""
        return self.call(*self.parts(flat), ratio=ratio)

    def call(self, hx, cx, ws, bs, xs, ratio=0.):
        """The same, of arguments in the function's own order."""
        kind = 'rnn' if self.kind in ('tanh', 'relu') else self.kind
        ways = 'bi' if self.directions == 2 else ''
        function = getattr(F, 'n_step_%s%s' % (ways, kind))
        states = (hx,) if cx is None else (hx, cx)
        last = (self.kind,) if kind == 'rnn' else ()
        *states, ys = function(self.n_layers, ratio, *states, ws, bs, xs, *last)
        return (*states, *ys)

    def expected(self):
        """The outputs, sample by sample."""
        hx, cx, ws, bs, xs = self.parts(self.drawn)
        hy = hx.copy()
        cy = np.zeros_like(hx) if cx is None else cx.copy()
        rows = list(xs)
        for layer in range(self.n_layers):
            sides = []
            for side in range(self.directions):
                k = layer * self.directions + side
                ys = [np.zeros((size, self.n), hx.dtype) for size in self.sizes]
                times = range(len(self.sizes))
                for t in reversed(times) if side else times:
                    for j in range(self.sizes[t]):
                        hy[k, j], cy[k, j] = STEPS[self.kind](
                            rows[t][j], hy[k, j], cy[k, j], ws[k], bs[k])
                        ys[t][j] = hy[k, j]
                sides.append(ys)
            rows = [
                np.concatenate(each, axis=1) for each in zip(*sides, strict=True)]
        return (hy, *rows) if cx is None else (hy, cy, *rows)


def gradients(network, ratio=0., wanted=None, double=False):
    """Gradients of a sum of the outputs, weighted at random; None for those in
    ``wanted`` that are false."""
    inputs = [chainer.Variable(x) for x in network.flat]
    outputs = network.run(*inputs, ratio=ratio)
    random = np.random.RandomState(1)
    gys = network.device.send([
        random.uniform(-1, 1, y.shape).astype(y.dtype) for y in outputs])
    pairs = [(y, chainer.Variable(gy)) for y, gy in zip(outputs, gys, strict=True)]
    if wanted is not None:
        pairs = [pair for pair, want in zip(pairs, wanted, strict=True) if want]
    return chainer.grad(
        [y for y, _ in pairs], inputs, [gy for _, gy in pairs],
        enable_double_backprop=double)
