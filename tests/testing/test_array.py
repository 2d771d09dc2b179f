import numpy
import pytest

import chainer_fast
from chainer_fast import testing
from chainer_fast.testing import array


@pytest.mark.parametrize('x, y, options', [
    ([1., 2.], [1., 2.], {'atol': 0, 'rtol': 0}),
    (numpy.array([1.]), numpy.array([1.1]), {'atol': 0.2, 'rtol': 0}),
    (numpy.array([10.]), numpy.array([11.]), {'atol': 0, 'rtol': 0.1}),
    (numpy.nan, numpy.nan, {}),
    (numpy.array([numpy.inf]), numpy.array([numpy.inf]), {}),
    (numpy.float16(1), numpy.ones((), 'd'), {}),
    (numpy.zeros(0), numpy.zeros(0), {}),
    (1, 1, {}),
])
def test_close(x, y, options):
    testing.assert_allclose(x, y, **options)


@pytest.mark.parametrize('x, y, options', [
    (numpy.array([1.]), numpy.array([1.1]), {'atol': 0.05, 'rtol': 0}),
    # The tolerance is relative to the second array.
    (numpy.array([10.]), numpy.array([1.]), {'atol': 0, 'rtol': 1}),
    (numpy.nan, 0., {}),
    (numpy.array([numpy.inf]), numpy.array([-numpy.inf]), {}),
    (numpy.ones((2, 3)), numpy.ones((3, 2)), {}),
    (numpy.array([0], 'u1'), numpy.array([255], 'u1'), {}),
    (numpy.array([True]), numpy.array([False]), {}),
    (numpy.array([1 + 1j]), numpy.array([1 + 2j]), {}),
    (numpy.zeros(0), numpy.zeros(1), {}),
])
def test_not_close(x, y, options):
    with pytest.raises(AssertionError, match='x is .* y is'):
        testing.assert_allclose(x, y, **options)


def test_message_shows_worst_element():
    x = numpy.array([[0., 100.], [2., 7.]], 'f')
    y = numpy.array([[0., 101.], [2., 3.]], 'f')
    with pytest.raises(AssertionError) as e:
        testing.assert_allclose(x, y)
    lines = str(e.value).splitlines()
    assert '  worst index: (1, 1)' in lines
    assert '  x: 7.0' in lines
    assert '  y: 3.0' in lines
    assert '  absolute error: 4.0' in lines


@pytest.mark.parametrize('x, y, index', [
    # The first element is further from its reference, but within its tolerance.
    ([1000.5, 1.2], [1000., 1.], 1), ([9., numpy.nan], [1., 2.], 1),
    ([9., numpy.inf], [1., -numpy.inf], 1)])
def test_worst_element(x, y, index):
    with pytest.raises(AssertionError, match=r'worst index: \(%d,\)' % index):
        testing.assert_allclose(numpy.array(x), numpy.array(y), rtol=1e-3)


def test_message_for_small_unsigned_integers():
    # Their difference does not fit their type.
    with pytest.raises(AssertionError, match='absolute error: 255'):
        testing.assert_allclose(numpy.uint8([0]), numpy.uint8([255]))


def test_no_division_by_zero():
    with numpy.errstate(all='raise'), pytest.raises(AssertionError):
        testing.assert_allclose(numpy.float32([1]), numpy.float32([0]))


def test_variables_are_no_arrays():
    with pytest.raises(TypeError):
        testing.assert_allclose(chainer_fast.Variable(numpy.ones(2)), numpy.ones(2))


@pytest.mark.parametrize('shape', [(2, 3), (3,), (1, 2), (2, 1, 3)])
@pytest.mark.parametrize('order', ['C', 'F'])
def test_noncontiguous(shape, order):
    original = numpy.asarray(
        numpy.arange(numpy.prod(shape), dtype='f').reshape(shape), order=order)
    copy = array._as_noncontiguous_array(original)
    assert not copy.flags.c_contiguous
    assert not copy.flags.f_contiguous
    assert copy.dtype == 'f'
    assert not numpy.shares_memory(original, copy)
    numpy.testing.assert_array_equal(copy, original)


@pytest.mark.parametrize('shape', [(), (1,), (1, 1), (2, 0)])
def test_always_contiguous(shape):
    original = numpy.ones(shape)
    assert array._as_noncontiguous_array(original) is original


def test_noncontiguous_of_sequence():
    x = numpy.arange(3.)
    converted = array._as_noncontiguous_array((x, None, [x]))
    assert isinstance(converted, tuple)
    assert converted[1] is None
    assert isinstance(converted[2], list)
    assert not converted[2][0].flags.c_contiguous
