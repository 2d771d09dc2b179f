"""Channels last: images whose memory runs over the channels of a pixel first.

Such an array has the shape (n, c, ...) and in memory the order (n, ..., c), without
gaps. Arrays that are in C order as well, such as those with one channel or with one
pixel, are plain instead.
"""
cimport numpy as np
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DIM, \
    PyArray_ISNOTSWAPPED, PyArray_ITEMSIZE, PyArray_NDIM, PyArray_SIZE, \
    PyArray_STRIDE, npy_intp

from chainer_fast._core.graphs.graph cimport VariableNodeBase

cdef extern from "numpy/arrayobject.h":
    object PyArray_New(
        void *subtype, int nd, npy_intp *dims, int typenum, npy_intp *strides,
        void *data, int itemsize, int flags, void *obj)
    void *PyArray_Type_address "&PyArray_Type"

cdef enum:
    MAX_IMAGE_DIMS = 16


cdef inline bint is_channels_last(object array) noexcept:
    """Return whether an object is an aligned channels-last array of NumPy.

    It may be of any type, in native bytes, and is not empty.
    """
    cdef int axis, ndim
    cdef npy_intp length, step
    if not PyArray_CheckExact(array):
        return False
    if PyArray_CHKFLAGS(<np.ndarray>array, np.NPY_ARRAY_C_CONTIGUOUS) or not (
            PyArray_CHKFLAGS(<np.ndarray>array, np.NPY_ARRAY_ALIGNED)
            and PyArray_ISNOTSWAPPED(<np.ndarray>array)):
        return False
    ndim = PyArray_NDIM(<np.ndarray>array)
    if not 3 <= ndim <= MAX_IMAGE_DIMS or PyArray_SIZE(<np.ndarray>array) == 0:
        return False
    # Strides along axes of length one are ignored.
    length = PyArray_DIM(<np.ndarray>array, 1)
    step = PyArray_ITEMSIZE(<np.ndarray>array)
    if length != 1 and PyArray_STRIDE(<np.ndarray>array, 1) != step:
        return False
    step *= length
    for axis in range(ndim - 1, -1, -1):
        length = PyArray_DIM(<np.ndarray>array, axis)
        if axis == 1 or length == 1:
            continue
        if PyArray_STRIDE(<np.ndarray>array, axis) != step:
            return False
        step *= length
    return True


cdef inline object empty_channels_last(int ndim, const npy_intp *dims, int typenum):
    """Return a new channels-last array of the shape (n, c, ...), not filled.

    ``dims`` is that shape, of 2 to ``MAX_IMAGE_DIMS`` numbers, ``typenum`` a type of
    numbers.
    """
    cdef npy_intp strides[MAX_IMAGE_DIMS]
    cdef npy_intp step = np.PyArray_DescrFromType(typenum).itemsize
    cdef int axis
    strides[1] = step
    step *= dims[1] if dims[1] > 0 else 1
    for axis in range(ndim - 1, -1, -1):
        if axis != 1:
            strides[axis] = step
            step *= dims[axis] if dims[axis] > 0 else 1
    return PyArray_New(
        PyArray_Type_address, ndim, <npy_intp *>dims, typenum, strides, NULL, 0, 0,
        NULL)


cpdef object assign(object out, object array)
cdef object in_order_of(object array, object like)
cdef object in_c_order(object array)
cdef object as_channels_last(object array)

cdef enum:
    MAX_SPREAD_DIMS = 8

cdef struct Spread:
    int ndim
    npy_intp dims[MAX_SPREAD_DIMS]

cdef bint shape_of_one(object array, Spread *shape) noexcept
cdef bint shape_of_two(object a, object b, bint broadcasts, Spread *shape) noexcept
cdef object without_gaps(object array)
cdef bint is_like(object array, object other, const Spread *shape) noexcept
cdef bint is_of_broadcast(object array, tuple nodes) except -1
cdef object sum_to(object array, VariableNodeBase node)
