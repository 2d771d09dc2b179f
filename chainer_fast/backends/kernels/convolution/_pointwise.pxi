# Convolutions by windows of one pixel, which are products of matrices: rows are pixels,
# columns channels. Part of compiled.pyx.
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_EMPTY, npy_intp

import numpy

from chainer_fast.backends.kernels.common.blas cimport Gemm, ProductSizes, find_gemm
from chainer_fast.backends.kernels.common.layout cimport is_channels_last
from chainer_fast.backends.kernels.convolution.arguments cimport (
    CONVOLVE, CORRELATE, Convolution, Task, in_order, new_result)
from chainer_fast.backends.kernels.matmul.batches cimport (
    Batch, Matrix, is_thin, multiply_all)

cdef extern from "chainer_fast/backends/kernels/convolution/channel_sums.hpp" \
        namespace "chainer_fast::convolution":
    void add_to_pixels(float *pixels, const float *bias, ptrdiff_t count,
                       ptrdiff_t channels) noexcept

cdef enum:
    # A product for each image, and a sum of gradients of filters over all, pay from so
    # many pixels on. Where channels are last, there is one product.
    MANY_PIXELS = 128
    # Products of few images are cut into so many, as threads share whole ones.
    FEW_IMAGES = 16


cdef bint _is_whole(object images) noexcept:
    """Return whether an array has no gaps, in C order or with channels last."""
    return np.PyArray_IS_C_CONTIGUOUS(<np.ndarray>images) or is_channels_last(images)


cdef bint _has_rows(object images, npy_intp pixels) noexcept:
    """Return whether the pixels of all images are the rows of one matrix."""
    return is_channels_last(images) or pixels == 1 or PyArray_DIM(images, 1) == 1


cdef Matrix _matrix(object images, bint rows, npy_intp pixels) noexcept:
    """Return images as a matrix: of all, or of the first one."""
    cdef Matrix matrix
    matrix.data = <const float *>PyArray_DATA(<np.ndarray>images)
    matrix.ld = PyArray_DIM(images, 1) if rows else pixels
    matrix.transposed = not rows
    return matrix


cdef Py_ssize_t _parts(npy_intp images, npy_intp length) noexcept:
    """Return into how many equal parts a length is cut for each of some images."""
    cdef Py_ssize_t parts
    for parts in range(1, FEW_IMAGES):
        if images > 1 and length % parts == 0 and images * parts >= FEW_IMAGES:
            return parts
    return 1


cdef int _multiply(const Batch &batch, const Matrix &a, const Matrix &b,
                   object out) except -1:
    """Fill an array with the products of a batch."""
    cdef float *data = <float *>PyArray_DATA(<np.ndarray>out)
    cdef ProductSizes sizes
    cdef Gemm by = NULL
    if not is_thin(batch.m, batch.n, batch.k):
        sizes.rows, sizes.columns, sizes.depth = batch.m, batch.n, batch.k
        sizes.left_turned, sizes.right_turned = a.transposed, b.transposed
        find_gemm(b'f', sizes, &by)
    with nogil:
        multiply_all(by, batch, a, b, data)
    return 0


cdef object _by_products(Task task, const Convolution &c, a, b, bias):
    """Do the same as :func:`compute` for images as they lie; None if that is slower."""
    cdef npy_intp pixels = c.columns, inner = PyArray_DIM(a, 1)
    cdef npy_intp shape[3]
    cdef npy_intp outer = c.filters if task == CONVOLVE else c.channels
    cdef bint rows = _has_rows(a, pixels)
    cdef bint one = rows and (task != CORRELATE or _has_rows(b, pixels))
    cdef npy_intp images = 1 if one else c.images
    cdef ptrdiff_t part
    cdef Batch batch
    cdef Matrix left, right = _matrix(a, rows, pixels)
    if c.images > MAX_INT // pixels or (
            not one and c.images > 1 and pixels < MANY_PIXELS):
        return None
    result = new_result(task, c, a, True)
    batch.axes = 2
    batch.length[0] = images
    if task != CORRELATE:
        batch.m = pixels * (c.images if one else 1)
        batch.n, batch.k = outer, inner
        left = right
        right.data = <const float *>PyArray_DATA(<np.ndarray>b)
        right.ld, right.transposed = c.channels, task == CONVOLVE
        batch.a_step[0], batch.b_step[0] = pixels * inner, 0
    else:
        batch.m, batch.n, batch.k = c.filters, inner, pixels * (c.images if one else 1)
        left = _matrix(b, _has_rows(b, pixels), pixels)
        left.transposed = not left.transposed
        batch.a_step[0], batch.b_step[0] = pixels * c.filters, pixels * inner
    batch.length[1] = _parts(images, batch.m)
    batch.count = images * batch.length[1]
    batch.m //= batch.length[1]
    part = batch.m
    batch.a_step[1], batch.b_step[1] = part if left.transposed else part * left.ld, 0
    if task == CORRELATE and images > 1:
        shape[0], shape[1], shape[2] = images, c.filters, inner
        products = PyArray_EMPTY(3, shape, np.NPY_FLOAT, 0)
        _multiply(batch, left, right, products)
        # Sums that are too large are infinite, as those of the other ways.
        with numpy.errstate(all='ignore'):
            numpy.add.reduce(products, 0, None, result.reshape(c.filters, inner))
        return result
    _multiply(batch, left, right, result)
    if bias is not None:
        bias = in_order(bias)
        add_to_pixels(<float *>PyArray_DATA(<np.ndarray>result),
                      <const float *>PyArray_DATA(<np.ndarray>bias),
                      c.images * pixels, outer)
    return result
