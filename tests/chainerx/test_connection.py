import numpy as np
import pytest

import chainer_fast.functions as F
from chainer_fast import chainerx
from tests.chainerx.checks import array, check, same, uniform, values

pytestmark = pytest.mark.usefixtures('place')

DOTS = [((), ()), ((), (2, 3)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)),
        ((2, 3), (3, 4)), ((2, 3, 2), (3, 2, 4)), ((2, 0), (0, 3)), ((0, 2), (2, 0)),
        ((2,), (3, 2, 4)), ((2, 3, 2), (2,)), ((1, 0, 3), (3, 4)), ((2, 3, 0), (0, 1))]


@pytest.mark.parametrize('a_shape, b_shape', DOTS)
def test_dot(a_shape, b_shape):
    a, b = uniform(*a_shape), uniform(*b_shape, seed=1)
    same(chainerx.dot, np.dot, a, b)
    check(chainerx.dot, a, b)
    np.testing.assert_allclose(values(array(a).dot(array(b))), a.dot(b))


@pytest.mark.parametrize('dtypes, expected', [
    (('int8', 'int32'), 'int32'), (('uint8', 'float16'), 'float16'),
    (('bool', 'bool'), 'bool'), (('float32', 'float64'), 'float64')])
def test_dtypes(dtypes, expected):
    x, y = [array(np.ones((2, 2), dtype)) for dtype in dtypes]
    for routine in chainerx.dot, chainerx.linear:
        found = routine(x, y)
        assert found.dtype == expected
        np.testing.assert_array_equal(values(found), np.full((2, 2), 2, expected))
    found = chainerx.conv(array(values(x)[..., None]), array(values(y)[..., None]))
    assert found.dtype == expected
    np.testing.assert_array_equal(values(found), np.full((2, 2, 1), 2, expected))


def test_linear_of_integers_is_exact():
    large = 2 ** 60 + 1
    y = chainerx.linear(array([[large, 1]]), array([[1, 2], [2, 0]]), array([3, 4]))
    np.testing.assert_array_equal(values(y), [[large + 5, 2 * large + 4]])
    for x, b in (([[1, 2, 3]], [3, 4]), ([[1, 2]], [3])):
        with pytest.raises(chainerx.DimensionError):
            chainerx.linear(array(x), array([[1, 2], [2, 0]]), array(b))


def test_dot_of_shapes_that_do_not_fit():
    for a, b in (((2, 3), (2, 3)), ((3,), (2,)), ((2, 3), (2,))):
        with pytest.raises(chainerx.DimensionError):
            chainerx.dot(array(uniform(*a)), array(uniform(*b)))


@pytest.mark.parametrize('n_batch_axes', [1, 2])
@pytest.mark.parametrize('bias', [True, False])
def test_linear(n_batch_axes, bias):
    x = uniform(2, 3, 4)
    w = uniform(5, 12 if n_batch_axes == 1 else 4, seed=1)
    arrays = (x, w, uniform(5, seed=2))[:3 if bias else 2]
    same(lambda *a: chainerx.linear(*a, n_batch_axes=n_batch_axes),
         lambda *a: F.linear(*a, n_batch_axes=n_batch_axes), *arrays)
    check(lambda *a: chainerx.linear(*a, n_batch_axes=n_batch_axes), *arrays)


def test_gradient_of_mixed_dtypes():
    x = array(np.ones((2, 3), 'int8'))
    w = array(uniform(4, 3).astype('float16')).require_grad()
    b = array(uniform(4).astype('float32')).require_grad()
    y = chainerx.linear(x, w, b)
    assert y.dtype == 'float32'
    y.backward()
    assert w.grad.dtype == 'float16'
    np.testing.assert_array_equal(values(w.grad), np.full((4, 3), 2))
    np.testing.assert_array_equal(values(b.grad), np.full(4, 2))


@pytest.mark.parametrize('x, w, args', [
    ((1, 3), (5, 3), ()),
    ((2, 3, 7), (5, 3, 2), (2, 1, True)),
    ((2, 3, 4, 4), (2, 3, 3, 3), (2, (1, 0))),
    ((1, 3, 2, 4, 3), (2, 3, 1, 3, 2), ((1, 2, 1), 1))])
def test_conv(x, w, args):
    arrays = uniform(*x), uniform(*w, seed=1), uniform(w[0], seed=2)
    same(lambda *a: chainerx.conv(*a, *args),
         lambda *a: F.convolution_nd(*a, *args), *arrays)
    check(lambda *a: chainerx.conv(*a, *args), *arrays)
    check(lambda x, w: chainerx.conv(x, w, None, *args), *arrays[:2])


@pytest.mark.parametrize('x, w, args', [
    ((1, 3), (3, 5), ()),
    ((2, 3, 4), (3, 5, 2), (2, 1)),
    ((2, 3, 4, 4), (3, 2, 3, 3), (2, (1, 0))),
    ((2, 3, 4, 4), (3, 2, 3, 3), (2, (1, 0), (8, 10))),
    ((1, 3, 2, 4, 3), (3, 2, 1, 3, 2), ((1, 2, 1), 0))])
def test_conv_transpose(x, w, args):
    arrays = uniform(*x), uniform(*w, seed=1), uniform(w[1], seed=2)
    same(lambda *a: chainerx.conv_transpose(*a, *args),
         lambda *a: F.deconvolution_nd(*a, *args), *arrays)
    check(lambda *a: chainerx.conv_transpose(*a, *args), *arrays)


@pytest.mark.parametrize('name, shapes, args', [
    ('conv', ((1, 3, 4, 3), (5, 4, 2, 2)), ()),
    ('conv', ((2, 3, 4, 3), (5, 3, 2, 2, 1)), ()),
    ('conv', ((1, 3, 4, 3), (5, 3, 2, 2), (6,)), ()),
    ('conv', ((2, 3, 4, 3), (5, 3, 2, 2)), (None, (1,))),
    ('conv', ((2, 3, 4, 3), (5, 3, 2, 2)), (None, 1, (2,))),
    ('conv', ((2, 3), (5, 3)), (None, (1,))),
    ('conv_transpose', ((1, 3, 4, 3), (5, 4, 2, 2)), ()),
    ('conv_transpose', ((1, 3, 4, 3), (3, 5, 2, 2), (6,)), ()),
    ('conv_transpose', ((1, 3, 4), (3, 5, 2)), (None, 1, 0, (-1,))),
    ('conv_transpose', ((1, 3, 4), (3, 5, 2)), (None, 1, 3)),
    ('conv_transpose', ((1, 3, 4), (3, 5, 2)), (None, 1, 0, (9,))),
    ('linear', ((2, 3), (4, 2)), ()),
    ('linear', ((2, 3), (4, 3), (3,)), ())])
def test_shapes_that_do_not_fit(name, shapes, args):
    arrays = [array(uniform(*shape)) for shape in shapes]
    with pytest.raises(chainerx.DimensionError):
        getattr(chainerx, name)(*arrays, *args)
