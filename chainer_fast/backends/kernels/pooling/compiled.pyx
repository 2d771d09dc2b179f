"""Windows that pass over images in host memory: compiled forms of
:mod:`chainer_fast.backends.kernels.pooling`.

Floats and doubles are computed as they are, halves in single precision. Images that
neither are in C order nor lie channels last are copied first.
"""
cimport numpy as np
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from numpy cimport PyArray_CheckExact, PyArray_DIM, PyArray_EMPTY, PyArray_NDIM, \
    PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.plain cimport cf_float_kind
from chainer_fast.backends.kernels.common.contiguous cimport contiguous
from chainer_fast.backends.kernels.common.halves cimport in_type_of, plain_floats
from chainer_fast.backends.kernels.common.layout cimport (
    as_channels_last, empty_channels_last, in_c_order, is_channels_last)

np.import_array()

# ``kind`` is the type of the images, 'f' or 'd'; ``last`` says that channels lie last.
cdef extern from "chainer_fast/backends/kernels/pooling/pixels.hpp" \
        namespace "chainer_fast":
    enum:
        MAX_AXES
    enum Found:
        OUT_OF_RANGE, FOUND, NO_MEMORY
    ctypedef struct Window:
        int nd
        ptrdiff_t n[MAX_AXES]
        ptrdiff_t out[MAX_AXES]
        ptrdiff_t k[MAX_AXES]
        ptrdiff_t s[MAX_AXES]
        ptrdiff_t p[MAX_AXES]
    bint max_pool_loop(
        char kind, const Window *, bint last, npy_intp images, npy_intp channels,
        object x, object y, object indexes) noexcept
    bint sum_pool_loop(
        char kind, const Window *, bint last, bint of_images, npy_intp images,
        npy_intp channels, object x, object y, double divisor) noexcept
    Found put_loop(
        char kind, const Window *, bint last, npy_intp images, npy_intp channels,
        object gy, object indexes, object gx) noexcept
    Found pick_loop(
        char kind, const Window *, npy_intp images, object x, object indexes,
        object y) noexcept

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
    cdef bint last = False
    image = _floats(x, &last)
    if image is None or not _fill_window(
            &w, PyArray_NDIM(x) - 2, ksize, stride, pad):
        return NotImplemented
    _fill_shape(w.n, x, w.nd)
    if not _find_places(&w, cover_all):
        return NotImplemented
    y = _images(image, w.out, w.nd, PyArray_TYPE(<np.ndarray>image), last)
    indexes = _images(image, w.out, w.nd, np.NPY_INT64, last)
    if not max_pool_loop(
            cf_float_kind(<np.ndarray>image), &w, last, PyArray_DIM(image, 0),
            PyArray_DIM(image, 1), image, y, indexes):
        raise MemoryError()
    return in_type_of(x, y), indexes


cdef object _sums(bint of_images, object x, object ksize, object stride, object pad,
                  object lengths, double divisor, bint last):
    """Return sums over windows or, with ``of_images``, their adjoint."""
    cdef Window w
    cdef ptrdiff_t *seen = w.n
    cdef ptrdiff_t *wanted = w.out
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
    if not sum_pool_loop(
            cf_float_kind(<np.ndarray>given), &w, last, of_images,
            PyArray_DIM(given, 0), PyArray_DIM(given, 1), given, y, divisor):
        raise MemoryError()
    return in_type_of(x, y)


def window_sum(x, ksize, stride, pad, outs, divisor=1):
    return _sums(False, x, ksize, stride, pad, outs, divisor, False)


def window_spread(gy, ksize, stride, pad, lengths, divisor=1, channels_last=False):
    return _sums(True, gy, ksize, stride, pad, lengths, divisor, channels_last)


cdef object _plain_indexes(object indexes, object like, bint last):
    """Return indexes as integers of 64 bits in the order for the loops, or None."""
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
    if typenum == np.NPY_INT32:
        indexes = indexes.astype('i8')
    if last:
        return as_channels_last(indexes)
    return contiguous(in_c_order(indexes), np.NPY_INT64)


cdef object _result(Found found, object x, object result):
    """Return the result of loops over indexes in the type of ``x``."""
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
    return _result(put_loop(
        cf_float_kind(<np.ndarray>given), &w, last, PyArray_DIM(given, 0),
        PyArray_DIM(given, 1), given, chosen, gx), gy, gx)


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
    return _result(pick_loop(
        cf_float_kind(<np.ndarray>image), &w,
        PyArray_DIM(image, 0) * PyArray_DIM(image, 1), image, chosen, y), x, y)


def lies_channels_last(x):
    """Tell whether ``x`` is an array of NumPy that lies channels last."""
    return is_channels_last(x)
