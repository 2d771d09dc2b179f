"""Bilinear interpolation of images in single and double precision.

All functions return ``NotImplemented`` for images of other dtypes, or without pixels.
Images that are not in C order are copied.
"""
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from libc.stdlib cimport free, malloc
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_NDIM, \
    PyArray_SIZE

import numpy

from chainer_fast._core.plain cimport cf_float_kind

np.import_array()

cdef extern from "chainer_fast/backends/kernels/bilinear/loops.hpp" nogil:
    ctypedef struct Lines "chainer_fast::Lines":
        const int *at
        const int *next
        const void *weight
        ptrdiff_t count
    ctypedef struct Point "chainer_fast::Point":
        pass
    void c_resize "chainer_fast::resize"[T](
        const T *x, const Lines &rows, const Lines &columns, T *line, T *y,
        ptrdiff_t images, ptrdiff_t height, ptrdiff_t width) noexcept
    void c_resize_adjoint "chainer_fast::resize_adjoint"[T](
        const T *gy, const Lines &rows, const Lines &columns, T *line, T *gx,
        ptrdiff_t images, ptrdiff_t height, ptrdiff_t width) noexcept
    bint c_sample "chainer_fast::sample"[T](
        const T *x, const T *grid, Point *points, T *y, ptrdiff_t batch,
        ptrdiff_t channels, ptrdiff_t height, ptrdiff_t width, ptrdiff_t n) noexcept
    bint c_sample_adjoint "chainer_fast::sample_adjoint"[T](
        const T *x, const T *grid, Point *points, const T *gy, T *gx, T *ggrid,
        ptrdiff_t batch, ptrdiff_t channels, ptrdiff_t height, ptrdiff_t width,
        ptrdiff_t n) noexcept


cdef class _Lines:
    """Lines between the pixels of an axis, in the dtype of the images."""
    cdef np.ndarray _at, _next, _weight
    cdef Lines lines

    def __cinit__(self, places, weights, length, dtype):
        self._at = numpy.ascontiguousarray(places, numpy.intc)
        self._next = numpy.empty_like(self._at)
        self._weight = numpy.ascontiguousarray(weights, dtype)
        cdef int *at = <int *>PyArray_DATA(self._at)
        cdef int *next_ = <int *>PyArray_DATA(self._next)
        cdef ptrdiff_t i, count = PyArray_SIZE(self._at)
        cdef int last = length - 1
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


def resize(np.ndarray x, rows, row_weights, columns, column_weights):
    cdef _Lines r, c
    cdef np.ndarray images, y
    cdef ptrdiff_t n, height, width
    cdef void *line
    if not _suits(x):
        return NotImplemented
    images = np.PyArray_GETCONTIGUOUS(x)
    n = PyArray_DIM(x, 0) * PyArray_DIM(x, 1)
    height, width = PyArray_DIM(x, 2), PyArray_DIM(x, 3)
    r = _Lines(rows, row_weights, height, x.dtype)
    c = _Lines(columns, column_weights, width, x.dtype)
    y = numpy.empty(
        (PyArray_DIM(x, 0), PyArray_DIM(x, 1), r.lines.count, c.lines.count), x.dtype)
    line = _room(width * sizeof(double))
    if cf_float_kind(x) == c'f':
        with nogil:
            c_resize(<float *>PyArray_DATA(images), r.lines, c.lines, <float *>line,
                     <float *>PyArray_DATA(y), n, height, width)
    else:
        with nogil:
            c_resize(<double *>PyArray_DATA(images), r.lines, c.lines, <double *>line,
                     <double *>PyArray_DATA(y), n, height, width)
    free(line)
    return y


def resize_adjoint(np.ndarray gy, rows, row_weights, columns, column_weights,
                   ptrdiff_t height, ptrdiff_t width):
    cdef _Lines r, c
    cdef np.ndarray images, gx
    cdef ptrdiff_t n
    cdef void *line
    if not _suits(gy):
        return NotImplemented
    images = np.PyArray_GETCONTIGUOUS(gy)
    n = PyArray_DIM(gy, 0) * PyArray_DIM(gy, 1)
    r = _Lines(rows, row_weights, height, gy.dtype)
    c = _Lines(columns, column_weights, width, gy.dtype)
    if PyArray_DIM(gy, 2) != r.lines.count or PyArray_DIM(gy, 3) != c.lines.count:
        raise ValueError('an image of %d x %d has a pixel for each of %d x %d lines' % (
            PyArray_DIM(gy, 2), PyArray_DIM(gy, 3), r.lines.count, c.lines.count))
    gx = numpy.zeros((PyArray_DIM(gy, 0), PyArray_DIM(gy, 1), height, width), gy.dtype)
    line = _room(width * sizeof(double))
    if cf_float_kind(gy) == c'f':
        with nogil:
            c_resize_adjoint(
                <float *>PyArray_DATA(images), r.lines, c.lines, <float *>line,
                <float *>PyArray_DATA(gx), n, height, width)
    else:
        with nogil:
            c_resize_adjoint(
                <double *>PyArray_DATA(images), r.lines, c.lines, <double *>line,
                <double *>PyArray_DATA(gx), n, height, width)
    free(line)
    return gx


cdef bint _go_together(np.ndarray x, grid):
    return (_suits(x) and PyArray_CheckExact(grid) and _suits(<np.ndarray>grid)
            and cf_float_kind(x) == cf_float_kind(<np.ndarray>grid)
            and PyArray_DIM(x, 0) == PyArray_DIM(<np.ndarray>grid, 0)
            and PyArray_DIM(<np.ndarray>grid, 1) == 2)


def sample(np.ndarray x, grid):
    cdef np.ndarray images, places, y
    cdef ptrdiff_t batch, channels, height, width, n
    cdef Point *points
    cdef bint done
    if not _go_together(x, grid):
        return NotImplemented
    images = np.PyArray_GETCONTIGUOUS(x)
    places = np.PyArray_GETCONTIGUOUS(<np.ndarray>grid)
    batch, channels = PyArray_DIM(x, 0), PyArray_DIM(x, 1)
    height, width = PyArray_DIM(x, 2), PyArray_DIM(x, 3)
    n = PyArray_DIM(places, 2) * PyArray_DIM(places, 3)
    y = numpy.empty((batch, channels, PyArray_DIM(places, 2), PyArray_DIM(places, 3)),
                    x.dtype)
    points = <Point *>_room(n * sizeof(Point))
    if cf_float_kind(x) == c'f':
        with nogil:
            done = c_sample(
                <float *>PyArray_DATA(images), <float *>PyArray_DATA(places), points,
                <float *>PyArray_DATA(y), batch, channels, height, width, n)
    else:
        with nogil:
            done = c_sample(
                <double *>PyArray_DATA(images), <double *>PyArray_DATA(places), points,
                <double *>PyArray_DATA(y), batch, channels, height, width, n)
    free(points)
    return y if done else NotImplemented


def sample_adjoint(np.ndarray x, grid, gy):
    cdef np.ndarray images, places, gradient, gx, ggrid
    cdef ptrdiff_t batch, channels, height, width, n
    cdef Point *points
    cdef bint done
    if not _go_together(x, grid) or not PyArray_CheckExact(gy):
        return NotImplemented
    if gy.dtype != x.dtype or gy.shape != (<object>x).shape[:2] + grid.shape[2:]:
        return NotImplemented
    images = np.PyArray_GETCONTIGUOUS(x)
    places = np.PyArray_GETCONTIGUOUS(<np.ndarray>grid)
    gradient = np.PyArray_GETCONTIGUOUS(<np.ndarray>gy)
    batch, channels = PyArray_DIM(x, 0), PyArray_DIM(x, 1)
    height, width = PyArray_DIM(x, 2), PyArray_DIM(x, 3)
    n = PyArray_DIM(places, 2) * PyArray_DIM(places, 3)
    gx, ggrid = numpy.zeros_like(images), numpy.zeros_like(places)
    points = <Point *>_room(n * sizeof(Point))
    if cf_float_kind(x) == c'f':
        with nogil:
            done = c_sample_adjoint(
                <float *>PyArray_DATA(images), <float *>PyArray_DATA(places), points,
                <float *>PyArray_DATA(gradient), <float *>PyArray_DATA(gx),
                <float *>PyArray_DATA(ggrid), batch, channels, height, width, n)
    else:
        with nogil:
            done = c_sample_adjoint(
                <double *>PyArray_DATA(images), <double *>PyArray_DATA(places), points,
                <double *>PyArray_DATA(gradient), <double *>PyArray_DATA(gx),
                <double *>PyArray_DATA(ggrid), batch, channels, height, width, n)
    free(points)
    return (gx, ggrid) if done else NotImplemented
