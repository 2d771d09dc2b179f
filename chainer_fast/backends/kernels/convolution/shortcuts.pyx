"""Compiled shortcuts of convolutions of two dimensions."""
cimport numpy as np
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from libc.math cimport INFINITY
from libc.stddef cimport ptrdiff_t
from libc.string cimport memset
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_NDIM, PyArray_ZEROS, npy_intp

from chainer_fast._core.graph cimport FunctionBase, Shortcut
from chainer_fast._core.shortcut cimport given, input_array, wanted
from chainer_fast.backends.kernels.common.layout cimport is_channels_last
from chainer_fast.backends.kernels.convolution.arguments cimport (
    CONVOLVE, CORRELATE, TRANSPOSE, Convolution, Window, set_sizes, type_of_both)
from chainer_fast.backends.kernels.convolution.compiled cimport compute

np.import_array()

cdef extern from "chainer_fast/backends/kernels/convolution/channel_sums.hpp" \
        namespace "chainer_fast":
    void channel_sums(char kind, object y, object sums, ptrdiff_t images,
                      ptrdiff_t channels, ptrdiff_t plane) noexcept
    void pixel_sums(char kind, object y, object sums, ptrdiff_t pixels,
                    ptrdiff_t channels) noexcept


cdef bint _set_window(Convolution *c, FunctionBase function, object W) except -1:
    """Fill in the window of a function and its filters.

    Return whether all numbers are integers, and the strides are positive.
    """
    cdef Window *w = &c.w
    cdef tuple numbers = (
        function.sy, function.sx, function.ph, function.pw, function.dy, function.dx,
        function.groups)
    for number in numbers:
        if not PyLong_CheckExact(number):
            return False
    memset(c, 0, sizeof(Convolution))
    w.nd = 2
    w.ksize[0] = PyArray_DIM(W, 2)
    w.ksize[1] = PyArray_DIM(W, 3)
    (w.stride[0], w.stride[1], w.pad[0], w.pad[1], w.dilate[0], w.dilate[1],
     c.groups) = numbers
    return w.stride[0] > 0 and w.stride[1] > 0


cdef inline void _set_spatial(ptrdiff_t *lengths, object array) noexcept:
    lengths[0] = PyArray_DIM(array, 2)
    lengths[1] = PyArray_DIM(array, 3)


cdef char _kind_of(object x, object W, object b) noexcept:
    """Return the type of images, filters and bias, or 0 if they are not."""
    cdef char kind = type_of_both(x, W)
    if not kind or PyArray_NDIM(x) != 4 or PyArray_NDIM(W) != 4:
        return 0
    return kind if b is None or (
        type_of_both(x, b) and PyArray_NDIM(b) == 1) else 0


cdef npy_intp _places(const Window &w, int axis, bint cover_all) noexcept:
    """Return the places of the window along an axis, zero if there are none."""
    cdef npy_intp room = w.length[axis] + 2 * w.pad[axis] - (
        w.ksize[axis] - 1) * w.dilate[axis] - 1
    if cover_all:
        room += w.stride[axis] - 1
    return room // w.stride[axis] + 1 if room >= 0 else 0


cdef bint _has_places(const Window &w, int axis) noexcept:
    """Tell whether a convolution leads to as many places along an axis."""
    return _places(w, axis, False) <= w.outs[axis] <= _places(w, axis, True)


cdef bint _set_sizes(Convolution *c, npy_intp images, npy_intp channels,
                     object W) noexcept:
    return set_sizes(c, images, channels, PyArray_DIM(W, 0)) and (
        c.channels == PyArray_DIM(W, 1))


cdef object _bias_gradient(object gy):
    """Return the sums over all but the channels; None if they are not finite."""
    cdef npy_intp channels = PyArray_DIM(gy, 1)
    cdef npy_intp plane = PyArray_DIM(gy, 2) * PyArray_DIM(gy, 3)
    cdef object sums = PyArray_ZEROS(1, &channels, np.NPY_DOUBLE, 0)
    cdef double *out = <double *>PyArray_DATA(<np.ndarray>sums)
    cdef char kind = type_of_both(gy, gy)
    cdef bint single = kind == b'f'
    cdef double limit = 3.4e38 if single else INFINITY
    cdef npy_intp c
    if is_channels_last(gy):
        pixel_sums(kind, gy, sums, PyArray_DIM(gy, 0) * plane, channels)
    else:
        gy = np.PyArray_FROM_OF(gy, np.NPY_ARRAY_CARRAY_RO)
        channel_sums(kind, gy, sums, PyArray_DIM(gy, 0), channels, plane)
    for c in range(channels):
        # False for NaN, too.
        if not -limit < out[c] < limit:
            return None
    return np.PyArray_Cast(<np.ndarray>sums, np.NPY_FLOAT) if single else sums


cdef class _Shortcut(Shortcut):
    """Gradients: those of one convolution are made by the other."""
    cdef bint transposed

    def __cinit__(self):
        self.retain_inputs = (0, 1)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object images = input_array(function, 0), places = gy
        cdef object filters = input_array(function, 1)
        cdef object to_images = None, to_filters = None, to_bias = None
        cdef Convolution c
        cdef char kind = _kind_of(gy, filters, None)
        if not kind or not _kind_of(images, filters, None) or (
                not _set_window(&c, function, filters)):
            return 0
        if self.transposed:
            images, places = gy, images
        _set_spatial(c.w.length, images)
        _set_spatial(c.w.outs, places)
        if not _set_sizes(
                &c, PyArray_DIM(images, 0), PyArray_DIM(images, 1), filters) or (
                PyArray_DIM(places, 0) != c.images
                or PyArray_DIM(places, 1) != PyArray_DIM(filters, 0)
                or not _has_places(c.w, 0) or not _has_places(c.w, 1)):
            return 0
        if wanted(function, 0):
            to_images = compute(
                CONVOLVE if self.transposed else TRANSPOSE, c, kind, gy, filters, None)
        if wanted(function, 1):
            to_filters = compute(CORRELATE, c, kind, images, places, None)
        if len(function.input_nodes) == 3 and wanted(function, 2):
            to_bias = _bias_gradient(gy)
            if to_bias is None:
                return 0
        if to_images is NotImplemented or to_filters is NotImplemented:
            return 0
        if self.transposed:
            # Whether the convolution back has to see all pixels.
            function.cover_all = c.w.outs[0] != _places(c.w, 0, False) or (
                c.w.outs[1] != _places(c.w, 1, False))
        gx[0] = given(to_images)
        gx[1] = given(to_filters)
        if to_bias is not None:
            gx[2] = given(to_bias)
        return 1

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object images, filters, y, bias = None
        cdef Convolution c
        cdef char kind
        if n != 2 and n != 3:
            return None
        images = <object>x[0]
        filters = <object>x[1]
        if n == 3:
            bias = <object>x[2]
        kind = _kind_of(images, filters, bias)
        if not kind or not _set_window(&c, function, filters) or (
                not self.complete(function, &c, images, filters)):
            return None
        y = compute(
            TRANSPOSE if self.transposed else CONVOLVE, c, kind, images, filters, bias)
        if y is NotImplemented:
            return None
        if self.transposed:
            function.outh = c.w.length[0]
            function.outw = c.w.length[1]
        return y

    cdef bint complete(self, FunctionBase function, Convolution *c, object x,
                       object W) except -1:
        """Fill in the sizes of the result and all others; return whether they fit."""
        raise NotImplementedError


cdef class Convolution2DShortcut(_Shortcut):
    """``y = W patches(x) + b``."""

    cdef bint complete(self, FunctionBase function, Convolution *c, object x,
                       object W) except -1:
        cdef object outs = function._outs
        cdef bint cover_all
        _set_spatial(c.w.length, x)
        if outs is None:
            cover_all = function.cover_all
            c.w.outs[0] = _places(c.w, 0, cover_all)
            c.w.outs[1] = _places(c.w, 1, cover_all)
        else:
            c.w.outs[0], c.w.outs[1] = outs
        return not function.cudnn_fast and _set_sizes(
            c, PyArray_DIM(x, 0), PyArray_DIM(x, 1), W)


cdef class Deconvolution2DShortcut(_Shortcut):
    """``y = patches^T(W^T x) + b``."""

    def __cinit__(self):
        self.transposed = True

    cdef bint complete(self, FunctionBase function, Convolution *c, object x,
                       object W) except -1:
        _set_spatial(c.w.outs, x)
        return _set_length(&c.w, 0, function.outh) and (
            _set_length(&c.w, 1, function.outw)) and (
            PyArray_DIM(x, 1) == PyArray_DIM(W, 0)) and _set_sizes(
            c, PyArray_DIM(x, 0), PyArray_DIM(W, 1) * c.groups, W)


cdef bint _set_length(Window *w, int axis, object wanted_) except -1:
    """Fill in the length of an axis of the result; return whether there may be one."""
    if wanted_ is None:
        w.length[axis] = (w.outs[axis] - 1) * w.stride[axis] + (
            w.ksize[axis] - 1) * w.dilate[axis] + 1 - 2 * w.pad[axis]
        return True
    if not PyLong_CheckExact(wanted_):
        return False
    w.length[axis] = wanted_
    return _has_places(w[0], axis)
