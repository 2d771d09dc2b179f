"""Interpolation: the compiled form against the reference."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast.backends.kernels import bilinear
from tests.backends.kernels import forms

SIZE = st.integers(1, 6)
SHAPES = st.tuples(st.integers(1, 2), st.integers(1, 3), SIZE, SIZE)


def images(shape, dtype, strided=False, seed=0):
    x = np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)
    return np.asfortranarray(x) if strided else x


def compare(actual, expected, dtype):
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    assert actual.dtype == dtype
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


@given(SHAPES, SIZE, SIZE, st.sampled_from('fd'), st.booleans())
def test_resizing(shape, out_height, out_width, dtype, strided):
    random = np.random.RandomState(0)
    *_, height, width = shape
    lines = (random.randint(0, height, out_height), random.rand(out_height),
             random.randint(0, width, out_width), random.rand(out_width))
    x = images(shape, dtype, strided)
    y = bilinear.resize(x, *lines)
    compare(y, bilinear.resize.reference(x, *lines), dtype)
    gy = images(y.shape, dtype, strided, 1)
    gx = bilinear.resize_adjoint(gy, *lines, height, width)
    compare(gx, bilinear.resize_adjoint.reference(gy, *lines, height, width), dtype)
    np.testing.assert_allclose((x * gx).sum(), (y * gy).sum(), rtol=1e-3, atol=1e-4)


@given(SHAPES, SIZE, SIZE, st.sampled_from('fd'), st.booleans(),
       st.sampled_from([.5, 1, 3, 1e20]))
def test_sampling(shape, out_height, out_width, dtype, strided, scale):
    x = images(shape, dtype, strided)
    grid = images((shape[0], 2, out_height, out_width), dtype, strided, 1)
    grid = (grid * scale).astype(dtype)
    y = bilinear.sample(x, grid)
    compare(y, bilinear.sample.reference(x, grid), dtype)
    gy = images(y.shape, dtype, strided, 2)
    grads = bilinear.sample_adjoint(x, grid, gy)
    for g, expected in zip(
            grads, bilinear.sample_adjoint.reference(x, grid, gy), strict=True):
        compare(g, expected, dtype)


@pytest.mark.parametrize('dtype', 'efd')
def test_side_at_pixels(dtype):
    """The side is that of the place counted from the border around the image."""
    for n in range(2, 60):
        x = np.random.RandomState(n).rand(1, 1, 1, n).astype(
            np.promote_types(dtype, 'f'))
        at = np.linspace(-1, 1, n).astype(dtype)
        grid = np.stack([at, 0 * at]).reshape(1, 2, 1, n)
        left = np.floor((at + 1) * (n - 1) / 2 + 1).astype(int)
        line = np.pad(x.ravel(), 2)
        slope = (line[left + 2] - line[left + 1]) * (n - 1) / 2
        gy = np.ones(x.shape, x.dtype)
        for form in bilinear.sample_adjoint, bilinear.sample_adjoint.reference:
            g = form(x, grid, gy)[1]
            assert g.dtype == dtype
            np.testing.assert_allclose(
                g[0, 0, 0], slope, rtol=1e-2 if dtype == 'e' else 1e-4, atol=1e-4)


def test_pixels_at_the_border():
    x = np.arange(1., 10).reshape(1, 1, 3, 3)
    where = np.array([-9, -2, -1.5, -1, 0, 1, 1.5, 2, np.inf])
    grid = np.stack([where, 0 * np.arange(9.)]).reshape(1, 2, 1, 9)
    for form in bilinear.sample, bilinear.sample.reference:
        np.testing.assert_allclose(
            form(x, grid).ravel(), [0, 0, 2, 4, 5, 6, 3, 0, 0])


def test_values_outside_of_the_image_do_not_matter():
    x = np.full((1, 1, 2, 2), np.inf)
    grid = np.full((1, 2, 1, 1), 5.)
    np.testing.assert_array_equal(bilinear.sample(x, grid), 0)


def test_lines_beyond_the_image():
    x, at, w = np.ones((1, 1, 2, 2)), np.array([2]), np.zeros(1)
    with pytest.raises(IndexError):
        bilinear.resize(x, at, w, at * 0, w)
    with pytest.raises(IndexError):
        bilinear.resize(x, at * 0, w, -at, w)


def test_points_that_are_no_numbers():
    grid = np.full((1, 2, 1, 1), np.nan)
    assert bilinear.sample.compiled(np.ones((1, 1, 2, 2)), grid) is NotImplemented


@pytest.mark.gpu
@pytest.mark.parametrize('nearest, align_corners', [
    (True, False), (False, False), (False, True)])
@pytest.mark.parametrize('out_size', [(1, 2), (3, 7), (11, 5)])
def test_lines_on_a_device(device, out_size, nearest, align_corners):
    x = np.zeros(3, 'f')
    for in_size in (1, 4), (5, 5), (12, 3):
        forms.check(bilinear.lines, x, out_size, in_size, nearest, align_corners)


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('size', [(1, 1), (2, 5), (4, 3), (0, 3)])
def test_lattices_on_a_device(device, dtype, size):
    forms.check(bilinear.lattice, np.zeros(3, dtype), *size)


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(2, 3, 4, 5), (1, 2, 1, 6), (0, 3, 4, 5)])
def test_resizing_on_a_device(device, dtype, shape):
    random = np.random.RandomState(0)
    *_, height, width = shape
    # Weights that half floats have.
    lines = (random.randint(0, height, 6).astype('i'), random.randint(0, 9, 6) / 8,
             random.randint(0, width, 3).astype('i'), random.randint(0, 9, 3) / 8)
    for x in forms.layouts(images(shape, dtype)):
        forms.check(bilinear.resize, x, *lines)
    for gy in forms.layouts(images((*shape[:2], 6, 3), dtype)):
        forms.check(bilinear.resize_adjoint, gy, *lines, height, width)


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(2, 3, 5, 3), (1, 2, 1, 9)])
@pytest.mark.parametrize('size', [(4, 3), (0, 3)])
def test_sampling_on_a_device(device, dtype, shape, size):
    # Coordinates that half floats have, of points within the image and around it.
    points = np.random.RandomState(0).randint(-12, 13, (shape[0], 2, *size)) / 8
    for x, grid, gy in zip(*map(forms.layouts, (
            images(shape, dtype), points.astype(dtype),
            images((*shape[:2], *size), dtype, seed=1))), strict=True):
        forms.check(bilinear.sample, x, grid)
        forms.check(bilinear.sample_adjoint, x, grid, gy)


@pytest.mark.gpu
def test_points_that_are_no_numbers_on_a_device(device):
    x, grid, gy = device.send([
        np.ones((1, 1, 2, 2)), np.full((1, 2, 1, 1), np.nan), np.ones((1, 1, 1, 1))])
    assert device.xp.isnan(bilinear.sample(x, grid)).all()
    gx, ggrid = bilinear.sample_adjoint(x, grid, gy)
    assert not gx.any()
    assert device.xp.isnan(ggrid).all()


@pytest.mark.gpu
def test_no_cuda_code_for_these(device):
    x = device.xp.ones((1, 1, 2, 2), 'f')
    assert bilinear.sample.device(x, x[:, :, :, :0].astype('d')) is NotImplemented
    assert bilinear.sample.device(x[:, :, :0], x) is NotImplemented
    assert bilinear.resize.device(x.astype('i'), *[None] * 4) is NotImplemented
    assert bilinear.resize_adjoint.device(
        x.astype('i'), *[None] * 6) is NotImplemented
