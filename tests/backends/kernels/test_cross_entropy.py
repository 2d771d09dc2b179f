"""Compiled and CUDA forms of the cross entropy, against the reference."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import cross_entropy
from chainer_fast.functions.loss.softmax_cross_entropy import SoftmaxCrossEntropy
from chainer_fast.variable import Variable
from tests.backends import host_cuda

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


def check_labels(form, drawn, ignore, weighted, scalar, label_dtype):
    """Compare both kernels of labels, of which ``form`` gives one form."""
    rng, x = drawn
    classes = x.shape[1]
    t = rng.randint(0, classes, x.shape[:1] + x.shape[2:]).astype(label_dtype)
    t[rng.uniform(size=t.shape) < .3] = ignore if -1 <= ignore < classes else 0
    weight = rng.uniform(.5, 2, classes).astype('f') if weighted else None
    args = t, weight, ignore
    actual = form(cross_entropy.hard_losses)(x, *args)
    expected = cross_entropy.hard_losses.reference(x, *args)
    for a, e in zip(actual[:2], expected[:2], strict=True):
        close(a, e, x.dtype)
    assert actual[2] == expected[2] == (t != ignore).sum()
    g = np.array(.3, x.dtype) if scalar else rng.uniform(-1, 1, t.shape).astype(x.dtype)
    close(form(cross_entropy.hard_gradient)(actual[1], *args, g),
          cross_entropy.hard_gradient.reference(actual[1], *args, g), x.dtype)


@given(LABELS)
def test_labels(case):
    check_labels(lambda kernel: kernel, *case)


@pytest.mark.skipif(host_cuda.COMPILER is None, reason='no C++ compiler')
@settings(max_examples=30, deadline=None)
@given(LABELS)
def test_cuda_code(case):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda, 'cupy', host_cuda.cupy)
        patch.setattr(cuda, 'elementwise', host_cuda.elementwise)
        check_labels(lambda kernel: kernel.device, *case)


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
    actual, y = cross_entropy.soft_losses(x, t)
    expected, expected_y = cross_entropy.soft_losses.reference(x, t)
    close(actual, expected, x.dtype)
    close(y, expected_y, x.dtype)
    g = np.array(.3, x.dtype) if scalar else rng.uniform(
        -1, 1, actual.shape).astype(x.dtype)
    close(cross_entropy.soft_gradient(y, t, g),
          cross_entropy.soft_gradient.reference(y, t, g), x.dtype)


@pytest.mark.parametrize('label', [3, -4])
def test_labels_that_are_no_classes(label):
    x, t = np.zeros((2, 3), 'f'), np.array([0, label])
    assert cross_entropy.hard_losses.compiled(x, t, None, -1) is NotImplemented
    with pytest.raises(IndexError):
        cross_entropy.hard_losses(x, t, None, -1)


def test_no_compiled_form():
    t = np.zeros(2, 'i')
    single = np.zeros((2, 6), 'f')
    for x in single.astype('e'), single[:, :0], single[:, ::2]:
        assert cross_entropy.hard_losses.compiled(x, t, None, -1) is NotImplemented
        assert cross_entropy.soft_losses.compiled(x, x) is NotImplemented
