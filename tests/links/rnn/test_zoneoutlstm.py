import numpy as np
import pytest

import chainer_fast
from chainer_fast import links
from tests import compare
from tests.devices import to_cpu
from tests.links.rnn._reference import affine, by_turns, lstm, random, scramble


def step(link, c, h, x):
    return lstm(by_turns(affine(link.upward, x) + affine(link.lateral, h)), c)


@pytest.mark.parametrize('c_ratio, h_ratio', [(0, 0), (.5, .3), (1, 1)])
@pytest.mark.parametrize('train', [True, False])
def test_steps(device, c_ratio, h_ratio, train):
    link = device.send(scramble(links.StatefulZoneoutLSTM(3, 4, c_ratio, h_ratio)))
    c = h = np.zeros((2, 4))
    x = random(2, 3)
    for _ in range(2):
        with chainer_fast.using_config('train', train):
            y = link(device.send(x))
        new = np.array([step(link, *each) for each in zip(c, h, x, strict=True)])
        c_new, h_new = new[:, 0], new[:, 1]
        if train:
            c_new = np.where(to_cpu(link.c.creator.flag_h), c, c_new)
            h_new = np.where(to_cpu(y.creator.flag_h), h, h_new)
        c, h = c_new, h_new
        compare.assert_allclose(link.c.array, c, atol=1e-5)
        compare.assert_allclose(y.array, h, atol=1e-5)


def test_known_values():
    # What Chainer 7.8.1 computes.
    np.random.seed(0)
    y = links.StatefulZoneoutLSTM(2, 3)(np.ones((2, 2), 'f'))
    compare.assert_allclose(
        y.array, [[.43237984, 0, .1484563], [0, .10167876, .1484563]], rtol=1e-5)


def test_ratios(device):
    link = device.send(links.StatefulZoneoutLSTM(3, 4, c_ratio=0, h_ratio=1))
    y = link(device.send(random(2, 3)))
    assert not y.array.any() and link.c.array.all()


@pytest.mark.parametrize('sizes', [(1, 1, 2), (2, 2, 1), (1, 2, 2), (2, 1, 2)])
def test_one_sample_for_all(device, sizes):
    link = device.send(scramble(links.StatefulZoneoutLSTM(3, 4, 0, 0)))
    c, h, x = [random(n, m, seed=m) for n, m in zip(sizes, (4, 4, 3), strict=True)]
    state = [chainer_fast.Variable(device.send(v)) for v in (c, h)]
    link.set_state(*state)
    y = link(device.send(x))
    expected = [
        step(link, *[v[k % len(v)] for v in (c, h, x)])[1] for k in range(2)]
    compare.assert_allclose(y.array, expected, rtol=1e-5)
    y.grad = device.send(np.ones((2, 4), 'f'))
    y.backward()
    assert [v.grad.shape for v in state] == [c.shape, h.shape]


def test_arguments(device):
    with pytest.raises(ValueError, match='train argument is not supported anymore'):
        links.StatefulZoneoutLSTM(3, 4, train=True)
    with pytest.raises(TypeError, match='ratio'):
        links.StatefulZoneoutLSTM(3, 4, ratio=1)
    link = device.send(links.StatefulZoneoutLSTM(None, 4, h_ratio=.1))
    assert (link.state_size, link.c_ratio, link.h_ratio) == (4, .5, .1)
    link(device.send(random(2, 3)))
    assert link.upward.W.shape == (16, 3)
