"""Sums, averages, extrema, products, and running sums and products, over axes."""
import itertools

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import gradient_check
from chainer_fast.functions.math import _axes, average, minmax
from chainer_fast.functions.math import sum as sum_mod
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare

AXES = [None, 0, 1, -1, (0,), (0, 2), (-1, 0), (0, 1, 2), ()]
REDUCTIONS = {
    'sum': np.sum, 'mean': np.mean, 'max': np.max, 'min': np.min, 'prod': np.prod,
    'logsumexp': lambda x, axis: np.log(np.sum(np.exp(x), axis=axis)),
}
each_reduction = pytest.mark.parametrize('name', REDUCTIONS)


def draw(shape, dtype='d', seed=0):
    """Elements with gaps between them: an extremum stays where it is."""
    n = int(np.prod(shape))
    x = np.random.RandomState(seed).permutation(n) / max(n, 1) * 2 - .9
    return x.reshape(shape).astype(dtype)


@each_reduction
@pytest.mark.parametrize('axis', AXES)
@pytest.mark.parametrize('dtype', 'efd')
def test_values(device, name, axis, dtype):
    x = draw((2, 3, 4), dtype)
    expected = REDUCTIONS[name](x.astype('d'), axis=axis)
    tolerance = {'e': 1e-2, 'f': 1e-5, 'd': 1e-12}[dtype]
    kwargs = [{}] if name == 'logsumexp' else [{}, {'keepdims': True}]
    for kw in kwargs:
        y = getattr(F, name)(device.send(x), axis=axis, **kw)
        assert y.dtype == dtype
        assert isinstance(y.array, device.xp.ndarray)
        shape = np.sum(x, axis=axis, **kw).shape
        assert y.shape == shape
        compare.assert_allclose(
            y.array, expected.reshape(shape), tolerance, tolerance)


@each_reduction
@pytest.mark.parametrize('axis', AXES)
def test_gradients(device, name, axis):
    x = device.send(draw((2, 3, 4)))
    for keepdims in (False,) if name == 'logsumexp' else (False, True):
        kw = {'keepdims': True} if keepdims else {}

        def f(x, kw=kw):
            return getattr(F, name)(x, axis=axis, **kw)

        gy = device.send(draw(f(x).shape, seed=1))
        gradient_check.check_backward(f, x, gy, eps=1e-4, rtol=1e-4, atol=1e-4)
        gradient_check.check_double_backward(
            lambda x, f=f: f(x) * f(x), x, gy,
            device.send(draw(x.shape, seed=2)), eps=1e-4, rtol=1e-3, atol=1e-3)


@each_reduction
@pytest.mark.parametrize('axis', [None, (0, 2)])
def test_gradients_keep_the_dtype(device, name, axis):
    x = Variable(device.send(draw((2, 3, 4), 'e')))
    F.sum(getattr(F, name)(x, axis=axis)).backward()
    assert x.grad.dtype == np.float16


@each_reduction
def test_0_dimensional_input(device, name):
    x = Variable(device.send(np.array(.5, 'f')))
    y = getattr(F, name)(x)
    y.backward()
    assert (y.shape, x.grad.shape) == ((), ())
    compare.assert_allclose([y.array, x.grad], [.5, 1])


@each_reduction
@pytest.mark.parametrize('axis, error', [
    (3, type_check.InvalidType), (-4, type_check.InvalidType),
    ((0, 3), type_check.InvalidType), ((0, 0), ValueError), ((0, -3), ValueError),
    ('x', TypeError), (1., TypeError), ([0], TypeError), ((0, 'x'), TypeError)])
def test_wrong_axes(device, name, axis, error):
    with pytest.raises(error):
        getattr(F, name)(device.send(draw((2, 3, 4))), axis=axis)


@each_reduction
def test_integers_are_refused(device, name):
    with pytest.raises(type_check.InvalidType):
        getattr(F, name)(device.send(np.array([1, 2])))


def test_strided_input(device):
    x = draw((4, 6))[::2, ::-1].T
    for name, f in REDUCTIONS.items():
        compare.assert_allclose(
            getattr(F, name)(device.send(x), axis=0).array, f(x, axis=0))


def test_empty_input(device):
    x = Variable(device.send(np.empty((0, 3), 'f')))
    for name, expected in (('sum', 0), ('prod', 1)):
        y = getattr(F, name)(x)
        assert y.array == expected
        y.backward()
        assert x.grad.shape == (0, 3)
        x.cleargrad()
    with pytest.raises(ZeroDivisionError):
        F.average(x)
    with pytest.raises(ValueError):
        F.max(x)
    for name in REDUCTIONS:
        assert getattr(F, name)(x, axis=1).shape == (0,)


def test_attributes():
    assert sum_mod.Sum(1).axis == (1,)
    assert minmax.Max((0, 1), True).keepdims
    assert minmax.ArgMax(1).axis == 1
    assert average.Mean(None, False).axis is None
    assert _axes.kept_shape((2, 3), (-1,)) == (2, 1)


# Sums of a shape


@pytest.mark.parametrize('shape', [(2, 3), (2, 1), (1, 3), (3,), (1,), ()])
def test_sum_to(device, shape):
    x = draw((2, 3))
    y = F.sum_to(device.send(x), shape)
    assert y.shape == shape
    compare.assert_allclose(np.sum(y.array), x.sum())
    gradient_check.check_backward(
        lambda x: F.sum_to(x, shape), device.send(x), device.send(draw(shape, seed=1)),
        rtol=1e-5)


def test_sum_to_its_own_shape_is_no_function(device):
    x = Variable(device.send(draw((2, 3))))
    assert F.sum_to(x, (2, 3)) is x


def test_sum_is_the_adjoint_of_broadcasting(device):
    x = Variable(device.send(np.ones((2, 1), 'e')))
    y = x * device.send(np.ones((3, 2, 4), 'e'))
    y.grad = device.send(np.ones((3, 2, 4), 'e'))
    y.backward()
    assert x.grad.dtype == np.float16
    compare.assert_array_equal(x.grad, [[12], [12]])


# Averages


def test_half_precision_average_does_not_overflow(device):
    assert F.average(device.send(np.full(70000, 2, 'e'))).array == 2


@pytest.mark.parametrize('axis', [None, 0, 1, -1])
@pytest.mark.parametrize('keepdims', [False, True])
def test_weighted_average(device, axis, keepdims):
    x = draw((2, 3))
    weights = draw(x.shape if axis is None else (x.shape[axis],), seed=1) + 2
    y = F.average(device.send(x), axis, device.send(weights), keepdims)
    compare.assert_allclose(
        y.array, np.average(x, axis, weights, keepdims=keepdims))
    gradient_check.check_backward(
        lambda x, w: F.average(x, axis, w, keepdims), device.send((x, weights)),
        device.send(draw(y.shape, seed=2)), rtol=1e-4, atol=1e-5)


def test_axis_of_a_weighted_average_in_a_tuple(device):
    x, weights = device.send(draw((2, 3))), device.send(draw((3,), seed=1) + 2)
    compare.assert_array_equal(
        F.average(x, (-1,), weights).array, F.average(x, 1, weights).array)
    with pytest.raises(type_check.InvalidType):
        F.average(x, 2, weights)


def test_weighted_average_over_several_axes(device):
    with pytest.raises(ValueError, match='tuple axis'):
        F.average(device.send(draw((2, 3))), (0, 1), device.send(np.ones(3)))


def test_weighted_average_over_no_axes(device):
    x = device.send(draw((2, 3)))
    y = F.average(x, (), device.send(np.full(1, 2.)))
    compare.assert_allclose(y.array, x)
    with pytest.raises(type_check.InvalidType):
        F.average(x, (), device.send(np.ones(3)))


# Extrema


def test_equal_extrema_share_the_gradient(device):
    for f in F.max, F.min:
        x = Variable(device.send(np.array([[1, 1, 1], [0, 1, 2]], 'f')))
        y = f(x, axis=1)
        y.grad = device.send(np.array([2, 3], 'f'))
        y.backward()
        assert (x.grad[0] == 2).all()
        compare.assert_array_equal(
            x.grad[1], [0, 0, 3] if f is F.max else [3, 0, 0])


@pytest.mark.parametrize('name', ['argmax', 'argmin'])
@pytest.mark.parametrize('axis', [None, 0, 1, -1])
def test_positions(device, name, axis):
    x = Variable(device.send(draw((2, 3), 'f')))
    y = getattr(F, name)(x, axis)
    assert y.dtype == np.int32
    assert isinstance(y.array, device.xp.ndarray)
    compare.assert_array_equal(y.array, getattr(np, name)(x.array, axis))
    y.grad = y.array.copy()
    y.backward()
    assert x.grad is None


@pytest.mark.parametrize('axis, error', [
    (2, type_check.InvalidType), (-3, type_check.InvalidType), ((0,), TypeError),
    ('x', TypeError)])
def test_positions_on_wrong_axes(device, axis, error):
    for f in F.argmax, F.argmin:
        with pytest.raises(error):
            f(device.send(draw((2, 3))), axis)


# Products


@pytest.mark.parametrize('n', range(6))
@pytest.mark.parametrize('zeros', [0, 1, 2])
def test_gradient_of_a_product_with_zeros(device, n, zeros):
    x = draw((n,), seed=n) + .05
    x[:zeros] = 0
    v = Variable(device.send(x))
    F.prod(v).backward(enable_double_backprop=True)
    expected = [np.prod(np.delete(x, i)) for i in range(n)]
    compare.assert_allclose(v.grad, expected)
    gx = v.grad_var
    v.cleargrad()
    F.sum(gx).backward()
    second = np.zeros(n)
    for i, j in itertools.permutations(range(n), 2):
        second[i] += np.prod(np.delete(x, [i, j]))
    if n > 1:
        compare.assert_allclose(v.grad, second, atol=1e-12)


# Logarithms of sums


def test_logsumexp_does_not_overflow(device):
    x = Variable(device.send(np.array([1e4, 1e4, -np.inf])))
    y = F.logsumexp(x)
    y.backward()
    compare.assert_allclose(y.array, 1e4 + np.log(2))
    compare.assert_allclose(x.grad, [.5, .5, 0])


# Running sums and products

each_running = pytest.mark.parametrize('name', ['cumsum', 'cumprod'])


@each_running
@pytest.mark.parametrize('axis', [None, 0, 1, -1])
@pytest.mark.parametrize('zeros', [0, 2])
def test_running(device, name, axis, zeros):
    def f(x):
        return getattr(F, name)(x, axis)

    x = draw((3, 4)) + .06
    x.ravel()[2:2 + zeros] = 0
    for dtype in 'efd':
        y = f(device.send(x.astype(dtype)))
        assert y.dtype == dtype
        kept = 'f' if dtype == 'e' else dtype
        expected = getattr(np, name)(x.astype(dtype), axis, dtype=kept)
        compare.assert_allclose(y.array, expected.astype(dtype), rtol=1e-6)
    gy, ggx = device.send(draw(y.shape, seed=1)), draw(x.shape, seed=2)
    gradient_check.check_backward(f, device.send(x), gy, rtol=1e-4, atol=1e-5)
    gradient_check.check_double_backward(
        lambda x: f(x) * f(x), device.send(x), gy, device.send(ggx), rtol=1e-4,
        atol=1e-4)


@each_running
@pytest.mark.parametrize('shape, axis', [
    ((), None), ((1,), None), ((1,), -1), ((0, 3), None), ((0, 3), -1)])
def test_running_along_short_axes(device, name, shape, axis):
    x = Variable(device.send(draw(shape, 'f')))
    y = getattr(F, name)(x, axis)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert (x.grad.shape, x.grad.dtype) == (shape, np.float32)
    if x.size == 1:
        assert x.grad.sum() == 1


@pytest.mark.parametrize('axis, error', [
    (2, type_check.InvalidType), (-3, type_check.InvalidType), ((0,), TypeError)])
@each_running
def test_running_along_wrong_axes(device, name, axis, error):
    with pytest.raises(error):
        getattr(F, name)(device.send(draw((2, 3))), axis)
