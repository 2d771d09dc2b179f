"""Choice of elements of arrays in C order, in single and double precision.

Arrays without axes go with all shapes. For anything else, ``NotImplemented``.
"""
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_IS_C_CONTIGUOUS, \
    PyArray_NDIM, PyArray_SIZE, PyArray_TYPE

from chainer_fast._core.plain cimport empty_like, kind_of

np.import_array()

cdef extern from "numpy/arrayobject.h":
    bint PyArray_SAMESHAPE(np.ndarray, np.ndarray)

cdef extern from "chainer_fast/backends/kernels/where/loops.h" nogil:
    void cf_where_f(const unsigned char *, const float *, const float *, float *,
                    ptrdiff_t) noexcept
    void cf_where_d(const unsigned char *, const double *, const double *, double *,
                    ptrdiff_t) noexcept
    void cf_where_x_f(const unsigned char *, const float *, float, float *,
                      ptrdiff_t) noexcept
    void cf_where_x_d(const unsigned char *, const double *, double, double *,
                      ptrdiff_t) noexcept
    void cf_where_y_f(const unsigned char *, float, const float *, float *,
                      ptrdiff_t) noexcept
    void cf_where_y_d(const unsigned char *, double, const double *, double *,
                      ptrdiff_t) noexcept


def where(np.ndarray condition, x, y):
    cdef np.ndarray a, b, like, out
    cdef bint x_single, y_single
    cdef ptrdiff_t n
    cdef unsigned char *c
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
    c = <unsigned char *>PyArray_DATA(condition)
    with nogil:
        if kind == c'f':
            if x_single:
                cf_where_y_f(c, (<float *>PyArray_DATA(a))[0], <float *>PyArray_DATA(b),
                             <float *>PyArray_DATA(out), n)
            elif y_single:
                cf_where_x_f(c, <float *>PyArray_DATA(a), (<float *>PyArray_DATA(b))[0],
                             <float *>PyArray_DATA(out), n)
            else:
                cf_where_f(c, <float *>PyArray_DATA(a), <float *>PyArray_DATA(b),
                           <float *>PyArray_DATA(out), n)
        elif x_single:
            cf_where_y_d(c, (<double *>PyArray_DATA(a))[0], <double *>PyArray_DATA(b),
                         <double *>PyArray_DATA(out), n)
        elif y_single:
            cf_where_x_d(c, <double *>PyArray_DATA(a), (<double *>PyArray_DATA(b))[0],
                         <double *>PyArray_DATA(out), n)
        else:
            cf_where_d(c, <double *>PyArray_DATA(a), <double *>PyArray_DATA(b),
                       <double *>PyArray_DATA(out), n)
    return out
