import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad
from chainer_fast.functions.normalization import (
    decorrelated_batch_normalization as module,
)
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients

uniform = gradients.uniform


def rows_of(x, groups):
    x = np.moveaxis(x, 1, 0)
    return x.reshape(groups, len(x) // groups, -1)


@pytest.mark.parametrize('shape, groups', [((9, 4), 1), ((9, 4), 2), ((3, 6, 2, 3), 2)])
def test_values_and_gradients(device, shape, groups):
    x = uniform(shape)
    size = shape[1] // groups
    mean = device.send(np.ones((groups, size)))
    projection = device.send(np.ones((groups, size, size)))

    def f(x):
        return F.decorrelated_batch_normalization(x, groups=groups, eps=.01)

    rows = rows_of(x, groups)
    count = rows.shape[2]
    y = F.decorrelated_batch_normalization(
        device.send(x), groups=groups, eps=.01, running_mean=mean,
        running_projection=projection, decay=.8).array
    for i, (r, z) in enumerate(zip(rows, rows_of(to_cpu(y), groups), strict=True)):
        cov = np.cov(r, bias=True).reshape(size, size) + .01 * np.eye(size)
        values, vectors = np.linalg.eigh(cov)
        whitening = vectors / np.sqrt(values) @ vectors.T
        compare.assert_allclose(
            z, whitening @ (r - r.mean(1, keepdims=True)), atol=1e-10)
        compare.assert_allclose(mean[i], .8 + .2 * r.mean(1))
        compare.assert_allclose(
            projection[i], .8 + .2 * whitening * count / (count - 1))
    gradients.check(device, f, x, double=False, rtol=1e-3, atol=1e-3)


def test_eigenvalues_that_are_the_same(device):
    # The covariance is a multiple of one, whose eigenvectors are arbitrary.
    x = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], 'd')
    gradients.check(
        device, lambda x: F.decorrelated_batch_normalization(x, groups=1, eps=.1), x,
        double=False, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize('dtype', 'efd')
def test_dtypes(device, dtype):
    x = Variable(device.send(uniform((9, 4, 2), 0, dtype)))
    y = F.decorrelated_batch_normalization(x, groups=2)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert y.dtype == x.grad.dtype == dtype
    compare.assert_allclose(
        y.array, F.decorrelated_batch_normalization(
            x.array.astype('d'), groups=2).array,
        atol=2e-2 if dtype == 'e' else 1e-4)


@pytest.mark.parametrize('groups', [1, 2])
def test_given_statistics(device, groups):
    x = uniform((3, 4, 2))
    size = 4 // groups
    mean = uniform((groups, size), 1)
    projection = uniform((groups, size, size), 2)

    def f(*xs):
        return F.fixed_decorrelated_batch_normalization(*xs, groups=groups)

    expected = projection @ (rows_of(x, groups) - mean[:, :, None])
    y = f(*device.send((x, mean, projection)))
    compare.assert_allclose(rows_of(y.array, groups), expected)
    gradients.check(device, f, x, mean, projection, double=False)


@pytest.mark.parametrize('mean_shape, shape', [
    ((1, 2), (2, 2, 2)), ((2, 2), (1, 2, 2)), ((2, 1), (1, 2, 2)), ((1, 1), (2, 2, 2))])
def test_statistics_in_common(device, mean_shape, shape):
    x = uniform((3, 4, 2))
    mean, projection = uniform(mean_shape, 1), uniform(shape, 2)

    def f(*xs):
        return F.fixed_decorrelated_batch_normalization(*xs, groups=2)

    whole = np.broadcast_to(mean, (2, 2)), np.broadcast_to(projection, (2, 2, 2))
    compare.assert_allclose(
        f(*device.send((x, mean, projection))).array,
        f(*device.send((x, *whole))).array)
    gradients.check(device, f, x, mean, projection, double=False)


@pytest.mark.parametrize('shape', [(0, 4), (2, 4, 0), (1, 4)])
def test_without_or_of_one_sample(device, shape):
    x = Variable(device.send(np.ones(shape, 'f')))
    y = F.decorrelated_batch_normalization(x, groups=2)
    compare.assert_array_equal(y.array, np.zeros(shape))
    y.grad = y.array
    y.backward()
    assert x.grad.shape == shape
    mean, projection = np.ones((2, 2), 'f'), np.ones((2, 2, 2), 'f')
    assert F.fixed_decorrelated_batch_normalization(
        x, device.send(mean), device.send(projection), groups=2).shape == shape


def test_second_gradients_are_refused(device):
    x = Variable(device.send(uniform((9, 4))))
    mean, projection = np.ones((2, 2)), np.ones((2, 2, 2))
    for y in (
            F.decorrelated_batch_normalization(x, groups=2),
            F.fixed_decorrelated_batch_normalization(x, device.send(mean),
            device.send(projection), groups=2)):
        g, = grad([y * y], [x], enable_double_backprop=True)
        with pytest.raises(NotImplementedError):
            grad([g], [x])


def test_errors(device):
    x = uniform((9, 4))
    for options in {}, {'groups': 3}:
        with pytest.raises(type_check.InvalidType):
            F.decorrelated_batch_normalization(device.send(x), **options)
    for spoilt in x.astype(int), x[0]:
        with pytest.raises(type_check.InvalidType):
            F.decorrelated_batch_normalization(device.send(spoilt), groups=2)
    with pytest.raises(TypeError, match='decorrelated_batch_normalization.*train'):
        F.decorrelated_batch_normalization(device.send(x), groups=2, train=True)
    mean, projection = np.ones((2, 2)), np.ones((2, 2, 2))
    with pytest.raises(type_check.InvalidType):
        F.fixed_decorrelated_batch_normalization(
            *device.send((x, mean.astype('f'), projection)), 2)
    with pytest.raises(ValueError, match='mean and projection'):
        F.fixed_decorrelated_batch_normalization(*device.send((x, mean, projection)), 1)


def test_attributes(device):
    f = module.DecorrelatedBatchNormalization(2)
    f.apply(device.send((uniform((9, 4, 3)),)))
    assert f.axis == (0, 2)
    assert [a.shape for a in (f.eigvals, f.eigvectors, f.y_hat_pca)] == [
        (2, 2), (2, 2, 2), (2, 2, 27)]
