"""Products of large matrices by oneDNN, against NumPy in double precision."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.backends._onednn import library
from chainer_fast.backends.kernels import matmul
from tests.backends.kernels import forms

pytestmark = pytest.mark.usefixtures('onednn')


def random(*shape):
    return np.random.RandomState(sum(shape)).uniform(-1, 1, shape).astype('f')


def close(actual, expected):
    assert (actual.dtype, actual.shape) == (np.float32, expected.shape)
    np.testing.assert_allclose(
        actual, expected, rtol=1e-5, atol=2e-6 * abs(expected).max(initial=0))


def transposed(x):
    return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


def layouts(x):
    return (*forms.layouts(x), transposed(x), x[::-1].copy()[::-1])


SIZES = [(64, 64, 64), (63, 65, 67), (1, 300, 400), (300, 1, 400), (300, 400, 1),
         (257, 33, 129), (3, 4, 5), (0, 50, 60), (50, 0, 60)]


@pytest.mark.parametrize('m, k, n', SIZES)
def test_dot(m, k, n):
    a, b = random(m, k), random(k, n)
    expected = a.astype('d') @ b.astype('d')
    for x in layouts(a):
        for y in layouts(b):
            close(matmul.dot(x, y), expected)


@pytest.mark.parametrize('left, right', [
    ((4, 50, 60), (4, 60, 70)), ((4, 50, 60), (60, 70)), ((50, 60), (4, 60, 70)),
    ((2, 1, 50, 60), (3, 60, 40)), ((2, 3, 41, 43), (2, 3, 43, 47)),
    ((1, 50, 60), (1, 60, 70)), ((0, 50, 60), (0, 60, 70)), ((2, 3, 4), (2, 4, 5)),
    ((60,), (60, 900)), ((2, 50, 60), (60,))])
def test_batches(left, right):
    a, b = random(*left), random(*right)
    expected = np.matmul(a.astype('d'), b.astype('d'))
    for x in layouts(a) if a.ndim > 1 else [a]:
        for y in layouts(b) if b.ndim > 1 else [b]:
            close(matmul.matmul(x, y), expected)


def test_many_rows_by_one_matrix():
    a, b = random(5, 40, 50), random(50, 60)
    for x in layouts(a):
        close(matmul.dot(x, b), a.astype('d') @ b.astype('d'))


@pytest.mark.parametrize('function', [matmul.dot, matmul.matmul])
def test_errors_are_numpys(function):
    with pytest.raises(ValueError):
        function(random(50, 60), random(61, 70))
    with pytest.raises(ValueError):
        function(random(3, 50, 60), random(61, 70))


def test_batches_that_do_not_match():
    with pytest.raises(ValueError):
        matmul.matmul(random(2, 50, 60), random(3, 60, 70))


def test_warnings_are_numpys():
    a, b = random(2, 50, 60), random(2, 60, 70)
    a[0, 0, 0], b[0, 0, :] = np.inf, 0
    with pytest.warns(RuntimeWarning, match='invalid value'):
        y = matmul.matmul(a, b)
    assert np.isnan(y[0, 0]).all()


def test_other_types():
    a, b = random(50, 60), random(60, 70)
    for dtype in 'deil':
        x, y = a.astype(dtype), b.astype(dtype)
        np.testing.assert_array_equal(matmul.dot(x, y), x.dot(y))
    assert matmul.dot(a, b.astype('d')).dtype == 'd'
    assert type(matmul.dot(a[0], a[0])) is np.float32


@pytest.fixture
def counted():
    """Return a function that tells how often oneDNN has been called."""
    library.count(True)
    before = library.counted()
    yield lambda: library.counted() - before
    library.count(False)


def test_link_and_its_gradients(counted):
    x, results = random(100, 200), []
    link = L.Linear(200, 150)
    for level in 'never', 'always':
        with chainer_fast.using_config('use_ideep', level):
            link.cleargrads()
            v = chainer_fast.Variable(x)
            y = link(v)
            F.sum(y ** 2).backward()
            results.append([y.array, v.grad, link.W.grad])
        assert counted() == (3 if level == 'always' else 0)
    for expected, actual in zip(*results, strict=True):
        close(actual, expected)
