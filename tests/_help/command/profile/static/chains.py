"""Chains to measure, and their training."""
import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast._help.command.profile.static import session

X = np.arange(12, dtype='d').reshape(3, 4) / 7
T = np.array([0, 1, 1], 'i')


class measured:
    """Context in which methods of chains are measured."""

    def __init__(self, limit=None):
        self._session = session.Session(limit)

    def __enter__(self):
        self._session.start()
        return self._session

    def __exit__(self, *_):
        self._session.stop()


def by_name(found):
    return {method.name: method for method in found.methods}


def make_net(decorate=lambda method: method, body=lambda self, x: F.tanh(self.one(x))):
    """Return a chain of a new class, whose method can be decorated."""
    class Net(chainer.Chain):

        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.one = L.Linear(4, 2, initialW=np.ones((2, 4)))

        @decorate
        def forward(self, x):
            return body(self, x)

    with chainer.using_config('dtype', np.float64):
        return Net()


def losses(model, n, inputs=lambda i: X + i):
    """Train, and return the losses."""
    optimizer = chainer.optimizers.SGD().setup(model)
    found = []
    for i in range(n):
        loss = F.sum(model(inputs(i)) ** 2)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        found.append(float(loss.array))
    return found
