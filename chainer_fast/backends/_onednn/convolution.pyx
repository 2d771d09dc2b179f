"""Convolutions by oneDNN, of images of one to three axes in single precision.

All functions return ``NotImplemented`` for what oneDNN has no good code for, before
they have done anything. Images may have any strides; those whose channels do not come
last in memory are copied. Results have them last.

A true ``rival`` says that there are loops of our own with vectors: they get what they
compute faster, unless ``config.use_ideep`` is ``'always'``.
"""
cimport numpy as np
from libcpp.memory cimport shared_ptr
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_DIMS, PyArray_NDIM

from chainer_fast._core.state cimport current
from chainer_fast.backends._onednn.filters cimport Filters, Planned, prepared
from chainer_fast.backends._onednn.library cimport (
    ALWAYS, SUCCESS, UNIMPLEMENTED, Library, failed, library, wanted)
from chainer_fast.backends.kernels.common.layout cimport (
    empty_channels_last, in_order_of, is_channels_last)
from chainer_fast.backends.kernels.convolution.arguments cimport (
    CONVOLVE, CORRELATE, TRANSPOSE, Convolution, Task, in_order, new_like,
    set_convolved, set_correlated, set_transposed)

np.import_array()

cdef extern from "chainer_fast/_core/threads.hpp" namespace "chainer_fast" nogil:
    int get_threads() noexcept

cdef extern from "chainer_fast/backends/_onednn/primitives.hpp" \
        namespace "chainer_fast::onednn" nogil:
    enum:
        MAX_AXES "chainer_fast::onednn::MAX_AXES"
    ctypedef struct Described "chainer_fast::onednn::Described":
        pass
    Described described "chainer_fast::onednn::described"(
        const Convolution &, Task, bint bias, int threads) noexcept
    cdef cppclass Cache "chainer_fast::onednn::Cache":
        shared_ptr[Planned] find(const Library &, const Described &) except +
        size_t size()

cdef extern from "chainer_fast/backends/_onednn/pointwise.hpp" \
        namespace "chainer_fast::onednn" nogil:
    bint is_product(const Described &, bint reorders) noexcept
    int run_product(const Library &, const Described &, float *images, float *filters,
                    float *places, const float *bias) noexcept

cdef extern from "chainer_fast/backends/_onednn/choice.hpp" \
        namespace "chainer_fast::onednn" nogil:
    bint is_faster(const Described &, bint reorders) noexcept

cdef enum:
    # oneDNN makes no good use of vectors for images of so few channels.
    FEW_CHANNELS = 4

cdef Cache _cache


def cached():
    """Return how many convolutions are kept, planned."""
    return _cache.size()


cdef object _ready(object a):
    """Return images with their channels last and aligned, a copy if need be."""
    if is_channels_last(a):
        return a
    last = empty_channels_last(PyArray_NDIM(a), PyArray_DIMS(a), np.NPY_FLOAT)
    if np.PyArray_ISALIGNED(<np.ndarray>a):
        return in_order_of(a, last)
    np.PyArray_CopyInto(<np.ndarray>last, <np.ndarray>a)
    return last


cdef bint _is_slower(const Described &c) except -1:
    """Tell whether our own loops are chosen."""
    return wanted() != ALWAYS and not is_faster(c, current().enable_backprop)


cdef bint _compute(const Described &c, object images, object filters,
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


cpdef object convolve(x, W, b, stride, pad, dilate, groups, outs, bint rival=False):
    """Form of :func:`chainer_fast.backends.kernels.convolution.convolve`."""
    cdef Convolution c
    cdef Described d
    if set_convolved(&c, x, W, b, stride, pad, dilate, groups, outs) != b'f' or (
            c.w.nd > MAX_AXES):
        return NotImplemented
    d = described(c, CONVOLVE, b is not None, get_threads())
    if rival and _is_slower(d):
        return NotImplemented
    x = _ready(x)
    y = new_like(x, c.images, PyArray_DIM(W, 0), c.w.outs, c.w.nd, True)
    done = _compute(d, x, in_order(W), y, None if b is None else in_order(b))
    return y if done else NotImplemented


cpdef object convolve_transposed(
        x, W, b, stride, pad, dilate, groups, outs, bint rival=False):
    """Form of the kernel ``convolve_transposed``."""
    cdef Convolution c
    cdef Described d
    if set_transposed(&c, x, W, b, stride, pad, dilate, groups, outs) != b'f' or (
            c.w.nd > MAX_AXES):
        return NotImplemented
    d = described(c, TRANSPOSE, False, get_threads())
    if c.channels <= FEW_CHANNELS and c.groups == 1 or rival and _is_slower(d):
        return NotImplemented
    x = _ready(x)
    y = new_like(x, c.images, c.groups * c.channels, c.w.length, c.w.nd, True)
    if not _compute(d, y, in_order(W), x, None):
        return NotImplemented
    if b is not None:
        y += b.reshape((-1,) + (1,) * c.w.nd)
    return y


cpdef object correlate(
        x, gy, ksize, stride, pad, dilate, groups, dtype, bint rival=False):
    """Form of :func:`chainer_fast.backends.kernels.convolution.correlate`."""
    cdef Convolution c
    cdef Described d
    if set_correlated(&c, x, gy, ksize, stride, pad, dilate, groups, dtype) != b'f' or (
            c.w.nd > MAX_AXES):
        return NotImplemented
    d = described(c, CORRELATE, False, get_threads())
    if rival and _is_slower(d):
        return NotImplemented
    x = _ready(x)
    gy = _ready(gy)
    gW = new_like(x, PyArray_DIM(gy, 1), c.channels, c.w.ksize, c.w.nd)
    return gW if _compute(d, x, gW, gy, None) else NotImplemented
