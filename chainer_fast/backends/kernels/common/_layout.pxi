# Arrays copied to the order of others. Part of layout.pyx.
cimport numpy as np
from cpython.ref cimport Py_INCREF
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, PyArray_DESCR, \
    PyArray_DIM, PyArray_DIMS, PyArray_ISNOTSWAPPED, PyArray_ITEMSIZE, PyArray_NDIM, \
    PyArray_SAMESHAPE, PyArray_SIZE, PyArray_STRIDES, PyArray_TYPE, npy_intp

from chainer_fast._core.arrays.gapless cimport same_order

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewLikeArray(np.ndarray, np.NPY_ORDER, np.dtype, int subok)
    int PyArray_CopyInto(np.ndarray, np.ndarray) except -1

cdef extern from "chainer_fast/backends/kernels/common/copies.hpp" \
        namespace "chainer_fast" nogil:
    bint copy(ptrdiff_t itemsize, int ndim, const npy_intp *dims, const void *,
              const npy_intp *strides, void *, const npy_intp *to_strides) noexcept


cdef bint _is_plain(object array) noexcept:
    """Return whether an array is in C order and native bytes, and not empty."""
    return PyArray_CHKFLAGS(
        <np.ndarray>array, np.NPY_ARRAY_C_CONTIGUOUS | np.NPY_ARRAY_ALIGNED) and (
            PyArray_ISNOTSWAPPED(<np.ndarray>array) and PyArray_SIZE(array) > 0)


cpdef object assign(object out, object array):
    """Copy an array into another, whose elements do not overlap; return that."""
    if not PyArray_CheckExact(out) or not PyArray_CheckExact(array):
        return NotImplemented
    cdef np.ndarray x = array, y = out
    cdef int ndim = PyArray_NDIM(x)
    cdef ptrdiff_t itemsize = PyArray_ITEMSIZE(x)
    cdef bint done = False
    if PyArray_SIZE(x) > 0 and np.PyTypeNum_ISNUMBER(PyArray_TYPE(x)) and (
            PyArray_ISNOTSWAPPED(x) and PyArray_ISNOTSWAPPED(y)
            and PyArray_CHKFLAGS(x, np.NPY_ARRAY_ALIGNED)
            and PyArray_CHKFLAGS(y, np.NPY_ARRAY_BEHAVED)
            and PyArray_TYPE(x) == PyArray_TYPE(y) and PyArray_SAMESHAPE(x, y)):
        with nogil:
            done = copy(itemsize, ndim, PyArray_DIMS(x), PyArray_DATA(x),
                        PyArray_STRIDES(x), PyArray_DATA(y), PyArray_STRIDES(y))
    if not done:
        PyArray_CopyInto(y, x)
    return y


def copied(array):
    """Return a copy in C order of an array of NumPy."""
    if not PyArray_CheckExact(array):
        return NotImplemented
    return assign(_empty_like(array, array, np.NPY_CORDER), array)


cdef object _empty_like(object array, object like, np.NPY_ORDER order):
    """Return a new array of the type of one and the shape of another, not filled."""
    cdef np.dtype dtype = <np.dtype>PyArray_DESCR(<np.ndarray>array)
    Py_INCREF(dtype)    # NumPy takes this reference
    return PyArray_NewLikeArray(<np.ndarray>like, order, dtype, 0)


cdef object in_order_of(object array, object like):
    """Return an array in the order in memory of a gapless one.

    The result is the array itself if it already has that order, is not of NumPy,
    or has another shape; otherwise a copy.
    """
    if not PyArray_CheckExact(array) or not PyArray_SAMESHAPE(
            <np.ndarray>array, <np.ndarray>like) or same_order(array, like):
        return array
    return assign(_empty_like(array, like, np.NPY_KEEPORDER), array)


cdef object in_c_order(object array):
    """Return an array of NumPy in C order: the array itself, or a copy."""
    if PyArray_CHKFLAGS(<np.ndarray>array, np.NPY_ARRAY_C_CONTIGUOUS):
        return array
    return assign(_empty_like(array, array, np.NPY_CORDER), array)


cdef object as_channels_last(object array):
    """Return an array of numbers with channels last: the array itself, or a copy.

    It has from 3 to ``MAX_IMAGE_DIMS`` axes; with one channel or pixel, C order does.
    """
    cdef object out
    if is_channels_last(array):
        return array
    out = empty_channels_last(
        PyArray_NDIM(<np.ndarray>array), PyArray_DIMS(<np.ndarray>array),
        PyArray_TYPE(<np.ndarray>array))
    if _is_plain(array) and _is_plain(out):
        return array
    return assign(out, array)
