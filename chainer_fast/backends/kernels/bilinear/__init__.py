"""Bilinear interpolation between the pixels of images.

Images are arrays of shape ``(n, channels, height, width)``.
"""
from __future__ import annotations

import functools
import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.pooling import compiled as _compiled
from chainer_fast.backends.kernels.bilinear import cuda as _device
from chainer_fast.types import NdArray
from chainer_fast.types import Xp


def lines_of_axis(
        xp: Xp, count: int, length: int, nearest: bool,
        align_corners: bool) -> tuple[NdArray, NdArray]:
    """Return places and weights of lines across an axis; see :func:`lines`."""
    if align_corners and not nearest:
        exact = xp.linspace(0, length - 1, count)
    else:
        scale = length / count
        if nearest:
            places = xp.floor(xp.arange(count) * scale)
            return places, xp.zeros(places.shape)
        # Centers of pixels, which are half a pixel from their edges.
        exact = xp.maximum((xp.arange(count) + .5) * scale - .5, 0)
    places = xp.floor(exact)
    return places, exact - places


def _lines(xp, out_size, in_size, nearest, align_corners):
    results = []
    for count, length in zip(out_size, in_size, strict=True):
        places, weights = lines_of_axis(xp, count, length, nearest, align_corners)
        results += [places.astype(numpy.intc), weights]
    return tuple(results)


# The same few sizes are used repeatedly. Arrays on a GPU are not kept, to save memory.
_host_lines = functools.lru_cache(maxsize=64)(functools.partial(_lines, numpy))


@kernel(compiled=lambda x, *args: _host_lines(*args), device=_device.lines)
def lines(
        x: NdArray, out_size: tuple[int, int], in_size: tuple[int, int], nearest: bool,
        align_corners: bool) -> NdArray:
    """Return the lines at whose crossings images are interpolated.

    Parameters
    ----------
    x : array
        Any array on the device.
    out_size, in_size : (int, int)
        Height and width of the output images and of the input images.
    nearest : bool
        Whether to take single pixels.
    align_corners : bool
        Whether the centres of the outermost pixels stay where they are.

    Returns
    -------
    rows, row_weights, columns, column_weights : array
        See :func:`resize`; the weights in double precision. Do not modify them.
    """
    return _lines(get_array_module(x), out_size, in_size, nearest, align_corners)


def _blend(xp, x, axis, places, weights):
    """Interpolate along an axis between positions and their next neighbors."""
    behind = (1,) * (x.ndim - axis - 1)
    w = weights.astype(x.dtype, copy=False).reshape(-1, *behind)
    following = xp.minimum(places + 1, x.shape[axis] - 1)
    return xp.take(x, places, axis) * (1 - w) + xp.take(x, following, axis) * w


def _unblend(xp, gy, axis, places, weights, length):
    """Adjoint of :func:`_blend` for an axis of that length."""
    gy = xp.moveaxis(gy, axis, 0)
    w = weights.astype(gy.dtype, copy=False).reshape(-1, *[1] * (gy.ndim - 1))
    gx = xp.zeros((length, *gy.shape[1:]), gy.dtype)
    xp.add.at(gx, places, gy * (1 - w))
    xp.add.at(gx, xp.minimum(places + 1, length - 1), gy * w)
    return xp.moveaxis(gx, 0, axis)


@kernel(compiled=_compiled.resize, device=_device.resize)
def resize(
        x: NdArray, rows: NdArray, row_weights: NdArray, columns: NdArray,
        column_weights: NdArray) -> NdArray:
    """Interpolate images at the crossings of lines.

    Parameters
    ----------
    x : array
        Images.
    rows, columns : array of int
        Pixels before the lines, along either axis.
    row_weights, column_weights : array
        Distances of the lines from those pixels towards the next. The last pixel is
        its own neighbor.

    Returns
    -------
    array, shape (n, channels, len(rows), len(columns))
    """
    xp = get_array_module(x)
    y = _blend(xp, x, 2, rows, row_weights)
    return _blend(xp, y, 3, columns, column_weights)


@kernel(compiled=_compiled.resize_adjoint, device=_device.resize_adjoint)
def resize_adjoint(
        gy: NdArray, rows: NdArray, row_weights: NdArray, columns: NdArray,
        column_weights: NdArray, height: int, width: int) -> NdArray:
    """Adjoint of :func:`resize` for images of that height and width.

    Parameters
    ----------
    gy : array
        Images, with a pixel for each crossing.
    rows, row_weights, columns, column_weights, height, width
        See :func:`resize`.

    Returns
    -------
    array, shape (n, channels, height, width)
    """
    xp = get_array_module(gy)
    gx = _unblend(xp, gy, 3, columns, column_weights, width)
    return _unblend(xp, gx, 2, rows, row_weights, height)


def _lattice(xp, height, width, dtype):
    points = xp.ones((3, height, width), dtype)
    points[0] = xp.linspace(-1, 1, width)
    points[1] = xp.linspace(-1, 1, height)[:, None]
    return points.reshape(3, height * width).astype(
        numpy.promote_types(dtype, numpy.float32), copy=False)


_host_lattice = functools.lru_cache(maxsize=16)(functools.partial(_lattice, numpy))


@kernel(compiled=lambda x, height, width: _host_lattice(
    height, width, x.dtype), device=_device.lattice)
def lattice(x: NdArray, height: int, width: int) -> NdArray:
    """Return the points of a lattice that fills the square from -1 to 1.

    Parameters
    ----------
    x : array
        Determines the device and the dtype; points for float16 are rounded to it, but
        stored in float32.
    height, width : int
        Numbers of points.

    Returns
    -------
    array, shape (3, height * width)
        Homogeneous coordinates, horizontal ones first. Do not modify them.
    """
    return _lattice(get_array_module(x), height, width, x.dtype)


def _within(xp, places, length):
    """Move positions far outside an axis close to it; they are still outside."""
    return xp.minimum(
        xp.where(places <= 0, places.dtype.type(-1), places), length + 1)


def _corners(xp, x, grid):
    """Pixels around points, their values, and where the points are between them.

    Returns
    -------
    values : list of array, shape (n, out_height, out_width, channels)
        Values of the pixels: in two rows, in two columns each. Outside of the image
        they are zero.
    places : list of (tuple of array, array)
        Index of the pixels, and whether they are within the image.
    row_weight, column_weight : array, shape (n, out_height, out_width)
        Distances of the points from the first row and column.
    """
    height, width = x.shape[2:]
    # In the type of the coordinates, and counted from the pixel before the first: at a
    # pixel, rounding decides the side, and with it the gradient.
    rows, columns = [
        _within(xp, ((coordinate + 1) * (length - 1) / 2 + 1).astype(x.dtype), length)
        for coordinate, length in ((grid[:, 1], height), (grid[:, 0], width))]
    above, before = xp.floor(rows), xp.floor(columns)
    first_row = above.astype(numpy.intp) - 1
    first_column = before.astype(numpy.intp) - 1
    batch = xp.arange(len(x)).reshape(-1, 1, 1)
    values, places = [], []
    for row in (first_row, first_row + 1):
        for column in (first_column, first_column + 1):
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            index = (batch, slice(None), xp.clip(row, 0, height - 1),
                     xp.clip(column, 0, width - 1))
            values.append(xp.where(inside[..., None], x[index], x.dtype.type(0)))
            places.append((index, inside))
    return values, places, rows - above, columns - before


def _weights(v, u):
    return (1 - v) * (1 - u), (1 - v) * u, v * (1 - u), v * u


@kernel(compiled=_compiled.sample, device=_device.sample)
def sample(x: NdArray, grid: NdArray) -> NdArray:
    """Interpolate images at points.

    Parameters
    ----------
    x : array
        Images, not of half precision.
    grid : array, shape (n, 2, out_height, out_width)
        Horizontal and vertical coordinates of the points, where the centres of the
        outermost pixels are at -1 and 1; of the dtype of the images or half precision.
        Around the image there is zero.

    Returns
    -------
    array, shape (n, channels, out_height, out_width)
    """
    xp = get_array_module(x)
    shape = x.shape[:2] + grid.shape[2:]
    if 0 in x.shape:
        return xp.zeros(shape, x.dtype)
    values, _, v, u = _corners(xp, x, grid)
    terms = [w * q for w, q in zip(
        _weights(v[..., None], u[..., None]), values, strict=True)]
    y = terms[0] + terms[1] + terms[2] + terms[3]
    return xp.ascontiguousarray(y.transpose(0, 3, 1, 2))


@kernel(compiled=_compiled.sample_adjoint, device=_device.sample_adjoint)
def sample_adjoint(x: NdArray, grid: NdArray, gy: NdArray) -> tuple[NdArray, NdArray]:
    """Gradients of :func:`sample` with respect to the images and to the points.

    Parameters
    ----------
    x, grid : array
        See :func:`sample`.
    gy : array, shape (n, channels, out_height, out_width)
        Gradient of the interpolated values.

    Returns
    -------
    gx, ggrid : array
        Gradients. At a pixel, they are those towards the next one.
    """
    xp = get_array_module(x)
    gx = xp.zeros(x.shape, x.dtype)
    if 0 in x.shape:
        return gx, xp.zeros(grid.shape, grid.dtype)
    values, places, v, u = _corners(xp, x, grid)
    gy = gy.transpose(0, 2, 3, 1)
    for (index, inside), weight in zip(places, _weights(v, u), strict=True):
        xp.add.at(gx, index, gy * xp.where(inside, weight, x.dtype.type(0))[..., None])
    top, bottom = values[1] - values[0], values[3] - values[2]
    left, right = values[2] - values[0], values[3] - values[1]
    v, u = v[..., None], u[..., None]
    g_column = (gy * (top * (1 - v) + bottom * v)).sum(axis=3) * (x.shape[3] - 1) / 2
    g_row = (gy * (left * (1 - u) + right * u)).sum(axis=3) * (x.shape[2] - 1) / 2
    return gx, xp.stack([g_column, g_row], axis=1).astype(grid.dtype, copy=False)
