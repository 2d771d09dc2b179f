import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import using_config
from chainer_fast.functions.normalization import batch_renormalization as module
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

uniform = gradients.uniform


def composed(x, gamma, beta, rmax, dmax, eps, mean, var, axes, shape):
    """The formula with differentiable functions, corrections being constants."""
    mu = F.mean(x, axes, keepdims=True)
    sigma = F.sqrt(F.mean((x - mu) ** 2, axes, keepdims=True) + eps)
    running = np.sqrt(var + eps).reshape(shape)
    r = np.clip(sigma.array / running, 1 / rmax, rmax)
    d = np.clip((mu.array - mean.reshape(shape)) / running, -dmax, dmax)
    return ((x - mu) / sigma * r + d) * F.reshape(gamma, shape) + F.reshape(beta, shape)


@pytest.mark.parametrize('update', [True, False])
@pytest.mark.parametrize('shape, keys, axes, kept', [
    ((5, 3), (3,), 0, (1, 3)), ((5, 3, 4), (3,), (0, 2), (1, 3, 1)),
    ((5, 3, 2), (3, 2), 0, (1, 3, 2))])
def test_values_and_gradients(device, shape, keys, axes, kept, update):
    arrays = uniform(shape, 0, low=-3, high=3), uniform(keys, 1), uniform(keys, 2)
    old = uniform(keys, 3), uniform(keys, 4, low=.1, high=2)
    mean, var = device.send((old[0].copy(), old[1].copy()))
    results = []
    for f in (
            lambda *xs: F.batch_renormalization(
                *xs, 1.5, .4, .01, mean, var, .8, update),
            lambda *xs: composed(*xs, 1.5, .4, .01, *device.send(old), axes, kept)):
        xs = [Variable(device.send(x)) for x in arrays]
        y = f(*xs)
        y.grad = device.send(uniform(shape, 5))
        y.backward()
        results.append([y.array, *[x.grad for x in xs]])
    for found, expected in zip(*results, strict=True):
        compare.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
    if update:
        x, count = arrays[0], arrays[0].size // arrays[1].size
        old = (.8 * old[0] + .2 * x.mean(axes),
               .8 * old[1] + .2 * x.var(axes) * count / (count - 1))
    compare.assert_allclose(mean, old[0])
    compare.assert_allclose(var, old[1])


@pytest.mark.parametrize('dtypes', ['eef', 'eff', 'fed', 'ffd'])
def test_dtypes(device, dtypes):
    x = Variable(device.send(uniform((6, 3), 0, dtypes[0])))
    gamma, beta = [Variable(device.send(uniform((3,), i, dtypes[1]))) for i in (1, 2)]
    y = F.batch_renormalization(
        x, gamma, beta, 2, 1, running_mean=device.send(np.zeros(3, dtypes[2])),
        running_var=device.send(np.ones(3, dtypes[2])), update_statistics=True)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert [v.dtype for v in (y, x.grad, gamma.grad)] == [
        dtypes[0], dtypes[0], dtypes[1]]


def test_what_is_required(device):
    x, v = uniform((4, 3)), np.ones(3)
    with pytest.raises(TypeError, match='running_mean'):
        F.batch_renormalization(
            *device.send((x, v, v)), 2, 1, running_var=device.send(v))
    with pytest.raises(TypeError, match='running_var'):
        F.batch_renormalization(
            *device.send((x, v, v)), 2, 1, running_mean=device.send(v))
    with using_config('train', False), pytest.raises(AssertionError):
        F.batch_renormalization(
            *device.send((x, v, v)), 2, 1, running_mean=device.send(v),
            running_var=device.send(v))
    with pytest.raises(type_check.InvalidType):
        F.batch_renormalization(
            *device.send((x, v, v[:2])), 2, 1, running_mean=device.send(v),
            running_var=device.send(v))


def test_deprecations(device):
    mean, var = np.zeros(3), np.ones(3)
    f = module.BatchRenormalizationFunction(mean=mean, var=var)
    for name, array in (('running_mean', mean), ('running_var', var)):
        with pytest.deprecated_call():
            assert getattr(f, name) is array
    x = uniform((4, 3))
    with pytest.deprecated_call():
        y = F.fixed_batch_renormalization(
            *device.send((x, var, mean, mean, var)), eps=.5)
    compare.assert_allclose(y.array, x / np.sqrt(1.5))


def test_empty(device):
    mean, var = np.zeros(3), np.ones(3)
    y = F.batch_renormalization(
        *device.send((np.empty((0, 3)), var, mean)), 2, 1,
        running_mean=device.send(mean), running_var=device.send(var),
        update_statistics=True)
    assert y.shape == (0, 3)
    compare.assert_array_equal(mean, 0)
    compare.assert_array_equal(var, 1)
