"""Compiled shortcut of the cross entropy between scores and labels."""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, PyArray_DIM, \
    PyArray_EMPTY, PyArray_NDIM, PyArray_TYPE, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Kernel, own_attribute
from chainer_fast._core.kernels cimport UfuncLoop, given, input_array
from chainer_fast._core.plain cimport CF_PLAIN_FLAGS, empty_like, kind_of

np.import_array()

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


cdef real _sum(const real *row, npy_intp n) noexcept:
    """Sum as NumPy does: with eight running totals, and long rows in halves."""
    cdef real totals[8]
    cdef npy_intp i, j
    cdef real total = 0
    if n > 128:
        i = n // 2
        i -= i % 8
        return _sum(row, i) + _sum(row + i, n - i)
    if n < 8:
        for i in range(n):
            total += row[i]
        return total
    for j in range(8):
        totals[j] = row[j]
    for i in range(8, n - n % 8, 8):
        for j in range(8):
            totals[j] += row[i + j]
    total = ((totals[0] + totals[1]) + (totals[2] + totals[3])) + (
        (totals[4] + totals[5]) + (totals[6] + totals[7]))
    for i in range(n - n % 8, n):
        total += row[i]
    return total


cdef double _losses(const real *x, real *log_y, real *norms, object t, npy_intp ignored,
                    npy_intp rows, npy_intp columns, npy_intp *counted) noexcept:
    """Fill ``log_y``; return the sum of the losses. The flags tell of trouble."""
    cdef npy_intp i, j, label
    cdef real largest
    cdef real *row
    cdef char kind = b'f' if real is float else b'd'
    for i in range(rows):
        largest = x[i * columns]
        for j in range(1, columns):
            if not x[i * columns + j] <= largest:
                largest = x[i * columns + j]
        norms[i] = largest
        for j in range(columns):
            log_y[i * columns + j] = x[i * columns + j] - largest
    _exp.run_in_place(kind, log_y, rows * columns)
    for i in range(rows):
        norms[rows + i] = _sum(log_y + i * columns, columns)
    _log.run_in_place(kind, norms + rows, rows)
    for i in range(rows):
        norms[i] += norms[rows + i]
        row = log_y + i * columns
        for j in range(columns):
            row[j] = x[i * columns + j] - norms[i]
        label = _label(t, i)
        norms[i] = 0
        if label != ignored:
            counted[0] += 1
            norms[i] = -row[label]
    return _sum(norms, rows)


cdef int _scale(real *gx, object t, npy_intp ignored, npy_intp rows, npy_intp columns,
                double factor) noexcept:
    """Turn probabilities into the gradient of the scores, in place."""
    cdef npy_intp i, j, label
    cdef real scale
    for i in range(rows):
        label = _label(t, i)
        scale = <real>factor if label != ignored else 0
        if label != ignored:
            gx[i * columns + label] -= 1
        else:
            gx[i * columns] -= 1
        for j in range(columns):
            gx[i * columns + j] *= scale
    return 0


cdef class SoftmaxCrossEntropyKernel(Kernel):
    """Mean loss of a matrix of scores and a vector of labels, without class weights."""

    def __cinit__(self):
        self.retain_inputs = (0, 1)

    cdef object forward(self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        cdef object x = <object>xs[0]
        cdef object t
        cdef char kind = kind_of(x)
        cdef npy_intp rows, columns, ignored
        cdef npy_intp counted = 0
        cdef npy_intp two_rows
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
        log_y = empty_like(x)
        two_rows = 2 * rows
        norms = PyArray_EMPTY(1, &two_rows, PyArray_TYPE(<np.ndarray>x), 0)
        clear_float_errors()
        if kind == b'f':
            total = _losses(
                <float *>PyArray_DATA(<np.ndarray>x),
                <float *>PyArray_DATA(<np.ndarray>log_y),
                <float *>PyArray_DATA(<np.ndarray>norms), t, ignored, rows, columns,
                &counted)
        else:
            total = _losses(
                <double *>PyArray_DATA(<np.ndarray>x),
                <double *>PyArray_DATA(<np.ndarray>log_y),
                <double *>PyArray_DATA(<np.ndarray>norms), t, ignored, rows, columns,
                &counted)
        if float_errors():
            return None
        if not own_attribute(function, 'normalize'):
            counted = rows
        function._coeff = 1.0 / max(counted, 1)
        function.soft_target = False
        if own_attribute(function, 'cache_score'):
            # The log-probabilities are not needed any more.
            _exp.run_in_place(kind, PyArray_DATA(<np.ndarray>log_y), rows * columns)
            function.y = log_y
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
        out = np.PyArray_NewCopy(<np.ndarray>y, np.NPY_CORDER)
        clear_float_errors()
        if kind == b'f':
            factor = <float>((<float *>PyArray_DATA(<np.ndarray>gy))[0]
                             * <float><double>function._coeff)
            _scale(<float *>PyArray_DATA(<np.ndarray>out), t,
                   <npy_intp>function.ignore_label, rows, columns, factor)
        else:
            factor = (<double *>PyArray_DATA(<np.ndarray>gy))[0] * (
                <double>function._coeff)
            _scale(<double *>PyArray_DATA(<np.ndarray>out), t,
                   <npy_intp>function.ignore_label, rows, columns, factor)
        if float_errors():
            return 0
        gx[0] = given(out)
        return 1
