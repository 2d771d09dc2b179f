"""Products of sparse and dense matrices."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import utils
from chainer_fast.functions.math import sparse_matmul
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


def sparse(shape, dtype='d', seed=0):
    x = gradients.uniform(shape, seed, dtype)
    x[np.abs(x) < .5] = 0
    return x


def shapes(batch, transa, transb):
    a, b = (3, 4), (4, 2)
    return [(*batch, *(s[::-1] if t else s)) for s, t in ((a, transa), (b, transb))]


def product(a, b, transa, transb):
    return np.matmul(a.swapaxes(-1, -2) if transa else a,
                     b.swapaxes(-1, -2) if transb else b)


@pytest.mark.parametrize('batch', [(), (1,), (3,)])
@pytest.mark.parametrize('transa', [False, True])
@pytest.mark.parametrize('transb', [False, True])
@pytest.mark.parametrize('dtypes', ['dd', 'ee', 'ef', 'fd'])
@pytest.mark.parametrize('left', [False, True])
def test_values_and_dtypes(device, batch, transa, transb, dtypes, left):
    a, b = [sparse(s, d) for s, d in
            zip(shapes(batch, transa, transb), dtypes, strict=True)]
    coo = utils.to_coo(device.send(a if left else b), requires_grad=True)
    dense = Variable(device.send(b if left else a))
    y = F.sparse_matmul(*(coo, dense) if left else (dense, coo), transa, transb)
    assert y.dtype == np.result_type(*dtypes)
    compare.assert_allclose(
        y.array, product(a.astype('d'), b.astype('d'), transa, transb),
        rtol=1e-2 if 'e' in dtypes else 1e-5, atol=1e-3)
    F.sum(y).backward()
    assert (coo.data.grad.dtype, dense.grad.dtype) == (coo.data.dtype, dense.dtype)


@pytest.mark.parametrize('batch', [(), (2,)])
@pytest.mark.parametrize('trans', list(np.ndindex(2, 2, 2)))
def test_gradients(device, batch, trans):
    transa, transb, transc = map(bool, trans)
    a, b = [sparse(s) for s in shapes(batch, transa, transb)]
    coo = utils.to_coo(device.send(a))
    data = coo.data.array

    def f(data, b):
        return sparse_matmul.CooMatMul(
            coo.row, coo.col, coo.shape, coo.order, *trans).apply((data, b))[0]

    # Padding has no gradient: none must be asked for.
    data = np.where(coo.row < 0, 0, data)
    mask = (coo.row >= 0).astype('d')
    gradients.check(device, lambda data, b: f(data * mask, b), data, b)


@pytest.mark.parametrize('batch', [(), (2,)])
@pytest.mark.parametrize('trans', list(np.ndindex(2, 2, 2)))
def test_products_sampled_at_coordinates(device, batch, trans):
    transa, transb, transc = map(bool, trans)
    a, b = [gradients.uniform(s, i)
            for i, s in enumerate(shapes(batch, transa, transb))]
    c = product(a, b, transa, transb)
    if transc:
        c = c.swapaxes(-1, -2)
    row, col = np.array([0, 1, -1], 'i'), np.array([1, 0, -1], 'i')
    expected = np.where(row < 0, 0, c[..., row, col])
    if batch:
        row, col = np.stack([row] * 2), np.stack([col] * 2)

    def f(a, b):
        return sparse_matmul.CooMatMulGradSP(
            *device.send((row, col)), c.shape[-2:], 'other', *trans).apply((a, b))[0]

    compare.assert_allclose(f(*device.send((a, b))).array, expected)
    gradients.check(device, f, a, b)


def test_elements_given_twice_add_up(device):
    at = np.array([0, 0], 'i')
    coo = utils.CooMatrix(*device.send((np.ones(2), at, at + 1)), (2, 2))
    compare.assert_array_equal(
        F.sparse_matmul(coo, device.send(np.eye(2))).array, [[0, 2], [0, 0]])


def test_matrices_of_no_elements(device):
    coo = utils.to_coo(device.send(np.zeros((2, 3), 'f')))
    compare.assert_array_equal(
        F.sparse_matmul(coo, device.send(np.ones((3, 2), 'f'))).array, np.zeros((2, 2)))


@pytest.mark.parametrize('dense', [
    np.zeros((2, 2)), np.zeros((1, 3, 2)), np.zeros((3, 2), 'i')])
def test_what_does_not_go_together(device, dense):
    with pytest.raises(type_check.InvalidType):
        F.sparse_matmul(utils.to_coo(device.send(np.eye(3))), device.send(dense))


def test_exactly_one_is_sparse(device):
    x = np.eye(2)
    for args in (x, x), (utils.to_coo(x), utils.to_coo(x)):
        with pytest.raises(ValueError):
            F.sparse_matmul(*device.send(args))


@pytest.mark.parametrize('row, col, shape', [
    ((2,), (3,), (2, 2)), ((2,), (1, 2), (2, 2)), ((1, 1, 2), (1, 1, 2), (2, 2)),
    ((2,), (2,), (2, 2, 2))])
@pytest.mark.parametrize('cls', [
    sparse_matmul.CooMatMul, sparse_matmul.CooMatMulGradSP])
def test_coordinates_of_no_sense(cls, row, col, shape):
    with pytest.raises(ValueError):
        cls(np.zeros(row, 'i'), np.zeros(col, 'i'), shape)
