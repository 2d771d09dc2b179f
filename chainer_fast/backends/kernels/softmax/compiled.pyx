"""Softmax and its logarithm on plain arrays, a block in the cache at a time."""
import numpy

cimport numpy as np
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_NDIM, PyArray_SAMESHAPE, \
    PyArray_SIZE

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut, cf_instance_dict
from chainer_fast._core.shortcut cimport given
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP
from chainer_fast._core.plain cimport empty_like, kind_of
from chainer_fast.backends.kernels.common.unary cimport Unary, cf_unary, unary_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/softmax/loops.h" nogil:
    void cf_softmax_f(const float *, float *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                      cf_unary, cf_unary, int) noexcept
    void cf_softmax_d(const double *, double *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                      cf_unary, cf_unary, int) noexcept
    void cf_softmax_grad_f(const float *, const float *, float *, ptrdiff_t, ptrdiff_t,
                           ptrdiff_t, cf_unary, int) noexcept
    void cf_softmax_grad_d(const double *, const double *, double *, ptrdiff_t,
                           ptrdiff_t, ptrdiff_t, cf_unary, int) noexcept

cdef Unary _exp = unary_of(numpy.exp)
cdef Unary _log = unary_of(numpy.log)


cdef struct Extent:
    # The axis between those before it and those behind it.
    ptrdiff_t outer
    ptrdiff_t n
    ptrdiff_t inner


cdef bint _extent(object x, object axis, Extent *e):
    cdef Py_ssize_t i, number
    cdef Py_ssize_t ndim = PyArray_NDIM(<np.ndarray>x)
    if type(axis) is not int:
        return False
    if not -ndim <= axis < ndim:
        return False
    number = axis
    if number < 0:
        number += ndim
    e.outer = 1
    for i in range(number):
        e.outer *= PyArray_DIM(<np.ndarray>x, i)
    e.n = PyArray_DIM(<np.ndarray>x, number)
    e.inner = PyArray_SIZE(x) // (e.outer * e.n)
    return True


cdef int _run(char kind, void *x, void *out, Extent e, bint logarithm) noexcept nogil:
    if kind == b'f':
        cf_softmax_f(<float *>x, <float *>out, e.outer, e.n, e.inner, _exp.f, _log.f,
                     logarithm)
    else:
        cf_softmax_d(<double *>x, <double *>out, e.outer, e.n, e.inner, _exp.d, _log.d,
                     logarithm)
    return 0


cdef int _run_grad(char kind, void *y, void *gy, void *out, Extent e,
                   bint logarithm) noexcept nogil:
    if kind == b'f':
        cf_softmax_grad_f(<float *>y, <float *>gy, <float *>out, e.outer, e.n, e.inner,
                          _exp.f, logarithm)
    else:
        cf_softmax_grad_d(<double *>y, <double *>gy, <double *>out, e.outer, e.n,
                          e.inner, _exp.d, logarithm)
    return 0


cdef object _forward(object x, object axis, bint logarithm):
    """Return the result, or None where there is no code or a flag was raised."""
    cdef Extent e
    cdef char kind = kind_of(x)
    cdef void *px
    cdef void *pout
    if not kind or not _extent(x, axis, &e):
        return None
    out = empty_like(x)
    px = PyArray_DATA(<np.ndarray>x)
    pout = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if e.outer * e.n * e.inner < LONG_LOOP:
        _run(kind, px, pout, e, logarithm)
    else:
        with nogil:
            _run(kind, px, pout, e, logarithm)
    return None if float_errors() else out


cdef object _gradient(object y, object gy, object axis, bint logarithm):
    cdef Extent e
    cdef char kind = kind_of(y)
    cdef void *py
    cdef void *pg
    cdef void *pout
    if not kind or kind_of(gy) != kind or not PyArray_SAMESHAPE(
            <np.ndarray>y, <np.ndarray>gy) or not _extent(y, axis, &e):
        return None
    out = empty_like(y)
    py = PyArray_DATA(<np.ndarray>y)
    pg = PyArray_DATA(<np.ndarray>gy)
    pout = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if e.outer * e.n * e.inner < LONG_LOOP:
        _run_grad(kind, py, pg, pout, e, logarithm)
    else:
        with nogil:
            _run_grad(kind, py, pg, pout, e, logarithm)
    return None if float_errors() else out


# ------------------------------------------------------------------------ kernels

def softmax(x, axis):
    out = _forward(x, axis, False)
    return NotImplemented if out is None else out


def log_softmax(x, axis):
    out = _forward(x, axis, True)
    return NotImplemented if out is None else out


def softmax_grad(y, gy, axis):
    out = _gradient(y, gy, axis, False)
    return NotImplemented if out is None else out


def log_softmax_grad(y, gy, axis):
    out = _gradient(y, gy, axis, True)
    return NotImplemented if out is None else out


# --------------------------------------------------------------- shortcuts of functions

cdef object _axis(FunctionBase function):
    cdef PyObject *own = cf_instance_dict(function)
    cdef PyObject *found
    if own is NULL:
        return None
    found = PyDict_GetItemWithError(<object>own, 'axis')
    return None if found is NULL else <object>found


cdef class SoftmaxShortcut(Shortcut):
    """Softmax, or its logarithm, and the gradient from its output."""
    cdef bint logarithm

    def __cinit__(self, bint logarithm=False):
        self.logarithm = logarithm
        self.retain_outputs = (0,)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        if n != 1:
            return None
        return _forward(<object>x[0], _axis(function), self.logarithm)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        gx[0] = given(_gradient(
            function.kept_outputs, gy, _axis(function), self.logarithm))
        return gx[0] is not NULL
