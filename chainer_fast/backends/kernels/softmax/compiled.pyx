"""Softmax and its logarithm on plain arrays, a block in the cache at a time."""
import numpy

cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_NDIM, PyArray_SAMESHAPE, \
    PyArray_SIZE

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.plain cimport empty_like, kind_of
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP, Unary, unary_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/softmax/loops.hpp" \
        namespace "chainer_fast" nogil:
    ctypedef struct Extent:
        ptrdiff_t outer
        ptrdiff_t n
        ptrdiff_t inner

    void fill_softmax[T](
        const T *x, T *out, Extent e, Unary exp, Unary log, bint logarithm) noexcept
    bint fill_softmax_gradient[T](
        const T *y, const T *gy, T *out, Extent e, Unary exp, bint logarithm) noexcept

ctypedef fused real:
    float
    double

cdef Unary _exp = unary_of(numpy.exp)
cdef Unary _log = unary_of(numpy.log)


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


cdef bint _fill(const real *x, const real *gy, real *out, Extent e,
                bint logarithm) noexcept nogil:
    """Return whether there is a loop for these numbers."""
    if gy is not NULL:
        return fill_softmax_gradient(x, gy, out, e, _exp, logarithm)
    fill_softmax(x, out, e, _exp, _log, logarithm)
    return True


cdef bint _fill_kind(char kind, void *x, void *gy, void *out, Extent e,
                     bint logarithm) noexcept nogil:
    if kind == b'f':
        return _fill(<float *>x, <float *>gy, <float *>out, e, logarithm)
    return _fill(<double *>x, <double *>gy, <double *>out, e, logarithm)


cdef object _result(char kind, object x, void *gy, Extent e, bint logarithm):
    """Return the softmax of ``x`` or, given ``gy``, the gradient from the output ``x``.

    None if a flag was raised, or there is no loop for these numbers.
    """
    cdef bint done
    out = empty_like(x)
    cdef void *x_data = PyArray_DATA(<np.ndarray>x)
    cdef void *out_data = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if e.outer * e.n * e.inner < LONG_LOOP:
        done = _fill_kind(kind, x_data, gy, out_data, e, logarithm)
    else:
        with nogil:
            done = _fill_kind(kind, x_data, gy, out_data, e, logarithm)
    return out if done and not float_errors() else None


cdef object softmax_of(object x, object axis, bint logarithm):
    """Return the result, or None if it is left to the reference."""
    cdef Extent e
    cdef char kind = kind_of(x)
    if not kind or not _extent(x, axis, &e):
        return None
    return _result(kind, x, NULL, e, logarithm)


cdef object gradient_of(object y, object gy, object axis, bint logarithm):
    """Return the result, or None if it is left to the reference."""
    cdef Extent e
    cdef char kind = kind_of(y)
    if not kind or kind_of(gy) != kind or not PyArray_SAMESHAPE(
            <np.ndarray>y, <np.ndarray>gy) or not _extent(y, axis, &e):
        return None
    return _result(kind, y, PyArray_DATA(<np.ndarray>gy), e, logarithm)


def softmax(x, axis):
    out = softmax_of(x, axis, False)
    return NotImplemented if out is None else out


def log_softmax(x, axis):
    out = softmax_of(x, axis, True)
    return NotImplemented if out is None else out


def softmax_grad(y, gy, axis):
    out = gradient_of(y, gy, axis, False)
    return NotImplemented if out is None else out


def log_softmax_grad(y, gy, axis):
    out = gradient_of(y, gy, axis, True)
    return NotImplemented if out is None else out
