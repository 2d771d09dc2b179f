"""Compiled shortcut of the division of arrays."""
cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_SAMESHAPE, PyArray_SIZE

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut
from chainer_fast._core.shortcut cimport fits_inputs, given, input_array
from chainer_fast.backends.kernels.common.loops cimport Pair2, run2
from chainer_fast._core.plain cimport empty_like, kind_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/common/loops.h" nogil:
    void cf_div_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_div_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_div_grad_f(const float *, const float *, const float *, float *,
                       ptrdiff_t) noexcept
    void cf_div_grad_d(const double *, const double *, const double *, double *,
                       ptrdiff_t) noexcept

cdef Pair2 _div
_div.f = cf_div_f
_div.d = cf_div_d


cdef class DivShortcut(Shortcut):
    """``a / b`` of arrays of one shape."""

    def __cinit__(self):
        self.retain_inputs = (0, 1)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef char kind = kind_of(<object>x[0]) if n == 2 else 0
        if not kind or kind_of(<object>x[1]) != kind or not PyArray_SAMESHAPE(
                <np.ndarray>x[0], <np.ndarray>x[1]):
            return None
        return run2(_div, kind, <object>x[0], <object>x[1])

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object a = input_array(function, 0)
        cdef object b = input_array(function, 1)
        cdef object ga, gb
        cdef char kind = kind_of(gy)
        if not kind or kind_of(a) != kind or kind_of(b) != kind or (
                not fits_inputs(function, gy, 2)):
            return 0
        ga = run2(_div, kind, gy, b)
        if ga is None:
            return 0
        # Wanted or not: NumPy warns of what it does in either.
        gb = empty_like(a)
        clear_float_errors()
        if kind == b'f':
            cf_div_grad_f(
                <float *>PyArray_DATA(<np.ndarray>ga),
                <float *>PyArray_DATA(<np.ndarray>a),
                <float *>PyArray_DATA(<np.ndarray>b),
                <float *>PyArray_DATA(<np.ndarray>gb), PyArray_SIZE(a))
        else:
            cf_div_grad_d(
                <double *>PyArray_DATA(<np.ndarray>ga),
                <double *>PyArray_DATA(<np.ndarray>a),
                <double *>PyArray_DATA(<np.ndarray>b),
                <double *>PyArray_DATA(<np.ndarray>gb), PyArray_SIZE(a))
        if float_errors():
            return 0
        gx[0] = given(ga)
        gx[1] = given(gb)
        return 1
