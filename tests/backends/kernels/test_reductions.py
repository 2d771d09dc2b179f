"""Reductions over any axes of arrays of any strides, beside NumPy's."""
import itertools

import numpy as np
import pytest

from chainer_fast import configuration
from chainer_fast.backends.kernels.reduction.shortcuts import reduction
from tests.backends.kernels import declared_cases

NUMPY = {'sum': np.sum, 'prod': np.prod, 'max': np.max, 'min': np.min}
SHAPES = [(), (1,), (7,), (130,), (1031,), (5, 3), (3, 200), (200, 3), (40, 1, 9),
          (4, 5, 6, 7), (2, 3, 33, 17), (70000, 2), (2, 70000), (300001,)]


def every_other_row(array):
    return np.repeat(array, 2, 0)[::2] if array.ndim else array


def left_half(array):
    if not array.ndim:
        return array
    return np.concatenate([array, array], -1)[..., :array.shape[-1]]


def channels_last(array):
    if array.ndim < 3:
        return array
    return np.moveaxis(np.moveaxis(array, 1, -1).copy(), -1, 1)


LAYOUTS = {**declared_cases.LAYOUTS, 'rows': every_other_row, 'left': left_half,
           'last': channels_last}
READ = {'plain', 'gaps', 'rows', 'left'}


def axes_of(ndim):
    yield None
    for n in range(ndim + 1):
        yield from itertools.combinations(range(ndim), n)
    yield from range(-ndim, ndim)


def assert_same(found, expected, name):
    assert type(found) is np.ndarray
    assert (found.dtype, found.shape) == (expected.dtype, np.shape(expected))
    if name == 'prod':
        tolerance = 1e-5 if found.dtype == 'f' else 1e-12
        np.testing.assert_allclose(found, expected, tolerance, tolerance)
    else:
        np.testing.assert_array_equal(found, expected)
    assert found.flags.c_contiguous == np.asarray(expected).flags.c_contiguous


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('name', NUMPY)
@pytest.mark.parametrize('shape', SHAPES, ids=str)
def test_bits_are_those_of_numpy(shape, name, dtype):
    plain = np.random.RandomState(0).uniform(.9, 1.1, shape).astype(dtype)
    if name != 'prod':
        plain = np.asarray(plain - dtype_one(dtype))
    for layout, lay_out in LAYOUTS.items():
        array = lay_out(plain)
        for axis in axes_of(len(shape)):
            for keepdims in (False, True):
                found = reduction(name, array, axis, keepdims)
                if found is NotImplemented:
                    assert layout not in READ or name in ('max', 'min')
                    continue
                assert_same(found, NUMPY[name](array, axis, keepdims=keepdims), name)


def dtype_one(dtype):
    return np.dtype(dtype).type(1)


@pytest.mark.parametrize('name', NUMPY)
def test_threads(name):
    x = np.random.RandomState(0).uniform(.99, 1.01, (300, 700)).astype('f')
    for axis in (0, 1, None):
        found = []
        for threads in (1, 2):
            with configuration.using_config('num_threads', threads):
                found.append(reduction(name, x, axis, False))
        if found[0] is NotImplemented:
            assert name in ('max', 'min') and axis != 0
            continue
        np.testing.assert_array_equal(*found)
        assert_same(found[0], NUMPY[name](x, axis), name)


@pytest.mark.parametrize('name', ['max', 'min'])
@pytest.mark.parametrize('place', [0, 5, 99, 299])
def test_nan_is_the_largest_and_the_smallest(name, place):
    x = np.arange(300, dtype='f')
    x[place] = np.nan
    for array in (x, x.reshape(3, 100), x.reshape(100, 3)):
        for axis in axes_of(array.ndim):
            with np.errstate(all='raise'):
                found = reduction(name, array, axis, False)
            if found is NotImplemented:
                continue
            np.testing.assert_array_equal(found, NUMPY[name](array, axis))


def test_what_numpy_warns_of_is_left_to_it():
    large = np.full(20, 3e38, 'f')
    assert reduction('sum', large, None, False) is NotImplemented
    assert reduction('prod', large, None, False) is NotImplemented
    both = np.float32([np.inf, -np.inf])
    assert reduction('sum', both, 0, False) is NotImplemented


def test_zeros_keep_their_signs():
    for x in (np.float32([-0., -0.]), np.full((4, 9), -0., 'f'), np.float32([-0., 0.])):
        for axis in axes_of(x.ndim):
            found, expected = reduction('sum', x, axis, False), x.sum(axis)
            np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize('x,axis', [
    (np.ones((3, 0), 'f'), 1), (np.ones(3, 'e'), 0), (np.ones(3, 'i'), 0), ([1.], 0),
    (np.ones((2, 2), 'f'), 2), (np.ones((2, 2), 'f'), (0, 0)),
    (np.ones((2, 2), 'f'), (0, -2))])
def test_declines(x, axis):
    assert reduction('sum', x, axis, False) is NotImplemented
