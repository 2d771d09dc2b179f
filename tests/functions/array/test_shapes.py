"""Functions that rearrange elements, against NumPy's of the same names."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chainer_fast import functions as F
from chainer_fast.functions.array import diagonal
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

X = (2, 3, 4)
CASES = {
    'broadcast_to': (F.broadcast_to, np.broadcast_to, ((5, 2, 3, 4),)),
    'diagonal': (F.diagonal, np.diagonal, ()),
    'diagonal of other axes': (F.diagonal, np.diagonal, (-1, 2, 0)),
    'diagonal beyond the border': (F.diagonal, np.diagonal, (9,)),
    'expand_dims': (F.expand_dims, np.expand_dims, (1,)),
    'expand_dims at the end': (F.expand_dims, np.expand_dims, (-1,)),
    'flip': (F.flip, np.flip, (1,)),
    'flip from the end': (F.flip, np.flip, (-1,)),
    'fliplr': (F.fliplr, np.fliplr, ()),
    'flipud': (F.flipud, np.flipud, ()),
    'flatten': (F.flatten, np.ravel, ()),
    'moveaxis': (F.moveaxis, np.moveaxis, (0, 2)),
    'moveaxis of two': (F.moveaxis, np.moveaxis, ((-1, 0), (0, 1))),
    'repeat': (F.repeat, np.repeat, (2,)),
    'repeat along an axis': (F.repeat, np.repeat, (2, -1)),
    'repeat unevenly': (F.repeat, np.repeat, ((0, 2, 1), 1)),
    'repeat to nothing': (F.repeat, np.repeat, (0, 1)),
    'reshape': (F.reshape, np.reshape, ((4, 6),)),
    'reshape and infer': (F.reshape, np.reshape, ((3, -1, 2),)),
    'rollaxis': (F.rollaxis, np.rollaxis, (2,)),
    'rollaxis to the end': (F.rollaxis, np.rollaxis, (0, 3)),
    'rollaxis from the end': (F.rollaxis, np.rollaxis, (-1, -2)),
    'squeeze nothing': (F.squeeze, np.squeeze, ()),
    'swapaxes': (F.swapaxes, np.swapaxes, (0, -1)),
    'tile': (F.tile, np.tile, (2,)),
    'tile fewer axes': (F.tile, np.tile, ((2, 1),)),
    'tile more axes': (F.tile, np.tile, ((2, 1, 3, 1),)),
    'tile to nothing': (F.tile, np.tile, ((0, 2, 1),)),
    'tile by nothing': (F.tile, np.tile, ((),)),
    'transpose': (F.transpose, np.transpose, ()),
    'transpose by axes': (F.transpose, np.transpose, ((1, -1, 0),)),
}
each = pytest.mark.parametrize('f, expected, args', CASES.values(), ids=CASES)


@each
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('contiguous', [True, False])
def test_values(device, f, expected, args, dtype, contiguous):
    x = gradients.uniform(X, 0, dtype)
    if not contiguous:
        x = np.asfortranarray(x)
    y = f(device.send(x), *args)
    assert y.dtype == dtype
    compare.assert_array_equal(y.array, expected(x, *args))


@each
def test_gradients(device, f, expected, args):
    # Linear functions: the gradient of the square tests the second derivative.
    gradients.check(device, lambda x: f(x, *args) ** 2, gradients.uniform(X))


@pytest.mark.parametrize('shape, axis', [
    ((1, 3, 1), None), ((1, 3, 1), 0), ((1, 3, 1), (0, -1)), ((1,), 0), ((), None)])
def test_squeeze(device, shape, axis):
    x = gradients.uniform(shape)
    compare.assert_array_equal(
        F.squeeze(device.send(x), axis).array, np.squeeze(x, axis))
    gradients.check(device, lambda x: F.squeeze(x, axis) ** 2, x)


def test_what_has_the_shape_stays(device):
    x = Variable(device.send(np.zeros((2, 3))))
    assert F.reshape(x, (2, 3)) is x
    assert F.broadcast_to(x, (2, 3)) is x
    assert F.broadcast(x) is x


def test_empty_arrays(device):
    x = np.zeros((0, 3), 'f')
    assert F.reshape(device.send(x), (-1, 3)).shape == (0, 3)
    assert F.reshape(device.send(x), (3, 0)).shape == (3, 0)
    assert F.tile(device.send(x), 2).shape == (0, 6)
    assert F.transpose(device.send(x)).shape == (3, 0)
    gradients.check(device, lambda x: F.reshape(x, (3, 0)) ** 2, x.astype('d'))


@settings(max_examples=40, deadline=None)
@given(hnp.mutually_broadcastable_shapes(
    num_shapes=3, max_dims=3, max_side=3, min_side=0), st.sampled_from('efd'))
def test_broadcast(device, shapes, dtype):
    xs = [Variable(device.send(gradients.uniform(s, i, dtype)))
          for i, s in enumerate(shapes.input_shapes)]
    ys = F.broadcast(*xs)
    arrays = np.broadcast_arrays(*[x.array for x in xs])
    for y, expected in zip(ys, arrays, strict=True):
        compare.assert_array_equal(y.array, expected)
    ys[0].grad = np.ones_like(ys[0].array)
    ys[0].backward()
    assert xs[0].grad.shape == xs[0].shape
    if xs[0].size:
        compare.assert_array_equal(
            xs[0].grad, np.full_like(xs[0].array, ys[0].size / xs[0].size))
    assert xs[1].grad is None


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_rollaxis_and_its_gradient_are_inverse(device, data):
    ndim = data.draw(st.integers(1, 4))
    axis = data.draw(st.integers(-ndim, ndim - 1))
    start = data.draw(st.integers(-ndim, ndim))
    x = Variable(device.send(gradients.uniform(tuple(range(2, 2 + ndim)))))
    y = F.rollaxis(x, axis, start)
    compare.assert_array_equal(y.array, np.rollaxis(x.array, axis, start))
    y.grad = y.array.copy()
    y.backward()
    compare.assert_array_equal(x.grad, x.array)


def test_pad(device):
    x = gradients.uniform((2, 3))
    for width, mode, options in [
            (1, 'constant', {}), ((1, 2), 'reflect', {}), (0, 'constant', {}),
            ([[1], [2]], 'constant', {'constant_values': -0.}),
            (((1, 2),), 'constant', {'constant_values': ((1, 2), (3, 4))}),
            (((1, 0), (0, 2)), 'constant', {'constant_values': 7.})]:
        for each in x, x.T.astype('e'):
            y = F.pad(device.send(each), width, mode, **options)
            expected = np.pad(each, width, mode, **options)
            compare.assert_array_equal(y.array, expected)
            if device.xp is np:     # CuPy's copies of arrays are in C order
                assert y.array.strides == expected.strides
    for width in 1, (1, 2), ((1, 0), (0, 2)), ((1, 2),):
        gradients.check(device, lambda x, w=width: F.pad(x, w, 'constant') ** 2, x)


@pytest.mark.parametrize('shape', [(3, 9), (4, 2), (9,)])
def test_gradients_of_diagonals_stay_within_the_array(device, shape):
    grad = diagonal.DiagonalGrad((3, 2, 4), 1, 1, 2)
    with pytest.raises(ValueError):
        grad.apply((device.send(np.ones(shape)),))


@pytest.mark.parametrize('width', [-1, 1.5, ((1, 2), (3, 4), (5, 6)), 'a'])
def test_pad_checks_widths(device, width):
    with pytest.raises((TypeError, ValueError)):
        F.pad(device.send(np.zeros((2, 3))), width, 'constant')


@pytest.mark.parametrize('f, args, error', [
    (F.broadcast_to, ((3, 4),), type_check.InvalidType),
    (F.broadcast_to, ((2, 3, 5),), type_check.InvalidType),
    (F.diagonal, (0, 0, 3), type_check.InvalidType),
    (F.expand_dims, (4,), type_check.InvalidType),
    (F.flip, (3,), type_check.InvalidType),
    (F.flip, (1.,), TypeError),
    (F.moveaxis, (3, 0), type_check.InvalidType),
    (F.moveaxis, ((0, 1), (0,)), ValueError),
    (F.moveaxis, ((0, 0), (0, 1)), ValueError),
    (F.repeat, (-1,), ValueError),
    (F.repeat, ('a',), TypeError),
    (F.repeat, ((1, 2), 1), ValueError),
    (F.reshape, ((5,),), type_check.InvalidType),
    (F.reshape, ((-1, 5),), type_check.InvalidType),
    (F.reshape, ((-1, -1),), AssertionError),
    (F.rollaxis, (3,), type_check.InvalidType),
    (F.rollaxis, (0, 4), type_check.InvalidType),
    (F.rollaxis, (1.,), TypeError),
    (F.squeeze, (0,), ValueError),
    (F.squeeze, (3,), type_check.InvalidType),
    (F.squeeze, ('a',), TypeError),
    (F.tile, (-1,), ValueError),
    (F.tile, (1.5,), TypeError),
])
def test_errors(device, f, args, error):
    with pytest.raises(error):
        f(device.send(np.zeros(X, 'f')), *args)


@pytest.mark.parametrize('axis', [None, 0, -1])
@pytest.mark.parametrize('repeats', [0, 3, (2,)])
def test_repetitions_of_one_element(device, axis, repeats):
    x = gradients.uniform(())
    y = F.repeat(device.send(x), repeats, axis)
    compare.assert_array_equal(y.array, np.repeat(x, repeats))
    gradients.check(device, lambda x: F.repeat(x, repeats, axis) ** 2, x)


def test_moveaxis_takes_floats(device):
    with pytest.raises(type_check.InvalidType):
        F.moveaxis(device.send(np.zeros((2, 3), 'i')), 0, 1)
