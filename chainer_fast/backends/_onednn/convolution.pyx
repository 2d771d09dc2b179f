"""Convolutions by oneDNN, of images of one to three axes in single precision.

All functions return ``NotImplemented`` for what oneDNN has no good code for, before
they have done anything. Images may have any strides; those whose channels do not come
last in memory are copied. Results have them last.

A true ``rival`` says that there are loops of our own with vectors: they get what they
compute faster, unless ``config.use_ideep`` is ``'always'``.
"""
cimport numpy as np
from libc.string cimport memset
from libcpp.memory cimport shared_ptr
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_DIMS, PyArray_NDIM, \
    PyArray_SIZE, npy_intp

from chainer_fast._core.plain cimport cf_float_kind
from chainer_fast._core.state cimport current
from chainer_fast.backends._onednn.filters cimport Filters, Planned, prepared
from chainer_fast.backends._onednn.library cimport (
    ALWAYS, SUCCESS, UNIMPLEMENTED, Dim, Library, failed, library, wanted)
from chainer_fast.backends.kernels.common.layout cimport (
    empty_channels_last, in_order_of, is_channels_last)

np.import_array()

cdef extern from "chainer_fast/_core/threads.hpp" namespace "chainer_fast" nogil:
    int get_threads() noexcept

cdef extern from "chainer_fast/backends/_onednn/primitives.hpp" \
        namespace "chainer_fast::onednn" nogil:
    enum:
        MAX_AXES "chainer_fast::onednn::MAX_AXES"
    enum Task "chainer_fast::onednn::Task":
        CONVOLVE "chainer_fast::onednn::CONVOLVE"
        TRANSPOSE "chainer_fast::onednn::TRANSPOSE"
        CORRELATE "chainer_fast::onednn::CORRELATE"
    ctypedef struct Convolution "chainer_fast::onednn::Convolution":
        Dim task, axes, n, groups, channels, filters
        Dim length[MAX_AXES]
        Dim ksize[MAX_AXES]
        Dim outs[MAX_AXES]
        Dim stride[MAX_AXES]
        Dim pad[MAX_AXES]
        Dim dilate[MAX_AXES]
        Dim bias, threads
    cdef cppclass Cache "chainer_fast::onednn::Cache":
        shared_ptr[Planned] find(const Library &, const Convolution &) except +
        size_t size()

cdef extern from "chainer_fast/backends/_onednn/pointwise.hpp" \
        namespace "chainer_fast::onednn" nogil:
    bint is_product(const Convolution &, bint reorders) noexcept
    int run_product(const Library &, const Convolution &, float *images, float *filters,
                    float *places, const float *bias) noexcept

cdef extern from "chainer_fast/backends/_onednn/choice.hpp" \
        namespace "chainer_fast::onednn" nogil:
    bint is_faster(const Convolution &, bint reorders) noexcept

cdef enum:
    # oneDNN makes no good use of vectors for images of so few channels.
    FEW_CHANNELS = 4

cdef Cache _cache


def cached():
    """Return how many convolutions are kept, planned."""
    return _cache.size()


cdef bint _is_float(object a) noexcept:
    return np.PyArray_CheckExact(a) and cf_float_kind(<np.ndarray>a) == b'f' and (
        PyArray_SIZE(a) > 0)


cdef bint _set_window(Convolution *c, Task task, Py_ssize_t axes, lengths, ksize, outs,
                      stride, pad, dilate) except -1:
    """Fill in the window; return whether there is code for it."""
    cdef Py_ssize_t j
    memset(c, 0, sizeof(Convolution))
    if not 1 <= axes <= MAX_AXES:
        return False
    c.task = task
    c.axes = axes
    for j in range(axes):
        c.length[j] = lengths[j]
        c.ksize[j] = ksize[j]
        c.outs[j] = outs[j]
        c.stride[j] = stride[j]
        c.pad[j] = pad[j]
        c.dilate[j] = dilate[j]
        if min(c.length[j], c.ksize[j], c.outs[j], c.stride[j], c.dilate[j]) < 1 or (
                c.pad[j] < 0):
            return False
    return True


cdef bint _set_sizes(Convolution *c, npy_intp n, Dim groups, npy_intp channels,
                     npy_intp filters, bint bias) except -1:
    """Fill in the rest; return whether the sizes go together."""
    if groups < 1 or channels % groups or filters % groups:
        return False
    c.n = n
    c.groups = groups
    c.channels = channels
    c.filters = filters
    c.bias = bias
    c.threads = get_threads()
    return True


cdef object _empty_last(Py_ssize_t axes, npy_intp n, npy_intp channels,
                        const npy_intp *lengths):
    """Return a new array with its channels last."""
    cdef npy_intp dims[MAX_AXES + 2]
    cdef Py_ssize_t j
    dims[0] = n
    dims[1] = channels
    for j in range(axes):
        dims[2 + j] = lengths[j]
    return empty_channels_last(<int>(axes + 2), dims, np.NPY_FLOAT)


cdef object _ready(object a):
    """Return images with their channels last and aligned, a copy if need be."""
    if is_channels_last(a):
        return a
    last = empty_channels_last(PyArray_NDIM(a), PyArray_DIMS(a), np.NPY_FLOAT)
    if np.PyArray_ISALIGNED(<np.ndarray>a):
        return in_order_of(a, last)
    np.PyArray_CopyInto(<np.ndarray>last, <np.ndarray>a)
    return last


cdef bint _is_slower(const Convolution &c) except -1:
    """Tell whether our own loops are chosen."""
    return wanted() != ALWAYS and not is_faster(c, current().enable_backprop)


cdef bint _compute(const Convolution &c, object images, object filters,
                   object places, object bias) except -1:
    """Compute one of three arrays from the others; return whether there was code."""
    cdef shared_ptr[Planned] planned
    cdef Filters kept
    cdef const Library *onednn = library()
    cdef bint reorders = current().enable_backprop
    cdef int status
    cdef void *x = PyArray_DATA(<np.ndarray>images)
    cdef void *W = PyArray_DATA(<np.ndarray>filters)
    cdef void *y = PyArray_DATA(<np.ndarray>places)
    cdef void *b = NULL
    if bias is not None:
        b = PyArray_DATA(<np.ndarray>bias)
    if is_product(c, reorders):
        with nogil:
            status = run_product(onednn[0], c, <float *>x, <float *>W, <float *>y,
                                 <float *>b)
    else:
        planned = _cache.find(onednn[0], c)
        status = planned.get().status
        if status == UNIMPLEMENTED:
            return False
        if status == SUCCESS:
            # While no graph is built, no optimizer changes filters.
            reorders = reorders or not planned.get().prepares()
            if not reorders:
                kept = prepared(filters, planned)
                W = kept.data
            with nogil:
                status = planned.get().run(x, W, y, b, not reorders)
    if status != SUCCESS:
        failed('convolve', status)
    return True


cdef object _plain(object a):
    return np.PyArray_FROM_OF(a, np.NPY_ARRAY_CARRAY_RO)


cpdef object convolve(x, W, b, stride, pad, dilate, groups, outs, bint rival=False):
    """Form of :func:`chainer_fast.backends.kernels.convolution.convolve`."""
    cdef Convolution c
    cdef Py_ssize_t axes
    if not _is_float(x) or not _is_float(W) or PyArray_NDIM(x) != PyArray_NDIM(W):
        return NotImplemented
    axes = PyArray_NDIM(x) - 2
    if b is not None and (not _is_float(b) or PyArray_SIZE(b) != PyArray_DIM(W, 0)):
        return NotImplemented
    if not _set_window(&c, CONVOLVE, axes, x.shape[2:], W.shape[2:], outs, stride, pad,
                       dilate) or not _set_sizes(
            &c, PyArray_DIM(x, 0), groups, PyArray_DIM(x, 1), PyArray_DIM(W, 0),
            b is not None) or PyArray_DIM(W, 1) * c.groups != c.channels:
        return NotImplemented
    if rival and _is_slower(c):
        return NotImplemented
    x = _ready(x)
    y = _empty_last(axes, c.n, c.filters, <npy_intp *>c.outs)
    done = _compute(c, x, _plain(W), y, None if b is None else _plain(b))
    return y if done else NotImplemented


cpdef object convolve_transposed(
        x, W, b, stride, pad, dilate, groups, outs, bint rival=False):
    """Form of the kernel ``convolve_transposed``."""
    cdef Convolution c
    cdef Py_ssize_t axes
    if not _is_float(x) or not _is_float(W) or PyArray_NDIM(x) != PyArray_NDIM(W):
        return NotImplemented
    axes = PyArray_NDIM(x) - 2
    if not _set_window(&c, TRANSPOSE, axes, outs, W.shape[2:], x.shape[2:], stride, pad,
                       dilate) or not _set_sizes(
            &c, PyArray_DIM(x, 0), groups, PyArray_DIM(W, 1) * <Dim>groups,
            PyArray_DIM(W, 0), False) or PyArray_DIM(x, 1) != c.filters:
        return NotImplemented
    if b is not None and (not _is_float(b) or PyArray_SIZE(b) != c.channels):
        return NotImplemented
    if c.channels <= FEW_CHANNELS and c.groups == 1 or rival and _is_slower(c):
        return NotImplemented
    x = _ready(x)
    y = _empty_last(axes, c.n, c.channels, <npy_intp *>c.length)
    if not _compute(c, y, _plain(W), x, None):
        return NotImplemented
    if b is not None:
        y += b.reshape((-1,) + (1,) * axes)
    return y


cpdef object correlate(
        x, gy, ksize, stride, pad, dilate, groups, dtype, bint rival=False):
    """Form of :func:`chainer_fast.backends.kernels.convolution.correlate`."""
    cdef Convolution c
    cdef Py_ssize_t axes, j
    cdef npy_intp shape[MAX_AXES + 2]
    if not _is_float(x) or not _is_float(gy) or PyArray_NDIM(x) != PyArray_NDIM(gy) or (
            dtype != x.dtype or PyArray_DIM(x, 0) != PyArray_DIM(gy, 0)):
        return NotImplemented
    axes = PyArray_NDIM(x) - 2
    if not _set_window(&c, CORRELATE, axes, x.shape[2:], ksize, gy.shape[2:], stride,
                       pad, dilate) or not _set_sizes(
            &c, PyArray_DIM(x, 0), groups, PyArray_DIM(x, 1), PyArray_DIM(gy, 1),
            False) or rival and _is_slower(c):
        return NotImplemented
    x = _ready(x)
    gy = _ready(gy)
    shape[0] = c.filters
    shape[1] = c.channels // c.groups
    for j in range(axes):
        shape[2 + j] = c.ksize[j]
    gW = np.PyArray_EMPTY(<int>(axes + 2), shape, np.NPY_FLOAT, 0)
    return gW if _compute(c, x, gW, gy, None) else NotImplemented
