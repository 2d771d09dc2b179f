"""Compiled shortcuts of convolutions of two dimensions."""
cimport numpy as np
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from libc.math cimport INFINITY
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_NDIM, \
    PyArray_SIZE, PyArray_TYPE, PyArray_ZEROS, npy_intp

from chainer_fast._core.graph cimport FunctionBase, Shortcut
from chainer_fast._core.shortcut cimport given, input_array, wanted
from chainer_fast._core.plain cimport cf_float_kind
from chainer_fast.backends.kernels.common.layout cimport is_channels_last
from chainer_fast.backends.kernels.convolution.compiled cimport convolve, \
    convolve_transposed, correlate

np.import_array()

cdef extern from "chainer_fast/backends/kernels/convolution/channel_sums.hpp" \
        namespace "chainer_fast" nogil:
    void channel_sums(char kind, const void *y, double *sums, ptrdiff_t images,
                      ptrdiff_t channels, ptrdiff_t plane) noexcept
    void pixel_sums(char kind, const void *y, double *sums, ptrdiff_t pixels,
                    ptrdiff_t channels) noexcept


cdef class _Window:
    """Stride, padding, dilation and groups of a function of two dimensions."""
    cdef tuple stride, pad, dilate
    cdef object groups


cdef _Window _window(FunctionBase function):
    """Return the window, or None if a number in it is invalid."""
    cdef _Window window = _Window.__new__(_Window)
    window.stride = function.sy, function.sx
    window.pad = function.ph, function.pw
    window.dilate = function.dy, function.dx
    window.groups = function.groups
    for number in window.stride:
        if not PyLong_CheckExact(number) or number < 1:
            return None
    for number in window.pad:
        if not PyLong_CheckExact(number) or number < 0:
            return None
    for number in window.dilate:
        if not PyLong_CheckExact(number) or number < 1:
            return None
    if not PyLong_CheckExact(window.groups) or window.groups < 1:
        return None
    return window


cdef char _kind_of(object x) noexcept:
    """Return 'f' or 'd' for an array of any strides that is not empty, else 0."""
    if not PyArray_CheckExact(x) or PyArray_SIZE(x) == 0:
        return 0
    return cf_float_kind(<np.ndarray>x)


cdef bint _fit(object x, object W, object b) except -1:
    """Tell whether these are images, filters and bias of one type."""
    cdef char kind = _kind_of(x)
    if not kind or _kind_of(W) != kind or (
            PyArray_NDIM(x) != 4 or PyArray_NDIM(W) != 4):
        return False
    return b is None or (_kind_of(b) == kind and PyArray_NDIM(b) == 1)


cdef tuple _spatial(object x):
    return PyArray_DIM(x, 2), PyArray_DIM(x, 3)


cdef npy_intp _places(object x, object W, _Window window, int axis, npy_intp length,
                      bint cover_all) except -1:
    """Return the places of the window along an axis, zero if there are none."""
    cdef npy_intp stride = window.stride[axis]
    cdef npy_intp room = length + 2 * <npy_intp>window.pad[axis] - (
        PyArray_DIM(W, 2 + axis) - 1) * <npy_intp>window.dilate[axis] - 1
    if cover_all:
        room += stride - 1
    return room // stride + 1 if room >= 0 else 0


cdef bint _go_together(object images, object W, object places,
                       _Window window) except -1:
    """Tell whether a convolution leads from some images to as many places."""
    cdef npy_intp n
    cdef int axis
    if PyArray_DIM(images, 0) != PyArray_DIM(places, 0) or (
            PyArray_DIM(images, 1) != PyArray_DIM(W, 1) * <npy_intp>window.groups
            or PyArray_DIM(places, 1) != PyArray_DIM(W, 0)):
        return False
    for axis in range(2):
        n = PyArray_DIM(images, 2 + axis)
        if not _places(images, W, window, axis, n, False) <= PyArray_DIM(
                places, 2 + axis) <= _places(images, W, window, axis, n, True):
            return False
    return True


cdef object _bias_gradient(object gy):
    """Return the sums over all but the channels; None if they are not finite."""
    cdef npy_intp channels = PyArray_DIM(gy, 1)
    cdef npy_intp plane = PyArray_DIM(gy, 2) * PyArray_DIM(gy, 3)
    cdef object sums = PyArray_ZEROS(1, &channels, np.NPY_DOUBLE, 0)
    cdef double *out = <double *>PyArray_DATA(<np.ndarray>sums)
    cdef bint single = PyArray_TYPE(gy) == np.NPY_FLOAT
    cdef double limit = 3.4e38 if single else INFINITY
    cdef npy_intp c
    if is_channels_last(gy):
        pixel_sums(_kind_of(gy), PyArray_DATA(<np.ndarray>gy), out,
                   PyArray_DIM(gy, 0) * plane, channels)
    else:
        gy = np.PyArray_FROM_OF(gy, np.NPY_ARRAY_CARRAY_RO)
        channel_sums(_kind_of(gy), PyArray_DATA(<np.ndarray>gy), out,
                     PyArray_DIM(gy, 0), channels, plane)
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
        cdef object images = input_array(function, 0)
        cdef object filters = input_array(function, 1)
        cdef object to_images = None, to_filters = None, to_bias = None
        cdef _Window window
        if not _fit(gy, filters, None) or not _fit(images, filters, None):
            return 0
        window = _window(function)
        if window is None or not _go_together(
                gy if self.transposed else images, filters,
                images if self.transposed else gy, window):
            return 0
        if wanted(function, 0):
            if self.transposed:
                to_images = convolve(
                    gy, filters, None, window.stride, window.pad, window.dilate,
                    window.groups, _spatial(images))
            else:
                to_images = convolve_transposed(
                    gy, filters, None, window.stride, window.pad, window.dilate,
                    window.groups, _spatial(images))
        if wanted(function, 1):
            to_filters = correlate(
                gy if self.transposed else images, images if self.transposed else gy,
                _spatial(filters), window.stride, window.pad, window.dilate,
                window.groups, filters.dtype)
        if len(function.input_nodes) == 3 and wanted(function, 2):
            to_bias = _bias_gradient(gy)
            if to_bias is None:
                return 0
        if to_images is NotImplemented or to_filters is NotImplemented:
            return 0
        if self.transposed:
            function.cover_all = _needs_cover_all(images, filters, gy, window)
        gx[0] = given(to_images)
        gx[1] = given(to_filters)
        if to_bias is not None:
            gx[2] = given(to_bias)
        return 1


cdef class Convolution2DShortcut(_Shortcut):
    """``y = W patches(x) + b``."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object images, filters, y, outs, bias = None
        cdef _Window window
        cdef bint cover_all
        if n != 2 and n != 3:
            return None
        images = <object>x[0]
        filters = <object>x[1]
        if n == 3:
            bias = <object>x[2]
        if not _fit(images, filters, bias) or function.cudnn_fast:
            return None
        window = _window(function)
        if window is None or PyArray_DIM(images, 1) != (
                PyArray_DIM(filters, 1) * <npy_intp>window.groups):
            return None
        outs = function._outs
        if outs is None:
            cover_all = function.cover_all
            outs = (
                _places(images, filters, window, 0, PyArray_DIM(images, 2), cover_all),
                _places(images, filters, window, 1, PyArray_DIM(images, 3), cover_all))
        y = convolve(images, filters, bias, window.stride, window.pad, window.dilate,
                     window.groups, outs)
        return None if y is NotImplemented else y


cdef class Deconvolution2DShortcut(_Shortcut):
    """``y = patches^T(W^T x) + b``."""

    def __cinit__(self):
        self.transposed = True

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object images, filters, y, height, width, bias = None
        cdef _Window window
        if n != 2 and n != 3:
            return None
        images = <object>x[0]
        filters = <object>x[1]
        if n == 3:
            bias = <object>x[2]
        if not _fit(images, filters, bias) or (
                PyArray_DIM(images, 1) != PyArray_DIM(filters, 0)):
            return None
        window = _window(function)
        if window is None:
            return None
        height = _length(images, filters, window, 0, function.outh)
        width = _length(images, filters, window, 1, function.outw)
        if height is None or width is None:
            return None
        y = convolve_transposed(images, filters, bias, window.stride, window.pad,
                                window.dilate, window.groups, (height, width))
        if y is NotImplemented:
            return None
        function.outh = height
        function.outw = width
        return y


cdef bint _needs_cover_all(object x, object W, object y, _Window window) except -1:
    """Tell whether the convolution from ``y`` to ``x`` has to cover all of ``y``."""
    cdef int axis
    for axis in range(2, 4):
        if PyArray_DIM(x, axis) != _places(
                y, W, window, axis - 2, PyArray_DIM(y, axis), False):
            return True
    return False


cdef object _length(object x, object W, _Window window, int axis, object wanted_):
    """Return the length of an axis of the result; None if there is no such length."""
    cdef npy_intp length, places = PyArray_DIM(x, 2 + axis)
    if wanted_ is None:
        length = (places - 1) * <npy_intp>window.stride[axis] + (
            PyArray_DIM(W, 2 + axis) - 1) * <npy_intp>window.dilate[axis] + 1 - (
            2 * <npy_intp>window.pad[axis])
        return length if length > 0 else None
    if not PyLong_CheckExact(wanted_):
        return None
    length = wanted_
    if length <= 0 or _places(x, W, window, axis, length, False) > places or (
            _places(x, W, window, axis, length, True) < places):
        return None
    return length
