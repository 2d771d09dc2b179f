"""Penalties on covariances."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

Y, Z = gradients.uniform((6, 3)), gradients.uniform((6, 2), 1)
CROSS = (Y - Y.mean(0)).T @ (Z - Z.mean(0)) / 6
OWN = (Y - Y.mean(0)).T @ (Y - Y.mean(0)) / 6 * (1 - np.eye(3))
reduce = pytest.mark.parametrize('reduce', ['half_squared_sum', 'no'])


def reduced(matrix, reduce):
    return matrix if reduce == 'no' else (matrix ** 2).sum() / 2


@reduce
def test_cross_covariance(device, reduce):
    y = F.cross_covariance(device.send(Y), device.send(Z), reduce)
    compare.assert_allclose(y.array, reduced(CROSS, reduce))
    gradients.check(device, lambda y, z: F.cross_covariance(y, z, reduce), Y, Z)


@reduce
def test_decov(device, reduce):
    y = F.decov(device.send(Y), reduce)
    compare.assert_allclose(y.array, reduced(OWN, reduce))
    gradients.check(device, lambda h: F.decov(h, reduce), Y, double=False)


@reduce
@pytest.mark.parametrize('dtype', 'ef')
@pytest.mark.parametrize('f, n', [(F.cross_covariance, 2), (F.decov, 1)])
def test_dtypes(device, f, n, dtype, reduce):
    vs = [Variable(device.send(x.astype(dtype))) for x in (Y, Z)[:n]]
    y = f(*vs, reduce)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert {y.dtype, *[v.grad.dtype for v in vs]} == {np.dtype(dtype)}


def test_no_columns(device):
    assert F.cross_covariance(device.send(Y[:, :0]), device.send(Z)).array == 0
    assert F.decov(device.send(Y[:, :0])).array == 0
    assert F.decov(device.send(Y[:, :0]), 'no').shape == (0, 0)


def test_no_samples(device):
    with pytest.warns(RuntimeWarning):
        assert np.isnan(
            F.cross_covariance(device.send(Y[:0]), device.send(Z[:0])).array)
    with pytest.warns(RuntimeWarning):
        assert np.isnan(F.decov(device.send(Y[:0])).array)


def test_errors(device):
    for f in F.decov, lambda h, *args: F.cross_covariance(h, h, *args):
        with pytest.raises(ValueError, match='reduce'):
            f(Y, 'mean')
        with pytest.raises(type_check.InvalidType):
            f(Y[:, :, None])
        with pytest.raises(type_check.InvalidType):
            f(Y.astype('i'))
    with pytest.raises(type_check.InvalidType):
        F.cross_covariance(device.send(Y), device.send(Z[:5]))
    with pytest.raises(type_check.InvalidType):
        F.cross_covariance(device.send(Y), device.send(Z.astype('f')))
