"""Compiled shortcuts of sums and means."""
cimport numpy as np
from cpython.object cimport PyObject
from cpython.dict cimport PyDict_GetItemWithError
from libc.stddef cimport ptrdiff_t
from libc.string cimport memcpy
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIMS, PyArray_EMPTY, \
    PyArray_FROM_O, PyArray_ITEMSIZE, PyArray_NDIM, PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut, VariableNodeBase, \
    cf_instance_dict
from chainer_fast._core.shortcut cimport given
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP
from chainer_fast._core.plain cimport kind_of

np.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_Sum(np.ndarray, int axis, int typenum, PyObject *out)

cdef extern from "chainer_fast/backends/kernels/common/loops.h" nogil:
    float cf_row_sum_f(const float *, ptrdiff_t) noexcept
    double cf_row_sum_d(const double *, ptrdiff_t) noexcept


cdef enum:
    ALL_AXES = 1 << 20
    NOT_PLAIN = 1 << 21


cdef int _axis(FunctionBase function, int ndim) except -2:
    """Return the axis to reduce: all, one, or not plain; keepdims is not plain."""
    cdef PyObject *own = cf_instance_dict(function)
    cdef PyObject *found
    cdef int axis
    if own is NULL:
        return NOT_PLAIN
    found = PyDict_GetItemWithError(<object>own, 'keepdims')
    if found is NULL or <object>found is not False:
        return NOT_PLAIN
    found = PyDict_GetItemWithError(<object>own, 'axis')
    if found is NULL:
        return NOT_PLAIN
    if <object>found is None:
        return ALL_AXES
    axes = <tuple>found
    if len(axes) != 1:
        return NOT_PLAIN
    axis = axes[0]
    if axis < 0:
        axis += ndim
    return axis if 0 <= axis < ndim else NOT_PLAIN


cdef void _add_up(
        char kind, const void *source, void *target, npy_intp rows,
        npy_intp columns) noexcept nogil:
    cdef npy_intp i
    if kind == b'f':
        for i in range(rows):
            (<float *>target)[i] = cf_row_sum_f(
                <const float *>source + i * columns, columns)
    else:
        for i in range(rows):
            (<double *>target)[i] = cf_row_sum_d(
                <const double *>source + i * columns, columns)


cdef object _sum_rows(object x, int ndim):
    """Return the sums over the axes from ``ndim`` on; None if one raised a flag."""
    cdef object out = PyArray_EMPTY(
        ndim, PyArray_DIMS(<np.ndarray>x), PyArray_TYPE(<np.ndarray>x), 0)
    cdef npy_intp rows = PyArray_SIZE(out)
    cdef npy_intp columns = PyArray_SIZE(x) // rows
    cdef void *source = PyArray_DATA(<np.ndarray>x)
    cdef void *target = PyArray_DATA(<np.ndarray>out)
    cdef char kind = kind_of(x)
    clear_float_errors()
    if rows * columns < LONG_LOOP:
        _add_up(kind, source, target, rows, columns)
    else:
        with nogil:
            _add_up(kind, source, target, rows, columns)
    return None if float_errors() else out


cdef object _sum(FunctionBase function, object x):
    """Return the sum, or None if the case is not plain."""
    cdef int ndim = PyArray_NDIM(x)
    cdef int axis
    if not kind_of(x):
        return None
    axis = _axis(function, ndim)
    if axis == NOT_PLAIN:
        return None
    if axis == ALL_AXES:
        return _sum_rows(x, 0)
    if axis == ndim - 1:
        return _sum_rows(x, ndim - 1)
    total = PyArray_Sum(<np.ndarray>x, axis, PyArray_TYPE(<np.ndarray>x), NULL)
    return total if PyArray_CheckExact(total) else PyArray_FROM_O(total)


cdef object _spread(FunctionBase function, object gy):
    """Return ``gy`` repeated along the reduced axes, or None."""
    cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[0]
    cdef npy_intp dims[32]
    cdef npy_intp outer = 1, inner = 1, length
    cdef npy_intp _i, _j
    cdef int axis, k, ndim = node.ndim
    cdef char *source
    cdef char *target
    cdef size_t step
    if not kind_of(gy) or ndim < 0 or ndim > 4 or (
            <object>np.PyArray_DESCR(<np.ndarray>gy) is not node.dtype):
        return None
    axis = _axis(function, ndim)
    if axis == NOT_PLAIN or PyArray_NDIM(gy) != (0 if axis == ALL_AXES else ndim - 1):
        return None
    shape = node.shape
    for k in range(ndim):
        dims[k] = shape[k]
    length = 1
    for k in range(ndim):
        if axis == ALL_AXES or k == axis:
            length *= dims[k]
        elif k < axis:
            outer *= dims[k]
        else:
            inner *= dims[k]
    if length == 0 or outer * inner != PyArray_SIZE(gy):
        return None
    out = PyArray_EMPTY(ndim, dims, PyArray_TYPE(<np.ndarray>gy), 0)
    source = <char *>PyArray_DATA(<np.ndarray>gy)
    target = <char *>PyArray_DATA(<np.ndarray>out)
    if inner == 1:
        _repeat(kind_of(gy), source, target, outer, length)
        return out
    step = inner * PyArray_ITEMSIZE(<np.ndarray>gy)
    for _i in range(outer):
        for _j in range(length):
            memcpy(target, source, step)
            target += step
        source += step
    return out


cdef void _repeat(
        char kind, void *source, void *target, npy_intp n, npy_intp times) noexcept:
    """Write each of ``n`` numbers several times."""
    cdef npy_intp i, j
    cdef float *source_f = <float *>source
    cdef float *target_f = <float *>target
    cdef double *source_d = <double *>source
    cdef double *target_d = <double *>target
    for i in range(n):
        if kind == b'f':
            for j in range(times):
                target_f[i * times + j] = source_f[i]
        else:
            for j in range(times):
                target_d[i * times + j] = source_d[i]


cdef void _divide(char kind, void *data, npy_intp n, npy_intp count) noexcept:
    """Divide numbers in place, in their own type."""
    cdef npy_intp i
    if kind == b'f':
        for i in range(n):
            (<float *>data)[i] /= <float>count
    else:
        for i in range(n):
            (<double *>data)[i] /= <double>count


cdef void _multiply(char kind, void *data, npy_intp n, double factor) noexcept:
    """Multiply numbers in place, in their own type."""
    cdef npy_intp i
    if kind == b'f':
        for i in range(n):
            (<float *>data)[i] *= <float>factor
    else:
        for i in range(n):
            (<double *>data)[i] *= factor


cdef class SumShortcut(Shortcut):
    """Sum over one axis or all, axes dropped."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        return _sum(function, <object>x[0]) if n == 1 else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        gx[0] = given(_spread(function, gy))
        return gx[0] is not NULL


cdef class MeanShortcut(Shortcut):
    """Mean over one axis or all, axes dropped."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object array, y
        if n != 1:
            return None
        array = <object>x[0]
        y = _sum(function, array)
        if y is None:
            return None
        count = PyArray_SIZE(array) // PyArray_SIZE(y)
        function.multiplier = 1. / count
        _divide(kind_of(y), PyArray_DATA(<np.ndarray>y), PyArray_SIZE(y), count)
        return y

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object scaled
        cdef char kind = kind_of(gy)
        if not kind:
            return 0
        scaled = np.PyArray_NewCopy(<np.ndarray>gy, np.NPY_CORDER)
        _multiply(kind, PyArray_DATA(<np.ndarray>scaled), PyArray_SIZE(scaled),
                  function.multiplier)
        gx[0] = given(_spread(function, scaled))
        return gx[0] is not NULL
