"""Patches of images, and convolutions made of them and matrix products.

A convolution is the product of the filters with a matrix of patches. That matrix is
larger than the images by as much as the window has elements, so it is never made as a
whole: a tile of it, some of the places of the window, is filled while it is in the
cache and multiplied. Where an image has few places, a tile takes in several images.

All functions return ``NotImplemented`` for arrays of other types than these have code
for; strides are of no concern.
"""
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_EMPTY, \
    PyArray_NDIM, PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.plain cimport cf_float_kind
from chainer_fast.backends.kernels.common.blas cimport load, product_d, product_f

np.import_array()

ctypedef fused floating:
    float
    double

cdef extern from "numpy/arrayobject.h":
    bint PyArray_ISBYTESWAPPED(np.ndarray)

cdef extern from "chainer_fast/backends/kernels/convolution/patches.h" nogil:
    enum:
        CF_MAX_AXES
    ctypedef struct cf_window:
        ptrdiff_t nd, taps, plane, rows, width
        ptrdiff_t *length
        ptrdiff_t *ksize
        ptrdiff_t *outs
        ptrdiff_t *stride
        ptrdiff_t *pad
        ptrdiff_t *dilate
    void cf_gather_b(const unsigned char *, unsigned char *, const cf_window *,
                     ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                     unsigned char) noexcept
    void cf_gather_h(const unsigned short *, unsigned short *, const cf_window *,
                     ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                     unsigned short) noexcept
    void cf_gather_f(const float *, float *, const cf_window *, ptrdiff_t, ptrdiff_t,
                     ptrdiff_t, ptrdiff_t, float) noexcept
    void cf_gather_d(const double *, double *, const cf_window *, ptrdiff_t, ptrdiff_t,
                     ptrdiff_t, ptrdiff_t, double) noexcept
    void cf_scatter_f(float *, float *, const cf_window *, ptrdiff_t, ptrdiff_t,
                      ptrdiff_t, ptrdiff_t, bint) noexcept
    void cf_scatter_d(double *, double *, const cf_window *, ptrdiff_t, ptrdiff_t,
                      ptrdiff_t, ptrdiff_t, bint) noexcept

cdef enum:
    # What the dimensions that BLAS is given stay below.
    MAX_INT = 2147483647
    # Multiplications from which on other threads may run.
    LONG_PRODUCT = 65536
    # Elements of a tile of patches, at about: two megabytes' worth of floats is too
    # much for the cache. And the columns that make a matrix product worth while.
    TILE_SIZE = 196608
    TILE_COLUMNS = 256


cdef class _Window:
    """The geometry of a convolution: see cf_window, and the order of its products."""
    cdef cf_window w
    cdef npy_intp images     # N
    cdef npy_intp groups
    cdef npy_intp channels   # of the images, in a group
    cdef npy_intp filters    # in a group: channels on the side of the places
    cdef npy_intp columns    # places of the window in an image
    cdef npy_intp depth      # elements of a patch in a group
    cdef bint direct         # whether an image is its own matrix of patches


cdef _Window _window(lengths, ksize, outs, stride, pad, dilate):
    """Return a window without its channels, or None if there is no code for it."""
    cdef _Window window = _Window.__new__(_Window)
    cdef cf_window *w = &window.w
    cdef Py_ssize_t j, n
    cdef bint plain = True
    n = len(ksize)
    if n == 0 or n > CF_MAX_AXES or len(lengths) != n or len(outs) != n or (
            len(stride) != n or len(pad) != n or len(dilate) != n):
        return None
    w.nd = n
    w.taps = w.plane = w.rows = 1
    for j in range(n):
        w.length[j] = lengths[j]
        w.ksize[j] = ksize[j]
        w.outs[j] = outs[j]
        w.stride[j] = stride[j]
        w.pad[j] = pad[j]
        w.dilate[j] = dilate[j]
        if w.length[j] <= 0 or w.ksize[j] <= 0 or w.outs[j] <= 0 or w.stride[j] <= 0:
            return None
        plain = plain and w.ksize[j] == 1 and w.stride[j] == 1 and w.pad[j] == 0 and (
            w.length[j] == w.outs[j])
        w.taps *= w.ksize[j]
        w.plane *= w.length[j]
        w.rows *= w.outs[j]
    w.width = w.outs[n - 1]
    w.rows //= w.width
    window.columns = w.rows * w.width
    window.direct = plain
    return window


cdef object _contiguous(object array):
    """Return the array in C order, a copy if need be."""
    return np.PyArray_GETCONTIGUOUS(<np.ndarray>array)


cdef char _common_kind(a, b) noexcept:
    """Return 'f' or 'd' if both arrays are of that type and not empty, else 0."""
    cdef char kind
    if not PyArray_CheckExact(a) or not PyArray_CheckExact(b):
        return 0
    if PyArray_SIZE(a) == 0 or PyArray_SIZE(b) == 0:
        return 0
    kind = cf_float_kind(<np.ndarray>a)
    return kind if cf_float_kind(<np.ndarray>b) == kind else 0


cdef object _new_images(np.ndarray like, npy_intp channels, lengths):
    """Return new images of the number and type of others."""
    cdef npy_intp shape[CF_MAX_AXES + 2]
    cdef Py_ssize_t j, n = len(lengths)
    shape[0] = PyArray_DIM(like, 0)
    shape[1] = channels
    for j in range(n):
        shape[2 + j] = lengths[j]
    return PyArray_EMPTY(<int>(2 + n), shape, PyArray_TYPE(like), 0)


# ------------------------------------------------------------------ patches as such

cdef void _gather_all(char size, const char *img, char *col, _Window window,
                      npy_intp planes, const char *pval) noexcept nogil:
    cdef cf_window *w = &window.w
    cdef ptrdiff_t rows = w.rows, ld = window.columns
    if size == 1:
        cf_gather_b(<unsigned char *>img, <unsigned char *>col, w, planes, 0, rows, ld,
                    (<unsigned char *>pval)[0])
    elif size == 2:
        cf_gather_h(<unsigned short *>img, <unsigned short *>col, w, planes, 0, rows,
                    ld, (<unsigned short *>pval)[0])
    elif size == 4:
        cf_gather_f(<float *>img, <float *>col, w, planes, 0, rows, ld,
                    (<float *>pval)[0])
    else:
        cf_gather_d(<double *>img, <double *>col, w, planes, 0, rows, ld,
                    (<double *>pval)[0])


def gather(img, ksize, stride, pad, dilate, outs, pval=0):
    """Compiled form of :func:`chainer_fast.backends.kernels.convolution.gather`."""
    cdef _Window window
    cdef np.ndarray source, col, value
    cdef npy_intp shape[2 * CF_MAX_AXES + 2]
    cdef npy_intp planes
    cdef Py_ssize_t j, n
    cdef char size
    source = <np.ndarray>img
    n = len(ksize)
    if PyArray_NDIM(source) != 2 + n or PyArray_SIZE(source) == 0 or (
            PyArray_ISBYTESWAPPED(source) or source.dtype.kind not in 'fiub'):
        return NotImplemented
    size = source.dtype.itemsize
    if size not in (1, 2, 4, 8):
        return NotImplemented
    window = _window(img.shape[2:], ksize, outs, stride, pad, dilate)
    if window is None:
        return NotImplemented
    value = np.PyArray_Cast(<np.ndarray>np.PyArray_FROM_O(pval), PyArray_TYPE(source))
    source = _contiguous(source)
    planes = PyArray_DIM(source, 0) * PyArray_DIM(source, 1)
    shape[0] = PyArray_DIM(source, 0)
    shape[1] = PyArray_DIM(source, 1)
    for j in range(n):
        shape[2 + j] = window.w.ksize[j]
        shape[2 + n + j] = window.w.outs[j]
    col = PyArray_EMPTY(<int>(2 + 2 * n), shape, PyArray_TYPE(source), 0)
    cdef const char *from_ = <char *>PyArray_DATA(source)
    cdef char *to = <char *>PyArray_DATA(col)
    cdef const char *pad_value = <char *>PyArray_DATA(value)
    if PyArray_SIZE(col) < LONG_PRODUCT:
        _gather_all(size, from_, to, window, planes, pad_value)
    else:
        with nogil:
            _gather_all(size, from_, to, window, planes, pad_value)
    return col


cdef void _scatter_all(char kind, void *col, void *img, _Window window,
                       npy_intp planes) noexcept nogil:
    cdef cf_window *w = &window.w
    if kind == b'f':
        memset(img, 0, planes * w.plane * sizeof(float))
        cf_scatter_f(<float *>col, <float *>img, w, planes, 0, w.rows, window.columns,
                     False)
    else:
        memset(img, 0, planes * w.plane * sizeof(double))
        cf_scatter_d(<double *>col, <double *>img, w, planes, 0, w.rows,
                     window.columns, False)


def scatter(col, stride, pad, lengths, dilate):
    """Compiled form of :func:`chainer_fast.backends.kernels.convolution.scatter`."""
    cdef _Window window
    cdef np.ndarray source, img
    cdef npy_intp planes
    cdef Py_ssize_t n = len(lengths)
    cdef char kind = _common_kind(col, col)
    if not kind or PyArray_NDIM(col) != 2 + 2 * n:
        return NotImplemented
    window = _window(lengths, col.shape[2:2 + n], col.shape[2 + n:], stride, pad,
                     dilate)
    if window is None:
        return NotImplemented
    source = _contiguous(col)
    img = _new_images(source, PyArray_DIM(source, 1), lengths)
    planes = PyArray_DIM(source, 0) * PyArray_DIM(source, 1)
    cdef void *from_ = PyArray_DATA(source)
    cdef void *to = PyArray_DATA(img)
    if PyArray_SIZE(source) < LONG_PRODUCT:
        _scatter_all(kind, from_, to, window, planes)
    else:
        with nogil:
            _scatter_all(kind, from_, to, window, planes)
    return img


# -------------------------------------------------------------------- convolutions

cdef inline void _product(
        floating zero, bint ta, bint tb, npy_intp m, npy_intp n, npy_intp k,
        const void *a, npy_intp lda, const void *b, npy_intp ldb, bint add, void *c,
        npy_intp ldc) noexcept nogil:
    if floating is float:
        product_f(ta, tb, m, n, k, <float *>a, lda, <float *>b, ldb, add, <float *>c,
                  ldc)
    else:
        product_d(ta, tb, m, n, k, <double *>a, lda, <double *>b, ldb, add,
                  <double *>c, ldc)


cdef inline void _gather(const floating *img, floating *col, const cf_window *w,
                         npy_intp channels, npy_intp begin, npy_intp end,
                         npy_intp ld) noexcept nogil:
    if floating is float:
        cf_gather_f(img, col, w, channels, begin, end, ld, 0)
    else:
        cf_gather_d(img, col, w, channels, begin, end, ld, 0)


cdef inline void _scatter(floating *col, floating *img, const cf_window *w,
                          npy_intp channels, npy_intp begin, npy_intp end,
                          npy_intp ld) noexcept nogil:
    if floating is float:
        cf_scatter_f(col, img, w, channels, begin, end, ld, True)
    else:
        cf_scatter_d(col, img, w, channels, begin, end, ld, True)


cdef void _fill(floating *out, floating value, npy_intp n) noexcept nogil:
    cdef npy_intp i
    for i in range(n):
        out[i] = value


cdef void _start(floating *y, const floating *b, npy_intp images, npy_intp channels,
                 npy_intp plane) noexcept nogil:
    """Fill images with the bias, or with zeros."""
    cdef npy_intp i, c
    if b is NULL:
        memset(y, 0, images * channels * plane * sizeof(floating))
        return
    for i in range(images):
        for c in range(channels):
            _fill(y + (i * channels + c) * plane, b[c], plane)


cdef void _copy_rows(const floating *source, npy_intp source_ld, floating *target,
                     npy_intp target_ld, npy_intp rows, npy_intp n) noexcept nogil:
    cdef npy_intp i
    for i in range(rows):
        memcpy(target + i * target_ld, source + i * source_ld, n * sizeof(floating))


cdef struct _Tiles:
    npy_intp images   # in a tile
    npy_intp rows     # of places in a tile, where it has but one image
    npy_intp columns  # of a tile
    npy_intp room     # elements that have to be allocated


cdef _Tiles _tiles(_Window window, npy_intp extra) noexcept nogil:
    """Return the size of tiles; extra is rows beside those of the patches."""
    cdef _Tiles tiles
    cdef npy_intp wanted = TILE_SIZE // window.depth
    cdef npy_intp whole = window.columns
    if wanted < TILE_COLUMNS:
        wanted = TILE_COLUMNS
    tiles.images = 1
    tiles.rows = window.w.rows
    tiles.columns = whole
    if whole > wanted:
        tiles.rows = (wanted + window.w.width - 1) // window.w.width
        if tiles.rows > window.w.rows:
            tiles.rows = window.w.rows
        tiles.columns = tiles.rows * window.w.width
    elif whole < TILE_COLUMNS:
        tiles.images = (TILE_COLUMNS + whole - 1) // whole
        if tiles.images > window.images:
            tiles.images = window.images
        tiles.columns = tiles.images * whole
    tiles.room = window.depth * tiles.columns
    if tiles.images > 1:
        tiles.room += extra * tiles.columns
    return tiles


cdef bint _is_whole(_Window window) noexcept nogil:
    """Tell whether images go into the products as they are."""
    return window.direct and (window.columns >= TILE_COLUMNS or window.images == 1)


cdef int _convolve(_Window window, const floating *x, const floating *W,
                   const floating *b, floating *y) noexcept nogil:
    """Compute y = W patches(x) + b."""
    cdef cf_window *w = &window.w
    cdef npy_intp columns = window.columns, depth = window.depth
    cdef npy_intp channels = window.channels, filters = window.filters
    cdef npy_intp n, g, row, last, image, count, ld
    cdef const floating *source
    cdef const floating *filter_
    cdef floating *target
    cdef floating *col
    cdef floating *side
    cdef floating zero = 0
    cdef _Tiles tiles
    cdef bint add = b is not NULL
    if add:
        _start(y, b, window.images, window.groups * filters, columns)
    if _is_whole(window):
        for n in range(window.images):
            for g in range(window.groups):
                _product(zero, False, False, filters, columns, channels,
                         W + g * filters * depth, depth,
                         x + (n * window.groups + g) * channels * columns, columns,
                         add, y + (n * window.groups + g) * filters * columns, columns)
        return 0
    tiles = _tiles(window, filters)
    col = <floating *>malloc(tiles.room * sizeof(floating))
    if col is NULL:
        return -1
    side = col + depth * tiles.columns
    n = 0
    while n < window.images:
        count = min(tiles.images, window.images - n)
        for g in range(window.groups):
            source = x + (n * window.groups + g) * channels * w.plane
            target = y + (n * window.groups + g) * filters * columns
            filter_ = W + g * filters * depth
            if tiles.images == 1:
                row = 0
                while row < w.rows:
                    last = min(row + tiles.rows, w.rows)
                    ld = (last - row) * w.width
                    _gather(source, col, w, channels, row, last, ld)
                    _product(zero, False, False, filters, ld, depth, filter_, depth,
                             col, ld, add, target + row * w.width, columns)
                    row = last
                continue
            ld = count * columns
            for image in range(count):
                _gather(source + image * window.groups * channels * w.plane,
                        col + image * columns, w, channels, 0, w.rows, ld)
            if add:
                for image in range(filters):
                    _fill(side + image * ld, b[g * filters + image], ld)
            _product(zero, False, False, filters, ld, depth, filter_, depth, col, ld,
                     add, side, ld)
            for image in range(count):
                _copy_rows(side + image * columns, ld,
                           target + image * window.groups * filters * columns, columns,
                           filters, columns)
        n += count
    free(col)
    return 0


cdef int _convolve_transposed(
        _Window window, const floating *x, const floating *W, const floating *b,
        floating *y) noexcept nogil:
    """Compute y = patches^T(W^T x) + b: the images are y, the places are those of x."""
    cdef cf_window *w = &window.w
    cdef npy_intp columns = window.columns, depth = window.depth
    cdef npy_intp channels = window.channels, filters = window.filters
    cdef npy_intp n, g, row, last, image, count, ld
    cdef const floating *source
    cdef const floating *filter_
    cdef floating *target
    cdef floating *col
    cdef floating *side
    cdef floating zero = 0
    cdef _Tiles tiles
    cdef bint whole = _is_whole(window)
    if b is not NULL or not whole:
        _start(y, b, window.images, window.groups * channels, w.plane)
    if whole:
        for n in range(window.images):
            for g in range(window.groups):
                _product(zero, True, False, channels, columns, filters,
                         W + g * filters * depth, depth,
                         x + (n * window.groups + g) * filters * columns, columns,
                         b is not NULL,
                         y + (n * window.groups + g) * channels * columns, columns)
        return 0
    tiles = _tiles(window, filters)
    col = <floating *>malloc(tiles.room * sizeof(floating))
    if col is NULL:
        return -1
    side = col + depth * tiles.columns
    n = 0
    while n < window.images:
        count = min(tiles.images, window.images - n)
        for g in range(window.groups):
            source = x + (n * window.groups + g) * filters * columns
            target = y + (n * window.groups + g) * channels * w.plane
            filter_ = W + g * filters * depth
            if tiles.images == 1:
                row = 0
                while row < w.rows:
                    last = min(row + tiles.rows, w.rows)
                    ld = (last - row) * w.width
                    _product(zero, True, False, depth, ld, filters, filter_, depth,
                             source + row * w.width, columns, False, col, ld)
                    _scatter(col, target, w, channels, row, last, ld)
                    row = last
                continue
            ld = count * columns
            for image in range(count):
                _copy_rows(source + image * window.groups * filters * columns, columns,
                           side + image * columns, ld, filters, columns)
            _product(zero, True, False, depth, ld, filters, filter_, depth, side, ld,
                     False, col, ld)
            for image in range(count):
                _scatter(col + image * columns,
                         target + image * window.groups * channels * w.plane, w,
                         channels, 0, w.rows, ld)
        n += count
    free(col)
    return 0


cdef int _correlate(_Window window, const floating *x, const floating *gy,
                    floating *gW) noexcept nogil:
    """Compute gW = gy patches(x)^T, summed over the images."""
    cdef cf_window *w = &window.w
    cdef npy_intp columns = window.columns, depth = window.depth
    cdef npy_intp channels = window.channels, filters = window.filters
    cdef npy_intp n, g, row, last, image, count, ld
    cdef const floating *source
    cdef const floating *slope
    cdef floating *target
    cdef floating *col
    cdef floating *side
    cdef floating zero = 0
    cdef _Tiles tiles
    if _is_whole(window):
        for n in range(window.images):
            for g in range(window.groups):
                _product(zero, False, True, filters, channels, columns,
                         gy + (n * window.groups + g) * filters * columns, columns,
                         x + (n * window.groups + g) * channels * columns, columns,
                         n > 0, gW + g * filters * depth, depth)
        return 0
    tiles = _tiles(window, filters)
    col = <floating *>malloc(tiles.room * sizeof(floating))
    if col is NULL:
        return -1
    side = col + depth * tiles.columns
    n = 0
    while n < window.images:
        count = min(tiles.images, window.images - n)
        for g in range(window.groups):
            source = x + (n * window.groups + g) * channels * w.plane
            slope = gy + (n * window.groups + g) * filters * columns
            target = gW + g * filters * depth
            if tiles.images == 1:
                row = 0
                while row < w.rows:
                    last = min(row + tiles.rows, w.rows)
                    ld = (last - row) * w.width
                    _gather(source, col, w, channels, row, last, ld)
                    _product(zero, False, True, filters, depth, ld,
                             slope + row * w.width, columns, col, ld, n + row > 0,
                             target, depth)
                    row = last
                continue
            ld = count * columns
            for image in range(count):
                _gather(source + image * window.groups * channels * w.plane,
                        col + image * columns, w, channels, 0, w.rows, ld)
                _copy_rows(slope + image * window.groups * filters * columns, columns,
                           side + image * columns, ld, filters, columns)
            _product(zero, False, True, filters, depth, ld, side, ld, col, ld, n > 0,
                     target, depth)
        n += count
    free(col)
    return 0


ctypedef int (*_Run)(
    _Window, const void *, const void *, const void *, void *) noexcept nogil


cdef int _run(_Run run_f, _Run run_d, char kind, _Window window, object first,
              object second, object third, object result) except -1:
    """Run a convolution on plain arrays; `third` may be None."""
    cdef const void *a = PyArray_DATA(<np.ndarray>first)
    cdef const void *b = PyArray_DATA(<np.ndarray>second)
    cdef const void *c = NULL
    cdef void *out = PyArray_DATA(<np.ndarray>result)
    cdef int failed
    cdef _Run run = run_f if kind == b'f' else run_d
    if third is not None:
        third = _contiguous(third)
        c = PyArray_DATA(<np.ndarray>third)
    load()
    if window.images * window.columns * window.depth * window.filters < LONG_PRODUCT:
        failed = run(window, a, b, c, out)
    else:
        with nogil:
            failed = run(window, a, b, c, out)
    if failed:
        raise MemoryError
    return 0


# The same with pointers to anything, to choose one by the type.

cdef int _convolve_f(_Window window, const void *x, const void *W, const void *b,
                     void *y) noexcept nogil:
    return _convolve[float](window, <float *>x, <float *>W, <float *>b, <float *>y)


cdef int _convolve_d(_Window window, const void *x, const void *W, const void *b,
                     void *y) noexcept nogil:
    return _convolve[double](
        window, <double *>x, <double *>W, <double *>b, <double *>y)


cdef int _transposed_f(_Window window, const void *x, const void *W, const void *b,
                       void *y) noexcept nogil:
    return _convolve_transposed[float](
        window, <float *>x, <float *>W, <float *>b, <float *>y)


cdef int _transposed_d(_Window window, const void *x, const void *W, const void *b,
                       void *y) noexcept nogil:
    return _convolve_transposed[double](
        window, <double *>x, <double *>W, <double *>b, <double *>y)


cdef int _correlate_f(_Window window, const void *x, const void *gy, const void *_,
                      void *gW) noexcept nogil:
    return _correlate[float](window, <float *>x, <float *>gy, <float *>gW)


cdef int _correlate_d(_Window window, const void *x, const void *gy, const void *_,
                      void *gW) noexcept nogil:
    return _correlate[double](window, <double *>x, <double *>gy, <double *>gW)


cdef _Window _filter_window(char kind, x, W, images, stride, pad, dilate, groups, outs,
                            b, npy_intp bias_length):
    """Return the window of images and filters; None if the arrays do not go together.

    The images are an array, or the lengths of those that are to be made.
    """
    cdef _Window window
    cdef Py_ssize_t n = PyArray_NDIM(W) - 2
    if not kind or n < 1 or PyArray_NDIM(x) != n + 2:
        return None
    if b is not None and (
            _common_kind(b, b) != kind or PyArray_SIZE(b) != bias_length):
        return None
    window = _window(images, W.shape[2:], outs, stride, pad, dilate)
    if window is None:
        return None
    window.groups = groups
    if window.groups < 1 or PyArray_DIM(W, 0) % window.groups:
        return None
    window.images = PyArray_DIM(x, 0)
    window.filters = PyArray_DIM(W, 0) // window.groups
    window.channels = PyArray_DIM(W, 1)
    window.depth = window.channels * window.w.taps
    # Sizes of matrices; tiles are smaller.
    if max(window.depth, window.filters, window.columns, window.w.plane) > (
            MAX_INT // TILE_COLUMNS):
        return None
    return window


cpdef object convolve(x, W, b, stride, pad, dilate, groups, outs):
    """Compiled form of :func:`chainer_fast.backends.kernels.convolution.convolve`."""
    cdef char kind = _common_kind(x, W)
    cdef _Window window
    cdef object y
    if not kind:
        return NotImplemented
    window = _filter_window(kind, x, W, x.shape[2:], stride, pad, dilate, groups, outs,
                            b, PyArray_DIM(W, 0))
    if window is None or PyArray_DIM(x, 1) != window.groups * window.channels:
        return NotImplemented
    x, W = _contiguous(x), _contiguous(W)
    y = _new_images(x, PyArray_DIM(W, 0), outs)
    _run(_convolve_f, _convolve_d, kind, window, x, W, b, y)
    return y


cpdef object convolve_transposed(x, W, b, stride, pad, dilate, groups, outs):
    """Compiled form of the kernel of this name in the module ``images``."""
    cdef char kind = _common_kind(x, W)
    cdef _Window window
    cdef object y
    if not kind:
        return NotImplemented
    window = _filter_window(kind, x, W, outs, stride, pad, dilate, groups, x.shape[2:],
                            b, PyArray_DIM(W, 1) * <npy_intp>groups)
    if window is None or PyArray_DIM(x, 1) != PyArray_DIM(W, 0):
        return NotImplemented
    x, W = _contiguous(x), _contiguous(W)
    y = _new_images(x, window.groups * window.channels, outs)
    _run(_transposed_f, _transposed_d, kind, window, x, W, b, y)
    return y


cpdef object correlate(x, gy, ksize, stride, pad, dilate, groups, dtype):
    """Compiled form of :func:`chainer_fast.backends.kernels.convolution.correlate`."""
    cdef char kind = _common_kind(x, gy)
    cdef _Window window
    cdef npy_intp shape[CF_MAX_AXES + 2]
    cdef Py_ssize_t j, n = len(ksize)
    cdef object gW
    if not kind or PyArray_NDIM(x) != n + 2 or PyArray_NDIM(gy) != n + 2 or (
            dtype != x.dtype or PyArray_DIM(x, 0) != PyArray_DIM(gy, 0)):
        return NotImplemented
    window = _window(x.shape[2:], ksize, gy.shape[2:], stride, pad, dilate)
    if window is None:
        return NotImplemented
    window.groups = groups
    if window.groups < 1 or PyArray_DIM(x, 1) % window.groups or (
            PyArray_DIM(gy, 1) % window.groups):
        return NotImplemented
    window.images = PyArray_DIM(x, 0)
    window.channels = PyArray_DIM(x, 1) // window.groups
    window.filters = PyArray_DIM(gy, 1) // window.groups
    window.depth = window.channels * window.w.taps
    if max(window.depth, window.filters, window.columns, window.w.plane) > (
            MAX_INT // TILE_COLUMNS):
        return NotImplemented
    shape[0] = PyArray_DIM(gy, 1)
    shape[1] = window.channels
    for j in range(n):
        shape[2 + j] = window.w.ksize[j]
    gW = PyArray_EMPTY(<int>(2 + n), shape, PyArray_TYPE(x), 0)
    _run(_correlate_f, _correlate_d, kind, window, _contiguous(x), _contiguous(gy),
         None, gW)
    return gW
