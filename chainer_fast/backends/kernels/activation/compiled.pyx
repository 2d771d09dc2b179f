"""Kernels of activations on plain arrays; ``NotImplemented`` for all others."""
import numpy

cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_CompareLists, \
    PyArray_DIM, PyArray_DIMS, PyArray_EMPTY, PyArray_NDIM, PyArray_SAMESHAPE, \
    PyArray_SIZE, PyArray_TYPE, PyArray_ZEROS, npy_intp

from chainer_fast._core.arrays.plain cimport (
    CF_PLAIN_FLAGS, common_kind, empty_like, kind_of)
from chainer_fast._core.graphs.graph cimport clear_float_errors, float_errors
from chainer_fast.backends.kernels.common.ufuncs cimport Unary, unary_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/activation/loops.hpp" \
        namespace "chainer_fast::activation":
    void mix_loop(
        char, object a, object b, object flags, object out, ptrdiff_t) noexcept
    void parametric_loop(
        char, object x, object w, object out, ptrdiff_t n, ptrdiff_t count,
        ptrdiff_t run, const Unary *tanh) noexcept
    void parametric_grads_loop(
        char, object x, object w, object gy, object signs, object gx, object gw,
        object totals, ptrdiff_t n, ptrdiff_t count, ptrdiff_t run,
        const Unary *tanh) noexcept
    void maxout_loop(char, object x, object y, ptrdiff_t groups, ptrdiff_t size,
                     ptrdiff_t inner) noexcept
    void maxout_grads_loop(
        char, object x, object y, object gy, object gx, ptrdiff_t groups,
        ptrdiff_t size, ptrdiff_t inner) noexcept


def mix(a, b, flags):
    cdef char kind = common_kind(a, b)
    if not kind or not PyArray_CheckExact(flags):
        return NotImplemented
    if PyArray_TYPE(<np.ndarray>flags) != np.NPY_BOOL or not PyArray_CHKFLAGS(
            <np.ndarray>flags, CF_PLAIN_FLAGS) or not PyArray_SAMESHAPE(
            <np.ndarray>a, <np.ndarray>flags):
        return NotImplemented
    out = empty_like(a)
    clear_float_errors()
    mix_loop(kind, a, b, flags, out, PyArray_SIZE(a))
    return NotImplemented if float_errors() else out


# --------------------------------------------------------------- parameters of channels

cdef Unary _tanh = unary_of(numpy.tanh)


cdef bint _fits(char kind, object x, object w) noexcept:
    """Return whether ``w`` has some or all axes of ``x`` from the second on."""
    return (kind and kind_of(w) == kind and PyArray_NDIM(w) < PyArray_NDIM(x)
            and PyArray_CompareLists(
                PyArray_DIMS(<np.ndarray>x) + 1, PyArray_DIMS(<np.ndarray>w),
                PyArray_NDIM(w)))


cdef ptrdiff_t _run(object x, object w) noexcept:
    """Return the number of successive elements of ``x`` for one of ``w``."""
    return PyArray_SIZE(x) // (PyArray_DIM(<np.ndarray>x, 0) * PyArray_SIZE(w))


cdef object _parametric(object x, object w, const Unary *tanh):
    cdef char kind = kind_of(x)
    if not _fits(kind, x, w):
        return NotImplemented
    out = empty_like(x)
    clear_float_errors()
    parametric_loop(
        kind, x, w, out, PyArray_SIZE(x), PyArray_SIZE(w), _run(x, w), tanh)
    return NotImplemented if float_errors() else out


cdef object _parametric_grad(
        object x, object w, object gy, object signs, const Unary *tanh):
    cdef char kind = common_kind(x, gy)
    cdef npy_intp count
    if not _fits(kind, x, w) or not common_kind(x, signs):
        return NotImplemented
    count = PyArray_SIZE(w)
    gx = empty_like(x)
    gw = empty_like(w)
    totals = PyArray_ZEROS(1, &count, np.NPY_DOUBLE, 0)
    clear_float_errors()
    parametric_grads_loop(kind, x, w, gy, signs, gx, gw, totals, PyArray_SIZE(x), count,
                          _run(x, w), tanh)
    return NotImplemented if float_errors() else (gx, gw)


def prelu(x, W):
    return _parametric(x, W, NULL)


def prelu_grad(x, W, gy, cond):
    return _parametric_grad(x, W, gy, cond, NULL)


def swish(x, beta):
    return _parametric(x, beta, &_tanh)


def swish_grad(x, beta, gy):
    return _parametric_grad(x, beta, gy, x, &_tanh)


# ------------------------------------------------------------------------------- groups

cdef enum:
    MAX_DIMS = 64


cdef ptrdiff_t _groups(
        object x, Py_ssize_t size, Py_ssize_t axis, npy_intp *dims) noexcept:
    """Set the shape with an element for each group.

    Return the distance of elements of a group, or zero if the axis has no such groups.
    """
    cdef Py_ssize_t i
    cdef ptrdiff_t inner = 1
    if size < 1 or not 0 <= axis < PyArray_NDIM(x) or (
            PyArray_DIM(<np.ndarray>x, axis) % size):
        return 0
    for i in range(PyArray_NDIM(x)):
        dims[i] = PyArray_DIM(<np.ndarray>x, i)
        if i > axis:
            inner *= dims[i]
    dims[axis] //= size
    return inner


def maxout(x, Py_ssize_t size, Py_ssize_t axis):
    cdef npy_intp dims[MAX_DIMS]
    cdef char kind = kind_of(x)
    cdef ptrdiff_t inner = _groups(x, size, axis, dims) if kind else 0
    if not inner:
        return NotImplemented
    y = PyArray_EMPTY(PyArray_NDIM(x), dims, PyArray_TYPE(<np.ndarray>x), 0)
    clear_float_errors()
    maxout_loop(kind, x, y, PyArray_SIZE(y) // inner, size, inner)
    return NotImplemented if float_errors() else y


def maxout_grad(x, y, gy, Py_ssize_t size, Py_ssize_t axis):
    cdef npy_intp dims[MAX_DIMS]
    cdef char kind = common_kind(y, gy)
    cdef ptrdiff_t inner
    if not kind or kind_of(x) != kind or PyArray_NDIM(y) != PyArray_NDIM(x):
        return NotImplemented
    inner = _groups(x, size, axis, dims)
    if not inner or not PyArray_CompareLists(
            dims, PyArray_DIMS(<np.ndarray>y), PyArray_NDIM(y)):
        return NotImplemented
    gx = empty_like(x)
    maxout_grads_loop(kind, x, y, gy, gx, PyArray_SIZE(y) // inner, size, inner)
    return gx
