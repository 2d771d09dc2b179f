"""Compiled shortcuts of functions, for plain arrays.

What a small model pays for is not arithmetic but the way to it: argument parsing, type
resolution and dispatch of each ufunc call. A kernel goes from the arrays straight to a
loop and back. It says no (None from ``forward``, zero from ``backward``) to whatever is
not plain, and to results whose loops raised a floating-point flag, which NumPy has to
warn of; the function's own methods then do the work, and give the same bits.
"""
import numpy

cimport numpy as np
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_SAMESHAPE, PyArray_SIZE, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Kernel, VariableNodeBase, \
    cf_instance_dict, shape_matches
from chainer_fast._core.plain cimport empty_like, kind_of

np.import_array()
np.import_ufunc()

cdef extern from "numpy/ufuncobject.h":
    # The fields of C: what Cython's declarations call by these names depends on NumPy.
    ctypedef struct cf_ufunc "PyUFuncObject":
        int ntypes
        InnerLoop *functions
        void **data
        char *types

cdef extern from "loops.h" nogil:
    void cf_add_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_add_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_sub_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_sub_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_mul_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_mul_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_tanh_grad_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_tanh_grad_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_sigmoid_grad_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_sigmoid_grad_d(
        const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_relu_grad_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_relu_grad_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_sqrt_grad_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_sqrt_grad_d(const double *, const double *, double *, ptrdiff_t) noexcept
    void cf_div_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_div_d(const double *, const double *, double *, ptrdiff_t) noexcept
    int cf_tanh_grad_grads_f(const float *, const float *, const float *, float *,
                             float *, ptrdiff_t) noexcept
    int cf_tanh_grad_grads_d(const double *, const double *, const double *, double *,
                             double *, ptrdiff_t) noexcept
    int cf_sigmoid_grad_grads_f(const float *, const float *, const float *, float *,
                                float *, ptrdiff_t) noexcept
    int cf_sigmoid_grad_grads_d(const double *, const double *, const double *,
                                double *, double *, ptrdiff_t) noexcept
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
    void cf_maxc_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_maxc_d(const double *, double, double *, ptrdiff_t) noexcept
    void cf_halves_f(const float *, float, float *, ptrdiff_t) noexcept
    void cf_halves_d(const double *, double, double *, ptrdiff_t) noexcept


# ------------------------------------------------------------------- loops on arrays

cdef void _loop2(Pair2 loops, char kind, void *a, void *b, void *out,
                 npy_intp n) noexcept nogil:
    if kind == b'f':
        loops.f(<float *>a, <float *>b, <float *>out, n)
    else:
        loops.d(<double *>a, <double *>b, <double *>out, n)


cdef object run2(Pair2 loops, char kind, object a, object b):
    """Return ``loop(a, b)``, or None if it raised a flag."""
    cdef object out = empty_like(a)
    cdef npy_intp n = PyArray_SIZE(a)
    cdef void *pa = PyArray_DATA(<np.ndarray>a)
    cdef void *pb = PyArray_DATA(<np.ndarray>b)
    cdef void *pout = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if n < LONG_LOOP:
        _loop2(loops, kind, pa, pb, pout, n)
    else:
        with nogil:
            _loop2(loops, kind, pa, pb, pout, n)
    return None if float_errors() else out


cdef void _loop1(Pair1 loops, char kind, void *a, double c, void *out,
                 npy_intp n) noexcept nogil:
    if kind == b'f':
        loops.f(<float *>a, <float>c, <float *>out, n)
    else:
        loops.d(<double *>a, c, <double *>out, n)


cdef object run1(Pair1 loops, char kind, object a, double c):
    """Return ``loop(a, c)``, or None if it raised a flag."""
    cdef object out = empty_like(a)
    cdef npy_intp n = PyArray_SIZE(a)
    cdef void *pa = PyArray_DATA(<np.ndarray>a)
    cdef void *pout = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if n < LONG_LOOP:
        _loop1(loops, kind, pa, c, pout, n)
    else:
        with nogil:
            _loop1(loops, kind, pa, c, pout, n)
    return None if float_errors() else out


cdef class UfuncLoop:
    """Inner loops of a ufunc of one argument, called without the ufunc."""

    def __cinit__(self, ufunc):
        cdef cf_ufunc *table
        cdef int i
        if not isinstance(ufunc, numpy.ufunc) or ufunc.nin != 1 or ufunc.nout != 1:
            raise TypeError('expected a ufunc of one argument, got %r' % (ufunc,))
        table = <cf_ufunc *><PyObject *>ufunc
        # The first loop that fits is NumPy's choice; slower ones may come after it.
        for i in reversed(range(table.ntypes)):
            if table.types[2 * i] == np.NPY_FLOAT and (
                    table.types[2 * i + 1] == np.NPY_FLOAT):
                self.loop_f = <InnerLoop>table.functions[i]
                self.data_f = <void *>table.data[i]
            elif table.types[2 * i] == np.NPY_DOUBLE and (
                    table.types[2 * i + 1] == np.NPY_DOUBLE):
                self.loop_d = <InnerLoop>table.functions[i]
                self.data_d = <void *>table.data[i]
        if self.loop_f is NULL or self.loop_d is NULL:
            raise RuntimeError('NumPy has no loop of floats for %r' % ufunc)

    cdef void _loop(self, char kind, void *a, void *out, npy_intp n) noexcept nogil:
        cdef char *args[2]
        cdef npy_intp steps[2]
        args[0] = <char *>a
        args[1] = <char *>out
        steps[0] = steps[1] = 4 if kind == b'f' else 8
        if kind == b'f':
            self.loop_f(args, &n, steps, self.data_f)
        else:
            self.loop_d(args, &n, steps, self.data_d)

    cdef object run(self, char kind, object a):
        """Return the ufunc of ``a``, or None if its loop raised a flag."""
        cdef object out = empty_like(a)
        cdef npy_intp n = PyArray_SIZE(a)
        cdef void *pa = PyArray_DATA(<np.ndarray>a)
        cdef void *pout = PyArray_DATA(<np.ndarray>out)
        clear_float_errors()
        if n < LONG_LOOP:
            self._loop(kind, pa, pout, n)
        else:
            with nogil:
                self._loop(kind, pa, pout, n)
        return None if float_errors() else out

    cdef int run_in_place(self, char kind, void *data, npy_intp n) noexcept nogil:
        """Apply the ufunc to ``n`` numbers where they are; leaves the flags alone."""
        self._loop(kind, data, data, n)
        return 0


cdef PyObject *given(object array) noexcept:
    """Return a new reference, for a slot of gradients."""
    if array is None:
        return NULL
    Py_INCREF(array)
    return <PyObject *>array


cdef bint wanted(FunctionBase function, Py_ssize_t i):
    return (<VariableNodeBase>function.input_nodes[i]).needs_grad


cdef object input_array(FunctionBase function, Py_ssize_t i):
    """Return a retained input array."""
    return (<VariableNodeBase>function.input_nodes[i]).array


# --------------------------------------------------------------------- two operands

cdef class _Binary(Kernel):
    """Elementwise operation on two arrays of one shape."""
    cdef Pair2 loops

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        if n != 2:
            return None
        cdef object a = <object>x[0]
        cdef object b = <object>x[1]
        cdef char kind = kind_of(a)
        if not kind or kind_of(b) != kind or not PyArray_SAMESHAPE(
                <np.ndarray>a, <np.ndarray>b):
            return None
        return run2(self.loops, kind, a, b)


cdef class AddKernel(_Binary):

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


cdef class SubKernel(_Binary):

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


cdef class MulKernel(_Binary):

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


cdef bint fits_inputs(FunctionBase function, object gy, Py_ssize_t n) except -1:
    """Tell whether a gradient has the shape and type of all inputs."""
    cdef Py_ssize_t i
    cdef VariableNodeBase node
    for i in range(n):
        node = <VariableNodeBase>function.input_nodes[i]
        if node.dtype is not <object>np.PyArray_DESCR(<np.ndarray>gy) or (
                not shape_matches(node, gy)):
            return False
    return True


# ---------------------------------------------------------------------- one operand

cdef class _Unary(Kernel):
    """Elementwise function of one array, by a ufunc's loop; retains its output.

    The gradient is ``grad(y, gy)``.
    """
    cdef UfuncLoop ufunc
    cdef Pair2 grad

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        if n != 1:
            return None
        cdef object a = <object>x[0]
        cdef char kind = kind_of(a)
        return self.ufunc.run(kind, a) if kind else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef char kind = kind_of(gy)
        cdef object y = function.kept_outputs
        if not kind or kind_of(y) != kind or not PyArray_SAMESHAPE(
                <np.ndarray>y, <np.ndarray>gy):
            return 0
        gx[0] = given(run2(self.grad, kind, y, gy))
        return gx[0] is not NULL


cdef class TanhKernel(_Unary):

    def __cinit__(self):
        self.ufunc = UfuncLoop(numpy.tanh)
        self.grad.f = cf_tanh_grad_f
        self.grad.d = cf_tanh_grad_d
        self.retain_outputs = (0,)


cdef class SigmoidKernel(_Unary):

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


cdef class ExpKernel(_Unary):

    def __cinit__(self):
        self.ufunc = UfuncLoop(numpy.exp)
        self.grad.f = cf_mul_f
        self.grad.d = cf_mul_d
        self.retain_outputs = (0,)


cdef class SqrtKernel(_Unary):

    def __cinit__(self):
        self.ufunc = UfuncLoop(numpy.sqrt)
        self.grad.f = cf_sqrt_grad_f
        self.grad.d = cf_sqrt_grad_d
        self.retain_outputs = (0,)


cdef class ReLUKernel(_Unary):

    def __cinit__(self):
        self.grad.f = cf_relu_grad_f
        self.grad.d = cf_relu_grad_d
        self.retain_outputs = (0,)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef char kind = kind_of(<object>x[0]) if n == 1 else 0
        return run1(_maxc, kind, <object>x[0], 0) if kind else None


cdef class _Slope(_Binary):
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


cdef class TanhGradKernel(_Slope):

    def __cinit__(self):
        self.loops.f = cf_tanh_grad_f
        self.loops.d = cf_tanh_grad_d
        self.grads_f = cf_tanh_grad_grads_f
        self.grads_d = cf_tanh_grad_grads_d


cdef class SigmoidGradKernel(_Slope):

    def __cinit__(self):
        self.loops.f = cf_sigmoid_grad_f
        self.loops.d = cf_sigmoid_grad_d
        self.grads_f = cf_sigmoid_grad_grads_f
        self.grads_d = cf_sigmoid_grad_grads_d


cdef class ReLUGradKernel(Kernel):
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


cdef class NegKernel(Kernel):

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


cdef class _Constant(Kernel):
    """Elementwise operation on an array and the function's scalar."""
    cdef Pair1 loops

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef double value = 0
        cdef char kind = kind_of(<object>x[0]) if n == 1 else 0
        if not kind or not _scalar(function, &value):
            return None
        return run1(self.loops, kind, <object>x[0], value)


cdef class AddConstantKernel(_Constant):

    def __cinit__(self):
        self.loops.f = cf_addc_f
        self.loops.d = cf_addc_d

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        if not fits_inputs(function, gy, 1):
            return 0
        gx[0] = given(gy)
        return 1


cdef class SubFromConstantKernel(_Constant):

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


cdef class MulConstantKernel(_Constant):

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


cdef class PowVarConstKernel(Kernel):
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


cdef Pair1 _neg, _mulc, _maxc, _halves
_neg.f = cf_neg_f
_neg.d = cf_neg_d
_mulc.f = cf_mulc_f
_mulc.d = cf_mulc_d
_maxc.f = cf_maxc_f
_maxc.d = cf_maxc_d
_halves.f = cf_halves_f
_halves.d = cf_halves_d
