"""Arrays that recordings hand out are nobody else's, and handed out again if free."""
import numpy
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.backends import cuda

pytestmark = pytest.mark.gpu

X = numpy.random.RandomState(0).rand(4, 3).astype('f')


class Model(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l = L.Linear(3, 2)
        self.to_device('@cupy:0')

    @chainer.static_graph
    def forward(self, x):
        return F.sum(F.tanh(self.l(x)))


def send(x):
    return chainer.get_device('@cupy:0').send(x)


def step(model, factor=1):
    """Train, and return the gradients of the parameters."""
    model.cleargrads()
    x = send(X * factor)
    model(x).backward()
    return [p.grad for p in model.params()]


@pytest.fixture
def model():
    model = Model()
    for _ in range(3):
        step(model)
    return model


def test_arrays_that_nobody_has_are_handed_out_again(model):
    first = [g.data.ptr for g in step(model)]
    for _ in range(3):
        assert [g.data.ptr for g in step(model)] == first


KEPT = {
    'array': lambda g: g,
    'part': lambda g: g[1:],
    'other shape': lambda g: g.reshape(-1),
    'transposed': lambda g: g.T,
    'memory': lambda g: cuda.ndarray(g.shape, g.dtype, g.data),
    'pointer': lambda g: g.data,
    'all gradients': lambda g: g.base,
}


@pytest.mark.parametrize('keep', KEPT.values(), ids=list(KEPT))
def test_what_is_kept_does_not_change(model, keep):
    def values():
        if isinstance(kept, cuda.ndarray):
            return kept.get()
        return cuda.ndarray(shape, 'f', kept).get()

    grads = step(model)
    shape = grads[0].shape
    kept = keep(grads[0])
    old = [g.data.ptr for g in grads]
    del grads
    expected = values()
    for factor in range(2, 5):
        assert not set(old) & {g.data.ptr for g in step(model, factor)}
    numpy.testing.assert_array_equal(values(), expected)


def test_another_shape(model):
    expected = step(model)[0].get()
    model.l.W.grad.shape = (3, 2)
    numpy.testing.assert_array_equal(step(model)[0].get(), expected)


def test_changes_in_place(model):
    expected = step(model)[0].get()
    for g in step(model):
        g[...] = 7
    numpy.testing.assert_array_equal(step(model)[0].get(), expected)


def test_other_streams(model):
    """Kernels on another stream may still read what is handed out again on this one."""
    first = [g.data.ptr for g in step(model)]
    with cuda.Stream():
        other = [g.data.ptr for g in step(model)]
        assert first != other == [g.data.ptr for g in step(model)]
    assert [g.data.ptr for g in step(model)] != other


def test_launches(model, ledger):
    model.cleargrads()
    x = send(X)
    with ledger.record() as counts:
        y = model(x)
        y.backward()
    # Input, graph and output; a one, its copy, the graph and the gradients.
    assert len(counts.launches) == 7
    assert counts.launches.count('Graph.launch') == 2
