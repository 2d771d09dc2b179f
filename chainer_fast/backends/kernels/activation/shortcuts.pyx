"""Compiled shortcuts of the hyperbolic tangent, the sigmoid and the rectifier."""
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
    void cf_tanh_grad_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_tanh_grad_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_sigmoid_grad_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_sigmoid_grad_d(
        const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_relu_grad_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_relu_grad_d(const double *, const double *, double *, ptrdiff_t) noexcept
    int cf_tanh_grad_grads_f(const float *, const float *, const float *, float *,
                             float *, ptrdiff_t) noexcept
    int cf_tanh_grad_grads_d(const double *, const double *, const double *, double *,
                             double *, ptrdiff_t) noexcept
    int cf_sigmoid_grad_grads_f(const float *, const float *, const float *, float *,
                                float *, ptrdiff_t) noexcept
    int cf_sigmoid_grad_grads_d(const double *, const double *, const double *,
                                double *, double *, ptrdiff_t) noexcept
    void cf_mulc_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_mulc_d(const double *, double, double *, ptrdiff_t) noexcept
    void cf_maxc_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_maxc_d(const double *, double, double *, ptrdiff_t) noexcept
    void cf_halves_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_halves_d(const double *, double, double *, ptrdiff_t) noexcept


cdef class TanhShortcut(UnaryShortcut):

    def __cinit__(self):
        self.ufunc = UfuncLoop(numpy.tanh)
        self.grad.f = cf_tanh_grad_f
        self.grad.d = cf_tanh_grad_d
        self.retain_outputs = (0,)


cdef class SigmoidShortcut(UnaryShortcut):

    def __cinit__(self):
        self.ufunc = UfuncLoop(numpy.tanh)
        self.grad.f = cf_sigmoid_grad_f
        self.grad.d = cf_sigmoid_grad_d
        self.retain_outputs = (0,)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        if n != 1:
            return None
        cdef object a = <object>x[0]
        cdef char kind = kind_of(a)
        if not kind:
            return None
        a = run1(_mulc, kind, a, 0.5)
        if a is None:
            return None
        a = self.ufunc.run(kind, a)
        return None if a is None else run1(_halves, kind, a, 0.5)


cdef class ReLUShortcut(UnaryShortcut):

    def __cinit__(self):
        self.grad.f = cf_relu_grad_f
        self.grad.d = cf_relu_grad_d
        self.retain_outputs = (0,)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef char kind = kind_of(<object>x[0]) if n == 1 else 0
        return run1(_maxc, kind, <object>x[0], 0) if kind else None


cdef class _Slope(BinaryShortcut):
    """Gradient of a function of one array, ``slope(y) * gy``, as a function.

    ``grads`` are its own gradients: by ``y`` and by ``gy``.
    """
    cdef int (*grads_f)(const float *, const float *, const float *, float *, float *,
                        ptrdiff_t) noexcept
    cdef int (*grads_d)(const double *, const double *, const double *, double *,
                        double *, ptrdiff_t) noexcept

    def __cinit__(self):
        self.retain_inputs = (0, 1)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef char kind = kind_of(gy)
        cdef object a = input_array(function, 0)
        cdef object b = input_array(function, 1)
        cdef object ga, gb
        if not kind or kind_of(a) != kind or kind_of(b) != kind or (
                not fits_inputs(function, gy, 2)):
            return 0
        ga = empty_like(a)
        gb = empty_like(a)
        clear_float_errors()
        if kind == b'f':
            self.grads_f(
                <float *>PyArray_DATA(<np.ndarray>a),
                <float *>PyArray_DATA(<np.ndarray>b),
                <float *>PyArray_DATA(<np.ndarray>gy),
                <float *>PyArray_DATA(<np.ndarray>ga),
                <float *>PyArray_DATA(<np.ndarray>gb), PyArray_SIZE(a))
        else:
            self.grads_d(
                <double *>PyArray_DATA(<np.ndarray>a),
                <double *>PyArray_DATA(<np.ndarray>b),
                <double *>PyArray_DATA(<np.ndarray>gy),
                <double *>PyArray_DATA(<np.ndarray>ga),
                <double *>PyArray_DATA(<np.ndarray>gb), PyArray_SIZE(a))
        if float_errors():
            return 0
        gx[0] = given(ga)
        gx[1] = given(gb)
        return 1


cdef class TanhGradShortcut(_Slope):

    def __cinit__(self):
        self.loops.f = cf_tanh_grad_f
        self.loops.d = cf_tanh_grad_d
        self.grads_f = cf_tanh_grad_grads_f
        self.grads_d = cf_tanh_grad_grads_d


cdef class SigmoidGradShortcut(_Slope):

    def __cinit__(self):
        self.loops.f = cf_sigmoid_grad_f
        self.loops.d = cf_sigmoid_grad_d
        self.grads_f = cf_sigmoid_grad_grads_f
        self.grads_d = cf_sigmoid_grad_grads_d


cdef class ReLUGradShortcut(Shortcut):
    """Passes the gradient where the attribute ``b`` of the function is positive."""
    cdef Pair2 loops

    def __cinit__(self):
        self.loops.f = cf_relu_grad_f
        self.loops.d = cf_relu_grad_d

    cdef object mask(self, FunctionBase function, object gy):
        cdef char kind = kind_of(gy)
        cdef PyObject *own = cf_instance_dict(function)
        cdef PyObject *b
        if not kind or own is NULL:
            return None
        b = PyDict_GetItemWithError(<object>own, 'b')
        if b is NULL or kind_of(<object>b) != kind or not PyArray_SAMESHAPE(
                <np.ndarray>b, <np.ndarray>gy):
            return None
        return run2(self.loops, kind, <object>b, gy)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        return self.mask(function, <object>x[0]) if n == 1 else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        gx[0] = given(self.mask(function, gy))
        return gx[0] is not NULL


cdef Pair1 _mulc, _maxc, _halves
_mulc.f = cf_mulc_f
_mulc.d = cf_mulc_d
_maxc.f = cf_maxc_f
_maxc.d = cf_maxc_d
_halves.f = cf_halves_f
_halves.d = cf_halves_d
