"""Models and gradients of tests of optimizers."""
import numpy

import chainer_fast as chainer


class Model(chainer.Chain):
    def __init__(self, n_in=2):
        super().__init__()
        with self.init_scope():
            self.a = chainer.links.Linear(n_in, 3)
            self.b = chainer.links.Linear(3, 4)

    def forward(self, x):
        return chainer.functions.sum(self.b(self.a(x)) ** 2)


class Recorder(chainer.optimizers.SGD):
    """SGD that keeps the gradients that it updates with."""

    def __init__(self, lr=0.1):
        super().__init__(lr)
        self.used = []

    def update(self, lossfun=None, *args, **kwds):
        assert lossfun is None
        self.used.append(float(self.target.a.W.grad[0, 0]))
        super().update(lossfun, *args, **kwds)


def fill(model, value):
    """Give all parameters new gradients."""
    for param in model.params():
        param.grad = numpy.full_like(param.array, value)


def on_all(comm, value):
    """Return the values of all processes."""
    return comm.bcast_obj(comm.gather_obj(value))


def parameters(model):
    return {path: param.array.tolist() for path, param in model.namedparams()}
