"""Softmax and its logarithm on plain arrays, a block in the cache at a time."""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DIM, PyArray_NDIM, PyArray_SAMESHAPE, PyArray_SIZE

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut, own_attribute
from chainer_fast._core.plain cimport empty_like, kind_of
from chainer_fast._core.shortcut cimport given, output_array
from chainer_fast.backends.kernels.common.loops cimport Unary, unary_of
from chainer_fast.backends.kernels.common.spread cimport without_gaps

np.import_array()

cdef extern from "chainer_fast/backends/kernels/softmax/loops.hpp" \
        namespace "chainer_fast":
    ctypedef struct Extent:
        ptrdiff_t outer
        ptrdiff_t n
        ptrdiff_t inner

    void softmax_loop(char, object x, object out, Extent, Unary exp, Unary log,
                      bint logarithm) noexcept
    bint softmax_gradient_loop(char, object y, object gy, object out, Extent,
                               Unary exp, bint logarithm) noexcept

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


cdef object _softmax(object x, object axis, bint logarithm):
    """Return the result, or None if it is left to the reference."""
    cdef Extent e
    cdef char kind
    x = without_gaps(x)
    kind = kind_of(x)
    if not kind or not _extent(x, axis, &e):
        return None
    out = empty_like(x)
    clear_float_errors()
    softmax_loop(kind, x, out, e, _exp, _log, logarithm)
    return None if float_errors() else out


cdef object _gradient(object y, object gy, object axis, bint logarithm):
    """Return the result, or None if it is left to the reference."""
    cdef Extent e
    cdef char kind = kind_of(y)
    gy = without_gaps(gy)
    if not kind or kind_of(gy) != kind or not PyArray_SAMESHAPE(
            <np.ndarray>y, <np.ndarray>gy) or not _extent(y, axis, &e):
        return None
    out = empty_like(y)
    clear_float_errors()
    done = softmax_gradient_loop(kind, y, gy, out, e, _exp, logarithm)
    return out if done and not float_errors() else None


def softmax(x, axis, logarithm=False):
    out = _softmax(x, axis, logarithm)
    return NotImplemented if out is None else out


def softmax_grad(y, gy, axis, logarithm=False):
    out = _gradient(y, gy, axis, logarithm)
    return NotImplemented if out is None else out


cdef class SoftmaxShortcut(Shortcut):
    # The first lines are what ``inspect.signature`` reads.
    """SoftmaxShortcut(logarithm=False)
--

    Softmax, or its logarithm, and the gradient from its output.
    """
    cdef bint logarithm

    def __cinit__(self, bint logarithm=False):
        self.logarithm = logarithm
        self.traits.retain_outputs = (0,)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        if n != 1:
            return None
        return _softmax(<object>x[0], own_attribute(function, 'axis'), self.logarithm)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        gx[0] = given(_gradient(
            output_array(function), gy, own_attribute(function, 'axis'),
            self.logarithm))
        return gx[0] is not NULL
