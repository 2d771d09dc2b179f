"""Convolutions by cuDNN, against the reference of the kernels."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import testing
from chainer_fast.backends import _image_orders, cuda
from chainer_fast.backends._cudnn import convolution
from chainer_fast.backends.kernels import convolution as kernels
from tests.doubles.host_cupy import ledger

pytestmark = pytest.mark.gpu

TOLERANCE = {'e': 5e-3, 'f': 1e-5, 'd': 1e-12}
WINDOWS = [  # ksize, stride, pad, dilate, lengths, whether all is covered
    ((3, 3), (1, 1), (1, 1), (1, 1), (6, 5), False),
    ((1, 1), (1, 1), (0, 0), (1, 1), (4, 5), False),
    ((3, 2), (2, 1), (1, 0), (1, 2), (7, 6), False),
    ((3, 3), (2, 2), (0, 1), (1, 1), (6, 6), False),    # some elements are not seen
    ((3, 3), (2, 3), (0, 1), (1, 1), (6, 6), True),
    ((3,), (2,), (1,), (2,), (9,), False),
    ((2, 3, 1), (1, 2, 1), (1, 1, 0), (2, 1, 1), (4, 5, 3), False),
]


def send(array, how='plain'):
    x = cuda.to_gpu(array)
    if how == 'last':
        return _image_orders.dense(x, True)
    if how == 'strided':
        wide = cuda.cupy.empty((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    return x


def places(window):
    ksize, stride, pad, dilate, lengths, cover_all = window
    return tuple([kernels.sizes.get_conv_outsize(n, k, s, p, cover_all, d)
                  for n, k, s, p, d in zip(
                      lengths, ksize, stride, pad, dilate, strict=True)])


def check(form, kernel, arrays, arguments, how):
    expected = kernel.reference(*arrays, *arguments)
    found = form(*[a if a is None else send(a, how if a.ndim > 1 else 'plain')
                   for a in arrays], *arguments)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    if how == 'last':
        assert _image_orders.channels_last(found) or found.flags.c_contiguous
    else:
        assert found.flags.c_contiguous
    tolerance = TOLERANCE[expected.dtype.char]
    testing.assert_allclose(found, expected, tolerance, tolerance)


@pytest.mark.parametrize('window', WINDOWS, ids=str)
@pytest.mark.parametrize('dtype, groups, how, bias', [
    ('f', 1, 'plain', True), ('f', 2, 'last', True), ('f', 2, 'plain', False),
    ('e', 1, 'last', True), ('e', 2, 'strided', False), ('d', 2, 'plain', True)])
def test_forms(frontend, window, dtype, groups, how, bias):
    ksize, stride, pad, dilate, lengths, _ = window
    outs = places(window)
    random = np.random.RandomState(0)
    x, W, gy, b, c = [random.uniform(-1, 1, shape).astype(dtype) for shape in (
        (2, 4, *lengths), (6, 4 // groups, *ksize), (2, 6, *outs), (6,), (4,))]
    if not bias:
        b = c = None
    geometry = stride, pad, dilate, groups
    check(convolution.convolve, kernels.convolve, (x, W, b), (*geometry, outs), how)
    check(convolution.convolve_transposed, kernels.convolve_transposed, (gy, W, c),
          (*geometry, lengths), how)
    check(convolution.correlate, kernels.correlate, (x, gy),
          (ksize, *geometry, np.dtype(dtype)), how)
    assert len(frontend.ran) == 3


@pytest.mark.parametrize('x, W', [
    (((2, 3, 4, 4), 'f'), ((2, 3, 2, 2), 'd')),
    (((0, 3, 4, 4), 'f'), ((2, 3, 2, 2), 'f')),
    (((2, 3, 3, 3, 3, 3), 'f'), ((2, 3, 1, 1, 1, 1), 'f')),
])
def test_what_cudnn_is_not_asked(frontend, x, W):
    x, W = [send(np.ones(*each)) for each in (x, W)]
    n = x.ndim - 2
    outs = tuple([a - k + 1 for a, k in zip(x.shape[2:], W.shape[2:], strict=True)])
    arguments = (1,) * n, (0,) * n, (1,) * n, 1
    assert convolution.convolve(x, W, None, *arguments, outs) is NotImplemented
    assert frontend.planned == 0
    y = kernels.convolve(x, W, None, *arguments, outs)
    testing.assert_allclose(y, kernels.convolve.reference(
        x.get(), W.get(), None, *arguments, outs), 1e-5)


def gradients(f, device, dtype='f', **options):
    random = np.random.RandomState(0)
    shapes = {F.convolution_2d: (6, 4, 3, 3), F.deconvolution_2d: (4, 6, 3, 3)}
    x, W, b = [
        chainer_fast.Variable(device.send(random.uniform(-1, 1, shape).astype(dtype)))
        for shape in ((2, 4, 7, 6), shapes[f], (6,))]
    with ledger.record() as forward:
        y = f(x, W, b, pad=1, **options)
    y.grad = y.array * y.array
    with ledger.record() as backward:
        y.backward()
    return [y.array, x.grad, W.grad, b.grad], forward.launches, backward.launches


@pytest.mark.parametrize('f', [F.convolution_2d, F.deconvolution_2d])
@pytest.mark.parametrize('dtype', 'fe')
def test_functions(frontend, device, f, dtype):
    found, forward, backward = gradients(f, device, dtype)
    expected, _, _ = gradients(f, chainer_fast.get_device('@numpy'), dtype)
    for a, b in zip(found, expected, strict=True):
        tolerance = TOLERANCE[dtype]
        testing.assert_allclose(a, b, tolerance * max(1, abs(b).max()), tolerance)
    if device.name == '@numpy':
        assert not frontend.ran
    elif f is F.convolution_2d:
        assert forward == ['cudnn conv_fprop bias']
        assert backward == ['cudnn conv_dgrad', 'cudnn conv_wgrad', 'sum']
    else:
        assert forward == ['cudnn conv_dgrad', 'add']
        assert backward == ['cudnn conv_fprop', 'cudnn conv_wgrad', 'sum']


def test_double_backward(frontend):
    random = np.random.RandomState(0)
    x, W, gy, ggx, ggW = [
        cuda.to_gpu(random.uniform(-1, 1, shape)) for shape in (
            (2, 4, 5, 4), (6, 2, 3, 2), (2, 6, 3, 3), (2, 4, 5, 4), (6, 2, 3, 2))]
    chainer_fast.gradient_check.check_double_backward(
        lambda x, W: F.convolution_2d(x, W, stride=2, pad=1, groups=2),
        (x, W), gy, (ggx, ggW), dtype='d', atol=1e-4, rtol=1e-4)
    assert {name for _, names, _ in frontend.ran for name in names} == {
        'conv_fprop', 'conv_dgrad', 'conv_wgrad'}


def test_bias_that_no_engine_adds(frontend):
    frontend.refused = {'bias'}
    device = chainer_fast.get_device('@cupy:0')
    for _ in range(2):
        found, forward, _ = gradients(F.convolution_2d, device)
        assert forward == ['cudnn conv_fprop', 'add']
    # The answer of cuDNN is kept: graphs of the forward pass with and without the bias,
    # and two of the backward pass.
    assert frontend.planned == 4
    expected, _, _ = gradients(F.convolution_2d, chainer_fast.get_device('@numpy'))
    testing.assert_allclose(found[0], expected[0], 1e-5, 1e-5)


def test_filters_in_another_order_are_copied_once(frontend):
    frontend.refused = {'bias'}
    x, W, b = [np.ones(shape, 'f') for shape in ((2, 4, 5, 5), (6, 4, 3, 3), (6,))]
    x, W, b = send(x, 'last'), send(W), send(b)
    with ledger.record() as record:
        convolution.convolve(x, W, b, (1, 1), (0, 0), (1, 1), 1, (3, 3))
    assert record.launches == ['astype', 'cudnn conv_fprop', 'add']


def test_own_kernels_where_there_is_no_engine(frontend):
    frontend.refused = {'conv_fprop', 'conv_dgrad', 'conv_wgrad'}
    found, forward, _ = gradients(
        F.convolution_2d, chainer_fast.get_device('@cupy:0'))
    assert forward == ['im2col_2d', 'gemmStridedBatchedEx', 'add']
    expected, _, _ = gradients(F.convolution_2d, chainer_fast.get_device('@numpy'))
    for a, b in zip(found, expected, strict=True):
        testing.assert_allclose(a, b, 1e-5, 1e-4)
