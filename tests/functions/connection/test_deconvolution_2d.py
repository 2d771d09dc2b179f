import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast import functions as F
from chainer_fast import memory_layouts
from chainer_fast.functions.connection import deconvolution_2d
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


def ones(*shape, dtype='f'):
    return np.ones(shape, dtype)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_adjoint_of_the_convolution(device, data):
    def pair(least, most):
        return data.draw(st.tuples(st.integers(least, most), st.integers(least, most)))

    groups, n = data.draw(st.integers(1, 2)), data.draw(st.integers(0, 3))
    options = {'stride': pair(1, 3), 'pad': pair(0, 1), 'groups': groups,
               'dilate': pair(1, 2)}
    cover_all = data.draw(st.booleans())
    x = gradients.uniform((n, 3 * groups, 6, 7))
    W = device.send(gradients.uniform((2 * groups, 3, *pair(1, 3)), 1))
    y = F.convolution_2d(device.send(x), W, cover_all=cover_all, **options).array
    x, z = device.send((x, gradients.uniform(y.shape, 2)))
    back = F.deconvolution_2d(z, W, outsize=x.shape[2:], **options).array
    assert back.shape == x.shape
    compare.assert_allclose((x * back).sum(), (y * z).sum(), 1e-10, 1e-10)
    # The least images from which the convolution leads to as many places.
    least = F.deconvolution_2d(z, W, **options)
    assert F.convolution_2d(least, W, **options).shape == y.shape


@pytest.mark.parametrize('types', ['ff', 'dd', 'ee', 'ef', 'fe', 'fd', 'df'])
def test_types(device, types):
    x, b = [
        Variable(device.send(gradients.uniform(s, 0, types[0])))
        for s in ((2, 4, 3, 3), (6,))]
    W = Variable(device.send(gradients.uniform((4, 6, 3, 3), 1, types[1])))
    y = F.deconvolution_2d(x, W, b, 2, 1)
    exact = F.deconvolution_2d(*[v.array.astype('d') for v in (x, W, b)], 2, 1).array
    assert y.dtype == types[0]
    compare.assert_allclose(y.array, exact, 0, 2e-2 if 'e' in types else 1e-5)
    y.grad = y.array
    y.backward()
    for v in x, W, b:
        assert (v.grad.shape, v.grad.dtype) == (v.shape, v.dtype)


@pytest.mark.parametrize('options', [
    {}, {'stride': 2, 'pad': 1}, {'stride': (3, 2), 'dilate': (1, 2)},
    {'groups': 2, 'stride': 2},
    # In height the convolution covers all, in width it does not, and it cannot.
    {'stride': 3, 'outsize': (10, 9)}, {'stride': 3, 'outsize': (11, 10)},
    {'stride': 3, 'outsize': (8, 9)}])
@pytest.mark.parametrize('bias', [True, False])
def test_gradients(device, options, bias):
    groups = options.get('groups', 1)
    inputs = [gradients.uniform((2, 2, 3, 3)),
              gradients.uniform((2, 4 // groups, 3, 2), 1)]
    if bias:
        inputs.append(gradients.uniform((4,), 2))
    gradients.check(
        device, lambda x, W, b=None: F.deconvolution_2d(x, W, b, **options), *inputs)


def test_shortcut_and_methods_agree(device):
    class Derived(deconvolution_2d.Deconvolution2DFunction):
        pass

    results = []
    for cls in deconvolution_2d.Deconvolution2DFunction, Derived:
        inputs = [
            Variable(device.send(gradients.uniform(shape, seed, 'f')))
            for seed, shape in enumerate([(3, 6, 4, 5), (6, 2, 3, 2), (4,)])]
        f = cls((2, 3), (1, 0), (8, 16), dilate=(1, 2), groups=2)
        y, = f.apply(tuple(inputs))
        y.grad = device.send(gradients.uniform(y.shape, 3, 'f'))
        y.backward()
        results.append([y.array] + [v.grad for v in inputs] + [f.cover_all])
    for a, b in zip(*results, strict=True):
        compare.assert_allclose(a, b, 1e-5, 1e-5)


def test_attributes(device):
    f = deconvolution_2d.Deconvolution2DFunction(
        (1, 2), (1, 0), dilate=(1, 2), groups=2)
    assert (f.sy, f.sx, f.ph, f.pw, f.dy, f.dx, f.groups) == (1, 2, 1, 0, 1, 2, 2)
    assert f.outh is f.outw is f.cover_all is None
    x = Variable(device.send(ones(1, 4, 5, 5)))
    y, = f.apply(device.send((x, ones(4, 1, 3, 3))))
    assert y.shape[2:] == (f.outh, f.outw) == (5, 13)
    y.grad = y.array
    y.backward()
    assert f.cover_all is False


@pytest.mark.parametrize('error, named, options', [
    (RuntimeError, 'pad', {'pad': 5}), (ValueError, 'stride', {'stride': 0}),
    (RuntimeError, 'stride', {'stride': -1}), (ValueError, 'pad', {'pad': -1}),
    (ValueError, 'dilate', {'dilate': (1, 0)}), (ValueError, 'groups', {'groups': 3}),
    (ValueError, 'b must', {'b': ones(3)}), (TypeError, 'stride', {'stride': 1.5}),
    (ValueError, 'deterministic', {'deterministic': False}),
    (TypeError, "deconvolution_2d.*'use_cudnn'", {'use_cudnn': True}),
    (type_check.InvalidType, r'shape\[2\]', {'outsize': (9, 7)}),
    (type_check.InvalidType, r'shape\[3\]', {'outsize': (7, 6)}),
    (type_check.InvalidType, 'dtype', {'b': ones(2, dtype='d')}),
])
def test_errors(device, error, named, options):
    with pytest.raises(error, match=named):
        F.deconvolution_2d(
            device.send(ones(1, 4, 5, 5)), device.send(ones(4, 2, 3, 3)),
            **device.send(options))


def test_layouts_are_refused(device):
    W = Variable(device.send(ones(2, 3, 3, 3))).as_layout(
        memory_layouts.CUDNN_CHANNEL_LAST_W)
    with pytest.raises(RuntimeError, match='CUDNN_CHANNEL_LAST_W'):
        F.deconvolution_2d(device.send(ones(1, 2, 5, 5)), W)


def test_empty(device):
    y = F.deconvolution_2d(
        device.send(ones(0, 2, 3, 3)), device.send(ones(2, 3, 3, 3)))
    assert y.shape == (0, 3, 5, 5)
    y = F.deconvolution_2d(*device.send((ones(1, 0, 3, 3), ones(0, 3, 3, 3), ones(3))))
    compare.assert_array_equal(y.array, ones(1, 3, 5, 5))


@pytest.mark.parametrize('groups', [2.5, np.inf])
def test_groups_are_whole(device, groups):
    x, W = device.send((np.zeros((1, 5, 4, 4), 'f'), np.zeros((5, 3, 3, 3), 'f')))
    with pytest.raises(TypeError, match='groups'):
        F.deconvolution_2d(x, W, groups=groups)
