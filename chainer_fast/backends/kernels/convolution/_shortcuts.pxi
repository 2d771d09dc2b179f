# Compiled shortcuts of two-dimensional convolutions. Part of compiled.pyx.
cimport numpy as np
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_SIZE
from libc.math cimport INFINITY
from libc.stddef cimport ptrdiff_t
from libc.string cimport memset
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_NDIM, PyArray_ZEROS, npy_intp

from chainer_fast._core.devices.launches cimport kind_on_device, on_current_device
from chainer_fast._core.graphs.graph cimport (
    FunctionBase, Shortcut, input_array, new_ref, own_attribute, wanted)
from chainer_fast.backends.kernels.common.layout cimport is_channels_last
from chainer_fast.backends.kernels.convolution.arguments cimport (
    CONVOLVE, CORRELATE, TRANSPOSE, Convolution, Task, Window, set_sizes, type_of_both)

from chainer_fast.backends.kernels.convolution import cuda as on_device
from chainer_fast.backends.kernels.reduction import total

cdef extern from "chainer_fast/backends/kernels/convolution/channel_sums.hpp" \
        namespace "chainer_fast::convolution":
    void channel_sums(char kind, object y, object sums, ptrdiff_t images,
                      ptrdiff_t channels, ptrdiff_t plane, bint last) noexcept


cdef tuple _NUMBERS = ('sy', 'sx', 'ph', 'pw', 'dy', 'dx', 'groups')


cdef int _numbers(FunctionBase function, Convolution *c) except -1:
    """Read the window parameters of a function.

    Return whether all are integers, and the strides are positive.
    """
    cdef Window *w = &c.w
    cdef npy_intp found[7]
    cdef object number
    cdef int i
    for i in range(7):
        number = own_attribute(function, <str>_NUMBERS[i])
        if not PyLong_CheckExact(number):
            return False
        found[i] = number
    memset(c, 0, sizeof(Convolution))
    w.nd = 2
    for i in range(2):
        w.stride[i], w.pad[i], w.dilate[i] = found[i], found[2 + i], found[4 + i]
    c.groups = found[6]
    return w.stride[0] > 0 and w.stride[1] > 0


cdef bint _read_shape(object array, npy_intp *shape) except -1:
    """Read the shape of an array on any device; return whether it has four axes."""
    cdef int i
    if np.PyArray_CheckExact(array):
        if PyArray_NDIM(array) != 4:
            return False
        for i in range(4):
            shape[i] = PyArray_DIM(array, i)
        return True
    of_device = array.shape
    if PyTuple_GET_SIZE(of_device) != 4:
        return False
    for i in range(4):
        shape[i] = of_device[i]
    return True


cdef char _kind_of(object x, object W, object b) noexcept:
    """Return the common type of images, filters and bias, or 0."""
    cdef char kind = type_of_both(x, W)
    if not kind or PyArray_NDIM(x) != 4 or PyArray_NDIM(W) != 4:
        return 0
    return kind if b is None or (
        type_of_both(x, b) and PyArray_NDIM(b) == 1) else 0


cdef npy_intp _places(const Window &w, int axis, bint cover_all) noexcept:
    """Return the number of window positions along an axis, or zero."""
    cdef npy_intp room = w.length[axis] + 2 * w.pad[axis] - (
        w.ksize[axis] - 1) * w.dilate[axis] - 1
    if cover_all:
        room += w.stride[axis] - 1
    return room // w.stride[axis] + 1 if room >= 0 else 0


cdef bint _has_places(const Window &w, int axis) noexcept:
    """Return whether a convolution has so many positions along an axis."""
    return _places(w, axis, False) <= w.outs[axis] <= _places(w, axis, True)


cdef bint _set_sizes(Convolution *c, npy_intp images, npy_intp channels,
                     const npy_intp *filters) noexcept:
    return images > 0 and set_sizes(c, images, channels, filters[0]) and (
        c.channels == filters[1] and c.channels > 0 and c.filters > 0)


cdef bint _alike(object x, object W, object b) except -1:
    """Return whether images, filters and bias are on the current GPU, of one type."""
    cdef int kind = kind_on_device(x)
    return kind >= 0 and kind_on_device(W) == kind and (
        b is None or kind_on_device(b) == kind) and on_current_device((x, W, b))


cdef object _launch(Task task, const Convolution &c, object a, object b, object bias,
                    object dtype=None):
    """Return the result of a task on the current GPU, for plain arrays of one type.

    ``dtype`` is that of the gradient of filters.
    """
    cdef const Window *w = &c.w
    cdef tuple window = (
        (w.stride[0], w.stride[1]), (w.pad[0], w.pad[1]), (w.dilate[0], w.dilate[1]),
        c.groups)
    if task == CORRELATE:
        return on_device.correlate(a, b, (w.ksize[0], w.ksize[1]), *window, dtype)
    if task == TRANSPOSE:
        return on_device.convolve_transposed(
            a, b, bias, *window, (w.length[0], w.length[1]))
    return on_device.convolve(a, b, bias, *window, (w.outs[0], w.outs[1]))


cdef object _bias_gradient(object gy):
    """Return the sums over all axes but that of the channels; None if not finite."""
    cdef npy_intp channels = PyArray_DIM(gy, 1)
    cdef npy_intp plane = PyArray_DIM(gy, 2) * PyArray_DIM(gy, 3)
    cdef object sums = PyArray_ZEROS(1, &channels, np.NPY_DOUBLE, 0)
    cdef double *out = <double *>PyArray_DATA(<np.ndarray>sums)
    cdef char kind = type_of_both(gy, gy)
    cdef bint single = kind == b'f'
    cdef double limit = 3.4e38 if single else INFINITY
    cdef npy_intp c
    cdef bint last = is_channels_last(gy)
    if not last:
        gy = np.PyArray_FROM_OF(gy, np.NPY_ARRAY_CARRAY_RO)
    channel_sums(kind, gy, sums, PyArray_DIM(gy, 0), channels, plane, last)
    for c in range(channels):
        # False for NaN, too.
        if not -limit < out[c] < limit:
            return None
    return np.PyArray_Cast(<np.ndarray>sums, np.NPY_FLOAT) if single else sums


# Fields of the transposed convolution.
cdef enum:
    COVER_ALL, OUT_HEIGHT, OUT_WIDTH


cdef class _Shortcut(Shortcut):
    """Gradients: each convolution computes those of the other."""
    cdef bint transposed
    cdef Task task, back

    def __cinit__(self):
        self.traits.retain_inputs = (0, 1)
        self.traits.serves_devices = True
        self.traits.in_single = True

    cdef bint _prepare(self, FunctionBase function, Convolution *c, object x,
                       object W) except -1:
        """Read all parameters of a function; return whether it can be computed."""
        cdef npy_intp images[4]
        cdef npy_intp filters[4]
        if not _numbers(function, c) or function.cudnn_fast or (
                not _read_shape(x, images) or not _read_shape(W, filters)):
            return False
        c.w.ksize[0], c.w.ksize[1] = filters[2], filters[3]
        return self.complete(function, c, images, filters)

    cdef bint _prepare_back(self, FunctionBase function, Convolution *c, object x,
                            object gy, object W) except -1:
        """Do the same for its gradients."""
        cdef npy_intp images[4]
        cdef npy_intp places[4]
        cdef npy_intp filters[4]
        if self.transposed:
            x, gy = gy, x
        if not _numbers(function, c) or function.cudnn_fast or (
                not _read_shape(x, images) or not _read_shape(gy, places)
                or not _read_shape(W, filters)):
            return False
        c.w.ksize[0], c.w.ksize[1] = filters[2], filters[3]
        c.w.length[0], c.w.length[1] = images[2], images[3]
        c.w.outs[0], c.w.outs[1] = places[2], places[3]
        return _set_sizes(c, images[0], images[1], filters) and (
            places[0] == images[0] and places[1] == filters[0]
            and _has_places(c.w, 0) and _has_places(c.w, 1))

    cdef int _finish(self, FunctionBase function, const Convolution &c) except -1:
        if self.transposed:
            # Whether the inverse convolution must cover all pixels.
            self.keep(function, COVER_ALL, c.w.outs[0] != _places(c.w, 0, False) or (
                c.w.outs[1] != _places(c.w, 1, False)))
        return 0

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object x = input_array(function, 0)
        cdef object filters = input_array(function, 1)
        cdef object laid, to_images = None, to_filters = None, to_bias = None
        cdef Convolution c
        cdef char kind = _kind_of(gy, filters, None)
        if not kind or not _kind_of(x, filters, None) or (
                not self._prepare_back(function, &c, x, gy, filters)):
            return 0
        laid = gy
        if not self.transposed and c.w.taps > 1 and _takes_vectors(c) and (
                not has_own_filters(c) and not library_wanted()):
            laid = _with_channels_last(_usable(gy, c))     # once for both
        if wanted(function, 0):
            to_images = compute(self.back, c, kind, laid, filters, None)
        if wanted(function, 1):
            to_filters = compute(
                CORRELATE, c, kind, laid if self.transposed else x,
                x if self.transposed else laid, None)
        if len(function.input_nodes) == 3 and wanted(function, 2):
            to_bias = _bias_gradient(gy)
            if to_bias is None:
                return 0
        if to_images is NotImplemented or to_filters is NotImplemented:
            return 0
        self._finish(function, c)
        gx[0] = new_ref(to_images)
        gx[1] = new_ref(to_filters)
        if to_bias is not None:
            gx[2] = new_ref(to_bias)
        return 1

    cdef int backward_on_device(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object x = input_array(function, 0)
        cdef object filters = input_array(function, 1)
        cdef Convolution c
        if not _alike(gy, filters, x) or (
                not self._prepare_back(function, &c, x, gy, filters)):
            return 0
        if wanted(function, 0):
            gx[0] = new_ref(_launch(self.back, c, gy, filters, None))
        if wanted(function, 1):
            gx[1] = new_ref(_launch(
                CORRELATE, c, gy if self.transposed else x,
                x if self.transposed else gy, None, filters.dtype))
        if len(function.input_nodes) == 3 and wanted(function, 2):
            gx[2] = new_ref(total(gy, (0, 2, 3)))
        self._finish(function, c)
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
        if not kind or not self._prepare(function, &c, images, filters):
            return None
        y = compute(self.task, c, kind, images, filters, bias)
        if y is NotImplemented:
            return None
        self.note_sizes(function, c)
        return y

    cdef object forward_on_device(
            self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object images, filters, bias = None
        cdef Convolution c
        if n != 2 and n != 3:
            return None
        images = <object>x[0]
        filters = <object>x[1]
        if n == 3:
            bias = <object>x[2]
        if not _alike(images, filters, bias) or (
                not self._prepare(function, &c, images, filters)):
            return None
        if bias is not None and bias.shape != (
                c.groups * (c.channels if self.transposed else c.filters),):
            return None
        y = _launch(self.task, c, images, filters, bias)
        self.note_sizes(function, c)
        return y

    cdef bint complete(self, FunctionBase function, Convolution *c, const npy_intp *x,
                       const npy_intp *W) except -1:
        """Determine the sizes of the result and others; return whether they match."""
        raise NotImplementedError

    cdef int note_sizes(self, FunctionBase function, const Convolution &c) except -1:
        """Store the sizes of the result in the function."""
        return 0


cdef class Convolution2DShortcut(_Shortcut):
    """``y = W patches(x) + b``."""

    def __cinit__(self):
        self.task, self.back = CONVOLVE, TRANSPOSE

    cdef bint complete(self, FunctionBase function, Convolution *c, const npy_intp *x,
                       const npy_intp *W) except -1:
        cdef object outs = function._outs
        cdef bint cover_all
        c.w.length[0], c.w.length[1] = x[2], x[3]
        if outs is None:
            cover_all = function.cover_all
            c.w.outs[0] = _places(c.w, 0, cover_all)
            c.w.outs[1] = _places(c.w, 1, cover_all)
        else:
            c.w.outs[0], c.w.outs[1] = outs
        return _set_sizes(c, x[0], x[1], W)


cdef class Deconvolution2DShortcut(_Shortcut):
    """``y = patches^T(W^T x) + b``."""

    def __cinit__(self):
        self.transposed = True
        self.task, self.back = TRANSPOSE, CONVOLVE

    cdef bint complete(self, FunctionBase function, Convolution *c, const npy_intp *x,
                       const npy_intp *W) except -1:
        c.w.outs[0], c.w.outs[1] = x[2], x[3]
        return (_set_length(&c.w, 0, self.field(function, OUT_HEIGHT))
                and _set_length(&c.w, 1, self.field(function, OUT_WIDTH))
                and x[1] == W[0] and _set_sizes(c, x[0], W[1] * c.groups, W))

    cdef int note_sizes(self, FunctionBase function, const Convolution &c) except -1:
        self.keep(function, OUT_HEIGHT, c.w.length[0])
        self.keep(function, OUT_WIDTH, c.w.length[1])
        return 0


cdef bint _set_length(Window *w, int axis, object wanted_) except -1:
    """Set the length of an axis of the result; return whether it is possible."""
    if wanted_ is None:
        w.length[axis] = (w.outs[axis] - 1) * w.stride[axis] + (
            w.ksize[axis] - 1) * w.dilate[axis] + 1 - 2 * w.pad[axis]
        return True
    if not PyLong_CheckExact(wanted_):
        return False
    w.length[axis] = wanted_
    return _has_places(w[0], axis)
