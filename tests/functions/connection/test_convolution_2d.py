import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import memory_layouts
from chainer_fast.functions.connection import convolution_2d
from chainer_fast.utils import conv, type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients
from tests.functions.connection import windows

TOLERANCE = {'e': 2e-2, 'f': 1e-5, 'd': 1e-12}


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_values_and_types(device, data):
    def pair(least, most):
        return data.draw(st.tuples(st.integers(least, most), st.integers(least, most)))

    x_dtype, w_dtype = data.draw(st.sampled_from([
        'ff', 'dd', 'ee', 'ef', 'fe', 'fd', 'df']))
    groups, n = data.draw(st.integers(1, 2)), data.draw(st.integers(0, 3))
    stride, pad, dilate, ksize = pair(1, 3), pair(0, 2), pair(1, 2), pair(1, 3)
    cover_all, bias = data.draw(st.booleans()), data.draw(st.booleans())
    x = gradients.uniform((n, 3 * groups, 6, 7), 0, x_dtype)
    W = gradients.uniform((2 * groups, 3, *ksize), 1, w_dtype)
    b = gradients.uniform((2 * groups,), 2, x_dtype) if bias else None
    if data.draw(st.booleans()):
        x, W = np.asfortranarray(x), W[::-1].copy()[::-1]
    outs = [conv.get_conv_outsize(length, k, s, p, cover_all, d)
            for length, k, s, p, d in zip((6, 7), ksize, stride, pad, dilate,
                                          strict=True)]
    inputs = [Variable(device.send(v)) for v in (x, W, b) if v is not None]
    y = F.convolution_2d(
        *inputs[:2], inputs[2] if bias else None, stride, pad, cover_all,
        dilate=dilate, groups=groups)
    assert y.dtype == x_dtype
    compare.assert_allclose(
        y.array, windows.convolve(x, W, b, stride, pad, dilate, outs, groups), 0,
        4 * max(TOLERANCE[x_dtype], TOLERANCE[w_dtype]))
    y.grad = np.ones_like(y.array)
    y.backward()
    for v in inputs:
        assert (v.grad.shape, v.grad.dtype) == (v.shape, v.dtype)


@pytest.mark.parametrize('options', [
    {}, {'stride': 2, 'pad': 1}, {'stride': (3, 2), 'cover_all': True},
    {'dilate': (2, 1), 'pad': (1, 0)}, {'groups': 2, 'stride': 3, 'cover_all': True}])
@pytest.mark.parametrize('bias', [True, False])
def test_gradients(device, options, bias):
    groups = options.get('groups', 1)
    inputs = [gradients.uniform((2, 2, 6, 5)),
              gradients.uniform((4, 2 // groups, 3, 2), 1)]
    if bias:
        inputs.append(gradients.uniform((4,), 2))
    gradients.check(
        device, lambda x, W, b=None: F.convolution_2d(x, W, b, **options), *inputs)


def test_gradients_of_gradients_have_types_of_their_own(device):
    x = Variable(device.send(gradients.uniform((2, 3, 4, 4), 0, 'f')))
    W = Variable(device.send(gradients.uniform((2, 3, 3, 3), 1, 'e')))
    y = F.convolution_2d(x, W)
    gx, gW = chainer_fast.grad([y], [x, W], [y], enable_double_backprop=True)
    ggx, ggW = chainer_fast.grad([F.sum(gx * gx) + F.sum(F.cast(gW * gW, 'f'))], [x, W])
    assert [v.dtype.char for v in (gx, gW, ggx, ggW)] == ['f', 'e', 'f', 'e']


def test_shortcut_and_methods_agree(device):
    class Derived(convolution_2d.Convolution2DFunction):
        pass

    results = []
    for cls in convolution_2d.Convolution2DFunction, Derived:
        inputs = [
            Variable(device.send(gradients.uniform(shape, seed, 'f')))
            for seed, shape in enumerate([(3, 4, 9, 8), (6, 2, 3, 2), (6,)])]
        y, = cls((2, 1), (0, 1), True, dilate=(1, 2), groups=2).apply(tuple(inputs))
        y.grad = device.send(gradients.uniform(y.shape, 3, 'f'))
        y.backward()
        results.append([y.array] + [v.grad for v in inputs])
    for a, b in zip(*results, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        compare.assert_allclose(a, b, 1e-5, 1e-5)


def test_attributes():
    f = convolution_2d.Convolution2DFunction(
        (1, 2), [3, 4], True, dilate=(5, 6), groups=7)
    assert (f.sy, f.sx, f.ph, f.pw, f.dy, f.dx) == (1, 2, 3, 4, 5, 6)
    assert (f.cover_all, f.groups, f.cudnn_fast, f.label) == (
        True, 7, False, 'Convolution2DFunction')
    g = convolution_2d.Convolution2DGradW(f, (8, 9, 10, 11), np.dtype('f'), None)
    assert (g.kh, g.kw, g.sy, g.pw, g.dx, g.groups, g.cover_all) == (
        10, 11, 1, 4, 6, 7, True)
    assert (g.W_shape, g.W_dtype, g.w_layout) == ((8, 9, 10, 11), np.dtype('f'), None)


def ones(*shape, dtype='f'):
    return np.ones(shape, dtype)


@pytest.mark.parametrize('error, named, args, options', [
    (AssertionError, 'window of', (ones(1, 2, 3, 3), ones(2, 2, 4, 3)), {}),
    (AssertionError, 'dilate', (ones(1, 2, 3, 3), ones(2, 2, 2, 2)), {'dilate': 3}),
    (ZeroDivisionError, 'stride', (), {'stride': 0}),
    (ZeroDivisionError, 'stride', (), {'stride': (1, 0)}),
    (AssertionError, 'stride', (), {'stride': -1}),
    (ValueError, 'pad', (), {'pad': (-1, 0)}),
    (ValueError, 'dilate', (), {'dilate': 0}),
    (ValueError, 'groups', (ones(1, 4, 5, 5), ones(3, 2, 3, 3)), {'groups': 2}),
    (TypeError, 'stride', (), {'stride': 2.}),
    (ValueError, 'deterministic', (), {'deterministic': True}),
    (TypeError, "convolution_2d.*'use_cudnn'", (), {'use_cudnn': True}),
    (TypeError, "convolution_2d.*'requires_x_grad'", (), {'requires_x_grad': True}),
    (RuntimeError, 'cudnn_fast', (), {'cudnn_fast': True}),
])
def test_errors(device, error, named, args, options):
    with pytest.raises(error, match=named):
        F.convolution_2d(
            *device.send(args or (ones(1, 2, 5, 5), ones(2, 2, 3, 3))), **options)


def test_retired_arguments_of_the_class():
    for name in 'deterministic', 'requires_x_grad':
        with pytest.raises(ValueError, match=name):
            convolution_2d.Convolution2DFunction(**{name: True})


@pytest.mark.parametrize('args', [
    (ones(1, 2, 5, 5), ones(2, 3, 3, 3)), (ones(2, 5, 5), ones(2, 2, 3, 3)),
    (ones(1, 2, 5, 5), ones(2, 2, 3)), (ones(1, 2, 5, 5, dtype='i'), ones(2, 2, 3, 3)),
    (ones(1, 2, 5, 5), ones(2, 2, 3, 3), ones(3)),
    (ones(1, 2, 5, 5), ones(2, 2, 3, 3), ones(2, 1)),
    (ones(1, 2, 5, 5), ones(2, 2, 3, 3), ones(2, dtype='d'))])
def test_types_are_checked(device, args):
    with pytest.raises(type_check.InvalidType):
        F.convolution_2d(*device.send(args))


def test_layouts_are_refused(device):
    x = Variable(device.send(ones(1, 2, 5, 5))).as_layout(
        memory_layouts.CUDNN_CHANNEL_LAST_X)
    with pytest.raises(RuntimeError, match='CUDNN_CHANNEL_LAST_X'):
        F.convolution_2d(x, device.send(ones(2, 2, 3, 3)))


def test_configuration_changes_nothing(device):
    x = device.send(gradients.uniform((1, 2, 5, 5)))
    W = device.send(gradients.uniform((2, 2, 3, 3)))
    y = F.convolution_2d(x, W).array
    # Where there is no cuDNN, a GPU cannot always use it.
    use_cudnn = 'always' if device.xp is np else 'never'
    for name, value in ('cudnn_deterministic', True), ('autotune', True), (
            'use_ideep', 'auto'), ('use_cudnn', use_cudnn):
        with chainer_fast.using_config(name, value):
            compare.assert_array_equal(F.convolution_2d(x, W).array, y)


def test_empty(device):
    y = F.convolution_2d(device.send(ones(0, 2, 5, 5)), device.send(ones(3, 2, 3, 3)))
    assert y.shape == (0, 3, 3, 3)
    y = F.convolution_2d(*device.send((ones(1, 0, 5, 5), ones(3, 0, 3, 3), ones(3))))
    compare.assert_array_equal(y.array, ones(1, 3, 3, 3))


def test_only_gradients_asked_for(device):
    x = Variable(device.send(ones(1, 2, 4, 4)), requires_grad=False)
    W, b = Variable(device.send(ones(3, 2, 3, 3))), Variable(device.send(ones(3)))
    y = F.convolution_2d(x, W, b)
    y.grad = device.send(ones(*y.shape))
    y.backward()
    assert x.grad is None
    compare.assert_array_equal(W.grad, 4 * ones(3, 2, 3, 3))
    compare.assert_array_equal(b.grad, 4 * ones(3))
