"""Regions of interest: parts of images, divided into grids of bins.

A region is a box ``(y_min, x_min, y_max, x_max)`` in pixels, of double precision, and
the number of the image it is in. Boxes may come as an array or as ``Boxes``. The bins
of a region are

- *cells*: the box is rounded to whole pixels, and each bin has all pixels that it
  touches. Bins may overlap, and those outside the image are empty;
- or *samples*: bins are divided into grids of points, and an image has a value at any
  point by bilinear interpolation. Points less than a pixel outside have the value of
  the nearest pixel; others do not count.
"""
from __future__ import annotations

import bisect
import functools
import math
import typing as tp

import numpy

from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.pooling import compiled
from chainer_fast.backends.kernels.roi import cuda as device
from chainer_fast.backends.kernels.roi.boxes import Boxes, in_pixels  # noqa: F401
from chainer_fast.types import NdArray


#: No bin has more samples along an axis than this.
_MOST_POINTS = 2 ** 31 - 1


def _cells(low, high, extra, count, size):
    """First pixels of bins along an axis, and those after their last ones."""
    low, high = int(round(low)), int(round(high))
    step = max(high - low + extra, 1) / count
    return [
        [min(max(low + pixel, 0), size)
         for pixel in (math.floor(i * step), math.ceil((i + 1) * step))]
        for i in range(count)]


def _regions(shape, numbers, boxes, size, extra):
    """Yield index of the bin, number of the image and pixels, for bins not empty."""
    for r, (number, box) in enumerate(zip(numbers, boxes.tolist(), strict=True)):
        rows = _cells(box[0], box[2], extra, size[0], shape[2])
        columns = _cells(box[1], box[3], extra, size[1], shape[3])
        for i, (top, bottom) in enumerate(rows):
            for j, (left, right) in enumerate(columns):
                if top < bottom and left < right:
                    yield (r, slice(None), i, j), number, (top, bottom, left, right)


@kernel(compiled=in_pixels(compiled.cell_max), device=device.cell_max)
@in_pixels
def cell_max(
        x: NdArray, numbers: NdArray, boxes: NdArray, size: tuple[int, int], extra: int,
        empty: float) -> tuple[NdArray, ...]:
    """Maxima of bins of whole pixels, and their positions.

    The first one counts if there are several, and NaN counts as larger than any number.

    Parameters
    ----------
    x : array, shape (n, c, h, w)
        Images.
    numbers : array of integers, shape (r,)
        Number of the image that each region is in.
    boxes : array of float64, shape (r, 4)
        Regions.
    size : pair of int
        Rows and columns of bins.
    extra : int
        1 if the box has its last row and column, else 0.
    empty : float
        Maximum of a bin without pixels.

    Returns
    -------
    tuple of array
        Maxima in the dtype of ``x`` and, as 32-bit integers, their indexes in planes of
        ``h * w`` elements, or -1 for a bin without pixels. The shape of both is
        ``(r, c, *size)``.
    """
    width = x.shape[3]
    y = numpy.full((len(boxes), x.shape[1], *size), empty, x.dtype)
    found = numpy.full(y.shape, -1, numpy.int32)
    for at, number, cell in _regions(x.shape, numbers, boxes, size, extra):
        top, bottom, left, right = cell
        pixels = x[number, :, top:bottom, left:right].reshape(
            x.shape[1], (bottom - top) * (right - left))
        best = pixels.argmax(axis=1)
        y[at] = numpy.take_along_axis(pixels, best[:, None], 1)[:, 0]
        row, column = divmod(best, right - left)
        found[at] = (top + row) * width + left + column
    return y, found


@kernel(compiled=compiled.cell_put, device=device.cell_put)
def cell_put(
        gy: NdArray, found: NdArray, numbers: NdArray,
        shape: tuple[int, ...]) -> NdArray:
    """Gradient of :func:`cell_max`.

    Parameters
    ----------
    gy : array, shape (r, c, *size)
        Gradient of the maxima.
    found : array of int32
        Indexes of the maxima in their planes.
    numbers : array of integers, shape (r,)
        Number of the image that each region is in.
    shape : tuple of int
        Shape of the images.

    Returns
    -------
    array
        Gradient of the images, in the dtype of ``gy``.
    """
    gx = numpy.zeros((shape[0], shape[1], shape[2] * shape[3]), _sum_dtype(gy.dtype))
    r, c, i, j = numpy.nonzero(found >= 0)
    numpy.add.at(gx, (numbers[r], c, found[r, c, i, j]), gy[r, c, i, j])
    return gx.reshape(shape).astype(gy.dtype, copy=False)


def _sum_dtype(dtype):
    return numpy.dtype('f') if dtype.char == 'e' else dtype


@kernel(compiled=in_pixels(compiled.cell_mean), device=device.cell_mean)
@in_pixels
def cell_mean(
        x: NdArray, numbers: NdArray, boxes: NdArray, size: tuple[int, int],
        extra: int) -> NdArray:
    """Means of bins of whole pixels; 0 for a bin without pixels.

    Parameters are those of :func:`cell_max`.

    Returns
    -------
    array, shape (r, c, *size)
        Means, in the dtype of ``x``.
    """
    y = numpy.zeros((len(boxes), x.shape[1], *size), x.dtype)
    for at, number, cell in _regions(x.shape, numbers, boxes, size, extra):
        top, bottom, left, right = cell
        pixels = x[number, :, top:bottom, left:right]
        y[at] = pixels.mean(axis=(1, 2), dtype=numpy.float64)
    return y


@kernel(compiled=in_pixels(compiled.cell_spread), device=device.cell_spread)
@in_pixels
def cell_spread(
        gy: NdArray, numbers: NdArray, boxes: NdArray, extra: int,
        shape: tuple[int, ...]) -> NdArray:
    """Gradient of :func:`cell_mean`.

    Parameters
    ----------
    gy : array, shape (r, c, *size)
        Gradient of the means.
    numbers, boxes, extra
        See :func:`cell_max`.
    shape : tuple of int
        Shape of the images.

    Returns
    -------
    array
        Gradient of the images, in the dtype of ``gy``.
    """
    gx = numpy.zeros(shape, _sum_dtype(gy.dtype))
    for at, number, cell in _regions(shape, numbers, boxes, gy.shape[2:], extra):
        top, bottom, left, right = cell
        share = gy[at].astype(gx.dtype) / ((bottom - top) * (right - left))
        gx[number, :, top:bottom, left:right] += share[:, None, None]
    return gx.astype(gy.dtype, copy=False)


def _samples(low, high, count, ratio, size):
    """Points along an axis, for each bin.

    Returns
    -------
    int
        Number of points in each bin.
    list of list of tuple or None
        The neighbours of each point in use, as pairs of a pixel and its weight, or None
        for a point that does not count. All points are in use, or, if a box is far
        larger than the image, those near the image.
    """
    step = max(high - low, 1.) / count
    points = ratio or math.ceil(step)
    if points > _MOST_POINTS:
        raise ValueError(
            'a region from %g to %g, divided into %d, has %.3g samples in each of its '
            'bins, but there may be %d: clip the region to the image, or choose a '
            'sampling_ratio' % (low, high, count, points, _MOST_POINTS))

    def place(i, s):
        return low + i * step + (s + .5) * step / points

    def in_use(i):
        each = range(points)
        if points <= size + 2:
            return each
        key = functools.partial(place, i)
        return each[bisect.bisect_left(each, -1, key=key):
                    bisect.bisect_right(each, size, key=key)]

    return points, [
        [_neighbours(place(i, s), size) for s in in_use(i)] for i in range(count)]


def _neighbours(p, size):
    if p != p:
        raise ValueError(
            'a sample of a region lies at NaN: regions must have finite coordinates')
    if not -1 <= p <= size or not size:
        return None
    if p < 0 or p >= size - 1:
        return (0 if p < 0 else size - 1, 1.),
    pixel = int(p)
    beyond = p - pixel
    if not beyond:
        # The next neighbor has no weight, even if it is infinite or NaN.
        return (pixel, 1.),
    return (pixel, 1. - beyond), (pixel + 1, beyond)


def _sampled_regions(shape, numbers, boxes, size, ratio):
    """Yield index of the bin, number of the image, number of samples, those that count.

    A sample that counts is given by its index among those in use and by the pixels with
    their weights.
    """
    for r, (number, box) in enumerate(zip(numbers, boxes.tolist(), strict=True)):
        points_y, rows = _samples(box[0], box[2], size[0], ratio[0], shape[2])
        points_x, columns = _samples(box[1], box[3], size[1], ratio[1], shape[3])
        for i, ys in enumerate(rows):
            for j, xs in enumerate(columns):
                samples = [
                    (a * len(xs) + b, [
                        (row, column, v * u) for row, v in y for column, u in x])
                    for a, y in enumerate(ys) if y is not None
                    for b, x in enumerate(xs) if x is not None]
                yield (r, slice(None), i, j), number, points_y * points_x, samples


def _interpolate(image, pixels):
    value = 0.
    for row, column, weight in pixels:
        value = value + weight * image[:, row, column].astype(numpy.float64)
    return value


@kernel(compiled=in_pixels(compiled.sample_max), device=device.sample_max)
@in_pixels
def sample_max(
        x: NdArray, numbers: NdArray, boxes: NdArray, size: tuple[int, int],
        ratio: tuple[int, int]) -> tuple[NdArray, ...]:
    """Maxima of the samples of bins, and the indexes of these samples.

    The first one counts if there are several, and NaN never.

    Parameters
    ----------
    x : array, shape (n, c, h, w)
        Images.
    numbers : array of integers, shape (r,)
        Number of the image that each region is in.
    boxes : array of float64, shape (r, 4)
        Regions.
    size : pair of int
        Rows and columns of bins.
    ratio : pair of int
        Rows and columns of samples in each bin; 0 means as many as the bin has
        pixels.

    Returns
    -------
    tuple of array
        Maxima in the dtype of ``x`` and, as 32-bit integers, the indexes of the samples
        in their bins, or, if a bin has far more of them along an axis than the image
        has pixels, among those near the image. A bin without samples in the image has 0
        and -1. The shape of both is ``(r, c, *size)``.
    """
    # Compared before rounding, which matters if samples are nearly equal.
    y = numpy.zeros((len(boxes), x.shape[1], *size))
    found = numpy.full(y.shape, -1, numpy.int32)
    for at, number, _, samples in _sampled_regions(
            x.shape, numbers, boxes, size, ratio):
        image, best, index = x[number], y[at], found[at]
        if samples:
            best[...] = -numpy.inf
        for s, pixels in samples:
            value = _interpolate(image, pixels)
            better = value > best
            best[better] = value[better]
            index[better] = s
    return y.astype(x.dtype), found


@kernel(compiled=in_pixels(compiled.sample_put), device=device.sample_put)
@in_pixels
def sample_put(
        gy: NdArray, found: NdArray, numbers: NdArray, boxes: NdArray,
        ratio: tuple[int, int], shape: tuple[int, ...]) -> NdArray:
    """Gradient of :func:`sample_max`.

    Parameters
    ----------
    gy : array, shape (r, c, *size)
        Gradient of the maxima.
    found : array of int32
        Indexes of those samples.
    numbers, boxes, ratio
        See :func:`sample_max`.
    shape : tuple of int
        Shape of the images.

    Returns
    -------
    array
        Gradient of the images, in the dtype of ``gy``.
    """
    gx = numpy.zeros(shape, gy.dtype)
    for at, number, _, samples in _sampled_regions(
            shape, numbers, boxes, gy.shape[2:], ratio):
        for s, pixels in samples:
            given = numpy.where(found[at] == s, gy[at], 0).astype(numpy.float64)
            for row, column, weight in pixels:
                gx[number, :, row, column] += given * weight
    return gx


@kernel(compiled=in_pixels(compiled.sample_mean), device=device.sample_mean)
@in_pixels
def sample_mean(
        x: NdArray, numbers: NdArray, boxes: NdArray, size: tuple[int, int],
        ratio: tuple[int, int]) -> NdArray:
    """Means of the samples of bins; those that do not count are zero.

    Parameters are those of :func:`sample_max`.

    Returns
    -------
    array, shape (r, c, *size)
        Means, in the dtype of ``x``.
    """
    y = numpy.zeros((len(boxes), x.shape[1], *size), x.dtype)
    for at, number, count, samples in _sampled_regions(
            x.shape, numbers, boxes, size, ratio):
        total = 0.
        for _, pixels in samples:
            total = total + _interpolate(x[number], pixels)
        y[at] = total / count
    return y


@kernel(compiled=in_pixels(compiled.sample_spread), device=device.sample_spread)
@in_pixels
def sample_spread(
        gy: NdArray, numbers: NdArray, boxes: NdArray, ratio: tuple[int, int],
        shape: tuple[int, ...]) -> NdArray:
    """Gradient of :func:`sample_mean`.

    Parameters
    ----------
    gy : array, shape (r, c, *size)
        Gradient of the means.
    numbers, boxes, ratio
        See :func:`sample_max`.
    shape : tuple of int
        Shape of the images.

    Returns
    -------
    array
        Gradient of the images, in the dtype of ``gy``.
    """
    gx = numpy.zeros(shape, gy.dtype)
    for at, number, count, samples in _sampled_regions(
            shape, numbers, boxes, gy.shape[2:], ratio):
        given = gy[at].astype(numpy.float64) / count
        for _, pixels in samples:
            for row, column, weight in pixels:
                gx[number, :, row, column] += given * weight
    return gx
