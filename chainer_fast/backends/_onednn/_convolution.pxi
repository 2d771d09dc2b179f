# Convolutions with oneDNN, of images with one to three axes in single precision.
# Images may have any strides; those whose channels are not last in memory are
# copied. Results have channels last.
#
# Part of kernels/convolution/compiled.pyx.
cimport numpy as np
from libcpp.memory cimport shared_ptr
from numpy cimport PyArray_DATA, PyArray_DIMS, PyArray_NDIM

from chainer_fast._core.configuration.state cimport current
from chainer_fast.backends._onednn.library cimport (
    ALWAYS, SUCCESS, UNIMPLEMENTED, Library, failed, library)
from chainer_fast.backends._onednn.library cimport wanted as library_wanted
from chainer_fast.backends.kernels.common.layout cimport (
    empty_channels_last, in_order_of, is_channels_last)
from chainer_fast.backends.kernels.convolution.arguments cimport (
    CORRELATE, TRANSPOSE, Convolution, Task, in_order, new_result)

cdef extern from "chainer_fast/_cpu/threads.hpp" namespace "chainer_fast" nogil:
    int get_threads() noexcept

cdef extern from "chainer_fast/backends/_onednn/primitives.hpp" \
        namespace "chainer_fast::onednn" nogil:
    enum:
        MOST_AXES_OF_LIBRARY "chainer_fast::onednn::MAX_AXES"
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
    # oneDNN does not use vectors efficiently for images with so few channels.
    FEW_CHANNELS = 4

cdef Cache _cache


def cached():
    """Return the number of planned convolutions that are kept."""
    return _cache.size()


cdef object _ready(object a):
    """Return images with channels last and aligned, copied if necessary."""
    if is_channels_last(a):
        return a
    last = empty_channels_last(PyArray_NDIM(a), PyArray_DIMS(a), np.NPY_FLOAT)
    if np.PyArray_ISALIGNED(<np.ndarray>a):
        return in_order_of(a, last)
    np.PyArray_CopyInto(<np.ndarray>last, <np.ndarray>a)
    return last


cdef bint _compute(const Described &c, object images, object filters,
                   object places, object bias) except -1:
    """Compute one of three arrays from the others; return whether it is supported."""
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
            # While no graph is built, optimizers do not change filters.
            reorders = reorders or not planned.get().prepares()
            if not reorders:
                kept = prepared(filters, planned)
                W = kept.data
            with nogil:
                status = planned.get().run(x, W, y, b, not reorders)
    if status != SUCCESS:
        failed('convolve', status)
    return True


cdef object compute_by_library(
        Task task, const Convolution &c, a, b, bias, bint rival):
    """Compute like ``compute`` of the package's own loops, in single precision.

    Return ``NotImplemented`` for convolutions for which oneDNN is not efficient. A
    true ``rival`` means that the package has its own loops with vectors: they
    compute convolutions for which they are faster, unless ``config.use_ideep`` is
    ``'always'``.
    """
    cdef Described d
    cdef bint transposed = task == TRANSPOSE
    if c.w.nd > MOST_AXES_OF_LIBRARY:
        return NotImplemented
    d = described(c, task, bias is not None and not transposed, get_threads())
    if transposed and c.channels <= FEW_CHANNELS and c.groups == 1 or rival and (
            library_wanted() != ALWAYS and not is_faster(d, current().enable_backprop)):
        return NotImplemented
    a = _ready(a)
    b = _ready(b) if task == CORRELATE else in_order(b)
    result = new_result(task, c, a, True)
    if transposed:
        done = _compute(d, result, b, a, None)
        if done and bias is not None:
            result += bias.reshape((-1,) + (1,) * c.w.nd)
    elif task == CORRELATE:
        done = _compute(d, a, result, b, None)
    else:
        done = _compute(d, a, b, result, None if bias is None else in_order(bias))
    return result if done else NotImplemented
