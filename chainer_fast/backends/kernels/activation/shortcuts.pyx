"""Compiled shortcuts of activations and of their gradients."""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_SIZE

from chainer_fast._core.dense cimport common_dense_kind, dense_kind, empty_dense_like
from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut
from chainer_fast._core.shortcut cimport (
    attribute, given, input_array, number, output_array)
from chainer_fast.backends.kernels.common.layout cimport in_order_of
from chainer_fast.backends.kernels.common import exponential_ufuncs
from chainer_fast.backends.kernels.common.loops cimport (
    LONG_LOOP, Binary, BinaryGrads, PairShortcut, Unary, UnaryShortcut, WithConstant,
    run1, run_with_grad, unary_of)

np.import_array()

cdef extern from "chainer_fast/backends/kernels/activation/loops.hpp" \
        namespace "chainer_fast" nogil:
    cdef cppclass Activation:
        void run(char, const void *, const void *, void *, ptrdiff_t, double, double,
                 const Unary *) noexcept
    const Activation LEAKY_RELU "chainer_fast::activation<chainer_fast::LeakyReLU>"
    const Activation CLIPPED_RELU "chainer_fast::activation<chainer_fast::ClippedReLU>"
    const Activation HARD_SIGMOID "chainer_fast::activation<chainer_fast::HardSigmoid>"
    const Activation ELU "chainer_fast::elu"
    const Activation SIGMOID "chainer_fast::sigmoid"
    const Activation SOFTPLUS "chainer_fast::softplus"
    const Binary TANH_GRAD \
        "chainer_fast::binary<chainer_fast::Grad<chainer_fast::Tanh>>"
    const Binary SIGMOID_GRAD \
        "chainer_fast::binary<chainer_fast::Grad<chainer_fast::Sigmoid>>"
    const Binary RELU_GRAD \
        "chainer_fast::binary<chainer_fast::Grad<chainer_fast::ReLU>>"
    const BinaryGrads TANH_GRAD_GRADS "chainer_fast::binary_grads<chainer_fast::Tanh>"
    const BinaryGrads SIGMOID_GRAD_GRADS \
        "chainer_fast::binary_grads<chainer_fast::Sigmoid>"
    const WithConstant RECTIFY "chainer_fast::with_constant<chainer_fast::Rectify>"


cdef class ActivationShortcut(Shortcut):
    """An activation and its gradient, in one pass over the array each.

    Its parameters are read off the attributes ``first`` and ``second`` of the function.
    If the gradient is made of the output, the shortcut does not serve a negative first
    parameter, which loses the sign of the input.
    """
    cdef Activation loops
    cdef Unary ufuncs[2]
    cdef str first
    cdef str second

    def __cinit__(self):
        self.retain_inputs = (0,)

    cdef int from_output(self) except -1:
        """Make the gradient of the output."""
        self.retain_inputs = None
        self.retain_outputs = (0,)
        return 0

    cdef object run(self, FunctionBase function, object x, object gy):
        """Return the output for ``x``; or with ``gy`` the gradient."""
        cdef double p = 0
        cdef double q = 0
        cdef void *px
        cdef void *pg = NULL
        cdef void *pout
        cdef Py_ssize_t n
        cdef char kind = dense_kind(x) if gy is None else common_dense_kind(x, gy)
        if not kind and gy is not None and dense_kind(x):
            gy = in_order_of(gy, x)
            kind = common_dense_kind(x, gy)
        if not kind or not number(function, self.first, &p) or (
                not number(function, self.second, &q)):
            return None
        if not p >= 0 and self.retain_outputs is not None:
            return None
        if gy is not None:
            pg = PyArray_DATA(<np.ndarray>gy)
        out = empty_dense_like(x)
        n = PyArray_SIZE(x)
        px = PyArray_DATA(<np.ndarray>x)
        pout = PyArray_DATA(<np.ndarray>out)
        clear_float_errors()
        if n < LONG_LOOP:
            self.loops.run(kind, px, pg, pout, n, p, q, self.ufuncs)
        else:
            with nogil:
                self.loops.run(kind, px, pg, pout, n, p, q, self.ufuncs)
        return None if float_errors() else out

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        return self.run(function, <object>x[0], None) if n == 1 else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        kept = input_array(function, 0)
        if self.retain_outputs is not None:
            kept = output_array(function)
        gx[0] = given(self.run(function, kept, gy))
        return gx[0] is not NULL


cdef class LeakyReLUShortcut(ActivationShortcut):

    def __cinit__(self):
        self.loops = LEAKY_RELU
        self.first = 'slope'
        self.from_output()


cdef class ClippedReLUShortcut(ActivationShortcut):

    def __cinit__(self):
        self.loops = CLIPPED_RELU
        self.first = 'cap'


cdef class HardSigmoidShortcut(ActivationShortcut):

    def __cinit__(self):
        self.loops = HARD_SIGMOID


cdef class ELUShortcut(ActivationShortcut):

    def __cinit__(self):
        self.loops = ELU
        self.first = 'alpha'
        self.ufuncs[0] = unary_of(numpy.expm1)
        self.from_output()


cdef class SigmoidShortcut(ActivationShortcut):

    def __cinit__(self):
        self.loops = SIGMOID
        self.ufuncs[0] = unary_of(numpy.tanh)
        self.from_output()


cdef class SoftplusShortcut(ActivationShortcut):

    def __cinit__(self):
        self.loops = SOFTPLUS
        self.first = 'beta'
        self.second = 'beta_inv'
        self.ufuncs[0] = unary_of(numpy.exp)
        self.ufuncs[1] = unary_of(numpy.log1p)


cdef class TanhShortcut(UnaryShortcut):

    def __cinit__(self):
        self.ufunc = unary_of(numpy.tanh, exponential_ufuncs.tanh)
        self.grad = TANH_GRAD


cdef class ReLUShortcut(UnaryShortcut):

    def __cinit__(self):
        self.grad = RELU_GRAD

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef char kind = dense_kind(<object>x[0]) if n == 1 else 0
        return run1(RECTIFY, kind, <object>x[0], 0) if kind else None


cdef class TanhGradShortcut(PairShortcut):

    def __cinit__(self):
        self.loops = TANH_GRAD
        self.grads = TANH_GRAD_GRADS


cdef class SigmoidGradShortcut(PairShortcut):

    def __cinit__(self):
        self.loops = SIGMOID_GRAD
        self.grads = SIGMOID_GRAD_GRADS


cdef class ReLUGradShortcut(Shortcut):
    """Passes the gradient where the attribute ``b`` of the function is positive."""

    cdef object mask(self, FunctionBase function, object gy):
        return run_with_grad(RELU_GRAD, attribute(function, 'b'), gy)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        return self.mask(function, <object>x[0]) if n == 1 else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        gx[0] = given(self.mask(function, gy))
        return gx[0] is not NULL
