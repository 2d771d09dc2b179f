import numpy
import pytest

import chainer_fast
from chainer_fast import memory_layouts
from chainer_fast.utils import type_check

LAST_X = memory_layouts.CUDNN_CHANNEL_LAST_X
LAST_W = memory_layouts.CUDNN_CHANNEL_LAST_W


def test_as_layout():
    x = chainer_fast.Variable(numpy.random.rand(2, 3, 4, 5).astype('f'))
    y = x.as_layout(LAST_X)
    assert y.layout == LAST_X
    assert y.creator.label == 'AsLayout'
    assert (y.creator.in_layout, y.creator.axes) == (None, (0, 2, 3, 1))
    z = y.as_layout(None)
    assert z.layout is None
    numpy.testing.assert_array_equal(z.array, x.array)
    w = z * z
    w.grad = numpy.ones_like(w.array)
    w.backward()
    numpy.testing.assert_allclose(x.grad, 2 * x.array)


def test_gradients_have_the_layout_of_their_variables():
    x = chainer_fast.Variable(numpy.random.rand(2, 3, 4, 5).astype('f'))
    y = x.as_layout(LAST_X)
    z = y.as_layout(None)
    gy, = chainer_fast.grad([z], [y], [z])
    gx, = chainer_fast.grad([y], [x], [gy])
    assert (gy.layout, gx.layout) == (LAST_X, None)
    assert gy.raw_array.shape == (2, 4, 5, 3)
    numpy.testing.assert_array_equal(gx.array, x.array)


def test_as_layout_twice_differentiable():
    x = chainer_fast.Variable(numpy.random.rand(2, 3, 4).astype('d'))
    y = x.as_layout(LAST_W).as_layout(None)
    gx, = chainer_fast.grad([y * y * y], [x], enable_double_backprop=True)
    ggx, = chainer_fast.grad([gx], [x])
    assert gx.layout is None
    numpy.testing.assert_allclose(ggx.array, 6 * x.array)


def test_as_layout_of_the_same_layout():
    x = chainer_fast.Variable(numpy.zeros((2, 3, 4)))
    assert x.as_layout(None) is x
    y, = memory_layouts.AsLayout(None).apply((x,))
    assert y.shape == x.shape


def test_as_layout_errors():
    x = numpy.zeros((2, 3, 4))
    with pytest.raises(ValueError, match='cannot convert'):
        memory_layouts.AsLayout('foo').apply((x,))
    with pytest.raises(ValueError, match='3 dimensions'):
        memory_layouts.AsLayout(LAST_X).apply((x[0],))
    with pytest.raises(type_check.InvalidType):
        memory_layouts.AsLayout(LAST_X).apply((x, x))
