"""Functions of images that lie channels last, as the configuration asks."""
import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.backends import _image_orders, cuda
from tests.backends._cudnn.orders import check_both_ways, last, numbers, switched

pytestmark = pytest.mark.gpu

TOLERANCE = {'e': 1e-2, 'f': 1e-5}

SHAPE = 2, 3, 6, 4

FUNCTIONS = {
    'relu': F.relu, 'tanh': F.tanh, 'leaky_relu': F.leaky_relu, 'elu': F.elu,
    'clipped_relu': F.clipped_relu, 'sigmoid': F.sigmoid, 'square': F.square,
    'x + x': lambda x: x + x, 'x * 2': lambda x: x * 2, '-x': lambda x: -x,
    'x * tanh': lambda x: x * F.tanh(x), 'x - relu': lambda x: x - F.relu(x),
    'x / y': lambda x: x / (2 + F.relu(x)),
    'max_pooling_2d': lambda x: F.max_pooling_2d(x, 3, 2, 1),
    'average_pooling_2d': lambda x: F.average_pooling_2d(x, (3, 2), 2, 1),
    'average_pooling_nd': lambda x: F.average_pooling_nd(x, 3, 2, 1, pad_value=None),
    'unpooling_2d': lambda x: F.unpooling_2d(x, 2, cover_all=False),
    'concat': lambda x: F.concat([x, F.relu(x), x], axis=1),
    'dropout': lambda x: seeded(F.dropout, x),
    'sin': F.sin, 'sqrt': lambda x: F.sqrt(2 + x),
    'batch_normalization': lambda x: F.batch_normalization(
        x, np_like(x, [1, 2, 3]), np_like(x, [3, 2, 1])),
}

PASS_ON = 'x + x', 'x * 2', '-x', 'unpooling_2d'


def seeded(function, x):
    x.xp.random.seed(0)
    return function(x)


def np_like(x, values):
    return x.xp.asarray(np.array(values, x.dtype))


def apply(function, x, gy_is_last):
    """Return output and gradient of a function of images that lie channels last."""
    x = chainer.Variable(last(x))
    y = function(x)
    gy = numbers(*y.shape, seed=1, dtype=x.dtype)
    y.grad = last(gy) if gy_is_last else cuda.to_gpu(gy)
    y.backward()
    return y.array, x.grad


@pytest.mark.parametrize('use_cudnn', ['auto', 'never'])
@pytest.mark.parametrize('gy_is_last', [True, False])
@pytest.mark.parametrize('dtype', 'fe')
@pytest.mark.parametrize('name', FUNCTIONS)
def test_functions_keep_the_order(frontend, name, dtype, gy_is_last, use_cudnn):
    x = numbers(*SHAPE, dtype=dtype)
    with chainer.using_config('use_cudnn', use_cudnn):
        y, gx = check_both_ways(
            lambda: apply(FUNCTIONS[name], x, gy_is_last), TOLERANCE[dtype])
    assert _image_orders.channels_last(y)
    # Those of sums and the like are gradients of the result as they are.
    assert _image_orders.channels_last(gx) or not gy_is_last and name in PASS_ON


@pytest.mark.parametrize('ndim', [1, 3])
def test_pooling_of_other_dimensions(frontend, ndim):
    x = numbers(2, 3, *[6, 5, 4][:ndim])
    for function in F.max_pooling_nd, F.average_pooling_nd:
        y, gx = check_both_ways(lambda f=function: apply(
            lambda x: f(x, 3, 2, 1), x, True))
        assert _image_orders.channels_last(y)
        assert _image_orders.channels_last(gx)


def test_upsampling(frontend):
    x = numbers(*SHAPE)

    def compute():
        v = chainer.Variable(last(x))
        y, indexes = F.max_pooling_2d(v, 2, return_indices=True)
        z = F.upsampling_2d(y, indexes, 2, outsize=SHAPE[2:])
        z.grad = z.array * z.array
        z.backward()
        return z.array, v.grad

    assert all(map(_image_orders.channels_last, check_both_ways(compute)))


@pytest.mark.parametrize('function', [F.relu, F.tanh, lambda x: x * x, lambda x: x + x])
def test_mixed_operands_and_gaps(frontend, function):
    """Gradients in another order, and parts of images, as the gradients of concat are.
    """
    wide = last(numbers(2, 7, 6, 4))

    def compute():
        x = chainer.Variable(last(numbers(*SHAPE)))
        y = function(x)
        y.grad = wide[:, 2:5]
        y.backward()
        return y.array, x.grad

    check_both_ways(compute)


def test_without_the_switch_results_are_in_c_order(frontend):
    for name in 'relu', 'x + x', 'max_pooling_2d', 'average_pooling_2d', 'concat':
        y, gx = apply(FUNCTIONS[name], numbers(*SHAPE), True)
        assert y.flags.c_contiguous, name
        assert gx.flags.c_contiguous, name


@pytest.mark.parametrize('shape', [(2, 3), (2, 1, 3, 3), (2, 3, 1, 1), (0, 3, 4, 4)])
def test_arrays_that_lie_both_ways(frontend, shape):
    x = cuda.to_gpu(numbers(*shape))

    def compute():
        v = chainer.Variable(x)
        y = F.relu(v) * 2
        y.grad = x
        y.backward()
        return y.array, v.grad

    if 0 in shape:
        with switched():
            assert compute()[0].shape == shape
        return
    for each in check_both_ways(compute):
        assert each.flags.c_contiguous
