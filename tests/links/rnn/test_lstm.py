import numpy as np
import pytest

import chainer_fast
from chainer_fast import gradient_check, initializer, links
from tests import compare
from tests.links.rnn._reference import affine, by_turns, lstm, random, scramble


def step(link, c, h, x):
    return lstm(by_turns(affine(link.upward, x) + affine(link.lateral, h)), c)


@pytest.mark.parametrize('dtype', ['e', 'f', 'd'])
def test_stateless(device, dtype):
    with chainer_fast.using_config('dtype', np.dtype(dtype)):
        link = device.send(scramble(links.StatelessLSTM(3, 4)))
    c, h, x = [random(2, n, seed=n).astype(dtype) for n in (4, 4, 3)]
    zero = np.zeros_like(c)
    tol = {'atol': 5e-3 if dtype == 'e' else 1e-5}
    for c_in, h_in in ((c, h), (None, h), (c, None), (None, None)):
        got = link(*device.send((c_in, h_in, x)))
        expected = [
            step(link, *each) for each in zip(
                zero if c_in is None else c, zero if h_in is None else h, x,
                strict=True)]
        for y, wanted in zip(got, zip(*expected, strict=True), strict=True):
            assert y.dtype == np.dtype(dtype)
            compare.assert_allclose(y.array, wanted, **tol)


def test_shrinking_batch(device):
    link = device.send(scramble(links.LSTM(3, 4)))
    c, h = np.zeros((3, 4), 'f'), np.zeros((3, 4), 'f')
    for batch in (3, 2, 2, 1, 0):
        x = random(batch, 3, seed=batch)
        y = link(device.send(x))
        for k in range(batch):
            c[k], h[k] = step(link, c[k], h[k], x[k])
        compare.assert_allclose(y.array, h[:batch], rtol=1e-5)
        compare.assert_allclose(link.h.array, h, rtol=1e-5)
        compare.assert_allclose(link.c.array, c, rtol=1e-5)
    with pytest.raises(TypeError, match='batch of x, 4, .* 3: call reset_state'):
        link(device.send(random(4, 3)))


def test_gradients(device):
    with chainer_fast.using_config('dtype', np.dtype('d')):
        link = device.send(scramble(links.StatelessLSTM(3, 2)))
    c, h, x = [random(2, n, seed=n).astype('d') for n in (2, 2, 3)]
    gradient_check.check_backward(
        link, device.send((c, h, x)), device.send((c, h)), tuple(link.params()),
        atol=1e-6)


def test_initial_values():
    # What Chainer 7.8.1 draws.
    np.random.seed(0)
    link = links.LSTM(2, 1)
    compare.assert_allclose(
        link.lateral.W.array[:2, 0], [1.7640524, 2.2408931], rtol=1e-6)
    compare.assert_allclose(
        link.upward.W.array[0], [.28295389, .69207227], rtol=1e-6)
    assert [name for name, _ in link.namedparams()] == [
        '/lateral/W', '/upward/W', '/upward/b']
    compare.assert_array_equal(
        links.LSTM(3, 2).upward.b.array, [0, 0, 1, 0, 0, 0, 1, 0])


class Recorder(initializer.Initializer):

    def __init__(self, name, log):
        super().__init__()
        self.name, self.log = name, log

    def __call__(self, array):
        self.log.append((self.name, array.shape))
        array[...] = len(self.log)


@pytest.mark.parametrize('args', [(3, 2), (None, 2), (2,)])
@pytest.mark.parametrize('cls', [links.LSTM, links.StatelessLSTM])
def test_order_of_initialization(device, cls, args):
    log = []
    link = device.send(cls(*args, **{name + '_init': Recorder(name, log) for name in (
        'lateral', 'upward', 'bias', 'forget_bias')}))
    if args != (3, 2):
        assert not log and not link.upward.W.is_initialized
        x = device.send(np.ones((0, 3), 'f'))
        y = link(x) if cls is links.LSTM else link(None, None, x)[1]
        assert y.shape == (0, 2)
    assert log == 4 * [('lateral', (2, 2)), ('upward', (2, 3))] + [
        (name, (1, 2, 1)) for name in ('bias', 'bias', 'forget_bias', 'bias')]
    compare.assert_array_equal(
        link.lateral.W.array[:, 0], [1, 1, 3, 3, 5, 5, 7, 7])
    compare.assert_array_equal(
        link.upward.b.array, [9, 10, 11, 12, 9, 10, 11, 12])


def test_attributes():
    link = links.LSTM(3, 2, lateral_init=1)
    assert (link.state_size, link.lateral_init, link.upward_init) == (2, 1, None)
    assert (link.bias_init, link.forget_bias_init) == (0, 1)
