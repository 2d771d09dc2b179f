"""Compiled and CUDA forms of the cross entropy, against the reference."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast.backends.kernels import cross_entropy
from chainer_fast.backends.kernels.cross_entropy import compiled
from chainer_fast.functions.loss.softmax_cross_entropy import SoftmaxCrossEntropy
from chainer_fast.variable import Variable
from tests.backends.kernels import forms

# Some are longer than a block of the compiled form.
shapes = st.one_of(
    st.tuples(st.integers(1, 5), st.integers(1, 40)),
    st.tuples(st.integers(1, 3), st.integers(1, 20), st.integers(1, 9)),
    st.tuples(*[st.integers(1, n) for n in (3, 5, 4, 4)]),
    st.sampled_from([(700, 11), (2, 5000), (2, 3, 1100), (3, 17, 30, 25)]))


def close(actual, expected, dtype):
    assert actual.dtype == expected.dtype == dtype
    assert actual.shape == expected.shape
    tolerance = 1e-5 if dtype == 'f' else 1e-12
    np.testing.assert_allclose(actual, expected, tolerance, tolerance)


@st.composite
def scores(draw):
    shape = draw(shapes)
    rng = np.random.RandomState(draw(st.integers(0, 2 ** 16)))
    x = rng.uniform(-1, 1, shape) * draw(st.sampled_from([.1, 5, 1000]))
    dtype = draw(st.sampled_from('fd'))
    return rng, np.asarray(x, dtype, order=draw(st.sampled_from('CF')))


LABELS = st.tuples(scores(), st.sampled_from([-1, 0, 7]), st.booleans(), st.booleans(),
                   st.sampled_from('iq'))


@given(LABELS)
def test_labels(case):
    drawn, ignore, weighted, scalar, label_dtype = case
    rng, x = drawn
    t, weight = labels_of(rng, x, ignore, weighted, label_dtype)
    args = t, weight, ignore
    actual = cross_entropy.hard_losses(x, *args)
    expected = cross_entropy.hard_losses.reference(x, *args)
    for a, e in zip(actual, expected, strict=True):
        close(a, e, x.dtype)
    g = np.array(.3, x.dtype) if scalar else rng.uniform(-1, 1, t.shape).astype(x.dtype)
    close(cross_entropy.hard_gradient(x, actual[1], *args, g, .5),
          cross_entropy.hard_gradient.reference(x, actual[1], *args, g, .5), x.dtype)


@pytest.mark.parametrize('order', 'CF')
@pytest.mark.parametrize('offset', [0, 100, -1e4])
def test_large_scores_round_as_in_chainer(order, offset):
    """The softmax is the exponential of a difference that is a float."""
    rng = np.random.RandomState(0)
    x = np.array(rng.uniform(-3, 3, (100, 30)) + offset, 'f', order=order)
    t = rng.randint(0, 30, 100).astype('i')
    top = x.max(axis=1, keepdims=True)
    log_total = top + np.log(np.exp(x - top).sum(axis=1, keepdims=True))
    for form in cross_entropy.hard_losses, cross_entropy.hard_losses.reference:
        losses, y = form(x, t, None, -1)
        np.testing.assert_allclose(losses, -(x - log_total)[np.arange(100), t], 5e-7)
        np.testing.assert_allclose(y, np.exp(x - log_total), 5e-7, 1e-6)


def labels_of(rng, x, ignore, weighted, dtype):
    """Draw labels of scores, and weights of classes."""
    classes = x.shape[1]
    t = rng.randint(0, classes, x.shape[:1] + x.shape[2:]).astype(dtype)
    t[rng.uniform(size=t.shape) < .3] = ignore if -1 <= ignore < classes else 0
    return t, rng.uniform(.5, 2, classes).astype('f') if weighted else None


DEVICE_SHAPES = pytest.mark.parametrize('shape', [(4, 3), (3, 300), (2, 5, 4, 3)])


@pytest.mark.gpu
@DEVICE_SHAPES
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('ignore, weighted', [(-1, False), (1, True), (9, True)])
def test_labels_on_a_device(device, shape, dtype, ignore, weighted):
    rng = np.random.RandomState(0)
    scores = rng.uniform(-9, 9, shape).astype(dtype)
    labels, weight = labels_of(rng, scores, ignore, weighted, 'i')
    for x, t in zip(forms.layouts(scores), forms.layouts(labels), strict=True):
        args = t, weight, ignore
        losses, y = cross_entropy.hard_losses.reference(x, *args)
        on_device = device.send(x)
        got, kept = cross_entropy.hard_losses.device(on_device, *device.send(args))
        forms.assert_close(got, losses)
        forms.assert_close(cross_entropy.shares.device(on_device, kept), y)
        for g, factor in (np.array(.3, dtype), .25), (losses.astype(dtype), None):
            expected = cross_entropy.hard_gradient.reference(
                x, None, *args, g, factor)
            for k in kept, None:
                forms.assert_close(cross_entropy.hard_gradient.device(
                    on_device, k, *device.send(args), device.send(g), factor), expected)


@pytest.mark.filterwarnings('ignore:t.* is treated as class:UserWarning')
@pytest.mark.gpu
@DEVICE_SHAPES
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('weighted', [False, True])
def test_factors_on_a_device(device, shape, dtype, weighted):
    rng = np.random.RandomState(0)
    x = rng.uniform(-9, 9, shape).astype(dtype)
    labels, weight = labels_of(rng, x, 1, weighted, 'i')
    labels.flat[:2] = -7, 1000
    for t in forms.layouts(labels):
        forms.check(cross_entropy.factors, x, t, weight, 1)


@pytest.mark.gpu
@DEVICE_SHAPES
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('eps', [None, 1e-7])
def test_soft_labels_on_a_device(device, shape, dtype, eps):
    rng = np.random.RandomState(0)
    scores = rng.uniform(-9, 9, shape).astype(dtype)
    labels = rng.uniform(0, 1, shape)
    labels[:, 0] = 0
    labels = (labels / labels.sum(axis=1, keepdims=True)).astype(dtype)
    for x, t in zip(forms.layouts(scores), forms.layouts(labels), strict=True):
        losses, _ = cross_entropy.soft_losses.reference(x, t, eps)
        on_device = device.send((x, t))
        got, kept = cross_entropy.soft_losses.device(*on_device, eps)
        forms.assert_close(got, losses)
        for g, factor in (np.array(.3, dtype), .25), (losses.astype(dtype), None):
            forms.assert_close(
                cross_entropy.soft_gradient.device(
                    on_device[0], kept, on_device[1], device.send(g), factor),
                cross_entropy.soft_gradient.reference(x, None, t, g, factor))


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('shape', [(5,), (3, 4), (40, 20, 30), (20000,)])
@pytest.mark.parametrize('n', [None, 7])
def test_means_on_a_device(device, shape, dtype, n):
    rng = np.random.RandomState(0)
    losses = rng.uniform(0, 1, shape).astype(dtype)
    t = rng.randint(-1, 3, shape)
    for out in dtype, 'e':
        mean, factor = cross_entropy.mean.reference(losses, t, -1, n, np.dtype(out))
        got = cross_entropy.mean.device(
            *device.send((losses, t)), -1, n, np.dtype(out))
        forms.assert_close(got[0], mean)
        forms.assert_close(got[1], np.asarray(factor, dtype))


@pytest.mark.gpu
def test_no_label_counts_on_a_device(device):
    losses, t = device.send((np.zeros(3, 'f'), np.full(3, -1)))
    mean, factor = cross_entropy.mean.device(losses, t, -1, None, losses.dtype)
    assert (float(mean), float(factor)) == (0, 1)


class OwnMethods(SoftmaxCrossEntropy):
    """The same without the shortcut, which direct instances alone take."""


@given(st.integers(1, 60), st.integers(1, 300), st.sampled_from('fd'),
       st.sampled_from([1, 30, 1000]), st.booleans(), st.integers(0, 2 ** 16))
def test_shortcut_gives_the_same_bits(rows, classes, dtype, scale, normalize, seed):
    rng = np.random.RandomState(seed)
    x = (rng.standard_normal((rows, classes)) * scale).astype(dtype)
    t = rng.randint(0, classes, rows)
    t[rng.uniform(size=rows) < .2] = -1
    g = np.array(rng.uniform(-1, 1), dtype)
    bits = []
    for cls in SoftmaxCrossEntropy, OwnMethods:
        scores, function = Variable(x), cls(normalize)
        loss, = function.apply((scores, t))
        loss.grad = g
        loss.backward()
        bits.append([a.tobytes() for a in (loss.array, function.y, scores.grad)])
    assert bits[0] == bits[1]


@given(scores(), st.booleans())
def test_soft_labels(drawn, scalar):
    rng, x = drawn
    t = rng.uniform(0, 1, x.shape)
    t = (t / t.sum(axis=1, keepdims=True)).astype(x.dtype)
    actual, y = cross_entropy.soft_losses(x, t, None)
    expected, expected_y = cross_entropy.soft_losses.reference(x, t, None)
    close(actual, expected, x.dtype)
    close(y, expected_y, x.dtype)
    g = np.array(.3, x.dtype) if scalar else rng.uniform(
        -1, 1, actual.shape).astype(x.dtype)
    close(cross_entropy.soft_gradient(x, y, t, g, None),
          cross_entropy.soft_gradient.reference(x, y, t, g, None), x.dtype)


@pytest.mark.parametrize('label', [3, -4])
def test_labels_that_are_no_classes(label):
    x, t = np.zeros((2, 3), 'f'), np.array([0, label])
    assert cross_entropy.hard_losses.compiled(x, t, None, -1) is NotImplemented
    with pytest.raises(IndexError):
        cross_entropy.hard_losses(x, t, None, -1)


def test_no_compiled_form():
    t = np.zeros(2, 'i')
    single = np.zeros((2, 6), 'f')
    for x in single.astype('e'), single[:, :0], single[:, ::-1]:
        assert compiled.hard_losses(x, t, None, -1) is NotImplemented
        assert compiled.soft_losses(x, x) is NotImplemented
    assert compiled.soft_losses(single[:, ::2], single[:, ::2]) is NotImplemented


def test_scores_with_gaps():
    x = np.random.RandomState(0).randn(3, 8).astype('f')[:, ::2]
    t = np.array([0, -1, 3])
    actual, y = compiled.hard_losses(x, t, None, -1)
    expected, expected_y = cross_entropy.hard_losses.reference(x, t, None, -1)
    close(actual, expected, x.dtype)
    close(y, expected_y, x.dtype)
