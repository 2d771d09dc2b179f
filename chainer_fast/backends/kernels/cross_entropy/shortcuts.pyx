"""Compiled shortcuts of what is computed from scores and labels."""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, PyArray_DIM, \
    PyArray_EMPTY, PyArray_NDIM, PyArray_TYPE, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut, own_attribute
from chainer_fast._core.shortcut cimport given, input_array
from chainer_fast.backends.kernels.common.loops cimport UfuncLoop
from chainer_fast._core.plain cimport CF_PLAIN_FLAGS, empty_like, kind_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/common/loops.h" nogil:
    float cf_row_max_f(const float *, ptrdiff_t) noexcept
    double cf_row_max_d(const double *, ptrdiff_t) noexcept
    float cf_row_sum_f(const float *, ptrdiff_t) noexcept
    double cf_row_sum_d(const double *, ptrdiff_t) noexcept
    void cf_addc_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_addc_d(const double *, double, double *, ptrdiff_t) noexcept
    void cf_divc_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_divc_d(const double *, double, double *, ptrdiff_t) noexcept
    void cf_mulc_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_mulc_d(const double *, double, double *, ptrdiff_t) noexcept


ctypedef fused real:
    float
    double


cdef UfuncLoop _exp = UfuncLoop(numpy.exp)
cdef UfuncLoop _log = UfuncLoop(numpy.log)


cdef bint _plain_labels(object t) noexcept:
    return (PyArray_CheckExact(t) and PyArray_NDIM(t) == 1
            and PyArray_CHKFLAGS(t, CF_PLAIN_FLAGS)
            and PyArray_TYPE(<np.ndarray>t) in (np.NPY_INT32, np.NPY_INT64)
            and not np.PyArray_ISBYTESWAPPED(<np.ndarray>t))


cdef inline npy_intp _label(object t, npy_intp i) noexcept:
    if PyArray_TYPE(<np.ndarray>t) == np.NPY_INT32:
        return (<np.npy_int32 *>PyArray_DATA(<np.ndarray>t))[i]
    return (<np.npy_int64 *>PyArray_DATA(<np.ndarray>t))[i]


cdef bint _plain_arguments(FunctionBase function) except -1:
    return (own_attribute(function, 'class_weight') is None
            and own_attribute(function, 'reduce') == 'mean'
            and isinstance(own_attribute(function, 'ignore_label'), int))


cdef bint _labels_in_range(
        object t, npy_intp ignored, npy_intp rows, npy_intp columns) noexcept:
    cdef npy_intp i, label
    for i in range(rows):
        label = _label(t, i)
        if label != ignored and not 0 <= label < columns:
            return False
    return True


cdef int _losses(const real *x, real *y, real *losses, object t, npy_intp ignored,
                 npy_intp rows, npy_intp columns, npy_intp *counted) noexcept:
    """Fill probabilities and losses, row by row. The flags tell of trouble."""
    cdef npy_intp i, label
    cdef npy_intp one = 1
    cdef real largest, total
    cdef const real *scores
    for i in range(rows):
        scores = x + i * columns
        if real is float:
            largest = cf_row_max_f(scores, columns)
            cf_addc_f(scores, -largest, y, columns)
        else:
            largest = cf_row_max_d(scores, columns)
            cf_addc_d(scores, -largest, y, columns)
        label = _label(t, i)
        losses[i] = 0
        if label != ignored:
            counted[0] += 1
            losses[i] = y[label]
        if real is float:
            _exp.run_in_place(b'f', y, columns)
            total = cf_row_sum_f(y, columns)
            cf_divc_f(y, total, y, columns)
            _log.run_in_place(b'f', &total, one)
        else:
            _exp.run_in_place(b'd', y, columns)
            total = cf_row_sum_d(y, columns)
            cf_divc_d(y, total, y, columns)
            _log.run_in_place(b'd', &total, one)
        if label != ignored:
            losses[i] = -(losses[i] - total)
        y += columns
    return 0


cdef int _gradient(const real *y, real *gx, object t, npy_intp ignored, npy_intp rows,
                   npy_intp columns, double factor) noexcept:
    """Fill the gradient of the scores, from the probabilities."""
    cdef npy_intp i, label
    cdef real scale
    for i in range(rows):
        label = _label(t, i)
        scale = <real>factor if label != ignored else 0
        if real is float:
            cf_mulc_f(y, scale, gx, columns)
        else:
            cf_mulc_d(y, scale, gx, columns)
        if label != ignored:
            gx[label] = (y[label] - 1) * scale
        y += columns
        gx += columns
    return 0


cdef class SoftmaxCrossEntropyShortcut(Shortcut):
    """Mean loss of a matrix of scores and a vector of labels, without class weights."""

    def __cinit__(self):
        self.retain_inputs = (0, 1)

    cdef object forward(self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        cdef object x = <object>xs[0]
        cdef object t
        cdef char kind = kind_of(x)
        cdef npy_intp rows, columns, ignored
        cdef npy_intp counted = 0
        cdef double total
        if n != 2 or not kind or PyArray_NDIM(x) != 2:
            return None
        t = <object>xs[1]
        rows = PyArray_DIM(<np.ndarray>x, 0)
        columns = PyArray_DIM(<np.ndarray>x, 1)
        if not _plain_labels(t) or PyArray_DIM(<np.ndarray>t, 0) != rows:
            return None
        if not _plain_arguments(function):
            return None
        ignored = own_attribute(function, 'ignore_label')
        if not _labels_in_range(t, ignored, rows, columns):
            return None
        y = empty_like(x)
        losses = PyArray_EMPTY(1, &rows, PyArray_TYPE(<np.ndarray>x), 0)
        clear_float_errors()
        if kind == b'f':
            _losses(
                <float *>PyArray_DATA(<np.ndarray>x),
                <float *>PyArray_DATA(<np.ndarray>y),
                <float *>PyArray_DATA(<np.ndarray>losses), t, ignored, rows, columns,
                &counted)
            total = cf_row_sum_f(<float *>PyArray_DATA(<np.ndarray>losses), rows)
        else:
            _losses(
                <double *>PyArray_DATA(<np.ndarray>x),
                <double *>PyArray_DATA(<np.ndarray>y),
                <double *>PyArray_DATA(<np.ndarray>losses), t, ignored, rows, columns,
                &counted)
            total = cf_row_sum_d(<double *>PyArray_DATA(<np.ndarray>losses), rows)
        if float_errors():
            return None
        if not own_attribute(function, 'normalize'):
            counted = rows
        function._coeff = 1.0 / max(counted, 1)
        function.soft_target = False
        if own_attribute(function, 'cache_score'):
            function.y = y
        loss = PyArray_EMPTY(0, NULL, PyArray_TYPE(<np.ndarray>x), 0)
        if kind == b'f':
            (<float *>PyArray_DATA(<np.ndarray>loss))[0] = <float>(
                <float>total * <float><double>function._coeff)
        else:
            (<double *>PyArray_DATA(<np.ndarray>loss))[0] = (
                total * <double>function._coeff)
        return loss

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object y = own_attribute(function, 'y')
        cdef object t = input_array(function, 1)
        cdef char kind = kind_of(gy)
        cdef npy_intp rows, columns
        cdef double factor
        if y is None or not kind or kind_of(y) != kind or PyArray_NDIM(gy) != 0 or (
                PyArray_NDIM(y) != 2) or not _plain_labels(t):
            return 0
        if not _plain_arguments(function) or function._coeff is None or (
                function.soft_target):
            return 0
        rows = PyArray_DIM(<np.ndarray>y, 0)
        columns = PyArray_DIM(<np.ndarray>y, 1)
        # The labels may have been changed since, or never have passed by here.
        if PyArray_DIM(<np.ndarray>t, 0) != rows or not _labels_in_range(
                t, function.ignore_label, rows, columns):
            return 0
        out = empty_like(y)
        clear_float_errors()
        if kind == b'f':
            factor = <float>((<float *>PyArray_DATA(<np.ndarray>gy))[0]
                             * <float><double>function._coeff)
            _gradient(<float *>PyArray_DATA(<np.ndarray>y),
                      <float *>PyArray_DATA(<np.ndarray>out), t,
                      <npy_intp>function.ignore_label, rows, columns, factor)
        else:
            factor = (<double *>PyArray_DATA(<np.ndarray>gy))[0] * (
                <double>function._coeff)
            _gradient(<double *>PyArray_DATA(<np.ndarray>y),
                      <double *>PyArray_DATA(<np.ndarray>out), t,
                      <npy_intp>function.ignore_label, rows, columns, factor)
        if float_errors():
            return 0
        gx[0] = given(out)
        return 1


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
        hits += best == _label(t, i)
        x += columns
    return hits


cdef class AccuracyShortcut(Shortcut):
    """Share of right ones for a matrix of scores, all labels counted."""

    cdef object forward(self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        cdef object x = <object>xs[0]
        cdef object t
        cdef char kind = kind_of(x)
        cdef npy_intp rows, hits
        if n != 2 or not kind or PyArray_NDIM(x) != 2:
            return None
        t = <object>xs[1]
        rows = PyArray_DIM(<np.ndarray>x, 0)
        # Beyond the last size, counts have to be rounded on the way.
        if not _plain_labels(t) or PyArray_DIM(<np.ndarray>t, 0) != rows or (
                rows >= 1 << 24 or own_attribute(function, 'ignore_label') is not None):
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
