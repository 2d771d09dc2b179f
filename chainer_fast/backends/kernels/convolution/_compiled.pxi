# Patches of images, and convolutions.
# All functions return ``NotImplemented`` for arrays of unsupported types. Arrays
# may have any strides. Convolutions have channels last in memory if the processor
# has vectors for that; otherwise they consist of patches and matrix products.
#
# Part of compiled.pyx.
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_CHKFLAGS, PyArray_DATA, PyArray_DIM, PyArray_EMPTY, \
    PyArray_ITEMSIZE, PyArray_NDIM, PyArray_SIZE, PyArray_STRIDE, PyArray_TYPE, npy_intp

from chainer_fast.backends._onednn.library cimport wanted as library_wanted
from chainer_fast.backends.kernels.common.blas cimport (
    Gemm, ProductSizes, find_gemm)
from chainer_fast.backends.kernels.common.layout cimport assign, empty_channels_last
from chainer_fast.backends.kernels.convolution.arguments cimport (
    CONVOLVE, CORRELATE, MAX_AXES, TILE_COLUMNS, TRANSPOSE, Convolution, Task, Window,
    in_order, new_like, new_result, set_sizes, set_window, type_of_both)

cdef extern from "numpy/arrayobject.h":
    bint PyArray_ISBYTESWAPPED(np.ndarray)

cdef extern from "chainer_fast/backends/kernels/convolution/calls.hpp" \
        namespace "chainer_fast::convolution" nogil:
    ctypedef struct Steps:
        ptrdiff_t image
        ptrdiff_t axis[MAX_AXES]
    ctypedef struct AnyImages:
        void *data
        Steps steps
    bint has_vectors() noexcept
    bint has_own_filters(const Convolution &c) noexcept
    int &longest_vector() noexcept
    ptrdiff_t products(const Convolution &c) noexcept
    void gather_patches(
        ptrdiff_t itemsize, const void *img, void *col, const Window &w,
        ptrdiff_t planes, const void *pval) noexcept
    void scatter_patches(
        char kind, const void *col, void *img, const Window &w,
        ptrdiff_t planes) noexcept
    bint run(
        char kind, Task task, const Convolution &c, Gemm gemm, const AnyImages &images,
        void *filters, const AnyImages &places, const void *bias,
        bint planes) except +

cdef enum:
    # BLAS supports dimensions up to this.
    MAX_INT = 2147483647

# Up to this many, patches have a lower overhead than tiles.
cdef ptrdiff_t _short_product = 100000


def _limit_vectors(int size, ptrdiff_t short_product=100000):
    """Limit the size of vectors in bytes, for more multiplications; for tests."""
    global _short_product
    (&longest_vector())[0] = size
    _short_product = short_product


cdef bint _has_code(const Convolution &c) noexcept:
    # Sizes of matrices; tiles are smaller.
    return max(c.depth, c.filters, c.columns, c.w.plane) <= MAX_INT // TILE_COLUMNS


# ------------------------------------------------------------------ patches as such

def gather(img, ksize, stride, pad, dilate, outs, pval=0):
    """Compiled form of :func:`chainer_fast.backends.kernels.convolution.gather`."""
    cdef Convolution c
    cdef np.ndarray source, col, value
    cdef npy_intp shape[2 * MAX_AXES + 2]
    cdef npy_intp planes
    cdef Py_ssize_t j, n
    source = <np.ndarray?>img
    n = len(ksize)
    value = np.PyArray_FROM_O(pval)
    fits = set_window(&c, img.shape[2:], ksize, outs, stride, pad, dilate)
    # Code of the user may only run before this point.
    if not fits or PyArray_NDIM(source) != 2 + n or PyArray_SIZE(source) == 0 or (
            PyArray_ISBYTESWAPPED(source) or source.dtype.kind not in 'fiub'):
        return NotImplemented
    if PyArray_ITEMSIZE(source) not in (1, 2, 4, 8) or (
            value.dtype.kind not in 'fiub' or not _has_shape(
                source, PyArray_DIM(source, 0), PyArray_DIM(source, 1), c.w.length, n)
            or not set_sizes(&c, 1, 1, 1)):
        return NotImplemented
    value = np.PyArray_Cast(value, PyArray_TYPE(source))
    source = in_order(source)
    planes = PyArray_DIM(source, 0) * PyArray_DIM(source, 1)
    shape[0] = PyArray_DIM(source, 0)
    shape[1] = PyArray_DIM(source, 1)
    for j in range(n):
        shape[2 + j] = c.w.ksize[j]
        shape[2 + n + j] = c.w.outs[j]
    col = PyArray_EMPTY(<int>(2 + 2 * n), shape, PyArray_TYPE(source), 0)
    gather_patches(PyArray_ITEMSIZE(source), PyArray_DATA(source), PyArray_DATA(col),
                   c.w, planes, PyArray_DATA(value))
    return col


def scatter(col, stride, pad, lengths, dilate):
    """Compiled form of :func:`chainer_fast.backends.kernels.convolution.scatter`."""
    cdef Convolution c
    cdef np.ndarray source, img
    cdef npy_intp planes
    cdef Py_ssize_t n = len(lengths)
    cdef char kind = type_of_both(col, col)
    cdef ptrdiff_t both[2 * MAX_AXES]
    cdef Py_ssize_t j
    if not kind or PyArray_NDIM(col) != 2 + 2 * n:
        return NotImplemented
    if not set_window(&c, lengths, col.shape[2:2 + n], col.shape[2 + n:], stride, pad,
                      dilate) or not set_sizes(&c, 1, 1, 1):
        return NotImplemented
    for j in range(n):
        both[j], both[n + j] = c.w.ksize[j], c.w.outs[j]
    # The numbers may be objects of the user with their own code.
    if type_of_both(col, col) != kind or not _has_shape(
            col, PyArray_DIM(col, 0), PyArray_DIM(col, 1), both, 2 * n):
        return NotImplemented
    source = in_order(col)
    planes = PyArray_DIM(source, 0) * PyArray_DIM(source, 1)
    img = new_like(
        source, PyArray_DIM(source, 0), PyArray_DIM(source, 1), c.w.length, n)
    scatter_patches(kind, PyArray_DATA(source), PyArray_DATA(img), c.w, planes)
    return img


# -------------------------------------------------------------------- convolutions

cdef bint _takes_vectors(const Convolution &c) noexcept:
    """Return whether tiles of vectors support a convolution, with channels last."""
    return products(c) > _short_product and has_vectors()


cdef AnyImages _described(object array) noexcept:
    """Return the address of an array of images, and its distances."""
    cdef AnyImages images
    cdef ptrdiff_t size = PyArray_ITEMSIZE(<np.ndarray>array)
    cdef int j
    images.data = PyArray_DATA(<np.ndarray>array)
    images.steps.image = PyArray_STRIDE(<np.ndarray>array, 0) // size
    for j in range(2, PyArray_NDIM(array)):
        images.steps.axis[j - 2] = PyArray_STRIDE(<np.ndarray>array, j) // size
    return images


cdef object _usable(object array, const Convolution &c):
    """Return images in C order or with contiguous channels, copied if necessary."""
    cdef ptrdiff_t size = PyArray_ITEMSIZE(<np.ndarray>array)
    cdef int j
    if not _takes_vectors(c) or PyArray_STRIDE(<np.ndarray>array, 1) != size or (
            not PyArray_CHKFLAGS(<np.ndarray>array, np.NPY_ARRAY_ALIGNED)):
        return in_order(array)
    for j in range(PyArray_NDIM(array)):
        if PyArray_STRIDE(<np.ndarray>array, j) < 0 or (
                PyArray_STRIDE(<np.ndarray>array, j) % size):
            return in_order(array)
    return array


cdef bint _has_pixels(object images) noexcept:
    """Return whether the channels of a pixel are contiguous."""
    return PyArray_STRIDE(<np.ndarray>images, 1) == PyArray_ITEMSIZE(
        <np.ndarray>images) or PyArray_DIM(images, 1) == 1


cdef object _with_channels_last(object images):
    """Return usable images with contiguous channels, copied if necessary."""
    cdef npy_intp shape[MAX_AXES + 2]
    cdef ptrdiff_t size = PyArray_ITEMSIZE(<np.ndarray>images)
    cdef int j
    if _has_pixels(images):
        return images
    for j in range(PyArray_NDIM(images)):
        shape[j] = PyArray_DIM(images, j)
    # Pixels a power of two apart would share few sets of the cache.
    if shape[1] * size % 1024 == 0:
        shape[1] += 64 // size
    out = empty_channels_last(PyArray_NDIM(images), shape, PyArray_TYPE(images))
    return assign(out[:, :PyArray_DIM(images, 1)], images)


cdef ProductSizes _sizes(Task task, const Convolution &c) noexcept:
    """Return the sizes of the product of an image, which may be divided."""
    cdef ProductSizes sizes
    sizes.rows = c.depth if task == TRANSPOSE else c.filters
    sizes.columns = c.depth if task == CORRELATE else c.columns
    sizes.depth = c.filters if task == TRANSPOSE else (
        c.columns if task == CORRELATE else c.depth)
    sizes.left_turned, sizes.right_turned = task == TRANSPOSE, task == CORRELATE
    return sizes


cdef bint _has_shape(object array, npy_intp first, npy_intp second,
                     const ptrdiff_t *lengths, Py_ssize_t n) noexcept:
    cdef Py_ssize_t j
    if PyArray_NDIM(array) != 2 + n or PyArray_DIM(array, 0) != first or (
            PyArray_DIM(array, 1) != second):
        return False
    for j in range(n):
        if PyArray_DIM(array, <int>(2 + j)) != lengths[j]:
            return False
    return True


cdef bint _fit(Task task, const Convolution &c, char kind, a, b) noexcept:
    """Return whether the arguments of :func:`compute` have the type and the sizes."""
    cdef npy_intp channels = c.groups * c.channels, filters = c.groups * c.filters
    if type_of_both(a, b) != kind:
        return False
    if task == TRANSPOSE:
        if not _has_shape(a, c.images, filters, c.w.outs, c.w.nd):
            return False
    elif not _has_shape(a, c.images, channels, c.w.length, c.w.nd):
        return False
    if task == CORRELATE:
        return _has_shape(b, c.images, filters, c.w.outs, c.w.nd)
    return _has_shape(b, filters, c.channels, c.w.ksize, c.w.nd)


cdef object _met_pixels(Convolution *c, object images):
    """Return images without the pixels that a window of one element leaves out.

    Their convolution becomes one without a stride.
    """
    cdef Window *w = &c.w
    cdef list parts = []
    cdef Py_ssize_t j
    for j in range(w.nd):
        if w.pad[j] > 0 or (w.outs[j] - 1) * w.stride[j] >= w.length[j]:
            return images
        parts.append(slice(0, (w.outs[j] - 1) * w.stride[j] + 1, w.stride[j]))
    images = images[(..., *parts)]
    for j in range(w.nd):
        w.length[j], w.stride[j] = w.outs[j], 1
    set_sizes(c, c.images, c.groups * c.channels, c.groups * c.filters)
    return assign(numpy.empty_like(images), images)


cdef object compute(Task task, const Convolution &given, char kind, a, b, bias):
    """Compute one of three arrays from the others: images, filters, results.

    ``a`` and ``b`` are in that order, except that a transposed convolution has the
    results first. ``bias`` may be None.
    """
    cdef const void *start = NULL
    cdef bint last
    cdef Gemm multiply = NULL
    cdef Convolution c = given
    cdef bint vectors = _takes_vectors(c)
    # Numbers of the window may be objects of the user with their own code.
    if not _fit(task, c, kind, a, b):
        return NotImplemented
    if bias is not None and (
            type_of_both(bias, bias) != kind or PyArray_SIZE(bias) != c.groups * (
                c.channels if task == TRANSPOSE else c.filters)):
        return NotImplemented
    if task != TRANSPOSE and c.w.taps == 1 and not c.direct:
        a = _met_pixels(&c, a)
    if kind == b'f' and library_wanted():
        result = compute_by_library(task, c, a, b, bias, has_vectors())
        if result is not NotImplemented:
            return result
    if not _has_code(c):
        return NotImplemented
    a = _usable(a, c)
    b = _usable(b, c) if task == CORRELATE else in_order(b)
    if vectors and kind == b'f' and c.direct and c.groups == 1 and _is_whole(a) and (
            _is_whole(b)):
        result = _by_products(task, c, a, b, bias)
        if result is not None:
            return result
    # Planes in C order are not transposed if each has separate filters.
    last = vectors and (not has_own_filters(c) or _has_pixels(a) or (
        task == CORRELATE and _has_pixels(b)))
    if last:
        a = _with_channels_last(a)
    if last and task == CORRELATE:
        b = _with_channels_last(b)
    result = new_result(task, c, a, last)
    if bias is not None:
        bias = in_order(bias)
        start = PyArray_DATA(<np.ndarray>bias)
    if not vectors:
        find_gemm(kind, _sizes(task, c), &multiply)
    images, filters, places = a, b, result
    if task == TRANSPOSE:
        images, places = result, a
    elif task == CORRELATE:
        filters, places = result, b
    if run(kind, task, c, multiply, _described(images),
           PyArray_DATA(<np.ndarray>filters), _described(places), start,
           vectors and not last):
        return result
    return compute(
        task, c, kind, _with_channels_last(a), _with_channels_last(b), bias)


cdef object _filtered(
        Task task, x, W, b, stride, pad, dilate, groups, result_lengths):
    cdef Convolution c
    cdef char kind = type_of_both(x, W)
    if not kind or PyArray_NDIM(x) != PyArray_NDIM(W):
        return NotImplemented
    lengths, outs = x.shape[2:], result_lengths
    if task == TRANSPOSE:
        lengths, outs = outs, lengths
    if not set_window(&c, lengths, W.shape[2:], outs, stride, pad, dilate, groups) or (
            not set_sizes(&c, PyArray_DIM(x, 0), PyArray_DIM(W, 1) * c.groups,
                          PyArray_DIM(W, 0))):
        return NotImplemented
    if PyArray_DIM(x, 1) != c.groups * (
            c.channels if task == CONVOLVE else c.filters):
        return NotImplemented
    return compute(task, c, kind, x, W, b)


def convolve(x, W, b, stride, pad, dilate, groups, outs):
    """Compiled form of :func:`chainer_fast.backends.kernels.convolution.convolve`."""
    return _filtered(CONVOLVE, x, W, b, stride, pad, dilate, groups, outs)


def convolve_transposed(x, W, b, stride, pad, dilate, groups, outs):
    """Compiled form of the kernel ``convolve_transposed``."""
    return _filtered(TRANSPOSE, x, W, b, stride, pad, dilate, groups, outs)


def correlate(x, gy, ksize, stride, pad, dilate, groups, dtype):
    """Compiled form of :func:`chainer_fast.backends.kernels.convolution.correlate`."""
    cdef Convolution c
    cdef char kind = type_of_both(x, gy)
    cdef Py_ssize_t n = len(ksize)
    if not kind or PyArray_NDIM(x) != n + 2 or PyArray_NDIM(gy) != n + 2 or (
            dtype != x.dtype or PyArray_DIM(x, 0) != PyArray_DIM(gy, 0)):
        return NotImplemented
    if not set_window(
            &c, x.shape[2:], ksize, gy.shape[2:], stride, pad, dilate, groups) or (
            not set_sizes(
                &c, PyArray_DIM(x, 0), PyArray_DIM(x, 1), PyArray_DIM(gy, 1))):
        return NotImplemented
    return compute(CORRELATE, c, kind, x, gy, None)
