import numpy as np
import pytest

import chainer_fast
from chainer_fast import links
from tests import compare
from tests.links.rnn._reference import affine, random, scramble, sigmoid


def step(link, h, x):
    f = sigmoid(affine(link.W_f, np.append(h, x)))
    candidate = np.tanh(affine(link.W_h, np.append(f * h, x)))
    return (1 - f) * h + f * candidate


def test_step(device):
    link = device.send(scramble(links.StatelessMGU(3, 4)))
    h, x = random(2, 4), random(2, 3)
    compare.assert_allclose(
        link(device.send(h), device.send(x)).array,
        [step(link, *each) for each in zip(h, x, strict=True)], rtol=1e-5)


@pytest.mark.parametrize('dtype', ['e', 'f', 'd'])
def test_stateful(device, dtype):
    with chainer_fast.using_config('dtype', np.dtype(dtype)):
        link = device.send(scramble(links.StatefulMGU(3, 4)))
    x, h = random(2, 3).astype(dtype), np.zeros((2, 4))
    for _ in range(2):
        h = [step(link, *each) for each in zip(h, x, strict=True)]
        y = link(device.send(x))
        assert y.dtype == np.dtype(dtype)
        compare.assert_allclose(y.array, h, atol=5e-3 if dtype == 'e' else 1e-5)


def test_initial_values():
    # What Chainer 7.8.1 draws.
    np.random.seed(0)
    link = links.StatefulMGU(2, 1)
    compare.assert_allclose(
        [link.W_f.W.array[0, 0], link.W_h.W.array[0, 0]], [1.0184761, 1.2937803],
        rtol=1e-6)
    assert [name for name, _ in link.namedparams()] == [
        '/W_f/W', '/W_f/b', '/W_h/W', '/W_h/b']
