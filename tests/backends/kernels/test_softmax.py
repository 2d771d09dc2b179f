import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast.backends.kernels import softmax as kernels
from tests import forced
from tests.backends.kernels import forms
from tests.functions import gradients

# The longer ones take more than one block, or strip, or the halves of a sum.
SHAPES = [(1,), (7,), (16,), (130,), (1000,), (3, 4), (3, 1), (1, 5), (50, 100),
          (600, 9), (5, 1111), (2, 3, 4), (2, 21, 700), (1, 2, 1, 3), (9, 3, 5, 2)]


@settings(max_examples=100, deadline=None)
@given(data=st.data(), shape=st.sampled_from(SHAPES), dtype=st.sampled_from('fd'),
       seed=st.integers(0, 9))
def test_same_as_the_reference(data, shape, dtype, seed):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = gradients.uniform(shape, seed, dtype, -9, 9)
    g = gradients.uniform(shape, seed + 1, dtype)
    options = {'rtol': 1e-6, 'atol': 1e-6} if dtype == 'f' else {'rtol': 1e-14}
    if forced.GENERAL and dtype == 'd':
        options['atol'] = 1e-14
    for f in kernels.softmax, kernels.log_softmax:
        y = f.compiled(x, axis)
        np.testing.assert_allclose(y, f.reference(x, axis), **options)
        grad = getattr(kernels, f.__name__ + '_grad')
        gx = grad.compiled(y, g, axis)
        assert (y.dtype, gx.dtype, y.shape, gx.shape) == (dtype, dtype, shape, shape)
        np.testing.assert_allclose(gx, grad.reference(y, g, axis), **options)


def laid_out(x):
    """Yield an array in each order of axes in memory, without gaps and with some."""
    for order in itertools.permutations(range(x.ndim)):
        same = np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
        yield same
        yield np.repeat(same, 2, -1)[..., ::2]


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [
    (1,), (9000,), (3, 4), (5, 4100), (4100, 5), (3, 600, 7), (2, 3, 4, 5)])
def test_logsumexp_over_any_axes(shape, dtype):
    x = gradients.uniform(shape, 0, dtype, -9, 9)
    tolerance = {'e': 2e-3, 'f': 3e-6, 'd': 1e-14}[dtype]
    axes = [axis for n in range(1, x.ndim + 1)
            for axis in itertools.combinations(range(x.ndim), n)]
    for axis in [None, *axes, *range(-x.ndim, x.ndim)]:
        y = kernels.logsumexp.reference(x, axis)
        g = gradients.uniform(y.shape, 1, dtype)
        gx = kernels.logsumexp_grad.reference(x, y, g)
        for i, same in enumerate(laid_out(x)):
            found = (kernels.logsumexp.compiled(same, axis),
                     kernels.logsumexp_grad.compiled(same, y, g))
            for one, other in zip(found, (y, gx), strict=True):
                if one is NotImplemented:
                    assert i > 1        # Other orders than C's may be left to it.
                    continue
                assert (one.dtype, one.shape) == (other.dtype, other.shape)
                np.testing.assert_allclose(one, other, tolerance, tolerance)


@pytest.mark.parametrize('dtype', 'fd')
def test_logsumexp_over_axes_that_are_apart_in_memory(dtype):
    x = np.moveaxis(gradients.uniform((3, 5, 6, 4), 0, dtype, -9, 9), -1, 1)
    y = kernels.logsumexp.reference(x, (0, 1))
    found = kernels.logsumexp.compiled(x, (0, 1))
    np.testing.assert_allclose(found, y, 3e-6)
    gx = kernels.logsumexp_grad.compiled(x, y, y)
    expected = kernels.logsumexp_grad.reference(x, y, y)
    np.testing.assert_allclose(gx, expected, 3e-6)
    assert gx.strides == expected.strides


@pytest.mark.parametrize('row', [
    [-np.inf] * 4, [np.inf, 0, 1, 2], [np.inf, -np.inf, 0, 0], [np.nan, 0, 0, 0],
    [3e38, -3e38, 0, 0], [-np.inf, 0, 0, 1]])
@pytest.mark.parametrize('times', [1, 3000])
def test_logsumexp_of_infinities(row, times):
    x = np.array([[0, 1, 2, 3], row], 'f').repeat(times, 1)
    for each, axis in (x, 1), (x.T.copy(), 0), (x, None):
        with np.errstate(all='ignore'):
            y = kernels.logsumexp.reference(each, axis)
            found = kernels.logsumexp(each, axis)
            np.testing.assert_allclose(found, y, 1e-6)
            gx = kernels.logsumexp_grad.reference(each, y, y)
            np.testing.assert_allclose(kernels.logsumexp_grad(each, y, y), gx, 1e-5)


def test_gradients_of_results_that_are_not_the_largest():
    x = gradients.uniform((3, 5), 0, 'f', 0, 9)
    y = np.zeros((3, 1), 'f')
    np.testing.assert_allclose(kernels.logsumexp_grad(x, y, y + 1), np.exp(x), 1e-6)


@pytest.mark.parametrize('x, axis', [
    (np.ones((2, 3), '>f'), 1), (np.ones((0, 3)), 1),
    (np.ones((2, 3)), 2), (np.ones((2, 3)), (0, 1)), (np.ones(()), 0)])
def test_no_code_for_these(x, axis):
    assert kernels.softmax.compiled(x, axis) is NotImplemented
    assert kernels.softmax_grad.compiled(x, x, axis) is NotImplemented


def test_gradients_of_other_shapes_are_left_to_numpy():
    y = kernels.softmax(gradients.uniform((2, 3)), 1)
    gy = np.ones((1, 3))
    assert kernels.softmax_grad.compiled(y, gy, 1) is NotImplemented
    assert kernels.softmax_grad(y, gy, 1).shape == (2, 3)


@pytest.mark.parametrize('f', [kernels.softmax, kernels.log_softmax])
@pytest.mark.parametrize('row, message', [
    ([-np.inf, -np.inf, 0, 1], None),
    ([1e30, -1e30, 0, 0], None),
    ([np.nan, 0, 0, 0], None),
    ([-np.inf] * 4, 'invalid value'),
    ([np.inf, 0, 1, 2], 'invalid value'),
    ([3e38, -3e38, 0, 0], 'overflow')])
def test_warnings_are_those_of_numpy(f, row, message):
    x = np.array([[0, 1, 2, 3], row], 'f')
    if message is None:
        y = f(x, 1)
    else:
        with pytest.warns(RuntimeWarning, match=message):
            y = f(x, 1)
    with np.errstate(all='ignore'):
        np.testing.assert_allclose(y, f.reference(x, 1), rtol=1e-6)


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape, axis', [
    ((7,), 0), ((3, 130), 1), ((3, 130), 0), ((2, 3, 4), -2), ((2, 40, 3, 2), 1)])
def test_device_forms(device, shape, axis, dtype):
    g = gradients.uniform(shape, 1, dtype)
    for x in forms.layouts(gradients.uniform(shape, 0, dtype, -9, 9)):
        forms.check(kernels.logsumexp, x, axis)
        for f in kernels.softmax, kernels.log_softmax:
            forms.check(f, x, axis)
            grad = getattr(kernels, f.__name__ + '_grad')
            y = f.reference(x, axis)
            forms.check(grad, y, g, axis)
            forms.check(grad, y, forms.layouts(g)[1], axis)


@pytest.mark.gpu
def test_device_form_over_several_axes(device):
    x = gradients.uniform((2, 3, 4), 0, 'f')
    for axis in None, (0, 2), (1, -1):
        forms.check(kernels.logsumexp, x, axis)


@pytest.mark.gpu
@pytest.mark.parametrize('row', [
    [-np.inf, -np.inf, 0, 1], [1e30, -1e30, 0, 0], [np.nan, 0, 0, 0],
    [0, 1, np.nan, 2], [-np.inf] * 4, [np.inf, 0, 1, 2], [0, np.inf, -np.inf, 2],
    [3e38, -3e38, 0, 0]])
def test_infinities_on_a_device(device, row):
    x = np.array([[0, 1, 2, 3], row], 'f')
    forms.check(kernels.softmax, x, 1)
    forms.check(kernels.log_softmax, x, 1)


@pytest.mark.gpu
def test_no_device_form_for_these(device):
    for x in np.ones((2, 0), 'f'), np.ones((2, 2), 'i'):
        x = device.send(x)
        assert kernels.softmax.device(x, 1) is NotImplemented
        assert kernels.log_softmax.device(x, 1) is NotImplemented
    x = device.send(np.ones((2, 3), 'f'))
    assert kernels.softmax_grad.device(x, x[:1], 1) is NotImplemented


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('n', [2, 31, 700, 4099])
def test_columns_do_not_depend_on_others(n, dtype):
    """They are computed in strips, and a few rows of these at a time."""
    rng = np.random.RandomState(n)
    x, g = [rng.standard_normal((n, 203)).astype(dtype) for _ in range(2)]
    for kernel, arrays in [
            (kernels.softmax, (x,)), (kernels.log_softmax, (x,)),
            (kernels.softmax_grad, (x, g)), (kernels.log_softmax_grad, (-abs(x), g))]:
        expected = kernel(*arrays, 0)
        for j in range(0, 203, 29):
            some = [array[:, j:j + 2].copy() for array in arrays]
            np.testing.assert_array_equal(kernel(*some, 0), expected[:, j:j + 2])
