"""Compiled shortcut of the accuracy."""
cimport numpy as np
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_EMPTY, PyArray_NDIM, \
    PyArray_TYPE, npy_intp

from chainer_fast._core.graph cimport FunctionBase, Shortcut, own_attribute
from chainer_fast._core.plain cimport kind_of
from chainer_fast.backends.kernels.common.labels cimport plain_labels

np.import_array()

cdef extern from "chainer_fast/backends/kernels/accuracy/loops.hpp" \
        namespace "chainer_fast":
    npy_intp hits[T, Label](
        const T *x, const Label *labels, npy_intp rows, npy_intp classes) noexcept

ctypedef fused real:
    float
    double


cdef real _share(const real *x, object t, npy_intp rows, npy_intp classes) noexcept:
    """Return the share of labels that have the highest score."""
    cdef void *labels = PyArray_DATA(<np.ndarray>t)
    if PyArray_TYPE(<np.ndarray>t) == np.NPY_INT32:
        return <real>hits(x, <const int32_t *>labels, rows, classes) / <real>rows
    return <real>hits(x, <const int64_t *>labels, rows, classes) / <real>rows


cdef class AccuracyShortcut(Shortcut):
    """Accuracy of a matrix of scores where all labels count."""

    cdef object forward(self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        cdef object x = <object>xs[0]
        cdef object t
        cdef char kind = kind_of(x)
        cdef npy_intp rows, classes
        if n != 2 or not kind or PyArray_NDIM(x) != 2:
            return None
        t = <object>xs[1]
        rows = PyArray_DIM(<np.ndarray>x, 0)
        classes = PyArray_DIM(<np.ndarray>x, 1)
        # The count of more rows would be rounded.
        if not plain_labels(t) or PyArray_NDIM(t) != 1 or (
                PyArray_DIM(<np.ndarray>t, 0) != rows or rows >= 1 << 24):
            return None
        if own_attribute(function, 'ignore_label') is not None:
            return None
        share = PyArray_EMPTY(0, NULL, PyArray_TYPE(<np.ndarray>x), 0)
        if kind == b'f':
            (<float *>PyArray_DATA(<np.ndarray>share))[0] = _share(
                <float *>PyArray_DATA(<np.ndarray>x), t, rows, classes)
        else:
            (<double *>PyArray_DATA(<np.ndarray>share))[0] = _share(
                <double *>PyArray_DATA(<np.ndarray>x), t, rows, classes)
        return share

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        return 1    # no gradient flows through a count
