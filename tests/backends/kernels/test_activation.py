import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import functions as F
from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.backends.kernels import arithmetic
from tests.backends.kernels import declared_cases, forms
from tests.functions import gradients

# More than a part of the loops is long, and parameters over parts of channels.
SHAPES = [(1,), (2000,), (3, 4), (40, 37), (700, 3), (2, 3, 4), (3, 5, 300),
          (2, 1500, 2), (2, 3, 2, 5)]


def arrays(n, shape, dtype):
    return [gradients.uniform(shape, i, dtype, -2, 2) for i in range(n)]


def assert_same(kernel, *args):
    got, expected = kernel.compiled(*args), kernel.reference(*args)
    assert got is not NotImplemented
    if not isinstance(got, tuple):
        got, expected = (got,), (expected,)
    for a, b in zip(got, expected, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        tolerance = {'e': 5e-3, 'f': 2e-5, 'd': 1e-12}[a.dtype.char]
        np.testing.assert_allclose(a, b, tolerance, tolerance)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), shape=st.sampled_from(SHAPES), dtype=st.sampled_from('fd'))
def test_parameters_of_channels(data, shape, dtype):
    x, gy = arrays(2, shape, dtype)
    w, = arrays(1, shape[1:data.draw(st.integers(1, len(shape)))], dtype)
    assert_same(kernels.prelu, x, w)
    assert_same(kernels.prelu_grad, x, w, gy, x)
    assert_same(kernels.swish, x, w)
    assert_same(kernels.swish_grad, x, w, gy)


def channels_last(x):
    return np.moveaxis(np.moveaxis(x, 1, -1).copy(), -1, 1) if x.ndim > 1 else x


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('shape', SHAPES)
def test_arrays_in_other_orders(shape, dtype):
    plain = arrays(2, shape, dtype)
    for axes in range(1, len(shape) + 1):
        w, = arrays(1, shape[1:axes], dtype)
        for layout in (declared_cases.gaps, declared_cases.backwards,
                       declared_cases.fortran, declared_cases.broadcast, channels_last):
            x, gy = map(layout, plain)
            assert_same(kernels.prelu, x, w)
            assert_same(kernels.prelu_grad, x, w, gy, x)
            assert_same(kernels.prelu_grad, x, w, plain[1], x)
            assert_same(kernels.swish, x, layout(w))
            assert_same(kernels.swish_grad, x, w, gy)
    x, gy = map(channels_last, plain)
    w, = arrays(1, shape[1:2], dtype)
    if x.ndim > 2:
        assert kernels.prelu(x, w).strides == x.strides
        assert kernels.prelu_grad(x, w, gy, x)[0].strides == x.strides


@pytest.mark.parametrize('axis', [0, 1, 2])
def test_groups_of_arrays_in_other_orders(axis):
    plain, = arrays(1, (4, 6, 8), 'f')
    for layout in (declared_cases.gaps, declared_cases.backwards,
                   declared_cases.fortran, channels_last):
        x = layout(plain)
        assert_same(kernels.maxout, x, 2, axis)
        y = kernels.maxout(x, 2, axis)
        assert_same(kernels.maxout_grad, x, layout(y), layout(-y), 2, axis)


def test_gradients_of_other_shapes_have_no_code():
    x = channels_last(arrays(1, (2, 3, 4), 'f')[0])
    w, = arrays(1, (3,), 'f')
    assert kernels.prelu_grad.compiled(x, w, x[:1], x) is NotImplemented
    assert kernels.prelu_grad.compiled(x, w[:2], x, x) is NotImplemented


def test_gradients_of_halves_are_rounded_once():
    x, gy = arrays(2, (3, 4), 'e')
    gy = np.concatenate([gy, 3 * gy], 1)
    gx = kernels.crelu_grad(x, gy, 1)
    assert gx.dtype == 'e'
    wide = kernels.crelu_grad(x.astype('f'), gy.astype('f'), 1)
    np.testing.assert_array_equal(gx, wide.astype('e'))


@settings(max_examples=30, deadline=None)
@given(shape=st.sampled_from(SHAPES), dtype=st.sampled_from('fd'))
def test_elementwise(shape, dtype):
    a, b, c = arrays(3, shape, dtype)
    assert_same(kernels.bend, a, b, c)
    assert_same(kernels.mix, a, b, c > 0)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), shape=st.sampled_from(SHAPES), dtype=st.sampled_from('fd'),
       size=st.sampled_from([1, 2, 3, 7]))
def test_groups(data, shape, dtype, size):
    axis = data.draw(st.integers(0, len(shape) - 1))
    shape = (*shape[:axis], shape[axis] * size, *shape[axis + 1:])
    # Few values, so that the largest is not always one.
    x = np.random.RandomState(0).randint(0, 4, shape).astype(dtype)
    assert_same(kernels.maxout, x, size, axis)
    y = kernels.maxout(x, size, axis)
    gy = gradients.uniform(y.shape, 1, dtype)
    assert_same(kernels.maxout_grad, x, y, gy, size, axis)


def test_no_code_for_elements_in_other_orders():
    x = np.ones((4, 3), 'f', order='F')
    assert kernels.mix.compiled(x, x, x > 0) is NotImplemented


@pytest.mark.parametrize('dtype', ['e', '>f'])
def test_no_code_for_these(dtype):
    x = np.ones((4, 3), dtype)
    w = np.ones(3, dtype)
    for result in (
            kernels.prelu.compiled(x, w), kernels.swish.compiled(x, w),
            kernels.prelu_grad.compiled(x, w, x, x),
            kernels.swish_grad.compiled(x, w, x), kernels.mix.compiled(x, x, x > 0),
            kernels.maxout.compiled(x, 2, 0)):
        assert result is NotImplemented


def test_half_floats_are_summed_in_single_precision():
    x = np.full((4096, 1), -1, 'e')
    gW = kernels.prelu_grad(x, np.ones(1, 'e'), np.ones_like(x), x)[1]
    assert (gW.dtype, gW[0]) == ('e', -4096)


def test_numpy_tells_of_infinities():
    x = np.array([[-np.inf, 1]], 'f')
    with pytest.warns(RuntimeWarning, match='invalid value'):
        kernels.prelu(x, np.zeros(2, 'f'))


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
def test_cuda_code(device, dtype):
    x, y, gy = arrays(3, (3, 4, 2), dtype)
    w, = arrays(1, (4,), dtype)
    largest = kernels.maxout.reference(x, 2, 1)
    for kernel, *args in (
            (kernels.relu_grad, y, gy), (kernels.clipped_relu_grad, x, gy, .7),
            (kernels.leaky_relu_grad, y, gy, .2), (kernels.elu, x, 1.3),
            (kernels.elu_slope, y, x, 1.3), (kernels.elu_grad, y, gy, x, 1.3),
            (kernels.crelu_grad, x[:, :2], y, 1), (kernels.sigmoid, x),
            (kernels.sigmoid_grad, y, gy), (kernels.hard_sigmoid, x),
            (kernels.hard_sigmoid_grad, x, gy), (kernels.tanh_grad, y, gy),
            (kernels.softplus, x, 2., .5), (kernels.softplus_grad, x, gy, 2.),
            (kernels.bend, x, y, gy), (kernels.mix, x, y, gy > 0),
            (kernels.prelu, x, w), (kernels.prelu_grad, x, w, gy, y),
            (kernels.swish, x, w), (kernels.swish_grad, x, w, gy),
            (kernels.maxout_grad, x, largest, largest + 1, 2, 1),
            (arithmetic.div_grads, x, 3 + x[:1], gy),
            (arithmetic.div_from_constant_grad, 3 + x, gy, 1.7),
            (arithmetic.pow_grad, 3 + x, gy, 2.5, 1.5),
            (arithmetic.pow_grads, 3 + x, y, gy, 1 + gy),
            (arithmetic.pow_from_constant_grad, y, gy, .3),
            (arithmetic.abs_grad, x, gy), (arithmetic.interpolate, x, y, gy),
            (arithmetic.interpolate_grads, x, y, gy, y)):
        forms.check(kernel, *args)


def _seconds(function, array):
    """The least time of a function and its gradient, in one thread."""
    x, least = chainer_fast.Variable(array), float('inf')
    with chainer_fast.using_config('num_threads', 1):
        for _ in range(8):
            start = time.perf_counter()
            y = function(x)
            y.grad = array
            y.backward()
            least = min(least, time.perf_counter() - start)
    return least


# Loops that choose by a jump, which no compiler vectorizes, take ten times as long if
# signs differ without order: nobody foresees the jump.
@pytest.mark.parametrize('function', [
    F.relu, F.clipped_relu, F.leaky_relu, F.elu, F.hard_sigmoid, F.sigmoid, F.tanh,
    F.softplus, F.exp, F.absolute])
def test_signs_do_not_change_the_time(function):
    x = gradients.uniform((100000,), 0, 'f', -2, 2)
    assert _seconds(function, x) < 3 * _seconds(function, abs(x))


@pytest.mark.gpu
def test_no_cuda_code_for_these(device):
    x, = device.send(arrays(1, (3, 4), 'f'))
    assert kernels.tanh_grad.device(x, x.astype('d')) is NotImplemented
    assert kernels.tanh_grad.device(x.astype('i'), x.astype('i')) is NotImplemented
    assert kernels.swish_grad.device(x, x[0].astype('d'), x) is NotImplemented
    assert kernels.maxout_grad.device(
        x, x, x.astype('d'), 1, 0) is NotImplemented
