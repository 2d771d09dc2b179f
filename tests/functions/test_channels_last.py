"""Functions of images, whatever the order of the images in memory."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast import functions as F
from chainer_fast import gradient_check
from chainer_fast.variable import Variable
from tests import forced, layouts


def dropout(x):
    np.random.seed(0)
    return F.dropout(x, .3)


def batch_normalization(x):
    c = x.shape[1]
    return F.batch_normalization(
        x, np.linspace(.5, 2, c, dtype=x.dtype), np.ones(c, x.dtype))


def fixed_batch_normalization(x):
    c = x.shape[1]
    ones = np.ones(c, x.dtype)
    return F.fixed_batch_normalization(
        x, np.linspace(.5, 2, c, dtype=x.dtype), ones, ones / 2, ones * 3)


#: Functions whose gradients lie as the images do, however the gradients above lie.
KEEPING = {
    'relu': F.relu, 'leaky_relu': F.leaky_relu, 'clipped_relu': F.relu6,
    'sigmoid': F.sigmoid, 'tanh': F.tanh, 'elu': F.elu, 'softplus': F.softplus,
    'hard_sigmoid': F.hard_sigmoid, 'exp': F.exp, 'square': lambda x: x ** 2,
    'sqrt': lambda x: F.sqrt(x * x + 1), 'swish': lambda x: x * F.sigmoid(x),
    'dropout': dropout,
    'batch_normalization': batch_normalization,
    'fixed_batch_normalization': fixed_batch_normalization,
    'local_response_normalization': F.local_response_normalization,
    'wide response': lambda x: F.local_response_normalization(x, 30, 1, .1, .5),
    'max_pooling_2d': lambda x: F.max_pooling_2d(x, 3, 2, 1),
    'max_pooling_2d without overlap': lambda x: F.max_pooling_2d(x, 2),
    'wide max_pooling_2d': lambda x: F.max_pooling_2d(x, 5, 1, 2),
    'average_pooling_2d': lambda x: F.average_pooling_2d(x, 1, 2),
    'average_pooling_2d with padding': lambda x: F.average_pooling_2d(x, 3, 2, 1),
    'average_pooling_nd': lambda x: F.average_pooling_nd(x, 3, 1, 1, pad_value=None),
    'global average': lambda x: F.average_pooling_2d(x, x.shape[2:]),
    'global maximum': lambda x: F.max_pooling_2d(x, x.shape[2:]),
    'block': lambda x: F.relu(batch_normalization(F.relu(x)) * x),
}
#: Functions whose gradients lie as the images do if the gradients above do so, too.
PASSING = {
    'negative': lambda x: -x, 'constants': lambda x: 2 - (x + 1) * 3,
    'sum of itself': lambda x: x + x * x,
    'several gradients': lambda x: F.relu(x) + F.tanh(x) * x - x,
    'residual': lambda x: F.relu(batch_normalization(F.relu(x)) + x),
    'concat': lambda x: F.concat([x, F.relu(x), x * x]),
}
OTHERS = {
    'unpooling_2d': lambda x: F.unpooling_2d(x, 2, cover_all=False),
    'concat of slices': lambda x: F.concat([x, F.relu(x), x[:, :1]]),
    'concat of rows': lambda x: F.concat([x, F.relu(x)], axis=2),
    'split_axis': lambda x: F.concat(F.split_axis(x, [1], 1)[::-1]),
    'reshape': lambda x: F.reshape(x, (len(x), -1)),
    'reshape and back': lambda x: F.relu(F.reshape(F.reshape(x, (-1,)), x.shape)),
    'sum': lambda x: F.sum(x, axis=(2, 3)),
    'mean': lambda x: F.mean(x, axis=(2, 3)),
}
FUNCTIONS = {**KEEPING, **PASSING, **OTHERS}
TOLERANCE = {'e': 1e-2, 'f': 2e-5, 'd': 1e-12}


def draw(seed, shape, dtype):
    # Few different values, so that there are ties.
    return (np.random.RandomState(seed).randint(-20, 21, shape) / 8).astype(dtype)


def results(f, x, order_of_gy):
    x = Variable(x)
    y = f(x)
    gy = draw(1, y.shape, y.dtype)
    y.grad = layouts.ORDERS[order_of_gy](gy) if y.ndim == 4 else gy
    y.backward()
    return y.array, x.grad


@pytest.mark.parametrize('name', FUNCTIONS)
@settings(max_examples=40)
@given(shape=layouts.shapes, dtype=st.sampled_from('ffde'), order=layouts.orders,
       order_of_gy=layouts.orders)
def test_order_makes_no_difference(name, shape, dtype, order, order_of_gy):
    x = draw(0, shape, dtype)
    if shape[0] * shape[2] * shape[3] == 1:
        x = np.concatenate([x, x + 1])      # one number has no variance
    there = results(FUNCTIONS[name], layouts.ORDERS[order](x), order_of_gy)
    for a, b in zip(there, results(FUNCTIONS[name], x, 'C'), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, TOLERANCE[dtype], TOLERANCE[dtype])


# In a forced build, NumPy makes the mask of dropout, in C order.
LYING = {*KEEPING, *PASSING} - ({'dropout'} if forced.GENERAL else set())


@pytest.mark.parametrize('name', sorted(LYING))
@pytest.mark.parametrize('shape', [(2, 20, 6, 7), (3, 5, 2, 2)])
@pytest.mark.parametrize('dtype', 'fd')
def test_results_lie_as_the_images(name, shape, dtype):
    x = layouts.channels_last(draw(0, shape, dtype))
    for order_of_gy in ['channels last', 'C'] if name in KEEPING else ['channels last']:
        for a in results(FUNCTIONS[name], x, order_of_gy):
            assert layouts.lies_channels_last(a)
            assert a.shape[2:] == (1, 1) or not a.flags.c_contiguous


@pytest.mark.parametrize('name', [
    name for name in FUNCTIONS if name not in ('block', 'residual')])
def test_gradients(name):
    f = FUNCTIONS[name]
    values = np.random.RandomState(0).permutation(72).reshape(2, 4, 3, 3) * .037 - 1.31
    x = layouts.channels_last(values)
    gy = draw(1, f(x).shape, 'd')
    options = {'rtol': 1e-3, 'atol': 1e-3, 'dtype': 'd'}
    gradient_check.check_backward(f, x, gy, **options)
    gradient_check.check_double_backward(
        lambda x: f(x) ** 2, x, gy, draw(2, x.shape, 'd'), **options)


@pytest.mark.parametrize('dtype', 'fd')
def test_running_statistics(dtype):
    x = draw(0, (2, 20, 30, 7), dtype)
    ones = np.ones(20, dtype)
    mean, var = [], []
    for images in x, layouts.channels_last(x):
        mean.append(ones.copy())
        var.append(ones.copy())
        F.batch_normalization(
            images, ones, ones, running_mean=mean[-1], running_var=var[-1])
    np.testing.assert_allclose(*mean, rtol=1e-6)
    np.testing.assert_allclose(*var, rtol=1e-6)


@pytest.mark.parametrize('dtype', 'fd')
def test_masks_of_dropout_are_drawn_in_c_order(dtype):
    x = np.ones((2, 20, 6, 7), dtype)
    expected = dropout(x)
    following = np.random.rand()
    y = dropout(layouts.channels_last(x))
    np.testing.assert_array_equal(y.array, expected.array)
    assert np.random.rand() == following


@pytest.mark.parametrize('special', [np.nan, np.inf, -np.inf])
def test_maxima_of_special_values(special):
    x = draw(0, (2, 19, 8, 9), 'f')
    x[np.random.RandomState(1).uniform(size=x.shape) < .1] = special
    for a, b in zip(*[F.max_pooling_2d(layouts.ORDERS[order](x), 3, 2, 1, True, True)
                      for order in ('C', 'channels last')], strict=True):
        np.testing.assert_array_equal(getattr(a, 'array', a), getattr(b, 'array', b))
