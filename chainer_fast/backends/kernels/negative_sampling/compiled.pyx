"""Scores of a few classes out of many, in single and double precision."""
import numpy

cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_NDIM, npy_bool, npy_intp

from chainer_fast._core.plain cimport kind_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/negative_sampling/loops.hpp" \
        namespace "chainer_fast" nogil:
    T dot[T](const T *a, const T *b, ptrdiff_t n) noexcept
    void add_times[T](const T *a, T c, T *out, ptrdiff_t n) noexcept

ctypedef fused real:
    float
    double

cdef enum Step:
    DOT             # g[i, k] = x[i] . W[k-th class of i]
    SUM             # x[i] += g[i, k] W[k-th class of i]
    SPREAD          # W[k-th class of i] += g[i, k] x[i]


cdef object _classes(ids, ptrdiff_t limit):
    """Return the classes, all from zero up to the limit, or None."""
    ids = numpy.ascontiguousarray(ids, numpy.intp)
    if PyArray_NDIM(ids) != 2:
        return None
    cdef const npy_intp *values = <npy_intp *>PyArray_DATA(<np.ndarray>ids)
    cdef ptrdiff_t i
    cdef ptrdiff_t n = ids.size
    cdef bint negative = False
    for i in range(n):
        if not -limit <= values[i] < limit:
            return None
        negative |= values[i] < 0
    return numpy.where(ids < 0, ids + limit, ids) if negative else ids


cdef void _loop(Step step, real *x, real *W, real *g, const npy_intp *ids,
                const npy_bool *counted, ptrdiff_t rows, ptrdiff_t n,
                ptrdiff_t width) noexcept nogil:
    cdef ptrdiff_t i, k
    cdef real *row
    for i in range(rows):
        if counted is NULL or counted[i]:
            for k in range(n):
                row = W + ids[k] * width
                if step == DOT:
                    g[k] = dot(x, row, width)
                elif step == SUM:
                    add_times(row, g[k], x, width)
                else:
                    add_times(x, g[k], row, width)
        ids += n
        g += n
        x += width


cdef object _run(Step step, x, W, g, ids, counted):
    cdef char kind = kind_of(x)
    cdef npy_bool *counted_data = NULL
    if counted is not None:
        counted = numpy.ascontiguousarray(counted, numpy.bool_)
        counted_data = <npy_bool *>PyArray_DATA(<np.ndarray>counted)
    cdef void *x_data = PyArray_DATA(<np.ndarray>x)
    cdef void *w_data = PyArray_DATA(<np.ndarray>W)
    cdef void *g_data = PyArray_DATA(<np.ndarray>g)
    cdef npy_intp *ids_data = <npy_intp *>PyArray_DATA(<np.ndarray>ids)
    cdef ptrdiff_t rows = PyArray_DIM(<np.ndarray>ids, 0)
    cdef ptrdiff_t n = PyArray_DIM(<np.ndarray>ids, 1)
    cdef ptrdiff_t width = PyArray_DIM(<np.ndarray>x, 1)
    with nogil:
        if kind == b'f':
            _loop(step, <float *>x_data, <float *>w_data, <float *>g_data, ids_data,
                  counted_data, rows, n, width)
        else:
            _loop(step, <double *>x_data, <double *>w_data, <double *>g_data, ids_data,
                  counted_data, rows, n, width)


cdef bint _fit(a, b) except -1:
    """Whether two matrices are plain and alike in dtype."""
    return kind_of(a) and kind_of(a) == kind_of(b) and (
        PyArray_NDIM(a) == PyArray_NDIM(b) == 2)


def scores(x, W, ids, counted):
    """Compiled form of the kernel of this name."""
    if not _fit(x, W) or PyArray_DIM(x, 1) != PyArray_DIM(W, 1):
        return NotImplemented
    ids = _classes(ids, PyArray_DIM(W, 0))
    if ids is None or len(ids) != len(x):
        return NotImplemented
    out = numpy.zeros(ids.shape, x.dtype)
    _run(DOT, x, W, out, ids, counted)
    return out


def sum_rows(g, W, ids, counted):
    """Compiled form of the kernel of this name."""
    if not _fit(g, W):
        return NotImplemented
    ids = _classes(ids, PyArray_DIM(W, 0))
    if ids is None or ids.shape != g.shape:
        return NotImplemented
    out = numpy.zeros((len(g), PyArray_DIM(W, 1)), g.dtype)
    _run(SUM, out, W, g, ids, counted)
    return out


def spread_rows(g, x, ids, counted, rows):
    """Compiled form of the kernel of this name."""
    if not _fit(g, x) or len(g) != len(x):
        return NotImplemented
    ids = _classes(ids, rows)
    if ids is None or ids.shape != g.shape:
        return NotImplemented
    out = numpy.zeros((rows, PyArray_DIM(x, 1)), g.dtype)
    _run(SPREAD, x, out, g, ids, counted)
    return out
