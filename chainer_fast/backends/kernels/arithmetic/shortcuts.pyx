"""Compiled shortcuts of arithmetic, of powers, roots and exponentials."""
import numpy

cimport numpy as np
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_SAMESHAPE, PyArray_SIZE

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut, cf_instance_dict
from chainer_fast._core.plain cimport empty_like, kind_of
from chainer_fast._core.shortcut cimport fits_inputs, given, input_array, wanted
from chainer_fast.backends.kernels.common.loops cimport (
    BinaryShortcut, Pair1, Pair2, UfuncLoop, UnaryShortcut, run1, run2)

np.import_array()

cdef extern from "chainer_fast/backends/kernels/common/loops.h" nogil:
    void cf_add_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_add_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_sub_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_sub_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_mul_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_mul_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_sqrt_grad_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_sqrt_grad_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_square_grad_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_square_grad_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_neg_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_neg_d(const double *, double, double *, ptrdiff_t) noexcept
    void cf_addc_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_addc_d(const double *, double, double *, ptrdiff_t) noexcept
    void cf_rsubc_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_rsubc_d(const double *, double, double *, ptrdiff_t) noexcept
    void cf_mulc_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_mulc_d(const double *, double, double *, ptrdiff_t) noexcept


cdef class AddShortcut(BinaryShortcut):

    def __cinit__(self):
        self.loops.f = cf_add_f
        self.loops.d = cf_add_d

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        if not fits_inputs(function, gy, 2):
            return 0
        gx[0] = given(gy)
        gx[1] = given(gy)
        return 1


cdef class SubShortcut(BinaryShortcut):

    def __cinit__(self):
        self.loops.f = cf_sub_f
        self.loops.d = cf_sub_d

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef char kind = kind_of(gy)
        if not kind or not fits_inputs(function, gy, 2):
            return 0
        if wanted(function, 1):
            gx[1] = given(run1(_neg, kind, gy, 0))
            if gx[1] is NULL:
                return 0
        gx[0] = given(gy)
        return 1


cdef class MulShortcut(BinaryShortcut):

    def __cinit__(self):
        self.loops.f = cf_mul_f
        self.loops.d = cf_mul_d
        self.retain_inputs = (0, 1)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef char kind = kind_of(gy)
        cdef Py_ssize_t i
        cdef object other
        if not kind or not fits_inputs(function, gy, 2):
            return 0
        for i in range(2):
            if not wanted(function, i):
                continue
            other = input_array(function, 1 - i)
            if kind_of(other) != kind:
                return 0
            gx[i] = given(run2(self.loops, kind, gy, other))
            if gx[i] is NULL:
                return 0
        return 1


cdef class ExpShortcut(UnaryShortcut):

    def __cinit__(self):
        self.ufunc = UfuncLoop(numpy.exp)
        self.grad.f = cf_mul_f
        self.grad.d = cf_mul_d
        self.retain_outputs = (0,)


cdef class SqrtShortcut(UnaryShortcut):

    def __cinit__(self):
        self.ufunc = UfuncLoop(numpy.sqrt)
        self.grad.f = cf_sqrt_grad_f
        self.grad.d = cf_sqrt_grad_d
        self.retain_outputs = (0,)


cdef class NegShortcut(Shortcut):

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef char kind = kind_of(<object>x[0]) if n == 1 else 0
        return run1(_neg, kind, <object>x[0], 0) if kind else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef char kind = kind_of(gy)
        if not kind or not fits_inputs(function, gy, 1):
            return 0
        gx[0] = given(run1(_neg, kind, gy, 0))
        return gx[0] is not NULL


# --------------------------------------------------------------- an array and a scalar

cdef bint _scalar(FunctionBase function, double *value) except -1:
    """Read the attribute ``value`` if it is a Python number."""
    cdef PyObject *own = cf_instance_dict(function)
    cdef PyObject *found
    if own is NULL:
        return False
    found = PyDict_GetItemWithError(<object>own, 'value')
    if found is NULL:
        return False
    if type(<object>found) is not float and type(<object>found) is not int:
        return False
    value[0] = <object>found
    return True


cdef class _Constant(Shortcut):
    """Elementwise operation on an array and the function's scalar."""
    cdef Pair1 loops

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef double value = 0
        cdef char kind = kind_of(<object>x[0]) if n == 1 else 0
        if not kind or not _scalar(function, &value):
            return None
        return run1(self.loops, kind, <object>x[0], value)


cdef class AddConstantShortcut(_Constant):

    def __cinit__(self):
        self.loops.f = cf_addc_f
        self.loops.d = cf_addc_d

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        if not fits_inputs(function, gy, 1):
            return 0
        gx[0] = given(gy)
        return 1


cdef class SubFromConstantShortcut(_Constant):

    def __cinit__(self):
        self.loops.f = cf_rsubc_f
        self.loops.d = cf_rsubc_d

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef char kind = kind_of(gy)
        if not kind or not fits_inputs(function, gy, 1):
            return 0
        gx[0] = given(run1(_neg, kind, gy, 0))
        return gx[0] is not NULL


cdef class MulConstantShortcut(_Constant):

    def __cinit__(self):
        self.loops.f = cf_mulc_f
        self.loops.d = cf_mulc_d

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef double value = 0
        cdef char kind = kind_of(gy)
        if not kind or not _scalar(function, &value) or not fits_inputs(
                function, gy, 1):
            return 0
        gx[0] = given(run1(self.loops, kind, gy, value))
        return gx[0] is not NULL


cdef class PowVarConstShortcut(Shortcut):
    """Squares; other exponents are left to NumPy."""
    cdef Pair2 product
    cdef Pair2 grad

    def __cinit__(self):
        self.product.f = cf_mul_f
        self.product.d = cf_mul_d
        self.grad.f = cf_square_grad_f
        self.grad.d = cf_square_grad_d
        self.retain_inputs = (0,)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef double value = 0
        cdef char kind = kind_of(<object>x[0]) if n == 1 else 0
        if not kind or not _scalar(function, &value) or value != 2:
            return None
        return run2(self.product, kind, <object>x[0], <object>x[0])

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef double value = 0
        cdef char kind = kind_of(gy)
        cdef object x = input_array(function, 0)
        if not kind or not _scalar(function, &value) or value != 2 or (
                kind_of(x) != kind) or not fits_inputs(function, gy, 1):
            return 0
        gx[0] = given(run2(self.grad, kind, x, gy))
        return gx[0] is not NULL


cdef Pair1 _neg
_neg.f = cf_neg_f
_neg.d = cf_neg_d
