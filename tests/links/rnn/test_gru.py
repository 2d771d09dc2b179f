import numpy as np
import pytest

import chainer_fast
from chainer_fast import gradient_check, links
from tests import compare
from tests.devices import to_cpu
from tests.links.rnn._reference import affine, random, scramble, sigmoid


def step(link, h, x):
    r = sigmoid(affine(link.W_r, x) + affine(link.U_r, h))
    z = sigmoid(affine(link.W_z, x) + affine(link.U_z, h))
    candidate = np.tanh(affine(link.W, x) + affine(link.U, r * h))
    return (1 - z) * h + z * candidate


@pytest.mark.parametrize('dtype', ['e', 'f', 'd'])
def test_step(device, dtype):
    with chainer_fast.using_config('dtype', np.dtype(dtype)):
        link = device.send(scramble(links.StatelessGRU(3, 4)))
    h, x = random(2, 4).astype(dtype), random(2, 3).astype(dtype)
    y = link(device.send(h), device.send(x))
    assert y.dtype == np.dtype(dtype)
    expected = [step(link, *each) for each in zip(h, x, strict=True)]
    compare.assert_allclose(y.array, expected, atol=5e-3 if dtype == 'e' else 1e-5)


@pytest.mark.parametrize('cls', [links.GRU, links.StatefulGRU])
def test_stateful(device, cls):
    link = device.send(scramble(cls(3, 4)))
    x = random(2, 3)
    y = link(device.send(x))
    # The first step knows of no state, nor of the biases that belong to it.
    expected = [
        sigmoid(affine(link.W_z, row)) * np.tanh(affine(link.W, row)) for row in x]
    compare.assert_allclose(y.array, expected, rtol=1e-5)
    expected = [step(link, *each) for each in zip(to_cpu(y.array), x, strict=True)]
    compare.assert_allclose(link(device.send(x)).array, expected, rtol=1e-5)
    assert link.state_size == 4


def test_gradients(device):
    with chainer_fast.using_config('dtype', np.dtype('d')):
        link = device.send(scramble(links.StatelessGRU(3, 2)))
    h, x, gy = [random(2, n).astype('d') for n in (2, 3, 2)]
    params = tuple(link.params())
    gradient_check.check_backward(
        link, device.send((h, x)), device.send(gy), params, atol=1e-6)
    gradient_check.check_double_backward(
        link, device.send((h, x)), device.send(gy), device.send((h, x)), params,
        device.send([random(*p.shape).astype('d') for p in params]), atol=1e-5)


def test_initial_values():
    # What Chainer 7.8.1 draws.
    np.random.seed(0)
    link = links.GRU(2, 1)
    drawn = [getattr(link, name).W.array[0, 0] for name in (
        'W_r', 'U_r', 'W_z', 'U_z', 'W', 'U')]
    compare.assert_allclose(drawn, [
        1.2473733, .97873801, 1.5845507, -.97727787, .67181396, -.10321885], rtol=1e-6)
    assert [name for name, _ in link.namedparams()] == [
        '/%s/%s' % (child, kind) for child in ('U', 'U_r', 'U_z', 'W', 'W_r', 'W_z')
        for kind in 'Wb']


@pytest.mark.parametrize('cls, calls, drawn', [
    (links.GRU, [(2,), (2,)], [-.107025705, 1.5845507, -.6910398]),
    (links.StatelessGRU, [(1, 2)], [1.5845507, -.6910398, -.107025705])])
def test_deferred_initialization(device, cls, calls, drawn):
    np.random.seed(0)
    link = device.send(cls(None, 1))
    for sizes in calls:
        link(*device.send([np.ones((1, n), 'f') for n in sizes]))
    compare.assert_allclose(
        [getattr(link, name).W.array[0, 0] for name in ('W_r', 'W_z', 'W')], drawn,
        rtol=1e-6)


def test_initializers():
    link = links.GRU(3, 2, init=1, inner_init=2, bias_init=3)
    for name, value in (('W_r', 1), ('W', 1), ('U_z', 2), ('U', 2)):
        assert (getattr(link, name).W.array == value).all()
        assert (getattr(link, name).b.array == 3).all()


@pytest.mark.parametrize('n', [0, 2, 3])
def test_number_of_arguments(device, n):
    link = device.send(links.GRU(3, 3))
    with pytest.raises(ValueError, match='StatelessGRU' if n == 2 else str(n)):
        link(*device.send([random(2, 3)] * n))
