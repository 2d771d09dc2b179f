import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.functions.connection import convolution_nd, deconvolution_nd
from chainer_fast.utils import conv, type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients
from tests.functions.connection import windows


def ones(*shape, dtype='f'):
    return np.ones(shape, dtype)


@pytest.mark.parametrize('dtypes', ['ff', 'dd', 'ee', 'fd', 'ef'])
@pytest.mark.parametrize('nd', [1, 2, 3])
def test_values_and_types(device, nd, dtypes):
    stride, pad, dilate = (2, 1, 1)[:nd], (1, 0, 1)[:nd], (1, 2, 1)[:nd]
    lengths, ksize = (5, 6, 4)[:nd], (3, 2, 2)[:nd]
    x = gradients.uniform((2, 4, *lengths), 0, dtypes[0])
    W = gradients.uniform((6, 2, *ksize), 1, dtypes[1])
    b = gradients.uniform((6,), 2, dtypes[0])
    outs = [conv.get_conv_outsize(n, k, s, p, True, d) for n, k, s, p, d
            in zip(lengths, ksize, stride, pad, dilate, strict=True)]
    y = F.convolution_nd(*device.send((x, W, b)), stride, pad, True, dilate, 2)
    assert y.dtype == dtypes[0]
    compare.assert_allclose(
        y.array, windows.convolve(x, W, b, stride, pad, dilate, outs, 2), 0,
        2e-2 if 'e' in dtypes else 1e-5)


@pytest.mark.parametrize('nd, options', [
    (1, {'stride': 3, 'cover_all': True}), (1, {'groups': 2, 'dilate': 2}),
    (2, {'stride': 2, 'pad': (1, 0)}), (3, {'pad': 1, 'stride': (1, 2, 1)}),
    (2, {'dilate': 0})])
def test_gradients(device, nd, options):
    groups = options.get('groups', 1)
    gradients.check(
        device, lambda x, W, b: F.convolution_nd(x, W, b, **options),
        gradients.uniform((2, 2, 5, 3, 3)[:nd + 2]),
        gradients.uniform((4, 2 // groups, 2, 2, 2)[:nd + 2], 1),
        gradients.uniform((4,), 2))


@pytest.mark.parametrize('nd, options', [
    (1, {'stride': 3, 'outsize': (10,)}), (1, {'groups': 2, 'dilate': 2}),
    (2, {'stride': 3, 'outsize': (10, 8)}), (3, {'pad': 1, 'stride': (1, 2, 1)})])
def test_gradients_of_the_transposed(device, nd, options):
    groups = options.get('groups', 1)
    gradients.check(
        device, lambda x, W, b: F.deconvolution_nd(x, W, b, **options),
        gradients.uniform((2, 2, 3, 3, 2)[:nd + 2]),
        gradients.uniform((2, 4 // groups, 2, 2, 2)[:nd + 2], 1),
        gradients.uniform((4,), 2))


def test_no_axes_at_all(device):
    x, W, b = ones(2, 3), ones(4, 3), ones(4)
    compare.assert_array_equal(
        F.convolution_nd(*device.send((x, W, b))).array, 4 * ones(2, 4))
    compare.assert_array_equal(
        F.deconvolution_nd(*device.send((x, W.T, b))).array, 4 * ones(2, 4))


def test_bias_of_another_dtype(device):
    x = Variable(device.send(ones(2, 3, 4)))
    W = Variable(device.send(ones(2, 3, 3)))
    b = Variable(device.send(ones(2, dtype='d')))
    for y in F.convolution_nd(x, W, b), F.deconvolution_nd(
            x, Variable(device.send(ones(3, 2, 3))), b):
        assert y.dtype == 'f'
        b.cleargrad()
        y.grad = y.array
        y.backward()
        assert b.grad.dtype == 'd'


def test_attributes(device):
    f = convolution_nd.ConvolutionND(2, (1, 2), 1, True, [2, 1], 3)
    assert (f.ndim, f.stride, f.pad, f.dilate, f.groups, f.cover_all) == (
        2, (1, 2), (1, 1), (2, 1), 3, True)
    f = deconvolution_nd.DeconvolutionND(1, 2, 0, [9])
    assert (f.stride, f.pad, f.outs, f.cover_all) == ((2,), (0,), [9], None)
    f.apply(device.send((ones(1, 2, 4), ones(2, 3, 3))))
    assert (f.outs, f.cover_all) == ([9], False)
    g = convolution_nd.ConvolutionNDGradW(f)
    assert (g.ndim, g.ksize, g.stride, g.W_dtype, g.cover_all) == (
        1, (3,), (2,), np.dtype('f'), False)
    # Nine elements and ten have four places for a window of three; eleven have five.
    f = deconvolution_nd.DeconvolutionND(1, 2, 0, (8,))
    f.apply(device.send((ones(1, 2, 4), ones(2, 3, 3))))
    assert f.cover_all is True


@pytest.mark.parametrize('error, named, f, shapes, options', [
    (AssertionError, 'window', 'convolution', [(1, 2, 3), (2, 2, 4)], {}),
    (ZeroDivisionError, 'stride', 'convolution', [(1, 2, 3), (2, 2, 2)], {'stride': 0}),
    (ValueError, 'pad', 'convolution', [(1, 2, 5), (2, 2, 2)], {'pad': -1}),
    (ValueError, 'dilate', 'convolution', [(1, 2, 3), (2, 2, 2)], {'dilate': -1}),
    (AssertionError, 'numbers', 'convolution', [(1, 2, 3), (2, 2, 2)], {'pad': (1, 1)}),
    (TypeError, 'groups', 'convolution', [(1, 2, 3), (3, 1, 2)], {'groups': 2}),
    (ValueError, 'channels', 'convolution', [(1, 4, 3), (3, 2, 2)], {}),
    (type_check.InvalidType, 'ndim', 'convolution', [(1, 2, 3), (2, 2, 2, 2)], {}),
    (type_check.InvalidType, 'ndim', 'convolution', [(2,), (2,)], {}),
    (AssertionError, 'pad', 'deconvolution', [(1, 2, 3), (2, 2, 2)], {'pad': 3}),
    (ZeroDivisionError, 'stride', 'deconvolution', [(1, 2, 3), (2, 2, 2)],
     {'stride': 0}),
    (ValueError, 'pad', 'deconvolution', [(1, 2, 3), (2, 2, 2)], {'pad': -1}),
    (AssertionError, 'outsize', 'deconvolution', [(1, 2, 3), (2, 2, 2)],
     {'outsize': (4, 4)}),
    (type_check.InvalidType, 'shape', 'deconvolution', [(1, 2, 3), (2, 2, 2)],
     {'outsize': (5,)}),
    (TypeError, 'groups', 'deconvolution', [(1, 3, 3), (3, 2, 2)], {'groups': 2}),
    (ValueError, 'b must', 'deconvolution', [(1, 2, 3), (2, 2, 2), (3,)], {}),
])
def test_errors(device, error, named, f, shapes, options):
    with pytest.raises(error, match=named):
        getattr(F, f + '_nd')(*device.send([ones(*s) for s in shapes]), **options)


@pytest.mark.parametrize('nd', [1, 3])
def test_functions_of_one_dimension_and_three(device, nd):
    x, W, b = [gradients.uniform(s) for s in (
        (2, 4) + (5,) * nd, (4, 2) + (3,) * nd, (4,))]
    for name, last in (('convolution', True), ('deconvolution', (10,) * nd)):
        args = device.send((x, W, b, 2, 1, last, 1, 2))
        compare.assert_array_equal(
            getattr(F, '%s_%dd' % (name, nd))(*args).array,
            getattr(F, '%s_nd' % name)(*args).array)
        with pytest.raises(ValueError, match='axes'):
            getattr(F, '%s_%dd' % (name, nd))(
                device.send(x[..., None]), device.send(W[..., None]))


@pytest.mark.parametrize('groups', [True, .5, float('nan')])
@pytest.mark.parametrize('count', [0, 2])
@pytest.mark.parametrize('name', ['convolution_1d', 'deconvolution_1d'])
def test_what_is_not_above_one_is_one_group(device, name, count, groups):
    x, W = gradients.uniform((count, 3, 5)), gradients.uniform((3, 3, 2), 1)
    f = getattr(F, name)

    def outcome(groups):
        xs = [Variable(each) for each in device.send((x, W))]
        y = f(*xs, groups=groups)
        y.grad = y.array
        y.backward()
        return [y.array, *[each.grad for each in xs]]

    for found, each in zip(outcome(groups), outcome(1), strict=True):
        compare.assert_allclose(found, each)
