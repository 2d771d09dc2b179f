"""Cross entropy between the softmax of scores and labels, in either precision."""
import numpy

cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_NDIM, PyArray_SAMESHAPE, \
    PyArray_SIZE, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.plain cimport empty_like, kind_of
from chainer_fast.backends.kernels.common.unary cimport Unary, cf_unary, unary_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/cross_entropy/loops.h" nogil:
    void cf_losses_f(
        const float *, float *, const npy_intp *, const float *, const float *, float *,
        ptrdiff_t, ptrdiff_t, ptrdiff_t, cf_unary, cf_unary) noexcept
    void cf_losses_d(
        const double *, double *, const npy_intp *, const double *, const double *,
        double *, ptrdiff_t, ptrdiff_t, ptrdiff_t, cf_unary, cf_unary) noexcept
    void cf_loss_grad_f(const float *, const npy_intp *, const float *, const float *,
                        float *, ptrdiff_t, ptrdiff_t, ptrdiff_t) noexcept
    void cf_loss_grad_d(const double *, const npy_intp *, const double *,
                        const double *, double *, ptrdiff_t, ptrdiff_t,
                        ptrdiff_t) noexcept

ctypedef fused real:
    float
    double

cdef Unary _exp = unary_of(numpy.exp)
cdef Unary _log = unary_of(numpy.log)


cdef struct Extent:
    ptrdiff_t outer
    ptrdiff_t n
    ptrdiff_t inner


cdef Extent _extent(object x) noexcept:
    cdef Extent e
    e.outer = PyArray_DIM(<np.ndarray>x, 0)
    e.n = PyArray_DIM(<np.ndarray>x, 1)
    e.inner = PyArray_SIZE(x) // (e.outer * e.n)
    return e


cdef void *_data(object array) noexcept:
    return NULL if array is None else PyArray_DATA(<np.ndarray>array)


cdef object _labels(object t, object x, npy_intp ignored, npy_intp *counted):
    """Return the labels, with -1 for those ignored; None if there are others."""
    cdef Extent e = _extent(x)
    cdef ptrdiff_t i
    cdef npy_intp label
    if PyArray_SIZE(t) != e.outer * e.inner:
        return None
    labels = numpy.array(t, numpy.intp, order='C')
    cdef npy_intp *values = <npy_intp *>PyArray_DATA(<np.ndarray>labels)
    counted[0] = 0
    for i in range(e.outer * e.inner):
        label = values[i]
        if label == ignored:
            values[i] = -1
        elif 0 <= label < e.n:
            counted[0] += 1
        else:
            return None
    return labels


cdef object _run(object x, object labels, object soft, object weights, object shape):
    """Return losses and softmax, or None if a flag was raised."""
    cdef Extent e = _extent(x)
    cdef char kind = kind_of(x)
    losses = numpy.empty(shape, x.dtype)
    y = empty_like(x)
    cdef void *px = _data(x)
    cdef void *py = _data(y)
    cdef npy_intp *pt = <npy_intp *>_data(labels)
    cdef void *ps = _data(soft)
    cdef void *pw = _data(weights)
    cdef void *pl = _data(losses)
    clear_float_errors()
    with nogil:
        if kind == b'f':
            cf_losses_f(<float *>px, <float *>py, pt, <float *>ps, <float *>pw,
                        <float *>pl, e.outer, e.n, e.inner, _exp.f, _log.f)
        else:
            cf_losses_d(<double *>px, <double *>py, pt, <double *>ps, <double *>pw,
                        <double *>pl, e.outer, e.n, e.inner, _exp.d, _log.d)
    return None if float_errors() else (losses, y)


cdef void _weigh(real *scales, const npy_intp *labels, const real *weights,
                 ptrdiff_t n) noexcept nogil:
    cdef ptrdiff_t i
    for i in range(n):
        if labels[i] < 0:
            scales[i] = 0
        elif weights is not NULL:
            scales[i] *= weights[labels[i]]


cdef object _run_grad(
        object y, object labels, object soft, object weights, object scale,
        object shape):
    cdef Extent e = _extent(y)
    cdef char kind = kind_of(y)
    scales = numpy.empty(shape, y.dtype)
    scales[...] = scale
    gx = empty_like(y)
    cdef void *py = _data(y)
    cdef npy_intp *pt = <npy_intp *>_data(labels)
    cdef void *ps = _data(soft)
    cdef void *pf = _data(scales)
    cdef void *pw = _data(weights)
    cdef void *pg = _data(gx)
    clear_float_errors()
    with nogil:
        if kind == b'f':
            if pt is not NULL:
                _weigh(<float *>pf, pt, <float *>pw, e.outer * e.inner)
            cf_loss_grad_f(<float *>py, pt, <float *>ps, <float *>pf, <float *>pg,
                           e.outer, e.n, e.inner)
        else:
            if pt is not NULL:
                _weigh(<double *>pf, pt, <double *>pw, e.outer * e.inner)
            cf_loss_grad_d(<double *>py, pt, <double *>ps, <double *>pf, <double *>pg,
                           e.outer, e.n, e.inner)
    return NotImplemented if float_errors() else gx


cdef object _weights(object class_weight, object x):
    if class_weight is None:
        return None
    class_weight = numpy.ascontiguousarray(class_weight, x.dtype)
    if class_weight.shape != x.shape[1:2]:
        raise ValueError('class_weight needs a weight for each class')
    return class_weight


cdef bint _alike(object x, object t) except -1:
    return kind_of(t) and kind_of(t) == kind_of(x) and PyArray_SAMESHAPE(
        <np.ndarray>x, <np.ndarray>t)


def hard_losses(x, t, class_weight, npy_intp ignore_label):
    """Compiled form of the kernel of this name."""
    cdef npy_intp counted
    if not kind_of(x) or PyArray_NDIM(x) < 2:
        return NotImplemented
    labels = _labels(t, x, ignore_label, &counted)
    if labels is None:
        return NotImplemented
    found = _run(x, labels, None, _weights(class_weight, x), t.shape)
    return NotImplemented if found is None else (*found, counted)


def hard_gradient(y, t, class_weight, npy_intp ignore_label, scale):
    """Compiled form of the kernel of this name."""
    cdef npy_intp counted
    if not kind_of(y) or PyArray_NDIM(y) < 2:
        return NotImplemented
    labels = _labels(t, y, ignore_label, &counted)
    if labels is None:
        return NotImplemented
    return _run_grad(y, labels, None, _weights(class_weight, y), scale, t.shape)


def soft_losses(x, t):
    """Compiled form of the kernel of this name."""
    if not kind_of(x) or PyArray_NDIM(x) < 2 or not _alike(x, t):
        return NotImplemented
    found = _run(x, None, t, None, x.shape[:1] + x.shape[2:])
    return NotImplemented if found is None else found


def soft_gradient(y, t, scale):
    """Compiled form of the kernel of this name."""
    if not kind_of(y) or PyArray_NDIM(y) < 2 or not _alike(y, t):
        return NotImplemented
    return _run_grad(y, None, t, None, scale, y.shape[:1] + y.shape[2:])
