"""Steps of training are launches of two graphs, forward and backward."""
import numpy
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L

pytestmark = pytest.mark.gpu

X = numpy.random.RandomState(0).rand(4, 3).astype('f')


class Step(chainer.Chain):

    def __init__(self, compute):
        super().__init__()
        self.compute = compute
        with self.init_scope():
            self.stateless = L.StatelessLSTM(3, 5)
            self.lstm = L.LSTM(3, 5)
            self.conv = L.Convolution2D(3, 4, 3, pad=1)
            self.bn = L.BatchNormalization(4)
            # More parameters than most functions have inputs.
            self.layers = chainer.ChainList(*[L.Linear(3, 3) for _ in range(8)])
        self.add_persistent('t', numpy.array([0, 2, 1, 2], 'i'))
        self.to_device('@cupy:0')

    def forward(self, x):
        return self.compute(self, x)


class StaticStep(Step):

    @chainer.static_graph
    def forward(self, x):
        return self.compute(self, x)


def stateless_lstm(model, x):
    c = h = None
    for _ in range(3):
        c, h = model.stateless(c, h, x)
    return F.sum(h)


def lstm(model, x):
    """Steps from the state that calls begin and end with."""
    model.lstm.reset_state()
    for _ in range(3):
        y = model.lstm(x)
    model.lstm.reset_state()
    return F.sum(y)


def perceptron(model, x):
    for layer in model.layers:
        x = F.dropout(F.relu(layer(x)), .2)
    return F.softmax_cross_entropy(x, model.t)


def convolution(model, x):
    """A layer for images, without cuDNN."""
    images = F.reshape(F.broadcast_to(x[:, :, None], (4, 3, 25)), (4, 3, 5, 5))
    with chainer.using_config('use_cudnn', 'never'):
        h = F.max_pooling_2d(F.relu(model.bn(model.conv(images))), 2)
    return F.sum(h * h)


def attention(model, x):
    x = F.stack([x, F.sin(x)])
    q, k, v = [F.linear(x, each.W, n_batch_axes=2) for each in model.layers[:3]]
    weights = F.softmax(F.matmul(q, k, transb=True), axis=2)
    return F.sum(F.matmul(weights, v) ** 2)


STEPS = [stateless_lstm, lstm, perceptron, convolution, attention]


@pytest.mark.parametrize('compute, draws', [
    (each, 8 if each is perceptron else 0) for each in STEPS])
def test_launches(compute, draws, ledger):
    chain = StaticStep(compute)
    x = chainer.get_device('@cupy:0').send(X)
    for _ in range(3):
        chain(x).backward()
        chain.cleargrads()
    assert not chain.schedule_manager.recordings.refused
    with ledger.record() as counts:
        chain(x).backward()
    assert counts.launches.count('Graph.launch') == 2
    # Copies of input, loss, its gradient, which is a one, and all others; numbers are
    # drawn and copied.
    assert len(counts.launches) == 7 + 2 * draws
    assert not counts.synchronisations and not counts.to_host


@pytest.mark.parametrize('compute', STEPS)
def test_numbers(compute):
    plain, static = [cls(compute) for cls in (Step, StaticStep)]
    static.copyparams(plain)
    x = chainer.get_device('@cupy:0').send(X)
    for chain in plain, static:
        plain.xp.random.seed(1)
        optimizer = chainer.optimizers.Adam().setup(chain)
        for _ in range(5):
            optimizer.update(chain, x)
    for a, b in zip(plain.params(), static.params(), strict=True):
        numpy.testing.assert_allclose(a.array.get(), b.array.get(), 1e-5, 1e-6)
