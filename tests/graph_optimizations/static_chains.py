"""Static chains beside plain ones, which compute the same."""
import numpy

import chainer_fast as chainer
import chainer_fast.functions as F
from tests import forced


def draw(seed, *shape, dtype='f'):
    return numpy.asarray(numpy.random.RandomState(seed).rand(*shape) - .5, dtype)


class Model(chainer.Chain):
    """A chain of any computation, with two weights and a bias."""

    def __init__(self, compute, dtype='f', units=3):
        super().__init__()
        self.compute = compute
        self.seen = Seen()
        with self.init_scope():
            self.w = chainer.Parameter(draw(1, units, units, dtype=dtype))
            self.v = chainer.Parameter(draw(2, units, units, dtype=dtype))
            self.b = chainer.Parameter(draw(3, units, dtype=dtype))

    def forward(self, *args, **kwargs):
        self.seen.count += 1
        return self.compute(self, *args, **kwargs)


class Static(Model):

    @chainer.static_graph
    def forward(self, *args, **kwargs):
        return super().forward(*args, **kwargs)


class Seen:
    """A count of calls that is no attribute of the link."""

    count = 0


def refused(chain):
    reason, = chain.schedule_manager.calls.refused.values()
    return reason


def leaves(value):
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in leaves(each)]
    return [value] if isinstance(value, chainer.Variable) else []


def train(chain, arrays, loss_scale=None):
    """Return outputs and gradients of a step."""
    xs = [chainer.Variable(x) if x.dtype.kind == 'f' else x for x in arrays]
    chain.cleargrads()
    outputs = leaves(chain(*xs))
    for i, y in enumerate(outputs):
        y.grad = draw(i + 7, *y.shape, dtype=y.dtype)
    chainer.backward(outputs)
    found = [y.array for y in outputs] + [
        x.grad for x in xs if isinstance(x, chainer.Variable)] + [
            p.grad for p in chain.params()]
    for p in chain.params():
        if p.grad is not None:
            p.array -= numpy.asarray(.01, p.dtype) * p.grad
    return found


def assert_same(expected, actual, exact=True):
    assert len(expected) == len(actual)
    for a, b in zip(expected, actual, strict=True):
        if a is None or b is None:
            assert a is b
            continue
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if exact:
            numpy.testing.assert_array_equal(a, b)
        else:
            tolerance = 1e-14 if a.dtype == numpy.float64 else 1e-6
            numpy.testing.assert_allclose(
                a, b, rtol=tolerance,
                atol=tolerance * max(abs(a).max(), 1) if a.size else 0)


def check(compute, *arrays, calls=2, units=3, exact=None):
    """Compare a static chain with a plain one; ``calls`` of it run its code."""
    dtype = arrays[0].dtype
    plain, static = Model(compute, dtype, units), Static(compute, dtype, units)
    if exact is None:
        exact = dtype == numpy.float64 and not forced.GENERAL
    for step in range(6):
        xs = [numpy.asarray(x + .01 * step, x.dtype) if x.dtype.kind == 'f' else x
              for x in arrays]
        assert_same(train(plain, xs), train(static, xs), exact)
    assert static.seen.count == calls, static.schedule_manager.calls.refused
    return static


def every_loop(chain, x):
    h = F.tanh(x) + x * 2 - 3
    h = F.relu(h) * F.sigmoid(h) / (F.exp(x) + 1)
    h = F.leaky_relu(h, .3) - F.elu(h) - (1 - F.softplus(x)) * -h
    h = F.hard_sigmoid(h) + F.clipped_relu(x, .2) + x ** 2
    return F.sqrt(h * h + 1)


def affine(chain, x):
    h = F.relu(F.linear(x, chain.w, chain.b))
    return F.linear(F.linear(h, chain.w), chain.v, chain.b)
