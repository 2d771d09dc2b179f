"""Arguments and results of convolutions, in the form for the loops and oneDNN."""
cimport numpy as np
from cpython.number cimport PyNumber_AsSsize_t
from libc.stddef cimport ptrdiff_t
from libc.string cimport memset
from numpy cimport PyArray_CheckExact, PyArray_DIM, PyArray_EMPTY, PyArray_NDIM, \
    PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.arrays.plain cimport cf_float_kind
from chainer_fast.backends.kernels.common.layout cimport empty_channels_last

cdef extern from "chainer_fast/backends/kernels/convolution/tiles.hpp" \
        namespace "chainer_fast::convolution" nogil:
    enum:
        MAX_AXES
        TILE_COLUMNS
    enum Task:
        CONVOLVE
        TRANSPOSE
        CORRELATE
    ctypedef struct Window:
        ptrdiff_t nd, taps, plane, rows, width
        ptrdiff_t length[MAX_AXES]
        ptrdiff_t ksize[MAX_AXES]
        ptrdiff_t outs[MAX_AXES]
        ptrdiff_t stride[MAX_AXES]
        ptrdiff_t pad[MAX_AXES]
        ptrdiff_t dilate[MAX_AXES]
    ctypedef struct Convolution:
        Window w
        ptrdiff_t images, groups, channels, filters, columns, depth
        ptrdiff_t direct
    void complete(Convolution &c) noexcept


cdef inline Py_ssize_t _integer(value) except? -1:
    # A conversion to a C type truncates the fraction of a float.
    return PyNumber_AsSsize_t(value, OverflowError)


cdef inline bint set_window(Convolution *c, lengths, ksize, outs, stride, pad, dilate,
                            groups=1) except -1:
    """Set the window and the groups; return whether sizes can be completed."""
    cdef Window *w = &c.w
    cdef Py_ssize_t j, n = len(ksize)
    if n == 0 or n > MAX_AXES or len(lengths) != n or len(outs) != n or (
            len(stride) != n or len(pad) != n or len(dilate) != n):
        return False
    memset(c, 0, sizeof(Convolution))
    w.nd = n
    c.groups = groups
    for j in range(n):
        w.length[j] = _integer(lengths[j])
        w.ksize[j] = _integer(ksize[j])
        w.outs[j] = _integer(outs[j])
        w.stride[j] = _integer(stride[j])
        w.pad[j] = _integer(pad[j])
        w.dilate[j] = _integer(dilate[j])
    return True


cdef inline bint set_sizes(Convolution *c, npy_intp images, npy_intp channels,
                           npy_intp filters) noexcept:
    """Set the values that follow from the window and from the numbers of all groups.

    Return whether the window is supported, and the groups are valid.
    """
    cdef Window *w = &c.w
    cdef Py_ssize_t j
    if c.groups < 1 or channels % c.groups or filters % c.groups:
        return False
    c.direct = True
    for j in range(w.nd):
        if min(w.length[j], w.ksize[j], w.outs[j], w.stride[j], w.dilate[j]) < 1 or (
                w.pad[j] < 0):
            return False
        c.direct = c.direct and w.ksize[j] == 1 and w.stride[j] == 1 and (
            w.pad[j] == 0 and w.length[j] == w.outs[j])
    c.images = images
    c.channels = channels // c.groups
    c.filters = filters // c.groups
    complete(c[0])
    return True


cdef inline object in_order(object array):
    """Return the array in C order and aligned, copied if necessary."""
    return np.PyArray_FROM_OF(array, np.NPY_ARRAY_CARRAY_RO)


cdef inline char type_of_both(a, b) noexcept:
    """Return 'f' or 'd' if both arrays have that type and are not empty, else 0."""
    cdef char kind
    if not PyArray_CheckExact(a) or not PyArray_CheckExact(b):
        return 0
    if PyArray_SIZE(a) == 0 or PyArray_SIZE(b) == 0:
        return 0
    kind = cf_float_kind(<np.ndarray>a)
    return kind if cf_float_kind(<np.ndarray>b) == kind else 0


cdef inline object new_like(
        np.ndarray like, npy_intp first, npy_intp second, const ptrdiff_t *lengths,
        Py_ssize_t n, bint channels_last=False):
    """Return a new array with a shape, and the type of another."""
    cdef npy_intp shape[MAX_AXES + 2]
    cdef Py_ssize_t j
    shape[0] = first
    shape[1] = second
    for j in range(n):
        shape[2 + j] = lengths[j]
    if channels_last:
        return empty_channels_last(<int>(2 + n), shape, PyArray_TYPE(like))
    return PyArray_EMPTY(<int>(2 + n), shape, PyArray_TYPE(like), 0)


cdef inline object new_result(Task task, const Convolution &c, like, bint last):
    """Return a new array for the result of a task; ``last`` is the order of images."""
    cdef npy_intp filters = c.groups * c.filters
    if task == CONVOLVE:
        return new_like(like, c.images, filters, c.w.outs, c.w.nd, last)
    if task == TRANSPOSE:
        return new_like(
            like, c.images, c.groups * c.channels, c.w.length, c.w.nd, last)
    return new_like(like, filters, c.channels, c.w.ksize, c.w.nd)
