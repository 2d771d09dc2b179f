"""Gapless arrays, which are plain except for the order of their axes.

Elements of a gapless array fill its memory without gaps. A loop over the elements of
several such arrays with the same shape and order does not depend on the order, and its
result has the same order, as in NumPy.
"""
cimport numpy as np
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DIMS, PyArray_EMPTY, \
    PyArray_NDIM, PyArray_SAMESHAPE, PyArray_SIZE, PyArray_TYPE

from chainer_fast._core.arrays.plain cimport CF_PLAIN_FLAGS, cf_any_float_kind

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewLikeArray(np.ndarray, np.NPY_ORDER, np.dtype, int subok)


cdef extern from "chainer_fast/_core/arrays/gapless.hpp" namespace "chainer_fast":
    # Whether an array, which is not empty, has no gaps in some order of axes.
    bint fills_memory(object array) noexcept
    # Whether two gapless arrays of one shape and type have the same order.
    bint same_order(object a, object b) noexcept


cdef inline char any_gapless_kind(object array) noexcept:
    """Return 'e', 'f' or 'd' for an array that is not empty, gapless but for its type.

    It is 0 for other arrays; 'e' is float16.
    """
    if not PyArray_CheckExact(array):
        return 0
    if not PyArray_CHKFLAGS(<np.ndarray>array, CF_PLAIN_FLAGS):
        if PyArray_SIZE(<np.ndarray>array) == 0 or not PyArray_CHKFLAGS(
                <np.ndarray>array, np.NPY_ARRAY_ALIGNED) or not fills_memory(array):
            return 0
    elif PyArray_SIZE(<np.ndarray>array) == 0:
        return 0
    return cf_any_float_kind(<np.ndarray>array)


cdef inline char gapless_kind(object array) noexcept:
    """Return 'f' or 'd' for a gapless array that is not empty, else 0."""
    cdef char kind = any_gapless_kind(array)
    return 0 if kind == b'e' else kind


cdef inline char any_common_gapless_kind(object a, object b) noexcept:
    """Return the kind of two arrays of one type, shape and order, else 0."""
    cdef char kind = any_gapless_kind(a)
    if not kind or any_gapless_kind(b) != kind or not PyArray_SAMESHAPE(
            <np.ndarray>a, <np.ndarray>b) or not same_order(a, b):
        return 0
    return kind


cdef inline char common_gapless_kind(object a, object b) noexcept:
    """Return the kind of two gapless arrays of one type, shape and order, else 0."""
    cdef char kind = any_common_gapless_kind(a, b)
    return 0 if kind == b'e' else kind


cdef inline object empty_gapless_like(object array):
    """Return an uninitialized array with shape, type and order of a gapless one."""
    if PyArray_CHKFLAGS(<np.ndarray>array, np.NPY_ARRAY_C_CONTIGUOUS):
        return PyArray_EMPTY(
            PyArray_NDIM(array), PyArray_DIMS(array), PyArray_TYPE(array), 0)
    return PyArray_NewLikeArray(<np.ndarray>array, np.NPY_KEEPORDER, <np.dtype>NULL, 0)
