"""Steps of static chains; ``:plain`` are the same steps without ``static_graph``.

PyTorch's steps are compiled by ``torch.compile``, and those of ``:plain`` are eager.
"""
import sys

import numpy as np
import workloads
from static import kinds
from workloads import CHAIN, PERCEPTRON, labels, layers, small

LENGTH, BATCH, UNITS = 35, 20, 128

_MODELS = {
    'small': '750 small functions',
    'perceptron': 'perceptron 64, batch 32, SGD step',
    'lstm': 'LSTM 128, %d cells, batch %d' % (LENGTH, BATCH),
}
TITLES = {
    'SG.%s%s' % (key, kind): title + text
    for key, title in _MODELS.items()
    for kind, text in (('', ', static'), (':plain', ', not static'))}
TITLES.update(kinds.TITLES)
BARS = {'SG.small': {'torch': 2.5}, 'SG.perceptron': {'torch': 1.5},
        'SG.lstm': {'torch': 1.2}}


def chainer_step(chainer, key):
    """Return a step by Chainer's interface."""
    name, _, kind = key.partition('.')[2].partition(':')
    decorate = (lambda function: function) if kind else chainer.static_graph
    if name in kinds.KINDS:
        step = kinds.step_of(chainer, name, decorate)
    else:
        step = _CHAINER[name](chainer, decorate)
    step.check = lambda: [np.array(step(), np.float64) for _ in range(4)]
    return step


def _small(chainer, decorate):
    F = chainer.functions

    class Model(chainer.Chain):

        @decorate
        def __call__(self, x, w, b):
            for _ in range(CHAIN):
                x = (F.tanh(x) + b) * w
            return x
    model = Model()
    leaves = [chainer.Variable(small(i, 8, 8)) for i in range(3)]
    one = np.ones((8, 8), np.float32)

    def step():
        for leaf in leaves:
            leaf.cleargrad()
        y = model(*leaves)
        y.grad = one
        y.backward()
        return leaves[0].grad
    return step


def _perceptron(chainer, decorate):
    F, L = chainer.functions, chainer.links

    class Model(chainer.Chain):

        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.l0, self.l1, self.l2 = (
                    L.Linear(*w.shape[::-1], initialW=w, initial_bias=b)
                    for w, b in layers(PERCEPTRON))

        @decorate
        def __call__(self, x, t):
            h = self.l2(F.relu(self.l1(F.relu(self.l0(x)))))
            return F.softmax_cross_entropy(h, t)
    model = Model()
    optimizer = chainer.optimizers.SGD(lr=0.01).setup(model)
    x, t = small(50, workloads.BATCH, workloads.UNITS), labels().astype(np.int32)

    def step():
        loss = model(x, t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss.array
    return step


def _lstm(chainer, decorate):
    F, L = chainer.functions, chainer.links

    class Model(chainer.Chain):

        def __init__(self):
            super().__init__()
            w, v, b = _lstm_weights()
            with self.init_scope():
                self.upward = L.Linear(UNITS, 4 * UNITS, initialW=w, initial_bias=b)
                self.lateral = L.Linear(UNITS, 4 * UNITS, nobias=True, initialW=v)

        @decorate
        def __call__(self, c, h, *xs):
            for x in xs:
                c, h = F.lstm(c, self.upward(x) + self.lateral(h))
            return h
    model = Model()
    xs = [small(70 + i, BATCH, UNITS) for i in range(LENGTH)]
    zero, one = (fill((BATCH, UNITS), np.float32) for fill in (np.zeros, np.ones))

    def step():
        model.cleargrads()
        y = model(zero, zero, *xs)
        y.grad = one
        y.backward()
        return model.lateral.W.grad
    return step


def _lstm_weights():
    return (small(60, 4 * UNITS, UNITS), small(61, 4 * UNITS, UNITS),
            small(62, 4 * UNITS))


_CHAINER = {'small': _small, 'perceptron': _perceptron, 'lstm': _lstm}


def torch_step(torch, key):
    """Return PyTorch's step, which computes the same, or None if there is none.

    It has none of the rows of single functions, and may not be able to compile.
    """
    name, _, kind = key.partition('.')[2].partition(':')
    if name in kinds.KINDS:
        return None
    compiled = (lambda function: function) if kind else torch.compile
    try:
        compiled(lambda x: x + 1)(torch.ones(2))
    except Exception as error:
        print('torch.compile:', error, file=sys.stderr)
        return None
    step = _TORCH[name](torch, compiled)
    step.check = lambda: [np.array(step(), np.float64) for _ in range(4)]
    return step


def _torch_small(torch, compiled):
    x, w, b = (torch.tensor(small(i, 8, 8), requires_grad=True) for i in range(3))
    one = torch.ones(8, 8)

    @compiled
    def forward(x, w, b):
        for _ in range(CHAIN):
            x = (torch.tanh(x) + b) * w
        return x

    def step():
        for leaf in (x, w, b):
            leaf.grad = None
        forward(x, w, b).backward(one)
        return x.grad.numpy()
    return step


def _torch_perceptron(torch, compiled):
    F = torch.nn.functional
    arrays = [torch.tensor(a, requires_grad=True) for pair in layers(PERCEPTRON)
              for a in pair]
    optimizer = torch.optim.SGD(arrays, lr=0.01)
    x, t = torch.tensor(small(50, workloads.BATCH, workloads.UNITS)), torch.tensor(
        labels())

    @compiled
    def forward(x, t):
        h = F.relu(F.linear(x, arrays[0], arrays[1]))
        h = F.relu(F.linear(h, arrays[2], arrays[3]))
        return F.cross_entropy(F.linear(h, arrays[4], arrays[5]), t)

    def step():
        loss = forward(x, t)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach().numpy()
    return step


def _torch_lstm(torch, compiled):
    F = torch.nn.functional
    w, v, b = (torch.tensor(a, requires_grad=True) for a in _lstm_weights())
    xs = [torch.tensor(small(70 + i, BATCH, UNITS)) for i in range(LENGTH)]
    zero, one = torch.zeros(BATCH, UNITS), torch.ones(BATCH, UNITS)

    @compiled
    def forward(c, h, *xs):
        for x in xs:
            gates = F.linear(x, w, b) + F.linear(h, v)
            a, i, f, o = gates.view(BATCH, UNITS, 4).unbind(2)
            c = torch.tanh(a) * torch.sigmoid(i) + c * torch.sigmoid(f)
            h = torch.tanh(c) * torch.sigmoid(o)
        return h

    def step():
        for leaf in (w, v, b):
            leaf.grad = None
        forward(zero, zero, *xs).backward(one)
        return v.grad.numpy()
    return step


_TORCH = {'small': _torch_small, 'perceptron': _torch_perceptron, 'lstm': _torch_lstm}
