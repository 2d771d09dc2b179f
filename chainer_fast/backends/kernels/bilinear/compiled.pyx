"""Bilinear interpolation of images in single and double precision.

All functions return ``NotImplemented`` for images of other dtypes, or without pixels.
Those that are not in C order are copied.
"""
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_NDIM, \
    PyArray_SIZE

import numpy

from chainer_fast._core.plain cimport cf_float_kind

np.import_array()

ctypedef fused floating:
    float
    double

cdef extern from "chainer_fast/backends/kernels/bilinear/loops.h" nogil:
    ctypedef struct cf_point:
        pass
    void cf_blend_f(const float *, const float *, float, float *, ptrdiff_t) noexcept
    void cf_blend_d(const double *, const double *, double, double *,
                    ptrdiff_t) noexcept
    void cf_unblend_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_unblend_d(const double *, double, double *, ptrdiff_t) noexcept
    void cf_pick_f(const float *, const int *, const int *, const float *, float *,
                   ptrdiff_t) noexcept
    void cf_pick_d(const double *, const int *, const int *, const double *, double *,
                   ptrdiff_t) noexcept
    void cf_unpick_f(const float *, const int *, const int *, const float *, float *,
                     ptrdiff_t) noexcept
    void cf_unpick_d(const double *, const int *, const int *, const double *,
                     double *, ptrdiff_t) noexcept
    bint cf_locate_f(const float *, const float *, ptrdiff_t, ptrdiff_t, cf_point *,
                     ptrdiff_t) noexcept
    bint cf_locate_d(const double *, const double *, ptrdiff_t, ptrdiff_t, cf_point *,
                     ptrdiff_t) noexcept
    void cf_sample_f(const float *, const cf_point *, float *, ptrdiff_t) noexcept
    void cf_sample_d(const double *, const cf_point *, double *, ptrdiff_t) noexcept
    void cf_unsample_f(const float *, const cf_point *, const float *, float *,
                       float *, float *, ptrdiff_t) noexcept
    void cf_unsample_d(const double *, const cf_point *, const double *, double *,
                       double *, double *, ptrdiff_t) noexcept


cdef class _Lines:
    """Lines between the pixels of an axis, in the dtype of the images."""
    cdef np.ndarray _at, _next, _weight
    cdef int *at
    cdef int *next
    cdef void *weight
    cdef ptrdiff_t count

    def __cinit__(self, places, weights, length, dtype):
        self._at = numpy.ascontiguousarray(places, numpy.intc)
        self._next = numpy.empty_like(self._at)
        self._weight = numpy.ascontiguousarray(weights, dtype)
        self.at = <int *>PyArray_DATA(self._at)
        self.next = <int *>PyArray_DATA(self._next)
        self.weight = PyArray_DATA(self._weight)
        self.count = PyArray_SIZE(self._at)
        cdef ptrdiff_t i
        cdef int last = length - 1
        for i in range(self.count):
            if not 0 <= self.at[i] <= last:
                raise IndexError(
                    'lines are outside of the %d pixels of an axis' % length)
            self.next[i] = self.at[i] + (self.at[i] < last)


cdef bint _suits(np.ndarray x):
    return PyArray_NDIM(x) == 4 and PyArray_SIZE(x) > 0 and cf_float_kind(x) != 0


cdef void _resize(floating *x, _Lines rows, _Lines columns, floating *line,
                  floating *y, ptrdiff_t images, ptrdiff_t height,
                  ptrdiff_t width) noexcept nogil:
    cdef ptrdiff_t _k, i
    cdef floating *a
    cdef floating *b
    for _k in range(images):
        for i in range(rows.count):
            a, b = x + rows.at[i] * width, x + rows.next[i] * width
            if floating is float:
                cf_blend_f(a, b, (<float *>rows.weight)[i], line, width)
                cf_pick_f(line, columns.at, columns.next, <float *>columns.weight, y,
                          columns.count)
            else:
                cf_blend_d(a, b, (<double *>rows.weight)[i], line, width)
                cf_pick_d(line, columns.at, columns.next, <double *>columns.weight, y,
                          columns.count)
            y += columns.count
        x += height * width


cdef void _resize_adjoint(floating *gy, _Lines rows, _Lines columns, floating *line,
                          floating *gx, ptrdiff_t images, ptrdiff_t height,
                          ptrdiff_t width) noexcept nogil:
    cdef ptrdiff_t _k, i
    cdef floating w
    cdef floating *a
    cdef floating *b
    for _k in range(images):
        for i in range(rows.count):
            a, b = gx + rows.at[i] * width, gx + rows.next[i] * width
            w = (<floating *>rows.weight)[i]
            memset(line, 0, width * sizeof(floating))
            if floating is float:
                cf_unpick_f(gy, columns.at, columns.next, <float *>columns.weight,
                            line, columns.count)
                cf_unblend_f(line, 1 - w, a, width)
                cf_unblend_f(line, w, b, width)
            else:
                cf_unpick_d(gy, columns.at, columns.next, <double *>columns.weight,
                            line, columns.count)
                cf_unblend_d(line, 1 - w, a, width)
                cf_unblend_d(line, w, b, width)
            gy += columns.count
        gx += height * width


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
    y = numpy.empty((PyArray_DIM(x, 0), PyArray_DIM(x, 1), r.count, c.count), x.dtype)
    line = malloc(width * sizeof(double))
    if line == NULL:
        raise MemoryError
    if cf_float_kind(x) == c'f':
        with nogil:
            _resize[float](<float *>PyArray_DATA(images), r, c, <float *>line,
                           <float *>PyArray_DATA(y), n, height, width)
    else:
        with nogil:
            _resize[double](<double *>PyArray_DATA(images), r, c, <double *>line,
                            <double *>PyArray_DATA(y), n, height, width)
    free(line)
    return y


def resize_adjoint(np.ndarray gy, rows, row_weights, columns, column_weights,
                   height, width):
    cdef _Lines r, c
    cdef np.ndarray images, gx
    cdef ptrdiff_t n, c_height = height, c_width = width
    cdef void *line
    if not _suits(gy):
        return NotImplemented
    images = np.PyArray_GETCONTIGUOUS(gy)
    n = PyArray_DIM(gy, 0) * PyArray_DIM(gy, 1)
    r = _Lines(rows, row_weights, height, gy.dtype)
    c = _Lines(columns, column_weights, width, gy.dtype)
    if PyArray_DIM(gy, 2) != r.count or PyArray_DIM(gy, 3) != c.count:
        raise ValueError('an image of %d x %d has a pixel for each of %d x %d lines' % (
            PyArray_DIM(gy, 2), PyArray_DIM(gy, 3), r.count, c.count))
    gx = numpy.zeros((PyArray_DIM(gy, 0), PyArray_DIM(gy, 1), height, width), gy.dtype)
    line = malloc(c_width * sizeof(double))
    if line == NULL:
        raise MemoryError
    if cf_float_kind(gy) == c'f':
        with nogil:
            _resize_adjoint[float](
                <float *>PyArray_DATA(images), r, c, <float *>line,
                <float *>PyArray_DATA(gx), n, c_height, c_width)
    else:
        with nogil:
            _resize_adjoint[double](
                <double *>PyArray_DATA(images), r, c, <double *>line,
                <double *>PyArray_DATA(gx), n, c_height, c_width)
    free(line)
    return gx


cdef bint _sample(floating *x, floating *grid, cf_point *points, floating *y,
                  ptrdiff_t batch, ptrdiff_t channels, ptrdiff_t height,
                  ptrdiff_t width, ptrdiff_t n) noexcept nogil:
    cdef ptrdiff_t _i, _j
    for _i in range(batch):
        if floating is float:
            if not cf_locate_f(grid, grid + n, height, width, points, n):
                return False
        else:
            if not cf_locate_d(grid, grid + n, height, width, points, n):
                return False
        grid += 2 * n
        for _j in range(channels):
            if floating is float:
                cf_sample_f(x, points, y, n)
            else:
                cf_sample_d(x, points, y, n)
            x += height * width
            y += n
    return True


cdef bint _sample_adjoint(floating *x, floating *grid, cf_point *points, floating *gy,
                          floating *gx, floating *ggrid, ptrdiff_t batch,
                          ptrdiff_t channels, ptrdiff_t height, ptrdiff_t width,
                          ptrdiff_t n) noexcept nogil:
    cdef ptrdiff_t _i, j, _j
    for _i in range(batch):
        if floating is float:
            if not cf_locate_f(grid, grid + n, height, width, points, n):
                return False
        else:
            if not cf_locate_d(grid, grid + n, height, width, points, n):
                return False
        for _j in range(channels):
            if floating is float:
                cf_unsample_f(x, points, gy, gx, ggrid, ggrid + n, n)
            else:
                cf_unsample_d(x, points, gy, gx, ggrid, ggrid + n, n)
            x += height * width
            gx += height * width
            gy += n
        for j in range(n):
            ggrid[j] = ggrid[j] * <floating>(width - 1) / 2
            ggrid[n + j] = ggrid[n + j] * <floating>(height - 1) / 2
        grid += 2 * n
        ggrid += 2 * n
    return True


cdef bint _go_together(np.ndarray x, grid):
    return (_suits(x) and PyArray_CheckExact(grid) and _suits(<np.ndarray>grid)
            and cf_float_kind(x) == cf_float_kind(<np.ndarray>grid)
            and PyArray_DIM(x, 0) == PyArray_DIM(<np.ndarray>grid, 0)
            and PyArray_DIM(<np.ndarray>grid, 1) == 2)


def sample(np.ndarray x, grid):
    cdef np.ndarray images, places, y
    cdef ptrdiff_t batch, channels, height, width, n
    cdef cf_point *points
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
    points = <cf_point *>malloc(n * sizeof(cf_point))
    if points == NULL:
        raise MemoryError
    if cf_float_kind(x) == c'f':
        with nogil:
            done = _sample[float](
                <float *>PyArray_DATA(images), <float *>PyArray_DATA(places), points,
                <float *>PyArray_DATA(y), batch, channels, height, width, n)
    else:
        with nogil:
            done = _sample[double](
                <double *>PyArray_DATA(images), <double *>PyArray_DATA(places), points,
                <double *>PyArray_DATA(y), batch, channels, height, width, n)
    free(points)
    return y if done else NotImplemented


def sample_adjoint(np.ndarray x, grid, gy):
    cdef np.ndarray images, places, gradient, gx, ggrid
    cdef ptrdiff_t batch, channels, height, width, n
    cdef cf_point *points
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
    points = <cf_point *>malloc(n * sizeof(cf_point))
    if points == NULL:
        raise MemoryError
    if cf_float_kind(x) == c'f':
        with nogil:
            done = _sample_adjoint[float](
                <float *>PyArray_DATA(images), <float *>PyArray_DATA(places), points,
                <float *>PyArray_DATA(gradient), <float *>PyArray_DATA(gx),
                <float *>PyArray_DATA(ggrid), batch, channels, height, width, n)
    else:
        with nogil:
            done = _sample_adjoint[double](
                <double *>PyArray_DATA(images), <double *>PyArray_DATA(places), points,
                <double *>PyArray_DATA(gradient), <double *>PyArray_DATA(gx),
                <double *>PyArray_DATA(ggrid), batch, channels, height, width, n)
    free(points)
    return (gx, ggrid) if done else NotImplemented
