# Convolutions by windows of one pixel, which are products of matrices: rows are pixels,
# columns channels. Part of compiled.pyx.
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_SIZE, npy_intp

import numpy

from chainer_fast.backends.kernels.common.layout cimport is_channels_last
from chainer_fast.backends.kernels.convolution.arguments cimport (
    CONVOLVE, CORRELATE, Convolution, Task, in_order)

from chainer_fast.backends.kernels.matmul import compiled as _products

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


cdef Py_ssize_t _parts(Py_ssize_t images, Py_ssize_t length) noexcept:
    """Return how many equal parts of a length there are for each of some images."""
    cdef Py_ssize_t parts
    for parts in range(1, FEW_IMAGES):
        if length % parts == 0 and images * parts >= FEW_IMAGES:
            return parts
    return 1


cdef object _cut(object matrices, object others):
    """Cut the rows of a matrix for each image into matrices of fewer rows, as views.

    Return them and the other factors, which all of an image share.
    """
    cdef tuple shape = matrices.shape
    cdef Py_ssize_t parts = 1 if shape[0] == 1 else _parts(shape[0], shape[1])
    if parts == 1:
        return matrices, others
    matrices = matrices.reshape((shape[0], parts, shape[1] // parts, shape[2]))
    return matrices, others if others.ndim == 2 else others[:, None]


cdef object _pixels(object images, bint by_image):
    """Return images as a matrix, or as one for each; None if a copy would be needed."""
    cdef tuple shape = images.shape
    if is_channels_last(images):
        rows = numpy.moveaxis(images, 1, -1)
        return rows.reshape((shape[0], -1, shape[1]) if by_image else (-1, shape[1]))
    if np.PyArray_IS_C_CONTIGUOUS(<np.ndarray>images):
        return images.reshape((shape[0], shape[1], -1)).swapaxes(1, 2)
    return None


cdef object _by_products(Task task, const Convolution &c, a, b, bias):
    """Do the same as :func:`compute`; None if arrays lie in other ways."""
    cdef object rows, others, result
    cdef npy_intp channels = c.filters if task == CONVOLVE else c.channels
    cdef bint by_image = not is_channels_last(a) or (
        task == CORRELATE and not is_channels_last(b))
    if by_image and c.images > 1 and c.columns < MANY_PIXELS:
        return None
    rows = _pixels(a, by_image)
    if rows is None:
        return None
    # Products that are left to NumPy could warn.
    with numpy.errstate(all='ignore'):
        if task == CORRELATE:
            others = _pixels(b, by_image)
            if others is None:
                return None
            others = others.swapaxes(-1, -2)
            if by_image:
                result = numpy.add.reduce(_products.matmul(*_cut(others, rows)))
            else:
                result = _products.matmul(others, rows)
            return result.reshape((c.filters, c.channels) + (1,) * <int>c.w.nd)
        filters = b.reshape(b.shape[:2])
        if task == CONVOLVE:
            filters = filters.T
        if by_image:
            rows, filters = _cut(rows, filters)
        result = _products.matmul(rows, filters)
    if bias is not None:
        bias = in_order(bias)
        add_to_pixels(
            <float *>PyArray_DATA(<np.ndarray>result),
            <const float *>PyArray_DATA(<np.ndarray>bias),
            PyArray_SIZE(result) // channels, channels)
    result = result.reshape((a.shape[0], *a.shape[2:], channels))
    return numpy.moveaxis(result, -1, 1)
