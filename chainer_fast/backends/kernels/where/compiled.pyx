"""Choice of elements of arrays in C order, in single and double precision.

Arrays without axes go with all shapes; other cases give ``NotImplemented``.
"""
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_IS_C_CONTIGUOUS, PyArray_NDIM, \
    PyArray_SAMESHAPE, PyArray_SIZE, PyArray_TYPE

from chainer_fast._core.plain cimport empty_like, kind_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/where/loops.hpp" nogil:
    void where_each "chainer_fast::where"(
        char, const void *, const void *, bint, const void *, bint, void *,
        ptrdiff_t) noexcept


def where(np.ndarray condition not None, x, y):
    cdef np.ndarray a, b, like, out
    cdef bint x_single, y_single
    cdef void *pc
    cdef void *pa
    cdef void *pb
    cdef void *pout
    cdef ptrdiff_t n
    cdef char kind = kind_of(x)
    if kind == 0 or kind_of(y) != kind or PyArray_TYPE(condition) != np.NPY_BOOL:
        return NotImplemented
    if not PyArray_IS_C_CONTIGUOUS(condition) or PyArray_NDIM(condition) == 0:
        return NotImplemented
    a, b = x, y
    x_single, y_single = PyArray_NDIM(a) == 0, PyArray_NDIM(b) == 0
    if x_single and y_single:
        return NotImplemented
    like = b if x_single else a
    if not PyArray_SAMESHAPE(like, condition):
        return NotImplemented
    if not x_single and not y_single and not PyArray_SAMESHAPE(a, b):
        return NotImplemented
    out = empty_like(like)
    n = PyArray_SIZE(out)
    pc = PyArray_DATA(condition)
    pa = PyArray_DATA(a)
    pb = PyArray_DATA(b)
    pout = PyArray_DATA(out)
    with nogil:
        where_each(kind, pc, pa, x_single, pb, y_single, pout, n)
    return out
