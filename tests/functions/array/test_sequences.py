"""Sequences of different lengths."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


def sequences(lengths, shape=(2,), dtype='d'):
    return [gradients.uniform((n, *shape), i, dtype) for i, n in enumerate(lengths)]


@pytest.mark.parametrize('lengths', [[2, 1, 5, 3], [2], [0], [0, 0, 1]])
@pytest.mark.parametrize('length', [None, 6])
@pytest.mark.parametrize('shape', [(3, 2), (), (0,)])
@pytest.mark.parametrize('dtype', 'efd')
def test_pad_sequence(device, lengths, length, shape, dtype):
    xs = sequences(lengths, shape, dtype)
    y = F.pad_sequence(device.send(xs), length, -1)
    assert y.dtype == dtype
    assert y.shape == (len(xs), length or max(lengths), *shape)
    for row, x in zip(y.array, xs, strict=True):
        compare.assert_array_equal(row[:len(x)], x)
        compare.assert_array_equal(row[len(x):], -1)
    if dtype == 'd':
        gradients.check(device, lambda *xs: F.pad_sequence(xs, length, -1), *xs)


@pytest.mark.parametrize('dtype, padding, expected', [
    ('i', -3, -3), ('B', -1, 255), ('B', 300, 44), ('B', -1., 255),
    ('H', -1.5, 65535), ('b', 300., 44), ('?', 2, True), ('f', None, np.nan),
    ('e', np.inf, np.inf), ('F', 1j, 1j)])
@pytest.mark.filterwarnings('ignore:NumPy will stop allowing:DeprecationWarning')
def test_padding_takes_the_dtype(device, dtype, padding, expected):
    y = F.pad_sequence(device.send([np.zeros(1, dtype)]), 2, padding)
    assert y.dtype == dtype
    compare.assert_array_equal(y.array[0, 1], expected)


def test_padding_that_no_integer_is(device):
    with pytest.raises(OverflowError):
        F.pad_sequence(device.send([np.zeros(1, 'i')]), 2, float('inf'))


@pytest.mark.parametrize('xs, length', [
    ([], None), ([np.zeros(())], None), ([np.zeros(2)], 1), ([np.zeros(2)], 0),
    ([np.zeros(2), np.zeros(2, 'f')], None), ([np.zeros(2), np.zeros((2, 1))], None)])
def test_sequences_that_cannot_be_padded(device, xs, length):
    with pytest.raises(type_check.InvalidType):
        F.pad_sequence(device.send(xs), length)


def test_strided_sequences(device):
    x = gradients.uniform((4, 3)).T
    y = F.pad_sequence(device.send([x, x[:1]]))
    compare.assert_array_equal(y.array[0], x)
    ys = F.transpose_sequence(device.send([x, x[:1]]))
    compare.assert_array_equal(ys[0].array, [x[0], x[0]])


@pytest.mark.parametrize('lengths, expected', [
    ([4, 2, 1], [3, 2, 1, 1]), ([3], [1, 1, 1]), ([2, 2, 0], [2, 2]), ([0, 0], []),
    ([], [])])
@pytest.mark.parametrize('shape', [(), (3,), (2, 1)])
@pytest.mark.parametrize('dtype', 'dfei')
def test_transpose_sequence(device, lengths, expected, shape, dtype):
    xs = sequences(lengths, shape, dtype)
    ys = F.transpose_sequence(device.send(xs))
    assert isinstance(ys, tuple)
    assert [len(y) for y in ys] == expected
    for i, y in enumerate(ys):
        assert y.dtype == dtype
        compare.assert_array_equal(y.array, [x[i] for x in xs if len(x) > i])
    for x, z in zip(xs, F.transpose_sequence(ys), strict=False):
        compare.assert_array_equal(x, z.array)
    if dtype == 'd' and expected:
        gradients.check(device, lambda *xs: F.transpose_sequence(xs), *xs)


def test_gradients_of_some_of_the_outputs(device):
    xs = [Variable(device.send(x)) for x in sequences([3, 2, 1], ())]
    F.sum(F.transpose_sequence(xs)[1]).backward()
    for x, expected in zip(xs, ([0, 1, 0], [0, 1], [0]), strict=True):
        compare.assert_array_equal(x.grad, expected)


def test_each_gradient_has_the_dtype_of_its_sequence(device):
    xs = Variable(device.send(np.ones(2, 'f'))), Variable(device.send(np.ones(1)))
    ys = F.transpose_sequence(xs)
    assert ys[0].dtype == 'f'
    F.sum(ys[0]).backward()
    assert (xs[0].grad.dtype, xs[1].grad.dtype) == ('f', 'd')


@pytest.mark.parametrize('xs', [
    [np.zeros(1), np.zeros(2)], [np.zeros((2, 1)), np.zeros((2, 2))],
    [np.zeros((2, 1)), np.zeros(2)]])
def test_sequences_that_cannot_be_transposed(device, xs):
    with pytest.raises(type_check.InvalidType):
        F.transpose_sequence(device.send(xs))
