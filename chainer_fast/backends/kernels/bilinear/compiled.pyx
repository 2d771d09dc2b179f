"""Bilinear interpolation of images in single and double precision.

All functions return ``NotImplemented`` for images of other dtypes, or without pixels.
Images that are not in C order are copied.
"""
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from libc.stdlib cimport free, malloc
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_NDIM, \
    PyArray_SIZE, PyArray_TYPE

import numpy

from chainer_fast._core.plain cimport cf_float_kind
from chainer_fast.backends.kernels.common.contiguous cimport contiguous

np.import_array()

cdef extern from "chainer_fast/backends/kernels/bilinear/loops.hpp" \
        namespace "chainer_fast":
    ctypedef struct Lines:
        const int *at
        const int *next
        const void *weight
        ptrdiff_t count
    ctypedef struct Point:
        pass
    void resize_loop(
        char kind, object x, Lines rows, Lines columns, void *line, object y,
        ptrdiff_t images, ptrdiff_t height, ptrdiff_t width) noexcept
    void resize_adjoint_loop(
        char kind, object gy, Lines rows, Lines columns, void *line, object gx,
        ptrdiff_t images, ptrdiff_t height, ptrdiff_t width) noexcept
    bint sample_loop(
        char kind, object x, object grid, Point *points, object y, ptrdiff_t batch,
        ptrdiff_t channels, ptrdiff_t height, ptrdiff_t width, ptrdiff_t n) noexcept
    bint sample_adjoint_loop(
        char kind, object x, object grid, Point *points, object gy, object gx,
        object ggrid, ptrdiff_t batch, ptrdiff_t channels, ptrdiff_t height,
        ptrdiff_t width, ptrdiff_t n) noexcept


cdef class _Lines:
    """Lines between the pixels of an axis, with weights in the type of the images."""
    cdef np.ndarray _at, _next, _weight
    cdef Lines lines

    def __cinit__(self, places, weights, length, int typenum):
        self._at = contiguous(places, np.NPY_INT)
        self._next = numpy.empty_like(self._at)
        self._weight = contiguous(weights, typenum)
        cdef int *at = <int *>PyArray_DATA(self._at)
        cdef int *next_ = <int *>PyArray_DATA(self._next)
        cdef ptrdiff_t i, count = PyArray_SIZE(self._at)
        cdef int last = length - 1
        if PyArray_SIZE(self._weight) != count:
            raise ValueError(
                '%d lines between pixels need as many weights, got %d'
                % (count, PyArray_SIZE(self._weight)))
        for i in range(count):
            if not 0 <= at[i] <= last:
                raise IndexError(
                    'lines are outside of the %d pixels of an axis' % length)
            next_[i] = at[i] + (at[i] < last)
        self.lines.at, self.lines.next, self.lines.count = at, next_, count
        self.lines.weight = PyArray_DATA(self._weight)


cdef bint _suits(np.ndarray x):
    return PyArray_NDIM(x) == 4 and PyArray_SIZE(x) > 0 and cf_float_kind(x) != 0


cdef void *_room(size_t size) except NULL:
    cdef void *room = malloc(size)
    if room == NULL:
        raise MemoryError
    return room


def resize(np.ndarray x not None, rows, row_weights, columns, column_weights):
    cdef _Lines r, c
    cdef np.ndarray images, y
    cdef ptrdiff_t n, height, width
    cdef void *line
    if not _suits(x):
        return NotImplemented
    images = contiguous(x, PyArray_TYPE(x))
    n = PyArray_DIM(x, 0) * PyArray_DIM(x, 1)
    height, width = PyArray_DIM(x, 2), PyArray_DIM(x, 3)
    r = _Lines(rows, row_weights, height, PyArray_TYPE(x))
    c = _Lines(columns, column_weights, width, PyArray_TYPE(x))
    y = numpy.empty(
        (PyArray_DIM(x, 0), PyArray_DIM(x, 1), r.lines.count, c.lines.count), x.dtype)
    line = _room(width * sizeof(double))
    resize_loop(cf_float_kind(x), images, r.lines, c.lines, line, y, n, height, width)
    free(line)
    return y


def resize_adjoint(np.ndarray gy not None, rows, row_weights, columns, column_weights,
                   ptrdiff_t height, ptrdiff_t width):
    cdef _Lines r, c
    cdef np.ndarray images, gx
    cdef ptrdiff_t n
    cdef void *line
    if not _suits(gy):
        return NotImplemented
    images = contiguous(gy, PyArray_TYPE(gy))
    n = PyArray_DIM(gy, 0) * PyArray_DIM(gy, 1)
    r = _Lines(rows, row_weights, height, PyArray_TYPE(gy))
    c = _Lines(columns, column_weights, width, PyArray_TYPE(gy))
    if PyArray_DIM(gy, 2) != r.lines.count or PyArray_DIM(gy, 3) != c.lines.count:
        raise ValueError('an image of %d x %d has a pixel for each of %d x %d lines' % (
            PyArray_DIM(gy, 2), PyArray_DIM(gy, 3), r.lines.count, c.lines.count))
    gx = numpy.zeros((PyArray_DIM(gy, 0), PyArray_DIM(gy, 1), height, width), gy.dtype)
    line = _room(width * sizeof(double))
    resize_adjoint_loop(
        cf_float_kind(gy), images, r.lines, c.lines, line, gx, n, height, width)
    free(line)
    return gx


cdef bint _go_together(np.ndarray x, grid):
    return (_suits(x) and PyArray_CheckExact(grid) and _suits(<np.ndarray>grid)
            and cf_float_kind(x) == cf_float_kind(<np.ndarray>grid)
            and PyArray_DIM(x, 0) == PyArray_DIM(<np.ndarray>grid, 0)
            and PyArray_DIM(<np.ndarray>grid, 1) == 2)


def sample(np.ndarray x not None, grid):
    cdef np.ndarray images, places, y
    cdef ptrdiff_t batch, channels, height, width, n
    cdef Point *points
    cdef bint done
    if not _go_together(x, grid):
        return NotImplemented
    images = contiguous(x, PyArray_TYPE(x))
    places = contiguous(grid, PyArray_TYPE(x))
    batch, channels = PyArray_DIM(x, 0), PyArray_DIM(x, 1)
    height, width = PyArray_DIM(x, 2), PyArray_DIM(x, 3)
    n = PyArray_DIM(places, 2) * PyArray_DIM(places, 3)
    y = numpy.empty((batch, channels, PyArray_DIM(places, 2), PyArray_DIM(places, 3)),
                    x.dtype)
    points = <Point *>_room(n * sizeof(Point))
    done = sample_loop(
        cf_float_kind(x), images, places, points, y, batch, channels, height, width, n)
    free(points)
    return y if done else NotImplemented


def sample_adjoint(np.ndarray x not None, grid, gy):
    cdef np.ndarray images, places, gradient, gx, ggrid
    cdef ptrdiff_t batch, channels, height, width, n
    cdef Point *points
    cdef bint done
    if not _go_together(x, grid) or not PyArray_CheckExact(gy):
        return NotImplemented
    if gy.dtype != x.dtype or gy.shape != (<object>x).shape[:2] + grid.shape[2:]:
        return NotImplemented
    images = contiguous(x, PyArray_TYPE(x))
    places = contiguous(grid, PyArray_TYPE(x))
    gradient = contiguous(gy, PyArray_TYPE(x))
    batch, channels = PyArray_DIM(x, 0), PyArray_DIM(x, 1)
    height, width = PyArray_DIM(x, 2), PyArray_DIM(x, 3)
    n = PyArray_DIM(places, 2) * PyArray_DIM(places, 3)
    gx, ggrid = numpy.zeros_like(images), numpy.zeros_like(places)
    points = <Point *>_room(n * sizeof(Point))
    done = sample_adjoint_loop(
        cf_float_kind(x), images, places, points, gradient, gx, ggrid, batch, channels,
        height, width, n)
    free(points)
    return (gx, ggrid) if done else NotImplemented
