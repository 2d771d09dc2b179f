import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import memory_layouts
from chainer_fast.utils import type_check

LAST_X = memory_layouts.CUDNN_CHANNEL_LAST_X
LAST_W = memory_layouts.CUDNN_CHANNEL_LAST_W

shapes = st.lists(st.integers(1, 3), min_size=3, max_size=6).map(tuple)


def test_standard_layouts_are_none():
    assert memory_layouts.CUDNN_CHANNEL_FIRST_X is None
    assert memory_layouts.CUDNN_CHANNEL_FIRST_W is None
    assert (LAST_X, LAST_W) == ('CUDNN_CHANNEL_LAST_X', 'CUDNN_CHANNEL_LAST_W')


@given(shapes, st.sampled_from([LAST_X, LAST_W]))
def test_channels_go_last_and_return(shape, layout):
    arr = numpy.arange(numpy.prod(shape)).reshape(shape)
    last = memory_layouts._transpose_array(arr, None, layout)
    numpy.testing.assert_array_equal(last, numpy.moveaxis(arr, 1, -1))
    assert last.shape == memory_layouts._transpose_shape(shape, None, layout)
    back = memory_layouts._transpose_array(last, layout, None)
    numpy.testing.assert_array_equal(back, arr)
    assert back.strides == arr.strides
    assert numpy.shares_memory(back, arr)


@given(st.integers(3, 7), st.sampled_from([(None, LAST_X), (LAST_W, None)]))
def test_inverse_axes(ndim, layouts):
    axes = memory_layouts._get_layout_transpose_axes(ndim, *layouts)
    inverse = memory_layouts._get_layout_transpose_axes(ndim, *layouts, inverse=True)
    assert tuple([axes[i] for i in inverse]) == tuple(range(ndim))


@pytest.mark.parametrize('layout', [None, LAST_X, LAST_W])
def test_same_layout(layout):
    arr = numpy.zeros((2, 3))
    assert memory_layouts._transpose_array(arr, layout, layout) is arr
    assert memory_layouts._get_layout_transpose_axes(2, layout, layout) is None


@pytest.mark.parametrize('layouts', [
    (None, 'foo'), ('foo', None), (LAST_X, LAST_W), (LAST_W, LAST_X), (LAST_X, 'foo')])
def test_unknown_conversions(layouts):
    with pytest.raises(ValueError, match='no conversion'):
        memory_layouts._transpose_shape((1, 2, 3, 4), *layouts)


@pytest.mark.parametrize('ndim', [0, 1, 2])
def test_too_few_dimensions(ndim):
    with pytest.raises(ValueError, match='3 dimensions or more'):
        memory_layouts._get_layout_transpose_axes(ndim, None, LAST_X)


def test_shapes_of_arrays():
    arr = numpy.zeros((2, 3, 4, 5))
    assert memory_layouts.get_raw_shape(arr) == (2, 3, 4, 5)
    assert memory_layouts.get_semantic_shape(arr) == (2, 3, 4, 5)
    assert memory_layouts.get_semantic_shape(arr, assumed_layout=None) == (2, 3, 4, 5)
    assert memory_layouts.get_semantic_shape(arr, assumed_layout=LAST_X) == (2, 5, 3, 4)


def test_shapes_of_variables():
    var = chainer_fast.Variable(numpy.zeros((2, 3, 4, 5))).as_layout(LAST_X)
    assert memory_layouts.get_raw_shape(var) == (2, 4, 5, 3)
    assert memory_layouts.get_semantic_shape(var) == var.shape == (2, 3, 4, 5)
    assert memory_layouts.get_semantic_shape(var, assumed_layout=LAST_X) == (2, 3, 4, 5)
    with pytest.raises(ValueError, match='was assumed'):
        memory_layouts.get_semantic_shape(var, assumed_layout=None)


def test_repr_of_the_default():
    assert repr(memory_layouts._unspecified) == '<unspecified>'


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
    with pytest.raises(ValueError, match='no conversion'):
        memory_layouts.AsLayout('foo').apply((x,))
    with pytest.raises(ValueError, match='3 dimensions'):
        memory_layouts.AsLayout(LAST_X).apply((x[0],))
    with pytest.raises(type_check.InvalidType):
        memory_layouts.AsLayout(LAST_X).apply((x, x))
