"""Compiled shortcut of the accuracy."""
cimport numpy as np
from cpython.object cimport PyObject
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_EMPTY, PyArray_NDIM, \
    PyArray_TYPE, npy_intp

from chainer_fast._core.graph cimport FunctionBase, Shortcut, own_attribute
from chainer_fast._core.plain cimport kind_of
from chainer_fast.backends.kernels.common.labels cimport label_at, plain_labels

np.import_array()

ctypedef fused real:
    float
    double


cdef npy_intp _hits(const real *x, object t, npy_intp rows, npy_intp columns) noexcept:
    """Count the labels with the highest score; -1 where a score is NaN."""
    cdef npy_intp i, j, best, hits = 0
    for i in range(rows):
        best = 0
        for j in range(columns):
            if x[j] != x[j]:
                return -1
            if x[j] > x[best]:
                best = j
        hits += best == label_at(t, i)
        x += columns
    return hits


cdef class AccuracyShortcut(Shortcut):
    """Accuracy of a matrix of scores where all labels count."""

    cdef object forward(self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        cdef object x = <object>xs[0]
        cdef object t
        cdef char kind = kind_of(x)
        cdef npy_intp rows, hits
        if n != 2 or not kind or PyArray_NDIM(x) != 2:
            return None
        t = <object>xs[1]
        rows = PyArray_DIM(<np.ndarray>x, 0)
        # The count of more rows would be rounded.
        if not plain_labels(t) or PyArray_NDIM(t) != 1 or (
                PyArray_DIM(<np.ndarray>t, 0) != rows or rows >= 1 << 24):
            return None
        if own_attribute(function, 'ignore_label') is not None:
            return None
        share = PyArray_EMPTY(0, NULL, PyArray_TYPE(<np.ndarray>x), 0)
        if kind == b'f':
            hits = _hits(<float *>PyArray_DATA(<np.ndarray>x), t, rows,
                         PyArray_DIM(<np.ndarray>x, 1))
            (<float *>PyArray_DATA(<np.ndarray>share))[0] = <float>hits / <float>rows
        else:
            hits = _hits(<double *>PyArray_DATA(<np.ndarray>x), t, rows,
                         PyArray_DIM(<np.ndarray>x, 1))
            (<double *>PyArray_DATA(<np.ndarray>share))[0] = <double>hits / rows
        return share if hits >= 0 else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        return 1    # no gradient flows through a count
