"""Losses without a softmax: compiled forms and those for the GPU against references."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chainer_fast.backends.kernels import losses as kernels
from tests.backends.kernels import forms

DTYPES = pytest.mark.parametrize('dtype', 'efd')


def floats(shape, dtype, n, seed=0):
    rng = np.random.RandomState(seed)
    return [rng.uniform(-3, 3, shape).astype(dtype) for _ in range(n)]


@pytest.mark.gpu
@DTYPES
@pytest.mark.parametrize('shape', [(3, 4), (7, 2, 3), (130, 150)])
def test_errors(device, dtype, shape):
    a, b, g = floats(shape, dtype, 3)
    mean = np.array(.3, dtype)
    for x in forms.layouts(a):
        forms.check(kernels.squared_error, x, b)
        forms.check(kernels.squared_error_grad, x, b, mean)
        forms.check(kernels.absolute_mean, x)
        forms.check(kernels.absolute_mean_grad, x, mean)
        forms.check(kernels.huber_loss, x, b, 1.5)
        forms.check(kernels.huber_grad, x, b, g, 1.5)


@pytest.mark.gpu
@DTYPES
@pytest.mark.parametrize('shape', [(3, 4), (7, 2, 3), (130, 150)])
@pytest.mark.parametrize('n', [None, 3])
def test_sigmoid(device, dtype, shape, n):
    scores, = floats(shape, dtype, 1)
    scores[0] *= 1000
    g, = floats(shape, dtype, 1, 1)
    t = np.random.RandomState(0).randint(-1, 2, shape)
    for x in forms.layouts(scores):
        forms.check(kernels.sigmoid_losses, x, t, -1)
        mean, number = kernels.sigmoid_mean.device(*device.send((x, t)), -1, n)
        expected, expected_number = kernels.sigmoid_mean.reference(x, t, -1, n)
        forms.assert_close(mean, expected)
        assert number == expected_number
        forms.check(kernels.sigmoid_gradient, x, t, g, -1, 2)
        forms.check(
            kernels.sigmoid_gradient, x, t, np.array(.3, dtype), -1,
            np.array(7, np.promote_types(dtype, 'f')))


@pytest.mark.gpu
@DTYPES
@pytest.mark.parametrize('squared', [False, True])
@pytest.mark.parametrize('shape', [(3, 4), (130, 150)])
def test_hinge(device, dtype, squared, shape):
    scores, g = floats(shape, dtype, 2)
    t = np.random.RandomState(0).randint(-1, 4, shape[0]).astype('i')
    for x in forms.layouts(scores):
        forms.check(kernels.hinge_losses, x, t, squared)
        forms.check(kernels.hinge_mean, x, t, squared)
        forms.check(kernels.hinge_gradient, x, t, g, squared, 1)
        forms.check(
            kernels.hinge_gradient, x, t, np.array(.3, dtype), squared, 3)


def check_bits(kernel, *args):
    """Compare the compiled form of a kernel with its reference, bit by bit."""
    found = kernel.compiled(*args)
    assert found is not NotImplemented
    with np.errstate(all='ignore'):
        expected = kernel.reference(*args)
    for x, y in zip(forms.flat(found), forms.flat(expected), strict=True):
        assert type(x) is type(y)
        np.testing.assert_array_equal(x, y, strict=True)


@given(st.data())
@pytest.mark.parametrize('dtype', 'fd')
def test_compiled_errors(dtype, data):
    shape = data.draw(hnp.array_shapes(max_dims=3, max_side=40))
    a, b, g = floats(shape, dtype, 3)
    delta = data.draw(st.sampled_from([.5, 2, np.float32(1.25), np.float64(.1)]))
    check_bits(kernels.huber_losses, a, b, delta)
    check_bits(kernels.huber_grad, a, b, g, delta)
    if len(shape) == 2:
        rows = np.ascontiguousarray(g[:, :1])
        check_bits(kernels.huber_grad, a, b, rows, delta)


@given(st.data())
@pytest.mark.parametrize('dtype', 'fd')
def test_compiled_sigmoid(dtype, data):
    # NumPy 2.2 cuts a sum of more than 8192 elements.
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, max_side=20))
    x = np.asarray(floats(shape, dtype, 1)[0])
    x *= data.draw(st.sampled_from([0, 1, 30, 1000]))
    g = np.asarray(floats(shape, dtype, 1, 1)[0])
    labels = data.draw(st.sampled_from('il'))
    t = np.asarray(np.random.RandomState(0).randint(-1, 3, shape), labels)
    ignored = data.draw(st.sampled_from([-1, 0, 7, -2**31 + 1]))
    check_bits(kernels.sigmoid_losses, x, t, ignored)
    for n in None, 3:
        check_bits(kernels.sigmoid_mean, x, t, ignored, n)
    for number in 1, np.int64(7):
        check_bits(kernels.sigmoid_gradient, x, t, g, ignored, number)
        check_bits(kernels.sigmoid_gradient, x, t, np.array(.3, dtype), ignored,
                     number)


@given(st.data())
@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('squared', [False, True])
def test_compiled_hinge(dtype, squared, data):
    n, classes = data.draw(hnp.array_shapes(min_dims=2, max_dims=2, max_side=40))
    x, g = floats((n, classes), dtype, 2)
    x[0, 0] = 1
    labels = data.draw(st.sampled_from('il'))
    t = np.random.RandomState(0).randint(0, classes, n).astype(labels)
    check_bits(kernels.hinge_losses, x, t, squared)
    check_bits(kernels.hinge_gradient, x, t, g, squared, 1)
    check_bits(
        kernels.hinge_gradient, x, t, np.array(.3, dtype), squared, n)


STRANGE = [np.nan, np.inf, -np.inf, -0., 1e38, -1e38]


def test_what_flags_are_raised_for_is_left_to_the_reference():
    x = np.array([STRANGE] * 6, 'f')
    t = np.arange(36, dtype='i').reshape(6, 6) % 3 - 1
    classes = np.arange(6, dtype='i')
    with np.errstate(all='ignore'):
        for kernel, args in (
                (kernels.sigmoid_losses, (t, -1)),
                (kernels.sigmoid_mean, (t, -1, None)),
                (kernels.sigmoid_gradient, (t, x, -1, 3)),
                (kernels.huber_losses, (x.T.copy(), .5)),
                (kernels.huber_grad, (x.T.copy(), x, .5)),
                (kernels.hinge_losses, (classes, True)),
                (kernels.hinge_gradient, (classes, x, False, 6))):
            for one, other in zip(forms.flat(kernel(x, *args)),
                                  forms.flat(kernel.reference(x, *args)), strict=True):
                np.testing.assert_array_equal(one, other)


def refuses(kernel, *args):
    return kernel.compiled(*args) is NotImplemented


def test_what_the_loops_cannot_read_is_refused():
    x, y, g = floats((4, 6), 'f', 3)
    t, classes = np.zeros((4, 6), 'i'), np.zeros(4, 'i')
    assert refuses(kernels.huber_losses, x, y[:3], 1.)
    assert refuses(kernels.huber_losses, x, y.astype('d'), 1.)
    assert refuses(kernels.huber_losses, x, y, np.ones(6, 'f'))
    assert refuses(kernels.huber_grad, x, y, g[:3], 1.)
    assert refuses(kernels.huber_grad, x, y, g, -1.)
    assert refuses(kernels.huber_grad, x, y, g[:3, :1].copy(), 1.)
    assert refuses(kernels.sigmoid_losses, x, t[:3], -1)
    assert refuses(kernels.sigmoid_losses, x, t.astype('b'), -1)
    assert refuses(kernels.sigmoid_losses, x, t, 2**40)
    assert refuses(kernels.sigmoid_losses, x, t, None)
    assert refuses(kernels.sigmoid_gradient, x, t, g[:3], -1, 1)
    assert refuses(kernels.sigmoid_gradient, x, t, g, -1, np.ones(6))
    assert refuses(kernels.sigmoid_gradient, x, t, g, -1, np.longdouble(.3))
    assert refuses(kernels.hinge_losses, x, classes[:3], False)
    assert refuses(kernels.hinge_losses, x, classes + 6, False)
    assert refuses(kernels.hinge_losses, x, classes - 1, False)
    assert refuses(kernels.hinge_gradient, x, classes, g[:3], False, 4)
