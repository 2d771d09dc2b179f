"""Kernels of activations on plain arrays; ``NotImplemented`` for all others."""
import numpy

cimport numpy as np
from libc.stddef cimport ptrdiff_t
from libc.stdlib cimport free, malloc
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, PyArray_DIM, \
    PyArray_NDIM, PyArray_SAMESHAPE, PyArray_SIZE

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.plain cimport CF_PLAIN_FLAGS, common_kind, empty_like, kind_of
from chainer_fast.backends.kernels.common.loops cimport Unary, unary_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/activation/loops.hpp" \
        namespace "chainer_fast" nogil:
    void bend_each "chainer_fast::bend"(
        char, const void *, const void *, const void *, void *, ptrdiff_t) noexcept
    void mix_each "chainer_fast::mix"(
        char, const void *, const void *, const void *, void *, ptrdiff_t) noexcept
    void parametric(char, const void *, const void *, void *, ptrdiff_t, ptrdiff_t,
                    ptrdiff_t, const Unary *) noexcept
    void parametric_grads(
        char, const void *, const void *, const void *, const void *, void *, void *,
        double *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const Unary *) noexcept
    void maxout_each "chainer_fast::maxout"(
        char, const void *, void *, ptrdiff_t, ptrdiff_t, ptrdiff_t) noexcept
    void maxout_grads(char, const void *, const void *, const void *, void *,
                      ptrdiff_t, ptrdiff_t, ptrdiff_t) noexcept


cdef inline void *_data(object array) noexcept:
    return PyArray_DATA(<np.ndarray>array)


def bend(x, signs, slopes):
    cdef char kind = common_kind(x, signs)
    if not kind or not common_kind(x, slopes):
        return NotImplemented
    out = empty_like(x)
    clear_float_errors()
    bend_each(kind, _data(x), _data(signs), _data(slopes), _data(out), PyArray_SIZE(x))
    return NotImplemented if float_errors() else out


def mix(a, b, flags):
    cdef char kind = common_kind(a, b)
    if not kind or not PyArray_CheckExact(flags):
        return NotImplemented
    if np.PyArray_TYPE(<np.ndarray>flags) != np.NPY_BOOL or not PyArray_CHKFLAGS(
            <np.ndarray>flags, CF_PLAIN_FLAGS) or not PyArray_SAMESHAPE(
            <np.ndarray>a, <np.ndarray>flags):
        return NotImplemented
    out = empty_like(a)
    clear_float_errors()
    mix_each(kind, _data(a), _data(b), _data(flags), _data(out), PyArray_SIZE(a))
    return NotImplemented if float_errors() else out


# --------------------------------------------------------------- parameters of channels

cdef Unary _tanh = unary_of(numpy.tanh)


cdef bint _fits(object x, object w, ptrdiff_t *count, ptrdiff_t *run) noexcept:
    """Tell whether ``w`` has the axes of ``x`` from the second on, or some of them.

    If so, ``count`` is its size, and each of its elements belongs to runs of ``run``
    elements of ``x``.
    """
    cdef Py_ssize_t i
    cdef Py_ssize_t ndim = PyArray_NDIM(<np.ndarray>w)
    if PyArray_NDIM(<np.ndarray>x) < ndim + 1:
        return False
    for i in range(ndim):
        if PyArray_DIM(<np.ndarray>x, i + 1) != PyArray_DIM(<np.ndarray>w, i):
            return False
    count[0] = PyArray_SIZE(w)
    run[0] = PyArray_SIZE(x) // (PyArray_DIM(<np.ndarray>x, 0) * count[0])
    return True


cdef object _parametric(object x, object w, const Unary *tanh):
    cdef ptrdiff_t count = 0
    cdef ptrdiff_t run = 0
    cdef char kind = kind_of(x)
    if not kind or kind_of(w) != kind or not _fits(x, w, &count, &run):
        return NotImplemented
    out = empty_like(x)
    cdef void *px = _data(x)
    cdef void *pw = _data(w)
    cdef void *pout = _data(out)
    cdef ptrdiff_t n = PyArray_SIZE(x)
    clear_float_errors()
    with nogil:
        parametric(kind, px, pw, pout, n, count, run, tanh)
    return NotImplemented if float_errors() else out


cdef object _parametric_grad(
        object x, object w, object gy, object signs, const Unary *tanh):
    cdef ptrdiff_t count = 0
    cdef ptrdiff_t run = 0
    cdef char kind = common_kind(x, gy)
    if not kind or kind_of(w) != kind or not common_kind(x, signs) or (
            not _fits(x, w, &count, &run)):
        return NotImplemented
    gx = empty_like(x)
    gw = empty_like(w)
    cdef void *px = _data(x)
    cdef void *pw = _data(w)
    cdef void *pgy = _data(gy)
    cdef void *psigns = _data(signs)
    cdef void *pgx = _data(gx)
    cdef void *pgw = _data(gw)
    cdef ptrdiff_t n = PyArray_SIZE(x)
    cdef double *totals = <double *>malloc(count * sizeof(double))
    if totals is NULL:
        raise MemoryError
    clear_float_errors()
    with nogil:
        parametric_grads(
            kind, px, pw, pgy, psigns, pgx, pgw, totals, n, count, run, tanh)
    free(totals)
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

cdef bint _groups(object x, Py_ssize_t size, Py_ssize_t axis, object y,
                  ptrdiff_t *inner) noexcept:
    """Tell whether ``y`` has an element for each group, and find how they lie."""
    cdef Py_ssize_t i
    cdef Py_ssize_t ndim = PyArray_NDIM(<np.ndarray>x)
    if PyArray_NDIM(<np.ndarray>y) != ndim or not 0 <= axis < ndim:
        return False
    inner[0] = 1
    for i in range(ndim):
        if PyArray_DIM(<np.ndarray>x, i) != PyArray_DIM(<np.ndarray>y, i) * (
                size if i == axis else 1):
            return False
        if i > axis:
            inner[0] *= PyArray_DIM(<np.ndarray>x, i)
    return True


def maxout(x, Py_ssize_t size, Py_ssize_t axis):
    cdef ptrdiff_t inner = 0
    cdef char kind = kind_of(x)
    cdef np.npy_intp dims[64]
    cdef Py_ssize_t i
    if not kind or not 0 <= axis < PyArray_NDIM(<np.ndarray>x) or size < 1:
        return NotImplemented
    for i in range(PyArray_NDIM(<np.ndarray>x)):
        dims[i] = PyArray_DIM(<np.ndarray>x, i)
    dims[axis] //= size
    y = np.PyArray_EMPTY(
        PyArray_NDIM(<np.ndarray>x), dims, np.PyArray_TYPE(<np.ndarray>x), 0)
    if not _groups(x, size, axis, y, &inner):
        return NotImplemented
    clear_float_errors()
    maxout_each(kind, _data(x), _data(y), PyArray_SIZE(y) // inner, size, inner)
    return NotImplemented if float_errors() else y


def maxout_grad(x, y, gy, Py_ssize_t size, Py_ssize_t axis):
    cdef ptrdiff_t inner = 0
    cdef char kind = common_kind(y, gy)
    if not kind or kind_of(x) != kind or not _groups(x, size, axis, y, &inner):
        return NotImplemented
    gx = empty_like(x)
    maxout_grads(kind, _data(x), _data(y), _data(gy), _data(gx),
                 PyArray_SIZE(y) // inner, size, inner)
    return gx
