"""Matrix products."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import gradient_check
from chainer_fast.functions.math import matmul as matmul_mod
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare

SHAPES = [((3, 2), (2, 4)), ((2,), (2, 4)), ((3, 2), (2,)), ((2,), (2,)),
          ((5, 3, 2), (5, 2, 4)), ((5, 3, 2), (2, 4)), ((3, 2), (5, 2, 4)),
          ((5, 3, 2), (2,)), ((2,), (5, 2, 4)), ((1, 3, 2), (5, 2, 4)),
          ((2, 1, 3, 2), (5, 2, 4)), ((5, 3, 2), (1, 2, 4)),
          ((2, 5, 3, 2), (1, 2, 4)), ((5, 3, 2), (1, 1, 2, 4)), ((0, 2), (2, 4)),
          ((3, 0), (0, 4)), ((0, 3, 2), (0, 2, 4))]


def uniform(shape, dtype='d', seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


def operands(shapes, transa, transb, dtype='d'):
    """Arrays that give the product of arrays of these shapes when transposed."""
    a, b = uniform(shapes[0], dtype), uniform(shapes[1], dtype, 1)
    expected = np.matmul(a, b)
    if transa and a.ndim > 1:
        a = a.swapaxes(-1, -2).copy()
    if transb and b.ndim > 1:
        b = b.swapaxes(-1, -2).copy()
    return a, b, expected


@pytest.mark.parametrize('shapes', SHAPES)
@pytest.mark.parametrize('transa', [False, True])
@pytest.mark.parametrize('transb', [False, True])
def test_product_and_gradients(device, shapes, transa, transb):
    a, b, expected = operands(shapes, transa, transb)

    def f(a, b):
        return F.matmul(a, b, transa, transb)

    y = f(*device.send((a, b)))
    assert isinstance(y.array, device.xp.ndarray)
    compare.assert_allclose(y.array, expected)
    gy = device.send(uniform(y.shape, seed=2))
    gradient_check.check_backward(f, device.send((a, b)), gy, rtol=1e-4, atol=1e-5)
    gradient_check.check_double_backward(
        lambda a, b: f(a, b) ** 2, device.send((a, b)), gy,
        device.send((uniform(a.shape, seed=3), uniform(b.shape, seed=4))), rtol=1e-3,
        atol=1e-4)


@pytest.mark.parametrize('dtypes, expected', [
    ('ee', 'e'), ('ff', 'f'), ('dd', 'd'), ('ef', 'f'), ('fd', 'd')])
@pytest.mark.parametrize('shapes', [((3, 2), (2, 4)), ((2,), (2,)),
                                    ((5, 3, 2), (2, 4))])
def test_dtypes(device, dtypes, expected, shapes):
    a, b = (
        Variable(device.send(uniform(s, d)))
        for s, d in zip(shapes, dtypes, strict=True))
    y = F.matmul(a, b)
    assert y.dtype == expected
    y.grad = np.ones_like(y.array)
    y.backward()
    assert (a.grad.dtype, b.grad.dtype) == (a.dtype, b.dtype)


def test_strided_operands(device):
    a, b = uniform((4, 6))[::2, ::-1], uniform((4, 6), seed=1).T
    compare.assert_allclose(
        F.matmul(device.send(a), device.send(b[:, :3])).array,
        a.copy().dot(b[:, :3].copy()))


@pytest.mark.parametrize('shapes', [((), ()), ((3, 2), ()), ((3, 2), (3, 4)),
                                    ((3,), (2,)), ((2, 3, 2), (3, 2, 4))])
def test_wrong_shapes(device, shapes):
    with pytest.raises(type_check.InvalidType):
        F.matmul(device.send(uniform(shapes[0])), device.send(uniform(shapes[1])))


def test_integers_are_refused(device):
    with pytest.raises(type_check.InvalidType):
        F.matmul(device.send(np.ones((2, 2), int)), device.send(np.ones((2, 2), int)))


def test_transposed_result_is_contiguous(device):
    a, b = uniform((3, 2)), uniform((2, 4), seed=1)
    y = matmul_mod._matmul(*device.send((a, b)), transout=True)
    assert y.flags.c_contiguous
    compare.assert_allclose(y, a.dot(b).T)


@pytest.mark.parametrize('trans, right, expected', [
    (False, False, 1), (True, False, 0), (False, True, 0), (True, True, 1)])
def test_axis_that_is_summed_over(trans, right, expected):
    assert matmul_mod._get_check_index(trans, right) == expected
    assert matmul_mod._get_check_index(trans, right, -2, -1) == expected - 2


@pytest.mark.parametrize('shapes', [((5, 3, 2), (5, 2, 4)), ((5, 3), (5, 1, 4)),
                                    ((5, 3, 2), (5, 2))])
@pytest.mark.parametrize('transa', [False, True])
@pytest.mark.parametrize('transb', [False, True])
@pytest.mark.filterwarnings('ignore:batch_matmul:DeprecationWarning')
def test_batches(device, shapes, transa, transb):
    a, b = uniform(shapes[0]), uniform(shapes[1], seed=1)
    left, right = (x[:, :, None] if x.ndim == 2 else x for x in (a, b))
    expected = np.matmul(left, right)
    if transa:
        a = left.swapaxes(1, 2).copy()
    if transb:
        b = right.swapaxes(1, 2).copy()

    def f(a, b):
        return F.batch_matmul(a, b, transa, transb)

    y = f(*device.send((a, b)))
    compare.assert_allclose(y.array, expected)
    gy = device.send(uniform(y.shape, seed=2))
    gradient_check.check_backward(f, device.send((a, b)), gy, rtol=1e-4, atol=1e-5)
    gradient_check.check_double_backward(
        f, device.send((a, b)), gy,
        device.send((uniform(a.shape, seed=3), uniform(b.shape, seed=4))), rtol=1e-3,
        atol=1e-4)


@pytest.mark.parametrize('shapes', [((2, 3, 4), (2, 3, 5)), ((2, 3, 4), (3, 4, 5)),
                                    ((3, 4), (2,)), ((2, 3), (2, 3))])
@pytest.mark.filterwarnings('ignore:batch_matmul:DeprecationWarning')
def test_wrong_batches(device, shapes):
    with pytest.raises(type_check.InvalidType):
        F.batch_matmul(device.send(uniform(shapes[0])), device.send(uniform(shapes[1])))


def test_batch_matmul_is_deprecated(device):
    x = device.send(uniform((2, 3, 3)))
    with pytest.warns(DeprecationWarning, match='Use matmul'):
        F.batch_matmul(x, x)


@pytest.mark.parametrize('shapes', [((3, 2), (2, 4)), ((5, 3, 2), (2, 4)),
                                    ((2,), (2, 4)), ((3, 2), (2,)), ((2,), (2,))])
@pytest.mark.parametrize('transa', [False, True])
@pytest.mark.parametrize('transb', [False, True])
def test_function_with_transposed_result(device, shapes, transa, transb):
    a, b, expected = operands(shapes, transa, transb)
    if min(a.ndim, b.ndim) > 1:
        expected = expected.swapaxes(-1, -2)

    def f(a, b):
        function = matmul_mod.MatMul(transa, transb, transc=True, dtype=np.float64)
        return function.apply((a, b))[0]

    compare.assert_allclose(f(*device.send((a, b))).array, expected)
    gradient_check.check_backward(
        f, device.send((a, b)), device.send(uniform(expected.shape, seed=2)), rtol=1e-4,
        atol=1e-5)


def test_function_casts_its_result(device):
    function = matmul_mod.MatMul(dtype=np.float16)
    a = Variable(device.send(uniform((3, 2), 'f')))
    b = Variable(device.send(uniform((2, 4), 'd')))
    y, = function.apply((a, b))
    assert y.dtype == np.float16
    F.sum(y).backward()
    assert (a.grad.dtype, b.grad.dtype) == (np.float32, np.float64)


@pytest.mark.parametrize('no', [None, 0, '', np.False_])
def test_what_is_false_transposes_nothing(no):
    a, b = np.arange(12, dtype='f').reshape(3, 4), np.arange(4, dtype='f')
    compare.assert_array_equal(F.matmul(a, b, no).array, a @ b)
    compare.assert_array_equal(F.matmul(a, a.T, no, no).array, a @ a.T)
