"""Pixels of images: moved, gathered, interpolated."""
import numpy as np
import pytest

from chainer_fast import function, gradient_check, utils
from chainer_fast import functions as F
from chainer_fast.functions.array import resize_images as resize_mod
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients

# Depth and space

@pytest.mark.parametrize('r', [1, 2, 3])
@pytest.mark.parametrize('dtype', 'efd')
def test_depth_and_space(device, r, dtype):
    x = gradients.uniform((2, 2 * r * r, 3, 2), 0, dtype)
    y = F.depth2space(device.send(x), r)
    assert (y.shape, y.dtype) == ((2, 2, 3 * r, 2 * r), np.dtype(dtype))
    for i, j in np.ndindex(r, r):
        first = (i * r + j) * 2
        compare.assert_array_equal(y.array[:, :, i::r, j::r], x[:, first:first + 2])
    compare.assert_array_equal(F.space2depth(y, r).array, x)


@pytest.mark.parametrize('f, shape', [
    (F.depth2space, (2, 4, 2, 3)), (F.space2depth, (2, 1, 4, 2)),
    (F.depth2space, (0, 4, 2, 3)), (F.space2depth, (1, 2, 0, 4))])
def test_gradients_of_depth_and_space(device, f, shape):
    gradients.check(device, lambda x: f(x, 2) ** 2, gradients.uniform(shape))


@pytest.mark.parametrize('f', [F.depth2space, F.space2depth])
@pytest.mark.parametrize('shape, dtype, r, error', [
    ((4, 2, 2), 'f', 2, type_check.InvalidType),
    ((1, 4, 2, 2), 'i', 2, type_check.InvalidType), ((1, 3, 3, 3), 'f', 2, ValueError),
    ((1, 4, 2, 2), 'f', 0, ZeroDivisionError), ((1, 4, 2, 2), 'f', 2., TypeError)])
def test_blocks_of_no_sense(device, f, shape, dtype, r, error):
    with pytest.raises(error):
        f(device.send(np.zeros(shape, dtype)), r)


# Patches

PATCHES = [(2, 1, 0, False, 1), ((2, 3), (1, 2), (1, 0), True, 1), (2, 2, 2, False, 2),
           (1, 1, 0, False, 1)]


@pytest.mark.parametrize('ksize, stride, pad, cover_all, dilate', PATCHES)
@pytest.mark.parametrize('dtype', 'efd')
def test_im2col(device, ksize, stride, pad, cover_all, dilate, dtype):
    x = gradients.uniform((2, 3, 5, 4), 0, dtype)
    y = F.im2col(device.send(x), ksize, stride, pad, cover_all, dilate)
    assert y.dtype == dtype
    kh, kw = ksize if isinstance(ksize, tuple) else (ksize, ksize)
    ph, pw = pad if isinstance(pad, tuple) else (pad, pad)
    w = gradients.uniform((4, 3, kh, kw), 1, dtype)
    # A product of filters with the patches is a sum over windows.
    product = np.einsum('ok,nkhw->nohw', w.reshape(4, -1), to_cpu(y.array))
    sy, sx = stride if isinstance(stride, tuple) else (stride, stride)
    assert y.shape == (2, 3 * kh * kw, *[
        utils.get_conv_outsize(n, k, s, p, cover_all, dilate)
        for n, k, s, p in zip((5, 4), (kh, kw), (sy, sx), (ph, pw), strict=True)])
    padded = np.pad(x, [(0, 0), (0, 0), (ph, ph + 9), (pw, pw + 9)])
    expected = np.zeros_like(product)
    for i, j, u, v in np.ndindex(*product.shape[2:], kh, kw):
        pixel = padded[:, :, i * sy + u * dilate, j * sx + v * dilate]
        expected[:, :, i, j] += pixel @ w[:, :, u, v].T
    tolerance = 2e-2 if dtype == 'e' else 1e-5
    compare.assert_allclose(product, expected, rtol=tolerance, atol=tolerance)
    if dtype == 'd':
        gradients.check(
            device, lambda x: F.im2col(x, ksize, stride, pad, cover_all, dilate), x)


@pytest.mark.parametrize('x, ksize, error', [
    (np.zeros((3, 4, 4)), 2, type_check.InvalidType),
    (np.zeros((1, 3, 4, 4), 'i'), 2, type_check.InvalidType),
    (np.zeros((1, 3, 4, 4)), 5, AssertionError),
    (np.zeros((1, 3, 4, 4)), (2, 2, 2), ValueError)])
def test_windows_of_no_sense(device, x, ksize, error):
    with pytest.raises(error):
        F.im2col(device.send(x), ksize)


# Resizing

@pytest.mark.parametrize('length, count, mode, align_corners, expected', [
    (4, 2, 'bilinear', True, [0, 3]), (4, 3, 'bilinear', True, [0, 1.5, 3]),
    (2, 5, 'bilinear', True, [0, .25, .5, .75, 1]), (4, 1, 'bilinear', True, [0]),
    (4, 2, 'bilinear', False, [.5, 2.5]), (2, 4, 'bilinear', False, [0, .25, .75, 1]),
    (4, 1, 'bilinear', False, [1.5]), (1, 3, 'bilinear', False, [0, 0, 0]),
    (4, 2, 'nearest', True, [0, 2]), (3, 6, 'nearest', False, [0, 0, 1, 1, 2, 2]),
    (7, 3, 'nearest', False, [0, 2, 4])])
def test_where_pixels_come_from(device, length, count, mode, align_corners, expected):
    x = np.arange(length, dtype='f')
    for axis in 2, 3:
        shape, out = [1, 1, 1, 1], [1, 1]
        shape[axis], out[axis - 2] = length, count
        y = F.resize_images(
            device.send(x.reshape(shape)), out, mode=mode, align_corners=align_corners)
        assert y.dtype == 'f'
        compare.assert_allclose(y.array.ravel(), expected, rtol=1e-6)


@pytest.mark.parametrize('mode', ['bilinear', 'nearest'])
@pytest.mark.parametrize('align_corners', [True, False])
@pytest.mark.parametrize('size', [(7, 3), (2, 6), (4, 4)])
def test_gradients_of_resizing(device, mode, align_corners, size):
    def f(x):
        return F.resize_images(x, size, mode=mode, align_corners=align_corners)

    x = gradients.uniform((2, 2, 4, 4), 0, 'f')
    gy = device.send(gradients.uniform((2, 2, *size), 1, 'f'))
    gradient_check.check_backward(
        f, device.send(x), gy, dtype='d', rtol=1e-3, atol=1e-4)
    gradient_check.check_double_backward(
        f, device.send(x), gy, device.send(gradients.uniform(x.shape, 2, 'f')),
        dtype='d', rtol=1e-3, atol=1e-3)


def test_the_nearest_pixel_alone_matters(device):
    x = np.array([[[[1, np.inf]]]], 'f')
    y = F.resize_images(device.send(x), (1, 4), mode='nearest')
    compare.assert_array_equal(y.array.ravel(), [1, 1, np.inf, np.inf])


def test_images_without_columns(device):
    x = Variable(device.send(np.ones((1, 2, 3, 4), 'f')))
    y = F.resize_images(x, (2, 0))
    assert y.shape == (1, 2, 2, 0)
    y.grad = y.array
    y.backward()
    compare.assert_array_equal(x.grad, np.zeros(x.shape))


@pytest.mark.parametrize('mode, expected', [
    ('nearest', [0, 1, 3]), ('bilinear', [.3, 1.9, 3])])
def test_a_fraction_of_a_pixel_is_one(device, mode, expected):
    x = device.send(np.arange(4, dtype='f').reshape(1, 1, 1, 4))
    for size in (1, 2.5), (.5, np.float32(2.5)):
        y = F.resize_images(x, size, mode=mode, align_corners=False)
        compare.assert_allclose(y.array[0, 0, 0], expected, 1e-6)
    assert F.resize_images(x, (1, -.5), mode=mode, align_corners=False).shape[3] == 0


@pytest.mark.parametrize('x, size, options, error', [
    (np.zeros((1, 1, 2, 2)), (2, 2), {}, type_check.InvalidType),
    (np.zeros((1, 2, 2), 'f'), (2, 2), {}, type_check.InvalidType),
    (np.zeros((1, 1, 2, 2), 'f'), (2, 2), {'mode': 'cubic'}, AssertionError),
    (np.zeros((1, 1, 2, 2), 'f'), (2., 2), {}, TypeError),
    (np.zeros((1, 1, 2, 2), 'f'), (0, 2), {}, ZeroDivisionError),
    (np.zeros((1, 1, 2, 2), 'f'), (-1, 2), {}, ValueError),
    (np.zeros((1, 1, 2, 2), 'f'), (-1, 2), {'mode': 'nearest'}, ZeroDivisionError),
    (np.zeros((1, 1, 2, 2), 'f'), (2, 0), {'mode': 'nearest'}, ZeroDivisionError),
    (np.zeros((1, 1, 2, 2), 'f'), (2, 0), {'align_corners': False},
     ZeroDivisionError)])
def test_sizes_of_no_sense(device, x, size, options, error):
    with pytest.raises(error):
        F.resize_images(device.send(x), size, **options)


def test_interpolation_at_single_places(device):
    x = gradients.uniform((1, 2, 4, 3), 0, 'f')
    v, u, vw, uw = resize_mod.compute_indices_and_weights(
        (5, 2), (4, 3), 'bilinear', True, np)
    assert {a.dtype.char for a in (v, u, vw, uw)} == {'d'}
    grids = [np.meshgrid(a, b, indexing='ij') for a, b in ((v, u), (vw, uw))]
    (v, u), (vw, uw) = [a.astype(int) for a in grids[0]], grids[1]
    y = resize_mod.interpolate_bilinear_cpu(x, v, u, vw, uw)
    assert y.dtype == 'f'
    compare.assert_allclose(y, F.resize_images(device.send(x), (5, 2)).array, rtol=1e-5)
    gy = gradients.uniform(y.shape, 1, 'f')
    gx = resize_mod.interpolate_grad_bilinear_cpu(gy, v, u, vw, uw, 4, 3)
    compare.assert_allclose((gx * x).sum(), (gy * y).sum(), rtol=1e-4)
    with pytest.raises(ValueError):
        resize_mod.compute_indices_and_weights((1, 1), (1, 1), 'cubic', True, np)


# Spatial transformers

IDENTITY = np.array([[[1., 0, 0], [0, 1, 0]]])


def uneven_grid(shape, dtype='d'):
    """Points within and without, not at pixels."""
    return (gradients.spread((2, 2, *shape)) * .23 + .013).astype(dtype)


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('size', [(3, 4), (1, 1), (0, 2)])
def test_grid(device, dtype, size):
    theta = gradients.uniform((2, 2, 3), 0, dtype)
    y = F.spatial_transformer_grid(device.send(theta), size)
    assert (y.dtype, y.shape) == (np.dtype(dtype), (2, 2, *size))
    for i, j in np.ndindex(*size):
        point = [np.linspace(-1, 1, size[1])[j], np.linspace(-1, 1, size[0])[i], 1]
        compare.assert_allclose(
            y.array[:, :, i, j], theta @ np.array(point), rtol=2e-3, atol=2e-3)
    if dtype == 'd':
        gradients.check(
            device, lambda t: F.spatial_transformer_grid(t, size), theta, double=False)


def test_sampling_at_pixels_gives_them_back(device):
    x = gradients.uniform((1, 3, 4, 5))
    grid = F.spatial_transformer_grid(device.send(IDENTITY), (4, 5))
    y = F.spatial_transformer_sampler(device.send(x), grid)
    compare.assert_allclose(y.array, x)
    turned = F.spatial_transformer_grid(device.send(-IDENTITY), (4, 5))
    compare.assert_allclose(
        F.spatial_transformer_sampler(device.send(x), turned).array,
        x[:, :, ::-1, ::-1])


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('strided', [False, True])
def test_sampler(device, dtype, strided):
    x, grid = gradients.uniform((2, 3, 4, 5), 0, dtype), uneven_grid((3, 2), dtype)
    if strided:
        x, grid = np.asfortranarray(x), np.asfortranarray(grid)
    y = F.spatial_transformer_sampler(device.send(x), device.send(grid))
    assert (y.dtype, y.shape) == (np.dtype(dtype), (2, 3, 3, 2))
    xv, gridv = Variable(device.send(x)), Variable(device.send(grid))
    F.sum(F.spatial_transformer_sampler(xv, gridv)).backward()
    assert (xv.grad.dtype, gridv.grad.dtype) == (x.dtype, x.dtype)
    if dtype == 'd':
        gradients.check(device, F.spatial_transformer_sampler, x, grid, double=False)


@pytest.mark.parametrize('x_shape, grid_shape', [
    ((0, 3, 4, 5), (0, 2, 2, 2)), ((2, 0, 4, 5), (2, 2, 2, 2)),
    ((2, 3, 0, 5), (2, 2, 2, 2)), ((2, 3, 4, 5), (2, 2, 0, 2))])
def test_sampling_nothing(device, x_shape, grid_shape):
    x = Variable(device.send(np.ones(x_shape)))
    grid = Variable(device.send(np.zeros(grid_shape)))
    y = F.spatial_transformer_sampler(x, grid)
    compare.assert_array_equal(y.array, np.zeros(x_shape[:2] + grid_shape[2:]))
    F.sum(y).backward()
    assert (x.grad.shape, grid.grad.shape) == (x_shape, grid_shape)


def test_images_of_one_pixel(device):
    x = np.full((1, 1, 1, 1), 3.)
    y = F.spatial_transformer_sampler(
        device.send(x), device.send(np.array([[[[7.]], [[-7.]]]])))
    compare.assert_array_equal(y.array, x)


def test_points_that_are_no_numbers(device):
    grid = np.zeros((1, 2, 1, 2))
    grid[0, 0, 0, 1] = np.nan
    with np.errstate(invalid='ignore'):
        y = F.spatial_transformer_sampler(
            device.send(np.ones((1, 1, 3, 3))), device.send(grid))
    compare.assert_array_equal(y.array.ravel(), [1, np.nan])


# Released Chainer's gradients of these maps, for the images and weights of the test.
# Points are at pixels, or next to them by rounding, which decides the side.
AT_THE_IDENTITY = {
    'e': [331.5, 107.9, 430.8, -262.2, -569.5, 169.9],
    'f': [316.86856, -244.77103, 101.656265, -272.42218, -245.21642, 8.987583],
    'd': [293.99397916, 56.34649823, -183.46239106, -456.43914666, 17.55025498,
          -537.26070344]}


@pytest.mark.parametrize('dtype', 'efd')
def test_gradient_at_the_identity(device, dtype):
    random = np.random.RandomState(0)
    x = random.rand(2, 3, 42, 42).astype(dtype)
    weights = random.randn(2, 3, 42, 42).astype(dtype)
    theta = Variable(device.send(np.repeat(IDENTITY[:1], 2, 0).astype(dtype)))
    y = F.spatial_transformer_sampler(
        device.send(x), F.spatial_transformer_grid(theta, (42, 42)))
    F.sum(y * device.send(weights)).backward()
    compare.assert_allclose(
        theta.grad[0].ravel(), AT_THE_IDENTITY[dtype], atol=1e-3,
        rtol=5e-3 if dtype == 'e' else 1e-4)


def test_old_style_functions(device):
    grid = F.spatial_transformer_grid(Variable(device.send(IDENTITY)), (2, 2))
    assert isinstance(grid.creator, function.Function)
    assert grid.creator.output_shape == (2, 2)


@pytest.mark.parametrize('f', [
    lambda **kwargs: F.spatial_transformer_grid(IDENTITY, (2, 2), **kwargs),
    lambda **kwargs: F.spatial_transformer_sampler(
        np.zeros((1, 1, 2, 2)), np.zeros((1, 2, 2, 2)), **kwargs)])
def test_retired_arguments(f):
    with pytest.raises(ValueError, match='use_cudnn'):
        f(use_cudnn=True)
    with pytest.raises(TypeError):
        f(other=True)


@pytest.mark.parametrize('theta', [
    np.zeros((2, 1, 3)), np.zeros((2, 2, 2)), np.zeros((2, 2, 3), 'i')])
def test_maps_of_no_sense(device, theta):
    with pytest.raises(type_check.InvalidType):
        F.spatial_transformer_grid(device.send(theta), (2, 2))


@pytest.mark.parametrize('x, grid', [
    (np.zeros((1, 2, 2)), np.zeros((1, 2, 2, 2))),
    (np.zeros((1, 1, 2, 2)), np.zeros((2, 2, 2, 2))),
    (np.zeros((1, 1, 2, 2)), np.zeros((1, 3, 2, 2))),
    (np.zeros((1, 1, 2, 2)), np.zeros((1, 2, 2, 2), 'f')),
    (np.zeros((1, 1, 2, 2)), np.zeros((1, 2, 2)))])
def test_grids_of_no_sense(device, x, grid):
    with pytest.raises(type_check.InvalidType):
        F.spatial_transformer_sampler(device.send(x), device.send(grid))


@pytest.mark.host
def test_windows_do_not_begin_before_the_image():
    memory = np.zeros((2, 3, 6, 6), 'f')
    with pytest.raises(ValueError, match='must not be negative'):
        F.im2col(memory[1:], 3, dilate=-1)


def test_windows_of_one_element_have_no_distance(device):
    x, W = device.send((np.ones((2, 3, 4, 4), 'f'), np.ones((3, 2, 1, 1), 'f')))
    compare.assert_array_equal(F.im2col(x, 1, dilate=-1).array, np.ones(x.shape))
    y = F.deconvolution_nd(x, W, dilate=-1)
    compare.assert_array_equal(y.array, np.full((2, 2, 4, 4), 3))
    y = F.convolution_nd(x, W.transpose(1, 0, 2, 3), dilate=-1)
    compare.assert_array_equal(y.array, np.full((2, 2, 4, 4), 3))


@pytest.mark.host
@pytest.mark.parametrize('name', ['ksize', 'stride', 'pad', 'dilate'])
@pytest.mark.parametrize('number', [2.5, 1., np.inf])
def test_windows_have_whole_numbers(name, number):
    options = {'ksize': 2, 'dilate': 1, name: number}
    # Windows of infinite size have no place at all.
    with pytest.raises((TypeError, AssertionError)) as caught:
        F.im2col(np.zeros((1, 1, 6, 6), 'f'), **options)
    assert number == np.inf or caught.type is TypeError
