"""Patches of images, and convolutions.

All functions return ``NotImplemented`` for arrays of types that they have no code for.
Arrays may have any strides. Convolutions have their channels last in memory where the
processor has vectors for that; otherwise they are made of patches and matrix products.
"""
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, PyArray_DIM, \
    PyArray_EMPTY, PyArray_ITEMSIZE, PyArray_NDIM, PyArray_SIZE, PyArray_STRIDE, \
    PyArray_TYPE, npy_intp

from chainer_fast._core.plain cimport cf_float_kind
from chainer_fast.backends._onednn cimport convolution as _onednn
from chainer_fast.backends._onednn.library cimport wanted
from chainer_fast.backends.kernels.common.blas cimport Gemm, find_gemm
from chainer_fast.backends.kernels.common.layout cimport empty_channels_last

np.import_array()

cdef extern from "numpy/arrayobject.h":
    bint PyArray_ISBYTESWAPPED(np.ndarray)

cdef extern from "chainer_fast/backends/kernels/convolution/tiles.hpp" nogil:
    enum:
        MAX_AXES "chainer_fast::MAX_AXES"
        TILE_COLUMNS "chainer_fast::TILE_COLUMNS"
    enum Task "chainer_fast::Task":
        CONVOLVE "chainer_fast::CONVOLVE"
        TRANSPOSE "chainer_fast::TRANSPOSE"
        CORRELATE "chainer_fast::CORRELATE"
    ctypedef struct Window "chainer_fast::Window":
        ptrdiff_t nd, taps, plane, rows, width
        ptrdiff_t length[MAX_AXES]
        ptrdiff_t ksize[MAX_AXES]
        ptrdiff_t outs[MAX_AXES]
        ptrdiff_t stride[MAX_AXES]
        ptrdiff_t pad[MAX_AXES]
        ptrdiff_t dilate[MAX_AXES]
    ctypedef struct Convolution "chainer_fast::Convolution":
        Window w
        ptrdiff_t images, groups, channels, filters, columns, depth
        bint direct

cdef extern from "chainer_fast/backends/kernels/convolution/calls.hpp" nogil:
    ctypedef struct Steps "chainer_fast::Steps":
        ptrdiff_t image
        ptrdiff_t axis[MAX_AXES]
    ctypedef struct AnyImages "chainer_fast::AnyImages":
        void *data
        Steps steps
        ptrdiff_t channel
    bint has_vectors "chainer_fast::has_vectors"() noexcept
    int &longest_vector "chainer_fast::longest_vector"() noexcept
    ptrdiff_t products "chainer_fast::products"(const Convolution &c) noexcept
    void gather_patches "chainer_fast::gather_patches"(
        ptrdiff_t itemsize, const void *img, void *col, const Window &w,
        ptrdiff_t planes, const void *pval) noexcept
    void scatter_patches "chainer_fast::scatter_patches"(
        char kind, const void *col, void *img, const Window &w,
        ptrdiff_t planes) noexcept
    void run "chainer_fast::run"(
        char kind, Task task, const Convolution &c, Gemm gemm, const AnyImages &images,
        void *filters, const AnyImages &places, const void *bias) except +

cdef enum:
    # BLAS takes dimensions up to this.
    MAX_INT = 2147483647

# Up to this many, patches take less to set up than tiles.
cdef ptrdiff_t _short_product = 100000


def _limit_vectors(int size, ptrdiff_t short_product=100000):
    """Use vectors of so many bytes at most, for more multiplications; for tests."""
    global _short_product
    (&longest_vector())[0] = size
    _short_product = short_product


cdef bint _set_window(Convolution *c, lengths, ksize, outs, stride, pad,
                      dilate) except -1:
    """Fill in the window; return whether there is code for it."""
    cdef Window *w = &c.w
    cdef Py_ssize_t j, n = len(ksize)
    if n == 0 or n > MAX_AXES or len(lengths) != n or len(outs) != n or (
            len(stride) != n or len(pad) != n or len(dilate) != n):
        return False
    w.nd = n
    w.taps = w.plane = w.rows = 1
    c.direct = True
    for j in range(n):
        w.length[j] = lengths[j]
        w.ksize[j] = ksize[j]
        w.outs[j] = outs[j]
        w.stride[j] = stride[j]
        w.pad[j] = pad[j]
        w.dilate[j] = dilate[j]
        if min(w.length[j], w.ksize[j], w.outs[j], w.stride[j], w.dilate[j]) < 1 or (
                w.pad[j] < 0):
            return False
        c.direct = c.direct and w.ksize[j] == 1 and w.stride[j] == 1 and (
            w.pad[j] == 0 and w.length[j] == w.outs[j])
        w.taps *= w.ksize[j]
        w.plane *= w.length[j]
        w.rows *= w.outs[j]
    c.columns = w.rows
    w.width = w.outs[n - 1]
    w.rows //= w.width
    return True


cdef bint _set_sizes(Convolution *c, npy_intp groups, npy_intp images,
                     npy_intp channels, npy_intp filters) except -1:
    """Fill in the numbers of all groups; return whether there is code for them."""
    if groups < 1 or channels % groups or filters % groups:
        return False
    c.groups = groups
    c.images = images
    c.channels = channels // groups
    c.filters = filters // groups
    c.depth = c.channels * c.w.taps
    # Sizes of matrices; tiles are smaller.
    return max(c.depth, c.filters, c.columns, c.w.plane) <= MAX_INT // TILE_COLUMNS


cdef object _contiguous(object array):
    """Return the array in C order and aligned, a copy if need be."""
    return np.PyArray_FROM_OF(array, np.NPY_ARRAY_CARRAY_RO)


cdef char _common_kind(a, b) noexcept:
    """Return 'f' or 'd' if both arrays are of that type and not empty, else 0."""
    cdef char kind
    if not PyArray_CheckExact(a) or not PyArray_CheckExact(b):
        return 0
    if PyArray_SIZE(a) == 0 or PyArray_SIZE(b) == 0:
        return 0
    kind = cf_float_kind(<np.ndarray>a)
    return kind if cf_float_kind(<np.ndarray>b) == kind else 0


cdef object _new(np.ndarray like, npy_intp first, npy_intp second,
                 const ptrdiff_t *lengths, Py_ssize_t n, bint channels_last=False):
    """Return a new array of that shape, in the type of another."""
    cdef npy_intp shape[MAX_AXES + 2]
    cdef Py_ssize_t j
    shape[0] = first
    shape[1] = second
    for j in range(n):
        shape[2 + j] = lengths[j]
    if channels_last:
        return empty_channels_last(<int>(2 + n), shape, PyArray_TYPE(like))
    return PyArray_EMPTY(<int>(2 + n), shape, PyArray_TYPE(like), 0)


# ------------------------------------------------------------------ patches as such

def gather(img, ksize, stride, pad, dilate, outs, pval=0):
    """Compiled form of :func:`chainer_fast.backends.kernels.convolution.gather`."""
    cdef Convolution c
    cdef np.ndarray source, col, value
    cdef npy_intp shape[2 * MAX_AXES + 2]
    cdef npy_intp planes
    cdef Py_ssize_t j, n
    source = <np.ndarray>img
    n = len(ksize)
    if PyArray_NDIM(source) != 2 + n or PyArray_SIZE(source) == 0 or (
            PyArray_ISBYTESWAPPED(source) or source.dtype.kind not in 'fiub'):
        return NotImplemented
    if PyArray_ITEMSIZE(source) not in (1, 2, 4, 8) or not _set_window(
            &c, img.shape[2:], ksize, outs, stride, pad, dilate):
        return NotImplemented
    value = np.PyArray_Cast(<np.ndarray>np.PyArray_FROM_O(pval), PyArray_TYPE(source))
    source = _contiguous(source)
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
    cdef char kind = _common_kind(col, col)
    if not kind or PyArray_NDIM(col) != 2 + 2 * n:
        return NotImplemented
    if not _set_window(&c, lengths, col.shape[2:2 + n], col.shape[2 + n:], stride, pad,
                       dilate):
        return NotImplemented
    source = _contiguous(col)
    img = _new(source, PyArray_DIM(source, 0), PyArray_DIM(source, 1), c.w.length, n)
    planes = PyArray_DIM(source, 0) * PyArray_DIM(source, 1)
    scatter_patches(kind, PyArray_DATA(source), PyArray_DATA(img), c.w, planes)
    return img


# -------------------------------------------------------------------- convolutions

cdef bint _takes_vectors(const Convolution &c) noexcept:
    """Tell whether tiles of vectors serve a convolution, with its channels last."""
    return products(c) > _short_product and has_vectors()


cdef int _run(Task task, const Convolution &c, char kind, object images,
              object filters, object places, object bias) except -1:
    """Compute one of three arrays from the others; ``bias`` may be None."""
    cdef const void *b = NULL
    cdef Gemm multiply = NULL
    if bias is not None:
        bias = _contiguous(bias)
        b = PyArray_DATA(<np.ndarray>bias)
    if not _takes_vectors(c):
        find_gemm(kind, &multiply)
    run(kind, task, c, multiply, _described(images), PyArray_DATA(<np.ndarray>filters),
        _described(places), b)
    return 0


cdef AnyImages _described(object array) noexcept:
    """Return where an array of images is, and the distances in it."""
    cdef AnyImages images
    cdef ptrdiff_t size = PyArray_ITEMSIZE(<np.ndarray>array)
    cdef int j
    images.data = PyArray_DATA(<np.ndarray>array)
    images.steps.image = PyArray_STRIDE(<np.ndarray>array, 0) // size
    images.channel = PyArray_STRIDE(<np.ndarray>array, 1) // size
    for j in range(2, PyArray_NDIM(array)):
        images.steps.axis[j - 2] = PyArray_STRIDE(<np.ndarray>array, j) // size
    return images


cdef object _usable(object array, const Convolution &c):
    """Return images in C order or with neighbouring channels, a copy if need be."""
    cdef ptrdiff_t size = PyArray_ITEMSIZE(<np.ndarray>array)
    cdef int j
    if not _takes_vectors(c) or PyArray_STRIDE(<np.ndarray>array, 1) != size or (
            not PyArray_CHKFLAGS(<np.ndarray>array, np.NPY_ARRAY_ALIGNED)):
        return _contiguous(array)
    for j in range(PyArray_NDIM(array)):
        if PyArray_STRIDE(<np.ndarray>array, j) < 0 or (
                PyArray_STRIDE(<np.ndarray>array, j) % size):
            return _contiguous(array)
    return array


cdef bint _set_filters(Convolution *c, char kind, x, W, images, stride, pad, dilate,
                       npy_intp groups, outs, b, npy_intp bias_length) except -1:
    """Fill in the sizes of images and filters; return whether they go together.

    ``images`` are the lengths of the images.
    """
    cdef Py_ssize_t n = PyArray_NDIM(W) - 2
    if n < 1 or PyArray_NDIM(x) != n + 2:
        return False
    if b is not None and (
            _common_kind(b, b) != kind or PyArray_SIZE(b) != bias_length):
        return False
    return _set_window(c, images, W.shape[2:], outs, stride, pad, dilate) and (
        _set_sizes(c, groups, PyArray_DIM(x, 0), PyArray_DIM(W, 1) * groups,
                   PyArray_DIM(W, 0)))


cpdef object convolve(x, W, b, stride, pad, dilate, groups, outs):
    """Compiled form of :func:`chainer_fast.backends.kernels.convolution.convolve`."""
    cdef char kind = _common_kind(x, W)
    cdef Convolution c
    if wanted():
        by_library = _onednn.convolve(
            x, W, b, stride, pad, dilate, groups, outs, has_vectors())
        if by_library is not NotImplemented:
            return by_library
    if not kind or not _set_filters(
            &c, kind, x, W, x.shape[2:], stride, pad, dilate, groups, outs, b,
            PyArray_DIM(W, 0)) or PyArray_DIM(x, 1) != c.groups * c.channels:
        return NotImplemented
    x, W = _usable(x, c), _contiguous(W)
    y = _new(x, c.images, PyArray_DIM(W, 0), c.w.outs, c.w.nd, _takes_vectors(c))
    _run(CONVOLVE, c, kind, x, W, y, b)
    return y


cpdef object convolve_transposed(x, W, b, stride, pad, dilate, groups, outs):
    """Compiled form of the kernel ``convolve_transposed``."""
    cdef char kind = _common_kind(x, W)
    cdef Convolution c
    if wanted():
        by_library = _onednn.convolve_transposed(
            x, W, b, stride, pad, dilate, groups, outs, has_vectors())
        if by_library is not NotImplemented:
            return by_library
    if not kind or not _set_filters(
            &c, kind, x, W, outs, stride, pad, dilate, groups, x.shape[2:], b,
            PyArray_DIM(W, 1) * <npy_intp>groups) or (
            PyArray_DIM(x, 1) != PyArray_DIM(W, 0)):
        return NotImplemented
    x, W = _usable(x, c), _contiguous(W)
    y = _new(x, c.images, c.groups * c.channels, c.w.length, c.w.nd,
             _takes_vectors(c))
    _run(TRANSPOSE, c, kind, y, W, x, b)
    return y


cpdef object correlate(x, gy, ksize, stride, pad, dilate, groups, dtype):
    """Compiled form of :func:`chainer_fast.backends.kernels.convolution.correlate`."""
    cdef char kind = _common_kind(x, gy)
    cdef Convolution c
    cdef Py_ssize_t n = len(ksize)
    if wanted():
        by_library = _onednn.correlate(
            x, gy, ksize, stride, pad, dilate, groups, dtype, has_vectors())
        if by_library is not NotImplemented:
            return by_library
    if not kind or PyArray_NDIM(x) != n + 2 or PyArray_NDIM(gy) != n + 2 or (
            dtype != x.dtype or PyArray_DIM(x, 0) != PyArray_DIM(gy, 0)):
        return NotImplemented
    if not _set_window(&c, x.shape[2:], ksize, gy.shape[2:], stride, pad, dilate) or (
            not _set_sizes(&c, groups, PyArray_DIM(x, 0), PyArray_DIM(x, 1),
                           PyArray_DIM(gy, 1))):
        return NotImplemented
    x, gy = _usable(x, c), _usable(gy, c)
    gW = _new(x, PyArray_DIM(gy, 1), c.channels, c.w.ksize, n)
    _run(CORRELATE, c, kind, x, gW, gy, None)
    return gW
