import numpy as np
import pytest

import chainer_fast
from chainer_fast import gradient_check, links
from tests import compare
from tests.links.rnn._reference import affine, random, scramble, sigmoid


def combined(a, i, o, fs, cs):
    c = np.tanh(a) * sigmoid(i) + sum([
        sigmoid(f) * c for f, c in zip(fs, cs, strict=True)])
    return c, sigmoid(o) * np.tanh(c)


def child_sum(link, cs, hs, x):
    *aio, f = affine(link.W_x, x).reshape(4, -1)
    if hs:
        aio = aio + affine(link.W_h_aio, sum(hs)).reshape(3, -1)
    return combined(*aio, [f + affine(link.W_h_f, h) for h in hs], cs)


def n_ary(link, cs, hs, x):
    gates = affine(link.W_x, x) + sum([
        affine(getattr(link, 'W_h%d' % (k + 1)), h) for k, h in enumerate(hs)])
    a, i, o, *fs = gates.reshape(3 + len(cs), -1)
    return combined(a, i, o, fs, cs)


def check(device, link, step, cs, hs, x):
    """Compare a call with what each sample gives, with zeros for None."""
    got = device.send(link)(*device.send((*cs, *hs, x)))
    zero, zero_x = np.zeros((2, 4), 'f'), np.zeros((2, 3), 'f')
    cs, hs = [[zero if v is None else v for v in each] for each in (cs, hs)]
    x = zero_x if x is None else x
    expected = [
        step(link, [c[k] for c in cs], [h[k] for h in hs], x[k]) for k in range(2)]
    for y, wanted in zip(got, zip(*expected, strict=True), strict=True):
        assert y.dtype == np.float32
        compare.assert_allclose(y.array, wanted, rtol=1e-5, atol=1e-6)


def arrays(n):
    return [random(2, 4, seed=k) for k in range(n)], [
        random(2, 4, seed=10 + k) for k in range(n)], random(2, 3)


@pytest.mark.parametrize('n', [0, 1, 2, 3])
def test_child_sum(device, n):
    check(device, scramble(links.ChildSumTreeLSTM(3, 4)), child_sum, *arrays(n))


@pytest.mark.parametrize('n', [1, 2, 3])
def test_n_ary(device, n):
    check(device, scramble(links.NaryTreeLSTM(3, 4, n)), n_ary, *arrays(n))


@pytest.mark.parametrize('cls, step', [
    (links.ChildSumTreeLSTM, child_sum), (links.NaryTreeLSTM, n_ary)])
def test_none(device, cls, step):
    link = scramble(cls(3, 4))
    (c0, c1), (h0, h1), x = arrays(2)
    for cs, hs, each in (
            ([None, c1], [h0, h1], x), ([None, None], [h0, None], x),
            ([c0, c1], [None, None], None), ([None, None], [None, None], x),
            ([None, None], [h0, h1], None)):
        check(device, link, step, cs, hs, each)
    with pytest.raises(ValueError, match=r'All inputs \(cs, hs, x\) are None'):
        link(*[None] * 5)
    with pytest.raises(TypeError, match='in_size'):
        device.send(cls(None, 4))(*device.send((c0, c1, h0, h1, None)))


@pytest.mark.parametrize('cls', [links.ChildSumTreeLSTM, links.NaryTreeLSTM])
def test_number_of_arguments(device, cls):
    c = device.send(random(2, 4))
    with pytest.raises(AssertionError, match='3 arguments|4 arguments'):
        device.send(cls(3, 4))(*[c] * (3 if cls is links.NaryTreeLSTM else 4))
    with pytest.raises((IndexError, AssertionError)):
        cls(3, 4)()
    with pytest.raises(AssertionError, match='n_ary'):
        links.NaryTreeLSTM(3, 4, 0)


@pytest.mark.parametrize('cls', [links.ChildSumTreeLSTM, links.NaryTreeLSTM])
def test_gradients(device, cls):
    with chainer_fast.using_config('dtype', np.dtype('d')):
        link = device.send(scramble(cls(3, 4)))
    cs, hs, x = arrays(2)
    inputs = [v.astype('d') for v in (*cs, *hs, x)]
    gradient_check.check_backward(
        link, device.send(tuple(inputs)), device.send((inputs[1], inputs[2])),
        tuple(link.params()), atol=1e-6)


def test_initial_values():
    # What Chainer 7.8.1 draws.
    np.random.seed(0)
    link = links.ChildSumTreeLSTM(2, 1)
    drawn = [getattr(link, n).W.array[0, 0] for n in ('W_x', 'W_h_aio', 'W_h_f')]
    compare.assert_allclose(drawn, [1.2473733, -.10321885, 1.4542735], rtol=1e-6)
    assert [name for name, _ in link.namedparams()] == [
        '/W_h_aio/W', '/W_h_f/W', '/W_x/W', '/W_x/b']
    np.random.seed(0)
    link = links.NaryTreeLSTM(2, 1)
    drawn = [getattr(link, n).W.array[0, 0] for n in ('W_x', 'W_h1', 'W_h2')]
    compare.assert_allclose(drawn, [1.2473733, .14404356, .33367434], rtol=1e-6)
    assert (link.in_size, link.state_size, link.n_ary) == (2, 1, 2)
