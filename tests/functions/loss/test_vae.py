import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

X, MEAN, LN_VAR = [gradients.uniform((4, 3), seed) for seed in range(3)]
VAR = np.exp(LN_VAR)
P = 1 / (1 + np.exp(-MEAN))
CASES = [
    (F.gaussian_kl_divergence, (MEAN, LN_VAR),
     (MEAN ** 2 + VAR - LN_VAR - 1) / 2),
    (F.bernoulli_nll, (X, MEAN), -X * np.log(P) - (1 - X) * np.log(1 - P)),
    (F.gaussian_nll, (X, MEAN, LN_VAR),
     (np.log(2 * np.pi * VAR) + (X - MEAN) ** 2 / VAR) / 2),
]
each = pytest.mark.parametrize('f, xs, losses', CASES)


@each
@pytest.mark.parametrize('reduce', ['sum', 'mean', 'no'])
def test_values_and_gradients(device, f, xs, losses, reduce):
    expected = losses if reduce == 'no' else getattr(losses, reduce)()
    compare.assert_allclose(f(*device.send(xs), reduce).array, expected)
    gradients.check(device, lambda *xs: f(*xs, reduce), *xs)


@each
@pytest.mark.parametrize('shape', [(), (0,), (2, 0), (2, 3)])
@pytest.mark.parametrize('dtype', 'efd')
def test_shapes_and_dtypes(device, f, xs, losses, shape, dtype):
    y = f(*[Variable(device.send(np.ones(shape, dtype))) for x in xs], 'no')
    assert (y.shape, y.dtype) == (shape, dtype)
    assert f(*device.send([np.ones(shape, dtype) for x in xs])).shape == ()


@each
def test_broadcast(device, f, xs, losses):
    first = xs[0][0]
    y = f(device.send(first), *device.send(xs[1:]), 'no')
    compare.assert_allclose(
        y.array, f(device.send(np.tile(first, (4, 1))), *device.send(xs[1:]),
        'no').array)


@each
def test_unknown_reduction(device, f, xs, losses):
    with pytest.raises(ValueError, match='reduce'):
        f(*device.send(xs), 'half')


def test_large_logits(device):
    y = Variable(device.send(np.array([200, -200, 200, -200], 'f')))
    losses = F.bernoulli_nll(device.send(np.array([0, 0, 1, 1], 'f')), y, 'no')
    compare.assert_allclose(losses.array, [200, 0, 0, 200])
    F.sum(losses).backward()
    compare.assert_allclose(y.grad, [1, 0, 0, -1])
