"""Cross entropy between the softmax of scores and labels, in either precision."""
import numpy

cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_DIMS, PyArray_EMPTY, \
    PyArray_NDIM, PyArray_SAMESHAPE, PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.plain cimport empty_like, kind_of
from chainer_fast.backends.kernels.common.contiguous cimport contiguous
from chainer_fast.backends.kernels.common.labels cimport label_at, plain_labels
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP, Unary, unary_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/cross_entropy/loops.hpp" \
        namespace "chainer_fast" nogil:
    ctypedef struct Extent:
        ptrdiff_t outer
        ptrdiff_t n
        ptrdiff_t inner

    void fill_losses[T](
        const T *x, T *y, const npy_intp *labels, const T *soft, const T *weights,
        T *losses, Extent e, Unary exp, Unary log) noexcept
    void fill_score_gradients[T](
        const T *y, const npy_intp *labels, const T *soft, const T *weights, T *scales,
        T *out, Extent e) noexcept

cdef Unary _exp = unary_of(numpy.exp)
cdef Unary _log = unary_of(numpy.log)


cdef struct Data:
    char kind
    Extent e
    void *source        # scores, or their softmax
    void *result        # the softmax, or the gradients of scores
    npy_intp *labels    # these are NULL where there are none
    void *soft
    void *weights
    void *samples       # losses, or their gradients


cdef void *_data(object array) noexcept:
    return NULL if array is None else PyArray_DATA(<np.ndarray>array)


cdef void _fill_losses(const Data *a) noexcept nogil:
    if a.kind == b'f':
        fill_losses(
            <float *>a.source, <float *>a.result, a.labels, <float *>a.soft,
            <float *>a.weights, <float *>a.samples, a.e, _exp, _log)
    else:
        fill_losses(
            <double *>a.source, <double *>a.result, a.labels, <double *>a.soft,
            <double *>a.weights, <double *>a.samples, a.e, _exp, _log)


cdef void _fill_gradients(const Data *a) noexcept nogil:
    if a.kind == b'f':
        fill_score_gradients(
            <float *>a.source, a.labels, <float *>a.soft, <float *>a.weights,
            <float *>a.samples, <float *>a.result, a.e)
    else:
        fill_score_gradients(
            <double *>a.source, a.labels, <double *>a.soft, <double *>a.weights,
            <double *>a.samples, <double *>a.result, a.e)


cdef bint _run(void (*fill)(const Data *) noexcept nogil, object source, object result,
               object labels, object soft, object weights, object samples):
    """Run a loop; return whether it raised no flag."""
    cdef Data a
    a.kind = kind_of(source)
    a.e.outer = PyArray_DIM(<np.ndarray>source, 0)
    a.e.n = PyArray_DIM(<np.ndarray>source, 1)
    a.e.inner = PyArray_SIZE(source) // (a.e.outer * a.e.n)
    a.source = _data(source)
    a.result = _data(result)
    a.labels = <npy_intp *>_data(labels)
    a.soft = _data(soft)
    a.weights = _data(weights)
    a.samples = _data(samples)
    clear_float_errors()
    if PyArray_SIZE(source) < LONG_LOOP:
        fill(&a)
    else:
        with nogil:
            fill(&a)
    return not float_errors()


cdef object classes_of(object t, object x, npy_intp ignored, npy_intp *counted):
    """Return labels as numbers of classes and count them.

    Ignored labels become -1; if any other is out of range, the result is None.
    """
    cdef npy_intp i, label
    cdef npy_intp n = PyArray_SIZE(t)
    cdef npy_intp classes = PyArray_DIM(<np.ndarray>x, 1)
    if PyArray_NDIM(t) != PyArray_NDIM(x) - 1:
        return None
    for i in range(PyArray_NDIM(t)):
        if PyArray_DIM(<np.ndarray>t, i) != PyArray_DIM(
                <np.ndarray>x, i if i == 0 else i + 1):
            return None
    labels = PyArray_EMPTY(
        PyArray_NDIM(t), PyArray_DIMS(<np.ndarray>t), np.NPY_INTP, 0)
    cdef npy_intp *values = <npy_intp *>PyArray_DATA(<np.ndarray>labels)
    counted[0] = 0
    for i in range(n):
        label = label_at(t, i)
        if label == ignored:
            label = -1
        elif 0 <= label < classes:
            counted[0] += 1
        else:
            return None
        values[i] = label
    return labels


cdef object for_labels(object labels, object x):
    """Return an array of the dtype of ``x`` with a place for each label."""
    return PyArray_EMPTY(PyArray_NDIM(labels), PyArray_DIMS(<np.ndarray>labels),
                         PyArray_TYPE(<np.ndarray>x), 0)


cdef bint fill_losses_of(object x, object y, object labels, object soft, object weights,
                         object losses):
    """Fill losses and the softmax ``y``; return whether no flag was raised."""
    return _run(_fill_losses, x, y, labels, soft, weights, losses)


cdef object gradient_of(
        object y, object labels, object soft, object weights, object scales):
    """Return the gradient of the scores, or None if a flag was raised.

    The scales, which are the gradients of the losses, are weighted in place.
    """
    gx = empty_like(y)
    return gx if _run(
        _fill_gradients, y, gx, labels, soft, weights, scales) else None


cdef object _labels(object t, object x, npy_intp ignored, npy_intp *counted):
    if not np.PyArray_Check(t) or not np.PyArray_ISINTEGER(<np.ndarray>t):
        return None
    if not plain_labels(t):
        t = contiguous(t, np.NPY_INT64)
    return classes_of(t, x, ignored, counted)


cdef object _weights(object class_weight, object x):
    if class_weight is None:
        return None
    class_weight = contiguous(class_weight, PyArray_TYPE(<np.ndarray>x))
    if class_weight.shape != x.shape[1:2]:
        raise ValueError('class_weight needs a weight for each class')
    return class_weight


cdef bint _fits(object x) noexcept:
    return kind_of(x) and PyArray_NDIM(x) >= 2


cdef bint _alike(object x, object t) noexcept:
    return _fits(x) and kind_of(t) == kind_of(x) and PyArray_SAMESHAPE(
        <np.ndarray>x, <np.ndarray>t)


def hard_losses(x, t, class_weight, npy_intp ignore_label):
    """Compiled form of the kernel of this name."""
    cdef npy_intp counted
    if not _fits(x):
        return NotImplemented
    labels = _labels(t, x, ignore_label, &counted)
    if labels is None:
        return NotImplemented
    losses, y = for_labels(labels, x), empty_like(x)
    if not fill_losses_of(x, y, labels, None, _weights(class_weight, x), losses):
        return NotImplemented
    return losses, y


def hard_gradient(y, t, class_weight, npy_intp ignore_label, scale):
    """Compiled form of the kernel of this name."""
    cdef npy_intp counted
    if not _fits(y):
        return NotImplemented
    labels = _labels(t, y, ignore_label, &counted)
    if labels is None:
        return NotImplemented
    scales = for_labels(labels, y)
    scales[...] = scale
    gx = gradient_of(y, labels, None, _weights(class_weight, y), scales)
    return NotImplemented if gx is None else gx


def soft_losses(x, t):
    """Compiled form of the kernel of this name."""
    if not _alike(x, t):
        return NotImplemented
    losses, y = numpy.empty(x.shape[:1] + x.shape[2:], x.dtype), empty_like(x)
    if not fill_losses_of(x, y, None, t, None, losses):
        return NotImplemented
    return losses, y


def soft_gradient(y, t, scale):
    """Compiled form of the kernel of this name."""
    if not _alike(y, t):
        return NotImplemented
    scales = numpy.empty(y.shape[:1] + y.shape[2:], y.dtype)
    scales[...] = scale
    gx = gradient_of(y, None, t, None, scales)
    return NotImplemented if gx is None else gx
