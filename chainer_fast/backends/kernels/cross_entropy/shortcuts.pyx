"""Compiled shortcut of the cross entropy between the softmax of scores and labels."""
cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_EMPTY, PyArray_NDIM, \
    PyArray_TYPE, npy_intp

from chainer_fast._core.floats cimport float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut, own_attribute
from chainer_fast._core.plain cimport empty_like, kind_of
from chainer_fast._core.shortcut cimport fits_inputs, given, input_array
from chainer_fast.backends.kernels.common.labels cimport plain_labels
from chainer_fast.backends.kernels.cross_entropy.compiled cimport classes_of, \
    fill_losses_of, for_labels, gradient_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/common/loops.hpp" \
        namespace "chainer_fast" nogil:
    T row_sum[T](const T *x, ptrdiff_t n) noexcept

ctypedef fused real:
    float
    double


cdef bint _plain_arguments(FunctionBase function) except -1:
    return (own_attribute(function, 'class_weight') is None
            and own_attribute(function, 'reduce') == 'mean'
            and isinstance(own_attribute(function, 'ignore_label'), int))


cdef object _classes(object t, object x, npy_intp ignored, npy_intp *counted):
    """Return a class for each row of ``x``, or None where there is none."""
    if not plain_labels(t) or PyArray_NDIM(t) != 1 or PyArray_NDIM(x) != 2 or (
            PyArray_DIM(<np.ndarray>t, 0) != PyArray_DIM(<np.ndarray>x, 0)):
        return None
    return classes_of(t, x, ignored, counted)


cdef void _mean(const real *losses, npy_intp n, double coeff, real *mean) noexcept:
    mean[0] = row_sum(losses, n) * <real>coeff


cdef void _scale(const real *gy, double coeff, real *scales, npy_intp n) noexcept:
    cdef npy_intp i
    for i in range(n):
        scales[i] = gy[0] * <real>coeff


cdef class SoftmaxCrossEntropyShortcut(Shortcut):
    """Mean loss of a matrix of scores and a vector of labels, without class weights."""

    def __cinit__(self):
        self.retain_inputs = (0, 1)

    cdef object forward(self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        cdef object x = <object>xs[0]
        cdef char kind = kind_of(x)
        cdef npy_intp rows
        cdef npy_intp counted = 0
        cdef double coeff
        if n != 2 or not kind or not _plain_arguments(function):
            return None
        labels = _classes(
            <object>xs[1], x, own_attribute(function, 'ignore_label'), &counted)
        if labels is None:
            return None
        losses = for_labels(labels, x)
        y = empty_like(x)
        if not fill_losses_of(x, y, labels, None, None, losses):
            return None
        rows = PyArray_DIM(<np.ndarray>x, 0)
        coeff = 1.0 / max(
            counted if own_attribute(function, 'normalize') else rows, 1)
        loss = PyArray_EMPTY(0, NULL, PyArray_TYPE(<np.ndarray>x), 0)
        cdef void *data = PyArray_DATA(<np.ndarray>losses)
        cdef void *mean = PyArray_DATA(<np.ndarray>loss)
        if kind == b'f':
            _mean(<float *>data, rows, coeff, <float *>mean)
        else:
            _mean(<double *>data, rows, coeff, <double *>mean)
        if float_errors():
            return None
        function._coeff = coeff
        function.soft_target = False
        if own_attribute(function, 'cache_score'):
            function._kept = y
        return loss

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object y = own_attribute(function, '_kept')
        cdef char kind = kind_of(gy)
        cdef npy_intp counted = 0
        cdef double coeff
        if y is None or not kind or kind_of(y) != kind or PyArray_NDIM(gy) != 0 or (
                not fits_inputs(function, y, 1)):
            return 0
        if not _plain_arguments(function) or function._coeff is None or (
                function.soft_target):
            return 0
        # The labels may have changed since, or may not have gone through ``forward``.
        labels = _classes(
            input_array(function, 1), y, function.ignore_label, &counted)
        if labels is None:
            return 0
        scales = for_labels(labels, y)
        coeff = function._coeff
        cdef void *data = PyArray_DATA(<np.ndarray>scales)
        cdef void *factor = PyArray_DATA(<np.ndarray>gy)
        if kind == b'f':
            _scale(<float *>factor, coeff, <float *>data, PyArray_DIM(
                <np.ndarray>y, 0))
        else:
            _scale(<double *>factor, coeff, <double *>data, PyArray_DIM(
                <np.ndarray>y, 0))
        gx[0] = given(gradient_of(y, labels, None, None, scales))
        return gx[0] is not NULL
