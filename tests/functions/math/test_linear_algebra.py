"""Inverses, determinants and Cholesky factors."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import using_config
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


def regular(shape, dtype='d', seed=0):
    return (gradients.uniform(shape, seed) * .5 + 2 * np.eye(shape[-1])).astype(dtype)


def positive(n, dtype='d'):
    x = gradients.uniform((n, n))
    return (x @ x.T + np.eye(n)).astype(dtype)


CASES = [(F.inv, np.linalg.inv, (3, 3)), (F.batch_inv, np.linalg.inv, (4, 2, 2)),
         (F.det, np.linalg.det, (3, 3)), (F.batch_det, np.linalg.det, (4, 2, 2))]
EMPTY = [(F.inv, (0, 0)), (F.batch_inv, (0, 2, 2)), (F.batch_inv, (2, 0, 0)),
         (F.batch_det, (0, 2, 2)), (F.batch_det, (2, 0, 0)), (F.det, (0, 0)),
         (F.cholesky, (0, 0))]


@pytest.mark.parametrize('f, expected, shape', CASES)
@pytest.mark.parametrize('dtype', 'efd')
def test_values(device, f, expected, shape, dtype):
    x = regular(shape, dtype)
    y = f(device.send(x))
    assert y.dtype == dtype and isinstance(y.array, device.xp.ndarray)
    tolerance = {'e': 5e-3, 'f': 1e-5, 'd': 1e-12}[dtype]
    compare.assert_allclose(
        y.array, expected(x.astype('d')), rtol=tolerance, atol=tolerance)
    compare.assert_array_equal(f(device.send(np.asfortranarray(x))).array, y.array)


@pytest.mark.parametrize('f, expected, shape', CASES)
def test_gradients(device, f, expected, shape):
    gradients.check(device, f, regular(shape))


@pytest.mark.parametrize('f, shape', EMPTY)
def test_empty(device, f, shape):
    x = np.zeros(shape, 'f')
    y = f(device.send(x))
    assert y.dtype == 'f'
    assert y.shape == (shape if f in (F.inv, F.batch_inv, F.cholesky) else shape[:-2])
    if f in (F.det, F.batch_det) and shape[0] == 2:
        compare.assert_array_equal(y.array, 1)


@pytest.mark.parametrize('f', [F.inv, F.det])
@pytest.mark.parametrize('batch', [(), (2,)])
def test_singular_matrices(device, f, batch):
    f = {F.inv: (F.inv, F.batch_inv), F.det: (F.det, F.batch_det)}[f][len(batch)]
    x = device.send(np.ones((*batch, 2, 2), 'f'))
    # A GPU looks for them in debug mode only.
    with using_config('debug', device.xp is not np):
        if f in (F.inv, F.batch_inv):
            with pytest.raises(ValueError, match='singular'):
                f(x)
        else:
            compare.assert_array_equal(f(x + 0).array, 0)
            v = Variable(x)
            with pytest.raises(ValueError, match='singular'):
                F.sum(f(v)).backward()


@pytest.mark.parametrize('f, shape', [
    (F.inv, (1, 2, 2)), (F.inv, (2, 3)), (F.batch_inv, (2, 2)),
    (F.batch_inv, (1, 2, 3)), (F.batch_det, (2, 2)), (F.batch_det, (1, 2, 3)),
    (F.det, (2, 3)), (F.cholesky, (1, 2, 2)), (F.cholesky, (2,))])
def test_wrong_shapes(device, f, shape):
    with pytest.raises(type_check.InvalidType):
        f(device.send(np.zeros(shape)))


@pytest.mark.parametrize('f', [F.inv, F.det, F.cholesky])
def test_integers_are_turned_down(device, f):
    with pytest.raises(type_check.InvalidType):
        f(device.send(np.eye(2, dtype='i')))


def test_labels(device):
    x = regular((2, 2, 2))
    assert F.batch_det(Variable(device.send(x))).creator.label == 'det'
    assert F.cholesky(Variable(device.send(positive(2)))).creator.label == 'cholesky'


@pytest.mark.parametrize('dtype', 'fd')
def test_cholesky(device, dtype):
    x = positive(4, dtype)
    y = F.cholesky(device.send(x))
    assert y.dtype == dtype
    compare.assert_allclose(y.array @ y.array.T, x, rtol=1e-5)
    compare.assert_array_equal(y.array, np.tril(y.array))


def test_gradients_of_cholesky(device):
    gradients.check(device, lambda x: F.cholesky((x + x.T) * .5), positive(3))


def test_cholesky_looks_at_the_lower_half_and_treats_both_alike(device):
    x = positive(3)
    v = Variable(device.send(np.tril(x)))
    compare.assert_array_equal(F.cholesky(v).array, np.linalg.cholesky(x))
    F.sum(F.cholesky(v)).backward()
    compare.assert_allclose(v.grad, v.grad.T)


@pytest.mark.parametrize('x', [
    pytest.param(-np.eye(2), marks=pytest.mark.host), np.ones((2, 3))])
def test_matrices_without_a_cholesky_factor(device, x):
    with pytest.raises(np.linalg.LinAlgError):
        F.cholesky(device.send(x))
