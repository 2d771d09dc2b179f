"""Functions of several arrays, and of an array and settings."""
import numpy as np
import pytest
import scipy.special

from chainer_fast import configuration, gradient_check
from chainer_fast import functions as F
from chainer_fast.functions.math import clip as clip_mod
from chainer_fast.functions.math import maximum as maximum_mod
from chainer_fast.functions.math import minimum as minimum_mod
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.devices import to_cpu

PAIRS = {'maximum': np.maximum, 'minimum': np.minimum, 'arctan2': np.arctan2,
         'fmod': np.fmod}
each_pair = pytest.mark.parametrize('name', PAIRS)


def spread(shape, dtype='d', seed=0, offset=0.):
    """Elements with gaps between them, and gaps to those of another offset."""
    n = int(np.prod(shape))
    x = np.random.RandomState(seed).permutation(n) * .37 + .5 + offset
    return x.astype(dtype).reshape(shape)


@each_pair
@pytest.mark.parametrize('shapes', [((3, 2), (3, 2)), ((), ()), ((3, 1), (1, 2)),
                                    ((2,), (3, 2)), ((0, 2), (2,))])
def test_pairs(device, name, shapes):
    f = getattr(F, name)
    xs = spread(shapes[0]), spread(shapes[1], seed=1, offset=.1)
    for dtype in 'efd':
        arrays = [x.astype(dtype) for x in xs]
        y = f(*device.send(arrays))
        assert y.dtype == dtype
        assert isinstance(y.array, device.xp.ndarray)
        compare.assert_array_equal(y.array, PAIRS[name](*arrays))
    gy = device.send(spread(y.shape, seed=2))
    ggs = spread(shapes[0], seed=3), spread(shapes[1], seed=4)
    gradient_check.check_backward(f, device.send(xs), gy, rtol=1e-4, atol=1e-4)
    gradient_check.check_double_backward(
        lambda a, b: f(a, b) ** 2, device.send(xs), gy, device.send(ggs), rtol=1e-3,
        atol=1e-3)


@each_pair
def test_gradients_of_pairs_keep_the_dtype(device, name):
    arrays = spread((3, 1), 'e'), spread((2,), 'e', offset=.1)
    xs = [Variable(array) for array in device.send(arrays)]
    F.sum(getattr(F, name)(*xs)).backward()
    assert [x.grad.dtype for x in xs] == [np.float16] * 2
    assert [x.grad.shape for x in xs] == [(3, 1), (2,)]


@each_pair
def test_integers_are_refused(device, name):
    with pytest.raises(type_check.InvalidType):
        getattr(F, name)(device.send(np.array([1, 2])), device.send(np.array([1, 2])))


@pytest.mark.parametrize('name', ['maximum', 'minimum', 'fmod'])
def test_dtypes_must_agree(device, name):
    with pytest.raises(type_check.InvalidType):
        getattr(F, name)(device.send(np.ones(2, 'f')), device.send(np.ones(2, 'd')))


def test_arctan2_of_two_dtypes(device):
    x1 = Variable(device.send(np.ones(2, 'f')))
    x2 = Variable(device.send(np.ones(2, 'd')))
    y = F.arctan2(x1, x2)
    assert y.dtype == np.float64
    F.sum(y).backward()
    assert (x1.grad.dtype, x2.grad.dtype) == (np.float32, np.float64)


@pytest.mark.parametrize('name', ['maximum', 'minimum'])
def test_shapes_must_broadcast(device, name):
    with pytest.raises(type_check.InvalidType):
        getattr(F, name)(device.send(np.ones((3, 2))), device.send(np.ones((3, 3))))


@pytest.mark.parametrize('name', ['maximum', 'minimum'])
def test_the_first_of_equal_elements_gets_the_gradient(device, name):
    x1 = Variable(device.send(np.ones(2, 'f')))
    x2 = Variable(device.send(np.ones(2, 'f')))
    F.sum(getattr(F, name)(x1, x2)).backward()
    compare.assert_array_equal(x1.grad, [1, 1])
    compare.assert_array_equal(x2.grad, [0, 0])


@pytest.mark.parametrize('name, second', [('maximum', 2), ('minimum', 0)])
def test_gradient_where_an_element_is_no_number(device, name, second):
    x1 = Variable(device.send(np.array([np.nan, 1, np.nan, 1])))
    x2 = Variable(device.send(np.array([1, np.nan, np.nan, 1])))
    y = getattr(F, name)(x1, x2)
    y.grad = device.send(np.full(4, 2.))
    y.backward()
    compare.assert_array_equal(x1.grad, [0, 0, 0, 2])
    compare.assert_array_equal(x2.grad, [second, second, second, 0])


def test_attributes_of_gradient_functions(device):
    x1, x2 = device.send((np.array([1., 3.]), np.array([2., 2.])))
    grad = maximum_mod.MaximumGrad(x1, x2)
    compare.assert_array_equal(grad.cond, [False, True])
    assert (grad.x1_shape, grad.x2_shape) == ((2,), (2,))
    grad = minimum_mod.MinimumGrad(x1, x2)
    assert grad.x1 is x1
    assert grad.x2 is x2


# Clipping


@pytest.mark.parametrize('bounds', [(-.5, .5), (None, .5), (-.5, None), (-1, 1),
                                    (np.float64(-.5), np.float64(.5))])
@pytest.mark.parametrize('shape', [(3, 4), (), (0, 2)])
def test_clip(device, bounds, shape):
    x = spread(shape, offset=-1.4)
    for dtype in 'efd':
        y = F.clip(device.send(x.astype(dtype)), *bounds)
        assert y.dtype == dtype
        assert isinstance(y.array, device.xp.ndarray)
        compare.assert_allclose(
            y.array, np.clip(x.astype(dtype), *bounds), rtol=1e-6)
    gradient_check.check_backward(
        lambda x: F.clip(x, *bounds), device.send(x),
        device.send(spread(shape, seed=1)), rtol=1e-4, atol=1e-4)
    gradient_check.check_double_backward(
        lambda x: F.clip(x, *bounds) ** 2, device.send(x),
        device.send(spread(shape, seed=1)), device.send(spread(shape, seed=2)),
        rtol=1e-3, atol=1e-3)


def test_clip_passes_the_gradient_at_its_bounds(device):
    x = Variable(device.send(np.array([-2., -1., 0., 1., 2.], 'f')))
    F.sum(F.clip(x, -1, 1)).backward()
    compare.assert_array_equal(x.grad, [0, 1, 1, 1, 0])
    grad = clip_mod.ClipGrad(x.array, None, 1)
    compare.assert_array_equal(grad.cond, [True, True, True, True, False])


@pytest.mark.parametrize('bounds', [(1, 1), (2, 1), (None, None)])
def test_wrong_bounds(device, bounds):
    with pytest.raises(ValueError):
        F.clip(device.send(np.ones(2, 'f')), *bounds)


# Interpolation


@pytest.mark.parametrize('shape', [(3, 2), (), (0, 2)])
def test_linear_interpolate(device, shape):
    p, x, y = (spread(shape, seed=i) for i in range(3))
    for dtype in 'efd':
        z = F.linear_interpolate(*[device.send(v.astype(dtype)) for v in (p, x, y)])
        assert z.dtype == dtype
        compare.assert_allclose(
            z.array, p * x + (1 - p) * y, *(5e-3 if dtype == 'e' else 1e-5,) * 2)
    gz = device.send(spread(shape, seed=3))
    ggs = [spread(shape, seed=i) for i in (4, 5, 6)]
    gradient_check.check_backward(
        F.linear_interpolate, device.send((p, x, y)), gz, rtol=1e-4, atol=1e-4)
    gradient_check.check_double_backward(
        F.linear_interpolate, device.send((p, x, y)), gz, device.send(ggs), rtol=1e-3,
        atol=1e-3)


@pytest.mark.parametrize('other', [np.ones(2, 'd'), np.ones(2, int), np.ones(3, 'f')])
def test_interpolation_of_unlike_arrays(device, other):
    x = np.ones(2, 'f')
    with pytest.raises(type_check.InvalidType):
        F.linear_interpolate(*device.send((x, x, other)))


# Arrays that lack axes


@pytest.mark.parametrize('name, op', [('scale', np.multiply), ('bias', np.add)])
@pytest.mark.parametrize('axis, shape, full', [
    (1, (3,), (1, 3, 1)), (0, (2, 3), (2, 3, 1)), (2, (4,), (1, 1, 4)),
    (0, (2, 3, 4), (2, 3, 4)), (1, (), (1, 1, 1))])
def test_scale_and_bias(device, name, op, axis, shape, full):
    x, y = spread((2, 3, 4)), spread(shape, seed=1)
    z = getattr(F, name)(device.send(x), device.send(y), axis)
    compare.assert_allclose(z.array, op(x, y.reshape(full)))
    gradient_check.check_backward(
        lambda x, y: getattr(F, name)(x, y, axis), device.send((x, y)),
        device.send(spread(x.shape, seed=2)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize('name', ['scale', 'bias'])
def test_axes_that_do_not_fit(device, name):
    x, y = device.send(np.ones((2, 3), 'f')), device.send(np.ones((1,), 'f'))
    getattr(F, name)(x, y)
    with pytest.raises(type_check.InvalidType):
        getattr(F, name)(x, device.send(np.ones((2,), 'f')))
    with configuration.using_config('debug', True), pytest.raises(AssertionError):
        getattr(F, name)(x, y)


# Lengths


@pytest.mark.parametrize('shape', [(3, 4), (3, 2, 2), (0, 4), (3, 0)])
def test_batch_l2_norm_squared(device, shape):
    x = spread(shape)
    for dtype in 'efd':
        y = F.batch_l2_norm_squared(device.send(x.astype(dtype)))
        assert y.dtype == dtype
        compare.assert_allclose(
            y.array, (x * x).reshape(len(x), np.prod(shape[1:])).sum(1),
            rtol=5e-3 if dtype == 'e' else 1e-5)
    gy = device.send(spread(shape[:1], seed=1))
    gradient_check.check_backward(
        F.batch_l2_norm_squared, device.send(x), gy, rtol=1e-4, atol=1e-4)
    gradient_check.check_double_backward(
        F.batch_l2_norm_squared, device.send(x), gy, device.send(spread(shape, seed=2)),
        rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize('x', [np.ones(3, 'f'), np.ones((2, 2), int)])
def test_batch_l2_norm_squared_refuses(device, x):
    with pytest.raises(type_check.InvalidType):
        F.batch_l2_norm_squared(device.send(x))


# Polygamma functions


@pytest.mark.parametrize('n', [np.array(0), np.array([1, 2], np.int32),
                               np.array([[0, 1], [2, 3], [1, 1]])])
def test_polygamma(device, n):
    x = spread((3, 2)) + 1
    for dtype in 'efd':
        y = F.polygamma(device.send(n), device.send(x.astype(dtype)))
        assert y.dtype == dtype
        compare.assert_allclose(
            y.array, scipy.special.polygamma(n, x),
            rtol=2e-2 if dtype == 'e' else 1e-5)
    gy, ggx = device.send(spread((3, 2), seed=1)), spread((3, 2), seed=2)
    gradient_check.check_backward(
        lambda x: F.polygamma(device.send(n), x), device.send(x), gy, rtol=1e-4,
        atol=1e-4)
    gradient_check.check_double_backward(
        lambda x: F.polygamma(device.send(n), x), device.send(x), gy, device.send(ggx),
        rtol=1e-3, atol=1e-3)


def test_polygamma_of_a_broadcast_array(device):
    x = Variable(device.send(np.array([1.5, 2.5])))
    F.sum(F.polygamma(device.send(np.array([[0], [1], [2]])), x)).backward()
    compare.assert_allclose(
        x.grad, sum(scipy.special.polygamma(n, to_cpu(x.array)) for n in (1, 2, 3)))


def test_polygamma_takes_integer_orders(device):
    with pytest.raises(type_check.InvalidType):
        F.polygamma(device.send(np.ones(2, 'f')), device.send(np.ones(2, 'f')))


# The zeta function


@pytest.mark.parametrize('x', [2, 2.5, np.float32(3), np.array([2, 4]),
                               pytest.param([2., 3.], marks=pytest.mark.host),
                               np.array([[1.5, 2.], [3., 4.], [5., 6.]])])
def test_zeta(device, x):
    q = spread((3, 2)) + 1
    for dtype in 'efd':
        y = F.zeta(device.send(x), device.send(q.astype(dtype)))
        assert y.dtype == dtype
        compare.assert_allclose(
            y.array, scipy.special.zeta(x, q), rtol=2e-2 if dtype == 'e' else 1e-5)
    gy, ggq = device.send(spread((3, 2), seed=1)), spread((3, 2), seed=2)
    gradient_check.check_backward(
        lambda q: F.zeta(device.send(x), q), device.send(q), gy, rtol=1e-4, atol=1e-4)
    gradient_check.check_double_backward(
        lambda q: F.zeta(device.send(x), q), device.send(q), gy, device.send(ggq),
        rtol=1e-3, atol=1e-3)


def test_zeta_of_integers(device):
    with pytest.raises(type_check.InvalidType):
        F.zeta(2, device.send(np.array([1, 2])))


# The identity


def test_identity(device):
    arrays = np.ones((2, 3), 'e'), np.ones(2, 'f')
    xs = [Variable(array) for array in device.send(arrays)]
    y = F.identity(xs[0])
    assert y is not xs[0]
    assert y.array is xs[0].array
    ys = F.identity(*xs)
    assert isinstance(ys, tuple)
    assert F.identity() == ()
    (F.sum(ys[0]) * 2).backward()
    compare.assert_array_equal(xs[0].grad, np.full((2, 3), 2))
    assert xs[1].grad is None
    assert F.identity(device.send(np.array([1, 2]))).dtype == int
