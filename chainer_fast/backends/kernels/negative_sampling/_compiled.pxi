# Scores of a few classes out of many, in single and double precision. Part of
# compiled.pyx.
import numpy

cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport (
    NPY_FLOAT32, NPY_FLOAT64, NPY_INT32, PyArray_CheckExact, PyArray_CHKFLAGS,
    PyArray_DATA, PyArray_DIM, PyArray_DIMS, PyArray_EMPTY, PyArray_NDIM, PyArray_SIZE,
    PyArray_TYPE, npy_intp)

from chainer_fast._core.arrays.plain cimport CF_PLAIN_FLAGS, kind_of
from chainer_fast._core.graphs.graph cimport RowGradient, few_rows, new_rows
from chainer_fast.backends.kernels.common.contiguous cimport contiguous

cdef extern from "chainer_fast/backends/kernels/negative_sampling/loops.hpp" \
        namespace "chainer_fast::negative_sampling":
    enum Step:
        DOT, SUM, SPREAD

    void candidates_loop(
        char kind, object x, object W, object g, object ids, object counted, Step step,
        ptrdiff_t rows, ptrdiff_t n, ptrdiff_t width) noexcept

    bint in_buckets_loop(
        char kind, object threshold, object values, ptrdiff_t n, object heights,
        object out, ptrdiff_t count) noexcept


cdef bint _is_plain(object array, int typenum) noexcept:
    return (PyArray_CheckExact(array) and PyArray_TYPE(array) == typenum
            and PyArray_CHKFLAGS(array, CF_PLAIN_FLAGS)
            and not np.PyArray_ISBYTESWAPPED(<np.ndarray>array))


def in_buckets(threshold, values, heights):
    """Compiled form of the kernel of this name."""
    cdef ptrdiff_t n
    if not _is_plain(threshold, NPY_FLOAT32) or not _is_plain(values, NPY_INT32) or (
            not _is_plain(heights, NPY_FLOAT64) or PyArray_NDIM(heights) == 0):
        return NotImplemented
    n = PyArray_SIZE(threshold)
    if PyArray_NDIM(threshold) != 1 or PyArray_SIZE(values) != 2 * n:
        return NotImplemented
    out = PyArray_EMPTY(
        PyArray_NDIM(heights), PyArray_DIMS(heights), NPY_INT32, 0)
    done = in_buckets_loop(
        b'f', threshold, values, n, heights, out, PyArray_SIZE(heights))
    return out if done else NotImplemented


cdef object _classes(ids, ptrdiff_t limit):
    """Return the classes, all from zero up to the limit, or None."""
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


cdef object _flags(counted):
    """Return the mask of counted samples as loops read it, or None."""
    return None if counted is None else contiguous(counted, np.NPY_BOOL)


cdef object _run(Step step, x, W, g, ids, counted):
    if counted is not None and counted.shape != (len(ids),):
        raise ValueError(
            'counted must specify for each of %d samples whether it counts, but has '
            'the shape %s' % (len(ids), counted.shape))
    candidates_loop(
        kind_of(x), x, W, g, ids, counted, step, PyArray_DIM(<np.ndarray>ids, 0),
        PyArray_DIM(<np.ndarray>ids, 1), PyArray_DIM(<np.ndarray>x, 1))


cdef bint _fit(a, b) except -1:
    """Return whether two matrices are plain and alike in dtype."""
    return kind_of(a) and kind_of(a) == kind_of(b) and (
        PyArray_NDIM(a) == PyArray_NDIM(b) == 2)


def scores(x, W, ids, counted):
    """Compiled form of the kernel of this name."""
    counted, ids = _flags(counted), contiguous(ids, np.NPY_INTP)
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
    counted, ids = _flags(counted), contiguous(ids, np.NPY_INTP)
    if not _fit(g, W):
        return NotImplemented
    ids = _classes(ids, PyArray_DIM(W, 0))
    if ids is None or ids.shape != g.shape:
        return NotImplemented
    out = numpy.zeros((len(g), PyArray_DIM(W, 1)), g.dtype)
    _run(SUM, out, W, g, ids, counted)
    return out


cpdef object spread_rows(g, x, ids, counted, ptrdiff_t rows, bint alone=False):
    """Compiled form of the kernel of this name.

    If ``alone``, the result is a :class:`RowGradient` of the rows that are used, if
    these are few of the matrix.
    """
    cdef RowGradient result
    counted, ids = _flags(counted), contiguous(ids, np.NPY_INTP)
    if not _fit(g, x) or len(g) != len(x) or (
            alone and not few_rows(ids.size, rows, PyArray_DIM(x, 1))):
        return NotImplemented
    ids = _classes(ids, rows)
    if ids is None or ids.shape != g.shape:
        return NotImplemented
    if not alone:
        out = numpy.zeros((rows, PyArray_DIM(x, 1)), g.dtype)
        _run(SPREAD, x, out, g, ids, counted)
        return out
    # A new array: numbers of rows replace the classes.
    ids = ids.copy() if counted is None else numpy.where(counted[:, None], ids, -1)
    result = new_rows(ids, rows, PyArray_DIM(x, 1), PyArray_TYPE(<np.ndarray>x))
    _run(SPREAD, x, result.values, g, ids, counted)
    return result
