"""Static chains on a GPU that draw random numbers: those of plain chains."""
import numpy
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import noise

pytestmark = pytest.mark.gpu

X = numpy.random.RandomState(0).rand(6, 5).astype('f')


def send(x):
    return chainer.get_device('@cupy:0').send(x)


class Noisy(chainer.Chain):

    def __init__(self, function):
        super().__init__()
        self.function = function
        with self.init_scope():
            self.l = L.Linear(5, 5, initialW=numpy.eye(5, dtype='f'))
        self.to_device('@cupy:0')

    def plain(self, x):
        return self.function(F.tanh(self.function(self.l(x))))

    static = chainer.static_graph(plain)


FUNCTIONS = {
    'dropout': F.dropout,
    'gaussian': lambda x: F.gaussian(x, x),
    'gumbel_softmax': F.gumbel_softmax,
    'kept': lambda x: x * noise.kept(x.array, x.shape, .5).astype('f'),
    'rrelu': lambda x: F.rrelu(x - .5),
    'zoneout': lambda x: F.zoneout(x, F.sin(x)),
}


def steps(function, name, n=5):
    """Return the results and gradients of some steps, and a number drawn after them."""
    cuda.cupy.random.seed(3)
    chain = Noisy(function)
    found = []
    for _ in range(n):
        chain.cleargrads()
        y = getattr(chain, name)(send(X))
        F.sum(y * y).backward()
        found += [y.array.get(), chain.l.W.grad.get()]
    found.append(cuda.cupy.random.rand(2).get())
    if name == 'static':
        recordings = chain.schedule_manager.recordings
        assert not recordings.refused
        assert recordings._kept
    return found


@pytest.mark.parametrize('function', FUNCTIONS.values(), ids=list(FUNCTIONS))
def test_numbers_are_those_of_the_plain_chain(function):
    plain = steps(function, 'plain')
    for a, b in zip(plain, steps(function, 'static'), strict=True):
        numpy.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert any((plain[0] != each).any() for each in plain[2:-1:2])


def penalty(chain, name):
    x = chainer.Variable(send(X))
    y = getattr(chain, name)(x)
    g, = chainer.grad([F.sum(y ** 2)], [x], enable_double_backprop=True)
    chain.cleargrads()
    F.sum(g * g).backward()
    return [y.array.get(), chain.l.W.grad.get()]


def test_double_backprop_sees_the_same_numbers():
    found = []
    for name in 'plain', 'static':
        cuda.cupy.random.seed(3)
        chain = Noisy(F.dropout)
        found.append([each for _ in range(4) for each in penalty(chain, name)])
    for a, b in zip(*found, strict=True):
        numpy.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_numbers_of_an_earlier_call_are_gone():
    chain = Noisy(F.dropout)
    x = chainer.Variable(send(X))
    for _ in range(3):
        y = chain.static(x)
        del y
    first = chain.static(x)
    chain.schedule_manager.end_forward()
    chain.static(x)
    with pytest.raises(RuntimeError, match='static chain was called again'):
        chainer.grad([F.sum(first)], [x], enable_double_backprop=True)


def test_nothing_is_drawn_in_test_mode():
    chain = Noisy(F.dropout)
    with chainer.using_config('train', False):
        for _ in range(3):
            numpy.testing.assert_allclose(
                chain.static(send(X)).array.get(), numpy.tanh(X), rtol=1e-5)


def test_a_function_that_replaces_the_generator(monkeypatch):
    drawn = []

    def rand(*shape, **options):
        drawn.append(shape)
        return send(numpy.full(shape, .75, options.get('dtype', float)))

    chain = Noisy(F.dropout)
    monkeypatch.setattr(cuda.cupy.random, 'rand', rand)
    for step in range(1, 5):
        y = chain.static(send(X))
        assert (y.array.get() > 0).all()
        assert drawn == [X.shape] * 2 * step
