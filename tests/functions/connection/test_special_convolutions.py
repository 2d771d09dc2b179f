"""Convolutions with filters per channel, per place, or bent; and shifts."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.functions.connection import local_convolution_2d, shift
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients
from tests.functions.connection import windows


def ones(*shape, dtype='f'):
    return np.ones(shape, dtype)


# Depthwise and dilated
#

def test_depthwise_sees_each_channel_by_itself(device):
    x, W = gradients.uniform((2, 3, 5, 4)), gradients.uniform((2, 3, 3, 2), 1)
    b = gradients.uniform((6,), 2)
    y = F.depthwise_convolution_2d(*device.send((x, W, b)), stride=(1, 2), pad=1).array
    for c in range(3):
        part = slice(2 * c, 2 * c + 2)
        compare.assert_allclose(y[:, part], windows.convolve(
            x[:, c:c + 1], W[:, c:c + 1], b[part], (1, 2), (1, 1), (1, 1), (5, 3)))


def test_gradients_of_depthwise(device):
    gradients.check(
        device, lambda *xs: F.depthwise_convolution_2d(*xs, stride=2, pad=1),
        gradients.uniform((2, 3, 4, 3)), gradients.uniform((2, 3, 3, 3), 1),
        gradients.uniform((6,), 2))


def test_errors_of_depthwise(device):
    with pytest.raises(type_check.InvalidType):
        F.depthwise_convolution_2d(
            device.send(ones(1, 2, 5, 5)), device.send(ones(2, 3, 3, 3)))
    with pytest.raises(ValueError, match='W'):
        F.depthwise_convolution_2d(
            device.send(ones(1, 2, 5, 5)), device.send(ones(2, 2, 3)))
    with pytest.raises(ZeroDivisionError, match='stride'):
        F.depthwise_convolution_2d(
            device.send(ones(1, 2, 5, 5)), device.send(ones(2, 2, 3, 3)), stride=0)


def test_dilated(device):
    x, W, b = [gradients.uniform(s) for s in ((2, 3, 7, 6), (4, 3, 2, 2), (4,))]
    compare.assert_array_equal(
        F.dilated_convolution_2d(*device.send((x, W, b)), 2, 1, (3, 2), True).array,
        F.convolution_2d(*device.send((x, W, b)), 2, 1, True, dilate=(3, 2)).array)
    with pytest.raises(ValueError, match='dilate'):
        F.dilated_convolution_2d(device.send(x), device.send(W), dilate=0)


# Local
#

@pytest.mark.parametrize('types', ['ff', 'dd', 'ee', 'ef', 'fd'])
def test_local(device, types):
    x = gradients.uniform((2, 3, 5, 4), 0, types[0])
    W = gradients.uniform((4, 2, 3, 3, 3, 2), 1, types[1])
    b = gradients.uniform((4, 2, 3), 2, types[0])
    inputs = [Variable(device.send(v)) for v in (x, W, b)]
    y = F.local_convolution_2d(*inputs, stride=(2, 1))
    assert y.dtype == types[0]
    for i in range(2):
        for j in range(3):
            compare.assert_allclose(
                y.array[:, :, i, j],
                windows.convolve(x[:, :, 2 * i:2 * i + 3, j:j + 2], W[:, i, j], None,
                                 (1, 1), (0, 0), (1, 1), (1, 1))[:, :, 0, 0]
                + b[:, i, j], 0, 2e-2 if 'e' in types else 1e-5)
    y.grad = y.array
    y.backward()
    for v in inputs:
        assert (v.grad.shape, v.grad.dtype) == (v.shape, v.dtype)


@pytest.mark.parametrize('bias', [True, False])
@pytest.mark.parametrize('n', [2, 0])
def test_gradients_of_local(device, n, bias):
    inputs = [gradients.uniform((n, 2, 5, 4)),
              gradients.uniform((3, 2, 3, 2, 3, 2), 1)]
    if bias:
        inputs.append(gradients.uniform((3, 2, 3), 2))

    def f(x, W, b=None):
        return F.local_convolution_2d(x, W, b, stride=(2, 1))

    if n:
        gradients.check(device, f, *inputs)
    else:
        assert f(*device.send(inputs)).shape == (0, 3, 2, 3)


def test_errors_of_local(device):
    x, W = ones(1, 2, 5, 5), ones(3, 3, 3, 2, 3, 3)
    f = local_convolution_2d.LocalConvolution2DFunction((1, 2))
    assert (f.sy, f.sx) == (1, 2)
    with pytest.raises(ValueError, match='W has filters for'):
        F.local_convolution_2d(device.send(x), device.send(W), stride=2)
    with pytest.raises(ValueError, match='stride'):
        F.local_convolution_2d(device.send(x), device.send(W), stride=-1)
    for args in ((x[:, :1], W), (x[0], W), (x, W[0]), (x.astype('i'), W),
                 (x, W, ones(3, 3, 2)), (x, W, ones(3)),
                 (x, W, ones(3, 3, 3, dtype='d'))):
        with pytest.raises(type_check.InvalidType):
            F.local_convolution_2d(*device.send(args))


@pytest.mark.parametrize('stride, places', [
    (0, (2, 3)), ((0, 1), (2, 3)), ((2, 0), (2, 2)), (-1, (1, 1)), ((-3, 1), (1, 2))])
def test_windows_of_local_that_stay_where_they_are(device, stride, places):
    sy, sx = stride if isinstance(stride, tuple) else (stride, stride)
    x = gradients.uniform((2, 2, 5, 4), 0)
    W = gradients.uniform((3, *places, 2, 2, 2), 1)
    expected = np.empty((2, 3, *places))
    for i, j in np.ndindex(*places):
        window = x[:, :, i * sy:i * sy + 2, j * sx:j * sx + 2]
        expected[:, :, i, j] = np.einsum('nckl,fckl->nf', window, W[:, i, j])

    def f(x, W):
        return F.local_convolution_2d(x, W, stride=stride)

    compare.assert_allclose(f(*device.send((x, W))).array, expected)
    gradients.check(device, f, x, W)


# Shift
#

@pytest.mark.parametrize('ksize, dilate, channels', [
    (3, 1, 9), ((3, 1), 1, 4), ((1, 5), 2, 11), (3, (2, 1), 20), (5, 9, 25)])
def test_shift(device, ksize, dilate, channels):
    x = gradients.uniform((2, channels, 5, 4), 0, 'f')
    f = shift.Shift(ksize, dilate)
    y = F.shift(device.send(x), ksize, dilate).array
    elements = [(i, j) for i in range(f.kh) for j in range(f.kw)]
    # The one in the middle comes last, and has what is left.
    middle = len(elements) // 2
    elements[middle], elements[-1] = elements[-1], elements[middle]
    expected = np.zeros_like(x)
    for c in range(channels):
        i, j = elements[min(c // (channels // len(elements)), len(elements) - 1)]
        dy, dx = f.dy * (f.kh // 2 - i), f.dx * (f.kw // 2 - j)
        for h in range(5):
            for w in range(4):
                if 0 <= h + dy < 5 and 0 <= w + dx < 4:
                    expected[:, c, h, w] = x[:, c, h + dy, w + dx]
    compare.assert_array_equal(y, expected)
    assert y.dtype == 'f'


def test_gradients_of_shift(device):
    gradients.check(
        device, lambda x: F.shift(x, 3, 2) ** 2, gradients.uniform((2, 10, 4, 3)))


def test_errors_of_shift(device):
    x = ones(1, 9, 4, 4)
    for ksize in 2, (3, 4), 0, -1:
        with pytest.raises(ValueError, match='ksize'):
            F.shift(device.send(x), ksize)
    with pytest.raises(ZeroDivisionError, match='dilate'):
        F.shift(device.send(x), 3, 0)
    for wrong in x[:, :8], x[0], x.astype('i'):
        with pytest.raises(type_check.InvalidType):
            F.shift(device.send(wrong))


# Deformable
#

@pytest.mark.parametrize('dtype', ['e', 'f', 'd'])
def test_whole_offsets_move_the_window(device, dtype):
    x = gradients.uniform((2, 3, 7, 8), 0, dtype)
    W = gradients.uniform((4, 3, 3, 2), 1, dtype)
    b = gradients.uniform((4,), 2, dtype)
    offset = np.zeros((2, 12, 4, 5), dtype)
    offset[:, :6], offset[:, 6:] = -2, 1
    y = F.deformable_convolution_2d_sampler(
        *device.send((x, offset, W, b)), (2, 2), (1, 1))
    moved = np.zeros_like(x)
    moved[:, :, :-1, 2:] = x[:, :, 1:, :-2]
    # Out of the padding, too, pixels move in.
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    wide = np.pad(wide, ((0, 0), (0, 0), (0, 1), (2, 0)))[:, :, 1:, :-2]
    expected = F.convolution_2d(wide, W, b, 2).array
    assert (y.dtype, y.shape) == (dtype, (2, 4, 4, 5))
    compare.assert_allclose(y.array, expected, 0, 3e-2 if dtype == 'e' else 1e-5)


def test_gradients_of_deformable(device):
    # Away from the pixels, where the slope jumps.
    offset = gradients.uniform((2, 8, 3, 3), 3, low=.2, high=.8)
    gradients.check(
        device, lambda *xs: F.deformable_convolution_2d_sampler(*xs, stride=2, pad=1),
        gradients.uniform((2, 2, 4, 4)), offset, gradients.uniform((3, 2, 2, 2), 1),
        gradients.uniform((3,), 2), double=False)


def test_types_and_batches_of_deformable(device):
    x, W = ones(2, 3, 5, 5), ones(4, 3, 3, 3, dtype='d')
    offset = np.zeros((2, 18, 3, 3), 'f')
    assert F.deformable_convolution_2d_sampler(
        *device.send((x, offset, W))).dtype == 'd'
    assert F.deformable_convolution_2d_sampler(
        *device.send((x[:0], offset[:0], W))).shape == (0, 4, 3, 3)


@pytest.mark.parametrize('error, named, change', [
    (ValueError, 'offset', {'offset': ones(2, 16, 3, 3)}),
    (ValueError, 'offset', {'offset': ones(2, 18, 3)}),
    (ValueError, 'W', {'W': ones(4, 2, 3, 3)}), (ValueError, 'x', {'x': ones(3, 5, 5)}),
    (ValueError, 'pad', {'pad': -1}), (ZeroDivisionError, 'stride', {'stride': 0}),
    (type_check.InvalidType, 'dtype', {'x': ones(2, 3, 5, 5, dtype='i')}),
    (type_check.InvalidType, 'dtype', {'offset': ones(2, 18, 3, 3, dtype='d')}),
    (type_check.InvalidType, 'shape', {'offset': ones(3, 18, 3, 3)}),
    (type_check.InvalidType, 'shape', {'b': ones(5)})])
def test_errors_of_deformable(device, error, named, change):
    options = {'x': ones(2, 3, 5, 5), 'offset': ones(2, 18, 3, 3),
               'W': ones(4, 3, 3, 3), **change}
    with pytest.raises(error, match=named):
        F.deformable_convolution_2d_sampler(**device.send(options))


def test_learned_filters_of_other_channels(device):
    W = Variable(device.send(ones(4, 2, 3, 3)))
    with pytest.raises(type_check.InvalidType, match='W'):
        F.deformable_convolution_2d_sampler(
            *device.send((ones(2, 3, 5, 5), ones(2, 18, 3, 3))), W)


@pytest.mark.parametrize('dtype', ['i', '?', 'F'])
def test_filters_of_deformable_are_floats(dtype):
    with pytest.raises(type_check.InvalidType):
        F.deformable_convolution_2d_sampler(
            ones(1, 2, 5, 5), ones(1, 18, 3, 3), ones(4, 2, 3, 3, dtype=dtype))
