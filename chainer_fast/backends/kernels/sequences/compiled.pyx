"""Sequences as blocks of memory, of any dtype that holds no references.

All functions return ``NotImplemented`` if the arrays are not in C order or not alike in
dtype and shape behind the first axis.
"""
cimport numpy as np
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DESCR, PyArray_DIM, \
    PyArray_IS_C_CONTIGUOUS, PyArray_ITEMSIZE, PyArray_NDIM, PyArray_TYPE, npy_intp
from cpython.ref cimport Py_INCREF

np.import_array()

cdef extern from "numpy/arrayobject.h":
    int NPY_HALF
    bint PyArray_ISBYTESWAPPED(np.ndarray)
    object PyArray_NewFromDescr(
        type, np.dtype, int, npy_intp *, npy_intp *, void *, int, object)

cdef enum:
    MAX_NDIM = 32


ctypedef struct block:
    char *data
    npy_intp length


cdef npy_intp _row_bytes(np.ndarray first) noexcept:
    """Return the bytes of an element along the first axis, or -1."""
    cdef int d
    cdef npy_intp size = PyArray_ITEMSIZE(first)
    if not (np.NPY_BOOL <= PyArray_TYPE(first) <= np.NPY_CDOUBLE
            or PyArray_TYPE(first) == NPY_HALF):
        return -1
    if PyArray_ISBYTESWAPPED(first) or not 0 < PyArray_NDIM(first) < MAX_NDIM:
        return -1
    for d in range(1, PyArray_NDIM(first)):
        size *= PyArray_DIM(first, d)
    return size


cdef bint _read(xs, np.ndarray first, block *blocks) except -1:
    """Fill in the addresses of the arrays; False if there is no code for them."""
    cdef Py_ssize_t i = 0
    cdef int d, ndim = PyArray_NDIM(first), kind = PyArray_TYPE(first)
    cdef np.ndarray x
    for item in xs:
        if not PyArray_CheckExact(item):
            return False
        x = <np.ndarray>item
        if not PyArray_IS_C_CONTIGUOUS(x) or PyArray_TYPE(x) != kind:
            return False
        if PyArray_ISBYTESWAPPED(x) or PyArray_NDIM(x) != ndim:
            return False
        for d in range(1, ndim):
            if PyArray_DIM(x, d) != PyArray_DIM(first, d):
                return False
        blocks[i].data = <char *>PyArray_DATA(x)
        blocks[i].length = PyArray_DIM(x, 0)
        i += 1
    return True


cdef object _empty(np.ndarray like, int ndim, npy_intp *shape):
    cdef np.dtype descr = <np.dtype>PyArray_DESCR(like)
    # The new array takes the reference.
    Py_INCREF(descr)
    return PyArray_NewFromDescr(np.ndarray, descr, ndim, shape, NULL, NULL, 0, None)


cdef void _fill(char *out, const char *value, npy_intp size, npy_intp n) noexcept nogil:
    """Write a value of some bytes n times over."""
    cdef npy_intp i, done, total = size * n
    if n <= 0:
        return
    for i in range(size):
        if value[i] != value[0]:
            break
    else:
        memset(out, value[0], total)
        return
    memcpy(out, value, size)
    done = size
    while done < total:
        i = done if done <= total - done else total - done
        memcpy(out + done, out, i)
        done += i


def stack_padded(np.ndarray first not None, xs, length, padding):
    cdef Py_ssize_t i, count = len(xs)
    cdef npy_intp row = _row_bytes(first), size = PyArray_ITEMSIZE(first)
    cdef npy_intp c_length, n
    cdef npy_intp shape[MAX_NDIM + 1]
    cdef np.ndarray value, y
    cdef block *blocks
    cdef char *out
    cdef char *pad
    cdef int d
    if row < 0 or count == 0:
        return NotImplemented
    value = np.PyArray_FROM_O(padding)
    if PyArray_NDIM(value) or PyArray_TYPE(value) != PyArray_TYPE(first):
        return NotImplemented
    c_length = length.__index__()
    blocks = <block *>malloc(count * sizeof(block))
    if blocks == NULL:
        raise MemoryError
    try:
        if not _read(xs, first, blocks):
            return NotImplemented
        for i in range(count):
            if blocks[i].length > c_length:
                return NotImplemented
        shape[0] = count
        shape[1] = c_length
        for d in range(1, PyArray_NDIM(first)):
            shape[d + 1] = PyArray_DIM(first, d)
        y = _empty(first, PyArray_NDIM(first) + 1, shape)
        out = <char *>PyArray_DATA(y)
        pad = <char *>PyArray_DATA(value)
        with nogil:
            for i in range(count):
                n = blocks[i].length * row
                if n:
                    memcpy(out, blocks[i].data, n)
                _fill(out + n, pad, size, (c_length * row - n) // size)
                out += c_length * row
    finally:
        free(blocks)
    return y


cdef object _part(np.ndarray like, npy_intp *shape, char *data, owner):
    """Return an array in memory that another object owns."""
    cdef np.dtype descr = <np.dtype>PyArray_DESCR(like)
    Py_INCREF(descr)
    part = PyArray_NewFromDescr(
        np.ndarray, descr, PyArray_NDIM(like), shape, NULL, data,
        np.NPY_ARRAY_CARRAY, None)
    np.set_array_base(part, owner)
    return part


def transpose(np.ndarray first not None, xs, count):
    cdef Py_ssize_t i, place, reached = len(xs), places = count
    cdef npy_intp row = _row_bytes(first), total = 0
    cdef npy_intp shape[MAX_NDIM]
    cdef block *blocks
    cdef char *out
    cdef int d
    cdef list ys
    if row < 0 or reached == 0:
        return NotImplemented
    blocks = <block *>malloc(reached * sizeof(block))
    if blocks == NULL:
        raise MemoryError
    try:
        if not _read(xs, first, blocks):
            return NotImplemented
        for i in range(reached):
            if i and blocks[i].length > blocks[i - 1].length:
                return NotImplemented
            total += blocks[i].length
        for d in range(1, PyArray_NDIM(first)):
            shape[d] = PyArray_DIM(first, d)
        # One block of memory, so that `rows` need not copy what it joins again.
        shape[0] = total
        flat = _empty(first, PyArray_NDIM(first), shape)
        out = <char *>PyArray_DATA(<np.ndarray>flat)
        ys = []
        for place in range(places):
            while reached and blocks[reached - 1].length <= place:
                reached -= 1
            shape[0] = reached
            ys.append(_part(first, shape, out, flat))
            for i in range(reached):
                memcpy(out, blocks[i].data + place * row, row)
                out += row
    finally:
        free(blocks)
    return tuple(ys)


def rows(np.ndarray first not None, xs):
    """Join arrays that follow each other in memory that one array owns."""
    cdef npy_intp shape[MAX_NDIM]
    cdef npy_intp row = _row_bytes(first)
    cdef int d
    cdef np.ndarray x
    cdef object owner = np.get_array_base(first)
    cdef char *end = <char *>PyArray_DATA(first)
    if row < 0 or owner is None or not PyArray_CheckExact(owner):
        return NotImplemented
    shape[0] = 0
    for item in xs:
        if not PyArray_CheckExact(item):
            return NotImplemented
        x = <np.ndarray>item
        if np.get_array_base(x) is not owner or <char *>PyArray_DATA(x) != end or (
                PyArray_TYPE(x) != PyArray_TYPE(first) or _row_bytes(x) != row
                or PyArray_NDIM(x) != PyArray_NDIM(first)
                or not PyArray_IS_C_CONTIGUOUS(x)):
            return NotImplemented
        for d in range(1, PyArray_NDIM(first)):
            if PyArray_DIM(x, d) != PyArray_DIM(first, d):
                return NotImplemented
        shape[0] += PyArray_DIM(x, 0)
        end += PyArray_DIM(x, 0) * row
    for d in range(1, PyArray_NDIM(first)):
        shape[d] = PyArray_DIM(first, d)
    return _part(first, shape, <char *>PyArray_DATA(first), owner)
