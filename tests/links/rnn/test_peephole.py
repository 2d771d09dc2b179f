import numpy as np

import chainer_fast
from chainer_fast import gradient_check, links
from tests import compare
from tests.links.rnn._reference import affine, by_turns, random, scramble, sigmoid


def step(link, c, h, x):
    a, i, f, o = by_turns(affine(link.upward, x) + affine(link.lateral, h))
    i = sigmoid(i + affine(link.peep_i, c))
    f = sigmoid(f + affine(link.peep_f, c))
    c = np.tanh(a) * i + f * c
    o = sigmoid(o + affine(link.peep_o, c))
    return c, o * np.tanh(c)


def test_steps(device):
    link = device.send(scramble(links.StatefulPeepholeLSTM(3, 4)))
    c = h = np.zeros((2, 4))
    x = random(2, 3)
    for _ in range(2):
        y = link(device.send(x))
        both = [step(link, *each) for each in zip(c, h, x, strict=True)]
        c, h = zip(*both, strict=True)
        compare.assert_allclose(y.array, h, rtol=1e-5)
        compare.assert_allclose(link.c.array, c, rtol=1e-5)


def test_gradients(device):
    with chainer_fast.using_config('dtype', np.dtype('d')):
        link = device.send(scramble(links.StatefulPeepholeLSTM(3, 2)))
    state = chainer_fast.Variable(device.send(random(2, 2).astype('d')))

    def two_steps(x):
        link.c = link.h = state
        link(x)
        return link(x)

    x, gy = random(2, 3).astype('d'), device.send(random(2, 2, seed=2).astype('d'))
    gradient_check.check_backward(
        two_steps, device.send(x), gy, tuple(link.params()), atol=1e-6)
    gradient_check.check_double_backward(
        two_steps, device.send(x), gy, device.send(x), atol=1e-5)


def test_initial_values():
    # What Chainer 7.8.1 draws.
    np.random.seed(0)
    link = links.StatefulPeepholeLSTM(2, 1)
    drawn = [getattr(link, name).W.array[0, 0] for name in (
        'upward', 'lateral', 'peep_i', 'peep_f', 'peep_o')]
    compare.assert_allclose(
        drawn, [1.2473733, -.10321885, .76103771, .12167501, .44386324], rtol=1e-6)
    assert not link.upward.b.array.any()
