import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast
from chainer_fast.backends import layouts

LAST_X = layouts.CUDNN_CHANNEL_LAST_X
LAST_W = layouts.CUDNN_CHANNEL_LAST_W

shapes = st.lists(st.integers(1, 3), min_size=3, max_size=6).map(tuple)


def test_standard_layouts_are_none():
    assert layouts.CUDNN_CHANNEL_FIRST_X is None
    assert layouts.CUDNN_CHANNEL_FIRST_W is None
    assert (LAST_X, LAST_W) == ('CUDNN_CHANNEL_LAST_X', 'CUDNN_CHANNEL_LAST_W')


@given(shapes, st.sampled_from([LAST_X, LAST_W]))
def test_channels_go_last_and_return(shape, layout):
    arr = numpy.arange(numpy.prod(shape)).reshape(shape)
    last = layouts._transpose_array(arr, None, layout)
    numpy.testing.assert_array_equal(last, numpy.moveaxis(arr, 1, -1))
    assert last.shape == layouts._transpose_shape(shape, None, layout)
    back = layouts._transpose_array(last, layout, None)
    numpy.testing.assert_array_equal(back, arr)
    assert back.strides == arr.strides
    assert numpy.shares_memory(back, arr)


@given(st.integers(3, 7), st.sampled_from([(None, LAST_X), (LAST_W, None)]))
def test_inverse_axes(ndim, pair):
    axes = layouts._get_layout_transpose_axes(ndim, *pair)
    inverse = layouts._get_layout_transpose_axes(ndim, *pair, inverse=True)
    assert tuple([axes[i] for i in inverse]) == tuple(range(ndim))


@pytest.mark.parametrize('layout', [None, LAST_X, LAST_W])
def test_same_layout(layout):
    arr = numpy.zeros((2, 3))
    assert layouts._transpose_array(arr, layout, layout) is arr
    assert layouts._get_layout_transpose_axes(2, layout, layout) is None


@pytest.mark.parametrize('pair', [
    (None, 'foo'), ('foo', None), (LAST_X, LAST_W), (LAST_W, LAST_X), (LAST_X, 'foo')])
def test_unknown_conversions(pair):
    with pytest.raises(ValueError, match='cannot convert'):
        layouts._transpose_shape((1, 2, 3, 4), *pair)


@pytest.mark.parametrize('ndim', [0, 1, 2])
def test_too_few_dimensions(ndim):
    with pytest.raises(ValueError, match='3 dimensions or more'):
        layouts._get_layout_transpose_axes(ndim, None, LAST_X)


def test_shapes_of_arrays():
    arr = numpy.zeros((2, 3, 4, 5))
    assert layouts.get_raw_shape(arr) == (2, 3, 4, 5)
    assert layouts.get_semantic_shape(arr) == (2, 3, 4, 5)
    assert layouts.get_semantic_shape(arr, assumed_layout=None) == (2, 3, 4, 5)
    assert layouts.get_semantic_shape(arr, assumed_layout=LAST_X) == (2, 5, 3, 4)


def test_shapes_of_variables():
    var = chainer_fast.Variable(numpy.zeros((2, 3, 4, 5))).as_layout(LAST_X)
    assert layouts.get_raw_shape(var) == (2, 4, 5, 3)
    assert layouts.get_semantic_shape(var) == var.shape == (2, 3, 4, 5)
    assert layouts.get_semantic_shape(var, assumed_layout=LAST_X) == (2, 3, 4, 5)
    with pytest.raises(ValueError, match='expected a variable'):
        layouts.get_semantic_shape(var, assumed_layout=None)


@pytest.mark.parametrize('make', [
    lambda layout: chainer_fast.Variable(numpy.zeros((2, 3), 'f'), layout=layout),
    lambda layout: chainer_fast.Parameter(numpy.zeros((2, 3), 'f'), layout=layout),
    lambda layout: chainer_fast.Parameter(0, (2, 3), layout=layout)])
@pytest.mark.parametrize('layout', [True, 'unknown', LAST_X])
def test_a_variable_has_a_layout_that_it_can_have(make, layout):
    with pytest.raises(ValueError, match='layout'):
        make(layout)


def test_repr_of_the_default():
    assert repr(layouts._unspecified) == '<unspecified>'
