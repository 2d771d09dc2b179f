"""Loops over dense arrays.

In small models the cost is not the arithmetic but the calls: argument parsing, type
resolution and dispatch of each ufunc. A shortcut goes from the arrays straight to a
loop and back.
"""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_SIZE

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.dense cimport common_dense_kind, dense_kind, empty_dense_like
from chainer_fast._core.private cimport find_loop
from chainer_fast.backends.kernels.common.exponential_ufuncs cimport (
    find_float_loop)
from chainer_fast.backends.kernels.common.layout cimport in_order_of

np.import_array()


cdef bint _take(UnaryLoop *loop, ufunc, int typenum, dtype) except -1:
    """Take the loop of a ufunc for a type; False if it does not do what the ufunc does.
    """
    x = numpy.linspace(.1, 2, 20, dtype=dtype)
    y = numpy.empty_like(x)
    if not find_loop(<PyObject *>ufunc, typenum, &loop.loop, &loop.data):
        return False
    loop.run(PyArray_DATA(<np.ndarray>x), PyArray_DATA(<np.ndarray>y), PyArray_SIZE(x),
             x.itemsize)
    return (ufunc(x) == y).all()


cdef Unary unary_of(ufunc, of_floats=None) except *:
    """Return the loops of a ufunc of NumPy; they last as long as NumPy does.

    The loop for floats is that of the function ``of_floats`` of our own, if given.
    """
    cdef Unary loops
    cdef Unary others = library_loops(ufunc.__name__.encode())
    if others.d.loop is NULL:
        raise ValueError('there are no loops of %r' % ufunc)
    if not _take(&loops.d, ufunc, np.NPY_DOUBLE, numpy.float64):
        loops.d = others.d
    if of_floats is not None:
        find_float_loop(of_floats, &loops.f.loop)
    elif not _take(&loops.f, ufunc, np.NPY_FLOAT, numpy.float32):
        loops.f = others.f
    return loops


cdef object run1(const WithConstant &loops, char kind, object a, double c):
    """Return ``loop(a, c)``, or None if it raised a flag."""
    cdef object out = empty_dense_like(a)
    cdef ptrdiff_t n = PyArray_SIZE(a)
    cdef void *pa = PyArray_DATA(<np.ndarray>a)
    cdef void *pout = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if n < LONG_LOOP:
        loops.run(kind, pa, c, pout, n)
    else:
        with nogil:
            loops.run(kind, pa, c, pout, n)
    return None if float_errors() else out


cdef object run_with_grad(const Binary &loops, object a, object gy):
    """Return ``loop(a, gy)`` in the order of ``a``, whatever that of the gradient.

    None if there is no loop for the arrays, and if it raised a flag.
    """
    cdef char kind = common_dense_kind(a, gy)
    cdef object out
    cdef ptrdiff_t n
    cdef void *pa
    cdef void *pg
    cdef void *pout
    if not kind and dense_kind(a):
        gy = in_order_of(gy, a)
        kind = common_dense_kind(a, gy)
    if not kind:
        return None
    out = empty_dense_like(a)
    n = PyArray_SIZE(a)
    pa = PyArray_DATA(<np.ndarray>a)
    pg = PyArray_DATA(<np.ndarray>gy)
    pout = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if n < LONG_LOOP:
        loops.run(kind, pa, pg, pout, n)
    else:
        with nogil:
            loops.run(kind, pa, pg, pout, n)
    return None if float_errors() else out
