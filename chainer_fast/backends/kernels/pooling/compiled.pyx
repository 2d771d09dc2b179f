"""Windows that pass over images in host memory: compiled forms of
:mod:`chainer_fast.backends.kernels.pooling`.

Floats and doubles are computed as they are, halves in single precision. Images that
neither are in C order nor lie channels last are copied first.
"""
cimport numpy as np
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int32_t, int64_t
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_EMPTY, \
    PyArray_NDIM, PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.plain cimport cf_float_kind
from chainer_fast.backends.kernels.common.contiguous cimport contiguous
from chainer_fast.backends.kernels.common.halves cimport in_type_of, plain_floats
from chainer_fast.backends.kernels.common.layout cimport (
    as_channels_last, empty_channels_last, in_c_order, is_channels_last)

np.import_array()

cdef extern from "chainer_fast/backends/kernels/pooling/indexes.hpp" nogil:
    enum:
        MAX_AXES "chainer_fast::MAX_AXES"
    enum Found "chainer_fast::Found":
        OUT_OF_RANGE "chainer_fast::OUT_OF_RANGE"
        FOUND "chainer_fast::FOUND"
        NO_MEMORY "chainer_fast::NO_MEMORY"
    ctypedef struct Window "chainer_fast::Window":
        int nd
        ptrdiff_t n[MAX_AXES]
        ptrdiff_t out[MAX_AXES]
        ptrdiff_t k[MAX_AXES]
        ptrdiff_t s[MAX_AXES]
        ptrdiff_t p[MAX_AXES]
    bint c_max_pool "chainer_fast::max_pool"[T](
        const Window &w, ptrdiff_t images, const T *x, T *y, int64_t *indexes) noexcept
    bint c_window_sum "chainer_fast::window_sum"[T](
        const Window &w, ptrdiff_t images, const T *x, T *y, double divisor) noexcept
    bint c_window_spread "chainer_fast::window_spread"[T](
        const Window &w, ptrdiff_t images, const T *gy, T *gx, double divisor) noexcept
    Found c_put "chainer_fast::put"[T, From](
        const Window &w, ptrdiff_t images, const T *gy, const From *indexes,
        T *gx) noexcept
    Found c_pick "chainer_fast::pick"[T, From](
        const Window &w, ptrdiff_t images, const T *x, const From *indexes,
        T *y) noexcept

cdef extern from "chainer_fast/backends/kernels/pooling/pixels.hpp" nogil:
    bint c_max_pool_of_pixels "chainer_fast::max_pool_of_pixels"[T](
        const Window &w, ptrdiff_t images, ptrdiff_t channels, const T *x, T *y,
        int64_t *indexes) noexcept
    bint c_sum_pool_of_pixels "chainer_fast::sum_pool_of_pixels"[T](
        const Window &w, bint of_images, ptrdiff_t images, ptrdiff_t channels,
        const T *x, T *y, double divisor) noexcept
    Found c_put_on_pixels "chainer_fast::put_on_pixels"[T, From](
        const Window &w, ptrdiff_t images, ptrdiff_t channels, const T *gy,
        const From *indexes, T *gx) noexcept


ctypedef fused real:
    float
    double

# Products of two numbers below this one are numbers.
cdef ptrdiff_t MANY = 0x7fffffff


cdef bint _fill(ptrdiff_t *numbers, object values, int nd) except -1:
    """Read a number for each axis; return whether that was possible."""
    cdef Py_ssize_t number      # of this type, floats are refused
    cdef int j
    if not PyTuple_CheckExact(values) or PyTuple_GET_SIZE(values) != nd:
        return False
    for j in range(nd):
        number = <object>PyTuple_GET_ITEM(values, j)
        numbers[j] = number
    return True


cdef bint _fill_window(
        Window *w, Py_ssize_t nd, object ksize, object stride, object pad) except -1:
    """Return whether the loops can work with such a window."""
    cdef ptrdiff_t elements = 1
    cdef int j
    if not 1 <= nd <= MAX_AXES:
        return False
    w.nd = <int>nd
    if not (_fill(w.k, ksize, w.nd) and _fill(w.s, stride, w.nd)
            and _fill(w.p, pad, w.nd)):
        return False
    for j in range(w.nd):
        if w.k[j] <= 0 or w.s[j] <= 0 or w.p[j] < 0:
            return False
        elements *= w.k[j] if w.k[j] < MANY else MANY
        if elements >= MANY or w.p[j] >= MANY:
            return False
    return True


cdef inline void _fill_shape(ptrdiff_t *numbers, object x, int nd) noexcept:
    cdef int j
    for j in range(nd):
        numbers[j] = PyArray_DIM(<np.ndarray>x, 2 + j)


cdef object _floats(object x, bint *last):
    """Return an array of the values of ``x`` for the loops, or None.

    It lies channels last if ``last`` asks for it or if ``x`` does, which sets ``last``;
    otherwise it is in C order.
    """
    if is_channels_last(x) and cf_float_kind(<np.ndarray>x):
        last[0] = True
        return x
    x = plain_floats(x)
    if x is None or not last[0]:
        return x
    if not 3 <= PyArray_NDIM(x) <= 2 + MAX_AXES:
        return None
    return as_channels_last(x)


cdef object _images(object like, ptrdiff_t *lengths, int nd, int typenum, bint last):
    """Return a new array with batch and channels of another, not filled."""
    cdef npy_intp dims[2 + MAX_AXES]
    cdef int j
    dims[0] = PyArray_DIM(<np.ndarray>like, 0)
    dims[1] = PyArray_DIM(<np.ndarray>like, 1)
    for j in range(nd):
        if lengths[j] <= 0:
            return None
        dims[2 + j] = lengths[j]
    if last:
        return empty_channels_last(2 + nd, dims, typenum)
    return PyArray_EMPTY(2 + nd, dims, typenum, 0)


cdef inline bint _single(object x) noexcept:
    return PyArray_TYPE(<np.ndarray>x) == np.NPY_FLOAT


cdef bint _find_places(Window *w, bint cover_all) noexcept:
    """Return whether there are any."""
    cdef int j
    cdef ptrdiff_t room
    for j in range(w.nd):
        room = w.n[j] + 2 * w.p[j] - w.k[j]
        if cover_all:
            room += w.s[j] - 1
        if room < 0:
            return False
        w.out[j] = room // w.s[j] + 1
    return True


def places(lengths, ksize, stride, pad, cover_all):
    cdef Window w
    if not PyTuple_CheckExact(lengths) or not _fill_window(
            &w, PyTuple_GET_SIZE(lengths), ksize, stride, pad):
        return NotImplemented
    _fill(w.n, lengths, w.nd)
    if not _find_places(&w, cover_all):
        return NotImplemented
    if w.nd == 2:
        return w.out[0], w.out[1]
    return tuple([w.out[j] for j in range(w.nd)])


def max_pool(x, ksize, stride, pad, cover_all):
    cdef Window w
    cdef void *source
    cdef void *target
    cdef int64_t *found
    cdef bint single, good, last = False
    image = _floats(x, &last)
    if image is None or not _fill_window(
            &w, PyArray_NDIM(x) - 2, ksize, stride, pad):
        return NotImplemented
    _fill_shape(w.n, x, w.nd)
    if not _find_places(&w, cover_all):
        return NotImplemented
    y = _images(image, w.out, w.nd, PyArray_TYPE(<np.ndarray>image), last)
    indexes = _images(image, w.out, w.nd, np.NPY_INT64, last)
    single = _single(image)
    source, target = PyArray_DATA(<np.ndarray>image), PyArray_DATA(<np.ndarray>y)
    found = <int64_t *>PyArray_DATA(<np.ndarray>indexes)
    cdef ptrdiff_t images = PyArray_DIM(<np.ndarray>image, 0)
    cdef ptrdiff_t channels = PyArray_DIM(<np.ndarray>image, 1)
    with nogil:
        if single:
            good = _find_largest(
                w, last, images, channels, <float *>source, <float *>target, found)
        else:
            good = _find_largest(
                w, last, images, channels, <double *>source, <double *>target, found)
    if not good:
        raise MemoryError()
    return in_type_of(x, y), indexes


cdef inline bint _find_largest(
        const Window &w, bint last, ptrdiff_t images, ptrdiff_t channels, real *source,
        real *target, int64_t *indexes) noexcept nogil:
    if last:
        return c_max_pool_of_pixels(w, images, channels, source, target, indexes)
    return c_max_pool(w, images * channels, source, target, indexes)


cdef object _sums(bint of_images, object x, object ksize, object stride, object pad,
                  object lengths, double divisor, bint last):
    """Return sums over windows or, with ``of_images``, their adjoint."""
    cdef Window w
    cdef ptrdiff_t images, channels
    cdef void *source
    cdef void *target
    cdef ptrdiff_t *seen = w.n
    cdef ptrdiff_t *wanted = w.out
    cdef bint good
    if of_images:
        seen, wanted = w.out, w.n
    given = _floats(x, &last)
    if given is None or not _fill_window(
            &w, PyArray_NDIM(x) - 2, ksize, stride, pad):
        return NotImplemented
    _fill_shape(seen, x, w.nd)
    if not _fill(wanted, lengths, w.nd):
        return NotImplemented
    y = _images(given, wanted, w.nd, PyArray_TYPE(<np.ndarray>given), last)
    if y is None:
        return NotImplemented
    images = PyArray_DIM(<np.ndarray>given, 0)
    channels = PyArray_DIM(<np.ndarray>given, 1)
    source, target = PyArray_DATA(<np.ndarray>given), PyArray_DATA(<np.ndarray>y)
    if _single(given):
        with nogil:
            good = _add_up(of_images, w, last, images, channels, <float *>source,
                           <float *>target, divisor)
    else:
        with nogil:
            good = _add_up(of_images, w, last, images, channels, <double *>source,
                           <double *>target, divisor)
    if not good:
        raise MemoryError()
    return in_type_of(x, y)


cdef inline bint _add_up(
        bint of_images, const Window &w, bint last, ptrdiff_t images,
        ptrdiff_t channels, real *source, real *target, double divisor
        ) noexcept nogil:
    if last:
        return c_sum_pool_of_pixels(
            w, of_images, images, channels, source, target, divisor)
    if of_images:
        return c_window_spread(w, images * channels, source, target, divisor)
    return c_window_sum(w, images * channels, source, target, divisor)


def window_sum(x, ksize, stride, pad, outs, divisor=1):
    return _sums(False, x, ksize, stride, pad, outs, divisor, False)


def window_spread(gy, ksize, stride, pad, lengths, divisor=1, channels_last=False):
    return _sums(True, gy, ksize, stride, pad, lengths, divisor, channels_last)


cdef object _plain_indexes(object indexes, object like, bint last):
    """Return indexes of 32 or 64 bits in the order for the loops, or None."""
    cdef int j, typenum
    if not PyArray_CheckExact(indexes) or (
            PyArray_NDIM(indexes) != PyArray_NDIM(like)):
        return None
    typenum = PyArray_TYPE(<np.ndarray>indexes)
    if typenum not in (np.NPY_INT64, np.NPY_INT32) or (
            np.PyArray_ISBYTESWAPPED(<np.ndarray>indexes)):
        return None
    if PyArray_SIZE(indexes) == 0:
        return None
    for j in range(2):
        if PyArray_DIM(<np.ndarray>indexes, j) != PyArray_DIM(<np.ndarray>like, j):
            return None
    if last:
        return as_channels_last(indexes)
    return contiguous(in_c_order(indexes), typenum)


cdef inline Found _put(
        const Window &w, bint last, ptrdiff_t images, ptrdiff_t channels, real *source,
        void *indexes, bint wide, real *target) noexcept nogil:
    if last and wide:
        return c_put_on_pixels(
            w, images, channels, source, <int64_t *>indexes, target)
    if last:
        return c_put_on_pixels(
            w, images, channels, source, <int32_t *>indexes, target)
    if wide:
        return c_put(w, images * channels, source, <int64_t *>indexes, target)
    return c_put(w, images * channels, source, <int32_t *>indexes, target)


cdef inline Found _pick(
        const Window &w, ptrdiff_t images, real *source, void *indexes, bint wide,
        real *target) noexcept nogil:
    if wide:
        return c_pick(w, images, source, <int64_t *>indexes, target)
    return c_pick(w, images, source, <int32_t *>indexes, target)


cdef object _by_index(bint put, const Window *w, bint last, object x, object given,
                      object indexes, object result):
    """Fill the result of :func:`put` or :func:`pick`, and return it."""
    cdef void *source = PyArray_DATA(<np.ndarray>given)
    cdef void *chosen = PyArray_DATA(<np.ndarray>indexes)
    cdef void *target = PyArray_DATA(<np.ndarray>result)
    cdef bint wide = PyArray_TYPE(<np.ndarray>indexes) == np.NPY_INT64
    cdef bint single = _single(given)
    cdef ptrdiff_t images = PyArray_DIM(<np.ndarray>given, 0)
    cdef ptrdiff_t channels = PyArray_DIM(<np.ndarray>given, 1)
    cdef Found found
    with nogil:
        if put and single:
            found = _put(w[0], last, images, channels, <float *>source, chosen, wide,
                         <float *>target)
        elif put:
            found = _put(w[0], last, images, channels, <double *>source, chosen, wide,
                         <double *>target)
        elif single:
            found = _pick(w[0], images * channels, <float *>source, chosen, wide,
                          <float *>target)
        else:
            found = _pick(w[0], images * channels, <double *>source, chosen, wide,
                          <double *>target)
    if found == NO_MEMORY:
        raise MemoryError()
    return in_type_of(x, result) if found == FOUND else NotImplemented


def put(gy, indexes, ksize, stride, pad, lengths, channels_last=False):
    cdef Window w
    cdef int j
    cdef bint last = channels_last
    given = _floats(gy, &last)
    if given is None or not _fill_window(
            &w, PyArray_NDIM(gy) - 2, ksize, stride, pad):
        return NotImplemented
    chosen = _plain_indexes(indexes, gy, last)
    if chosen is None or not _fill(w.n, lengths, w.nd):
        return NotImplemented
    _fill_shape(w.out, gy, w.nd)
    for j in range(w.nd):
        if PyArray_DIM(<np.ndarray>chosen, 2 + j) != w.out[j]:
            return NotImplemented
    gx = _images(given, w.n, w.nd, PyArray_TYPE(<np.ndarray>given), last)
    if gx is None:
        return NotImplemented
    return _by_index(True, &w, last, gy, given, chosen, gx)


def pick(x, indexes, ksize, stride, pad):
    cdef Window w
    image = plain_floats(x)
    if image is None or not _fill_window(
            &w, PyArray_NDIM(x) - 2, ksize, stride, pad):
        return NotImplemented
    chosen = _plain_indexes(indexes, x, False)
    if chosen is None:
        return NotImplemented
    _fill_shape(w.n, x, w.nd)
    _fill_shape(w.out, chosen, w.nd)
    y = _images(image, w.out, w.nd, PyArray_TYPE(<np.ndarray>image), False)
    return _by_index(False, &w, False, x, image, chosen, y)


def lies_channels_last(x):
    """Tell whether ``x`` is an array of NumPy that lies channels last."""
    return is_channels_last(x)
