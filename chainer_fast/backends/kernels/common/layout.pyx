"""Arrays brought into the order of others."""
cimport numpy as np
from cpython.ref cimport Py_INCREF
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, PyArray_DESCR, \
    PyArray_DIM, PyArray_ISNOTSWAPPED, PyArray_ITEMSIZE, PyArray_SAMESHAPE, \
    PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.dense cimport same_order

np.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewLikeArray(np.ndarray, np.NPY_ORDER, np.dtype, int subok)
    int PyArray_CopyInto(np.ndarray, np.ndarray) except -1

cdef extern from "chainer_fast/backends/kernels/common/transpose.hpp" \
        namespace "chainer_fast" nogil:
    bint transpose(
        ptrdiff_t itemsize, const void *, void *, ptrdiff_t matrices, ptrdiff_t rows,
        ptrdiff_t columns) noexcept


cdef bint _is_plain(object array) noexcept:
    """Tell whether an array is in C order and native bytes, and not empty."""
    return PyArray_CHKFLAGS(
        <np.ndarray>array, np.NPY_ARRAY_C_CONTIGUOUS | np.NPY_ARRAY_ALIGNED) and (
            PyArray_ISNOTSWAPPED(<np.ndarray>array) and PyArray_SIZE(array) > 0)


cdef object _copied(object array, object like, np.NPY_ORDER order):
    """Return a copy of an array in an order, that of ``like`` if it is to be kept."""
    cdef np.dtype dtype = <np.dtype>PyArray_DESCR(<np.ndarray>array)
    cdef bint there, back
    cdef npy_intp samples, rows, columns
    cdef ptrdiff_t itemsize = PyArray_ITEMSIZE(<np.ndarray>array)
    cdef void *source = PyArray_DATA(<np.ndarray>array)
    cdef void *target
    Py_INCREF(dtype)    # NumPy takes this reference
    out = PyArray_NewLikeArray(<np.ndarray>like, order, dtype, 0)
    there = _is_plain(array) and is_channels_last(out)
    back = is_channels_last(array) and _is_plain(out)
    if (there or back) and np.PyTypeNum_ISNUMBER(PyArray_TYPE(<np.ndarray>array)):
        samples = PyArray_DIM(<np.ndarray>array, 0)
        rows = PyArray_DIM(<np.ndarray>array, 1)
        columns = PyArray_SIZE(<np.ndarray>array) // (samples * rows)
        if back:
            rows, columns = columns, rows
        target = PyArray_DATA(<np.ndarray>out)
        with nogil:
            there = transpose(itemsize, source, target, samples, rows, columns)
        if there:
            return out
    PyArray_CopyInto(<np.ndarray>out, <np.ndarray>array)
    return out


cdef object in_order_of(object array, object like):
    """Return an array in the order in memory of a dense one.

    It is the array itself if it has that order already or is not of NumPy, or of
    another shape; a copy otherwise.
    """
    if not PyArray_CheckExact(array) or not PyArray_SAMESHAPE(
            <np.ndarray>array, <np.ndarray>like) or same_order(array, like):
        return array
    return _copied(array, like, np.NPY_KEEPORDER)


cdef object in_c_order(object array):
    """Return an array of NumPy in C order: the array itself, or a copy."""
    if PyArray_CHKFLAGS(<np.ndarray>array, np.NPY_ARRAY_C_CONTIGUOUS):
        return array
    return _copied(array, array, np.NPY_CORDER)
