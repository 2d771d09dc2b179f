"""Compiled shortcuts of arithmetic, of powers, roots and exponentials."""
import numpy

cimport numpy as np
from cpython.object cimport PyObject

from chainer_fast._core.graph cimport FunctionBase, Shortcut
from chainer_fast._core.dense cimport dense_kind
from chainer_fast._core.shortcut cimport (
    fits_inputs, given, input_array, number, wanted)
from chainer_fast.backends.kernels.common import exponential_ufuncs
from chainer_fast.backends.kernels.common.loops cimport (
    Binary, BinaryGrads, BinaryShortcut, PairShortcut, UnaryShortcut, WithConstant,
    run1, run2, run_with_grad, unary_of)

np.import_array()

cdef extern from "chainer_fast/backends/kernels/arithmetic/elements.hpp" nogil:
    const Binary ADD "chainer_fast::binary<chainer_fast::Add>"
    const Binary SUB "chainer_fast::binary<chainer_fast::Sub>"
    const Binary MUL "chainer_fast::binary<chainer_fast::Mul>"
    const Binary DIV "chainer_fast::binary<chainer_fast::Div>"
    const BinaryGrads DIV_GRADS "chainer_fast::binary_grads<chainer_fast::Div>"
    const Binary SQRT_GRAD "chainer_fast::binary<chainer_fast::SqrtGrad>"
    const Binary SQUARE_GRAD "chainer_fast::binary<chainer_fast::SquareGrad>"
    const WithConstant NEG "chainer_fast::with_constant<chainer_fast::Neg>"
    const WithConstant ADD_CONSTANT "chainer_fast::with_constant<chainer_fast::Add>"
    const WithConstant SUB_FROM "chainer_fast::with_constant<chainer_fast::SubFrom>"
    const WithConstant MUL_CONSTANT "chainer_fast::with_constant<chainer_fast::Mul>"


cdef class AddShortcut(BinaryShortcut):

    def __cinit__(self):
        self.loops = ADD

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        if not fits_inputs(function, gy, 2):
            return 0
        gx[0] = given(gy)
        gx[1] = given(gy)
        return 1


cdef class SubShortcut(BinaryShortcut):

    def __cinit__(self):
        self.loops = SUB

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef char kind = dense_kind(gy)
        if not kind or not fits_inputs(function, gy, 2):
            return 0
        if wanted(function, 1):
            gx[1] = given(run1(NEG, kind, gy, 0))
            if gx[1] is NULL:
                return 0
        gx[0] = given(gy)
        return 1


cdef class MulShortcut(BinaryShortcut):

    def __cinit__(self):
        self.loops = MUL
        self.retain_inputs = (0, 1)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef Py_ssize_t i
        if not dense_kind(gy) or not fits_inputs(function, gy, 2):
            return 0
        for i in range(2):
            if not wanted(function, i):
                continue
            gx[i] = given(run_with_grad(
                self.loops, input_array(function, 1 - i), gy))
            if gx[i] is NULL:
                return 0
        return 1


cdef class DivShortcut(PairShortcut):

    def __cinit__(self):
        self.loops = DIV
        self.grads = DIV_GRADS


cdef class ExpShortcut(UnaryShortcut):

    def __cinit__(self):
        self.ufunc = unary_of(numpy.exp, exponential_ufuncs.exp)
        self.grad = MUL


cdef class SqrtShortcut(UnaryShortcut):

    def __cinit__(self):
        self.ufunc = unary_of(numpy.sqrt)
        self.grad = SQRT_GRAD


cdef class NegShortcut(Shortcut):

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef char kind = dense_kind(<object>x[0]) if n == 1 else 0
        return run1(NEG, kind, <object>x[0], 0) if kind else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef char kind = dense_kind(gy)
        if not kind or not fits_inputs(function, gy, 1):
            return 0
        gx[0] = given(run1(NEG, kind, gy, 0))
        return gx[0] is not NULL


# --------------------------------------------------------------- an array and a scalar

cdef class _Constant(Shortcut):
    """Elementwise operation on an array and the function's scalar."""
    cdef WithConstant loops

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef double value = 0
        cdef char kind = dense_kind(<object>x[0]) if n == 1 else 0
        if not kind or not number(function, 'value', &value):
            return None
        return run1(self.loops, kind, <object>x[0], value)


cdef class AddConstantShortcut(_Constant):

    def __cinit__(self):
        self.loops = ADD_CONSTANT

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        if not fits_inputs(function, gy, 1):
            return 0
        gx[0] = given(gy)
        return 1


cdef class SubFromConstantShortcut(_Constant):

    def __cinit__(self):
        self.loops = SUB_FROM

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef char kind = dense_kind(gy)
        if not kind or not fits_inputs(function, gy, 1):
            return 0
        gx[0] = given(run1(NEG, kind, gy, 0))
        return gx[0] is not NULL


cdef class MulConstantShortcut(_Constant):

    def __cinit__(self):
        self.loops = MUL_CONSTANT

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef double value = 0
        cdef char kind = dense_kind(gy)
        if not kind or not number(function, 'value', &value) or not fits_inputs(
                function, gy, 1):
            return 0
        gx[0] = given(run1(self.loops, kind, gy, value))
        return gx[0] is not NULL


cdef class PowVarConstShortcut(Shortcut):
    """Squares; other exponents are left to NumPy."""

    def __cinit__(self):
        self.retain_inputs = (0,)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef double value = 0
        cdef char kind = dense_kind(<object>x[0]) if n == 1 else 0
        if not kind or not number(function, 'value', &value) or value != 2:
            return None
        return run2(MUL, kind, <object>x[0], <object>x[0])

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef double value = 0
        if not dense_kind(gy) or not number(function, 'value', &value) or (
                value != 2) or not fits_inputs(function, gy, 1):
            return 0
        gx[0] = given(run_with_grad(SQUARE_GRAD, input_array(function, 0), gy))
        return gx[0] is not NULL
