"""Windows that pass over images in host memory: compiled forms of
:mod:`chainer_fast.backends.kernels.pooling`.

Floats and doubles are computed as they are, halves in single precision. Images that
are not in C order are copied first.
"""
import numpy

cimport numpy as np
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_EMPTY, \
    PyArray_NDIM, PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.plain cimport kind_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/pooling/pooling.h" nogil:
    enum:
        CF_AXES
    ctypedef struct Window "cf_window":
        int nd
        ptrdiff_t n[CF_AXES]
        ptrdiff_t out[CF_AXES]
        ptrdiff_t k[CF_AXES]
        ptrdiff_t s[CF_AXES]
        ptrdiff_t p[CF_AXES]
    ctypedef struct Plan "cf_plan":
        ptrdiff_t rows
    int cf_make_plan(const Window *w, int of_images, Plan *plan)
    void cf_free_plan(Plan *plan)
    ptrdiff_t cf_product(const ptrdiff_t *numbers, int n)
    void cf_max_f(const Window *w, const Plan *plan, ptrdiff_t images, const float *x,
                  float *y, int64_t *indexes, int32_t *index)
    void cf_max_d(const Window *w, const Plan *plan, ptrdiff_t images, const double *x,
                  double *y, int64_t *indexes, int64_t *index)
    void cf_sum_f(const Window *w, const Plan *plan, ptrdiff_t images, const float *x,
                  float *y, float divisor)
    void cf_sum_d(const Window *w, const Plan *plan, ptrdiff_t images, const double *x,
                  double *y, double divisor)
    void cf_spread_f(const Window *w, const Plan *plan, ptrdiff_t images,
                     const float *gy, float *gx, float divisor)
    void cf_spread_d(const Window *w, const Plan *plan, ptrdiff_t images,
                     const double *gy, double *gx, double divisor)
    void cf_put_rows_f(const Window *w, const Plan *plan, const float *gy,
                       const int32_t *indexes, float *gx)
    void cf_put_rows_d(const Window *w, const Plan *plan, const double *gy,
                       const int64_t *indexes, double *gx)
    void cf_put_f(const Window *w, const float *gy, const int32_t *indexes, float *gx)
    void cf_put_d(const Window *w, const double *gy, const int64_t *indexes, double *gx)
    void cf_pick_f(const Window *w, const float *x, const int32_t *indexes, float *y)
    void cf_pick_d(const Window *w, const double *x, const int64_t *indexes, double *y)
    int cf_take_l_f(const int64_t *source, int32_t *to, ptrdiff_t n, ptrdiff_t count)
    int cf_take_l_d(const int64_t *source, int64_t *to, ptrdiff_t n, ptrdiff_t count)
    int cf_take_i_f(const int32_t *source, int32_t *to, ptrdiff_t n, ptrdiff_t count)
    int cf_take_i_d(const int32_t *source, int64_t *to, ptrdiff_t n, ptrdiff_t count)

# Larger windows make each window look for its element, not the other way round.
cdef enum:
    SMALL_WINDOW = 9

ctypedef fused real:
    float
    double


cdef object _plain(object x):
    """Return a plain array of the values of ``x``, or None if there is no code for it.

    Halves become floats, which hold their values.
    """
    if kind_of(x):
        return x
    if not PyArray_CheckExact(x) or PyArray_SIZE(x) == 0:
        return None
    if PyArray_TYPE(<np.ndarray>x) not in (np.NPY_FLOAT16, np.NPY_FLOAT, np.NPY_DOUBLE):
        return None
    typenum = (np.NPY_DOUBLE if PyArray_TYPE(<np.ndarray>x) == np.NPY_DOUBLE
               else np.NPY_FLOAT)
    return numpy.ascontiguousarray(x, np.PyArray_DescrFromType(typenum))


cdef inline object _like(object y, object x):
    """Return ``y`` in the precision of ``x``."""
    if PyArray_TYPE(<np.ndarray>y) == PyArray_TYPE(<np.ndarray>x):
        return y
    return y.astype(x.dtype)


cdef bint _fill(ptrdiff_t *numbers, object values, int nd) except -1:
    """Take over as many numbers as there are axes; return whether that was possible."""
    cdef Py_ssize_t number      # which, unlike the others, takes no float
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
    cdef int j
    if not 1 <= nd <= CF_AXES:
        return False
    w.nd = <int>nd
    if not (_fill(w.k, ksize, w.nd) and _fill(w.s, stride, w.nd)
            and _fill(w.p, pad, w.nd)):
        return False
    for j in range(w.nd):
        if w.k[j] <= 0 or w.s[j] <= 0 or w.p[j] < 0:
            return False
    return cf_product(w.k, w.nd) < 0x7fffffff


cdef inline void _fill_shape(ptrdiff_t *numbers, object x, int nd) noexcept:
    cdef int j
    for j in range(nd):
        numbers[j] = PyArray_DIM(<np.ndarray>x, 2 + j)


cdef object _images(object like, ptrdiff_t *lengths, int nd, int typenum):
    """Return a new array with batch and channels of another, not filled."""
    cdef npy_intp dims[2 + CF_AXES]
    cdef int j
    dims[0] = PyArray_DIM(<np.ndarray>like, 0)
    dims[1] = PyArray_DIM(<np.ndarray>like, 1)
    for j in range(nd):
        if lengths[j] <= 0:
            return None
        dims[2 + j] = lengths[j]
    return PyArray_EMPTY(2 + nd, dims, typenum, 0)


cdef inline ptrdiff_t _count(object x) noexcept:
    return PyArray_DIM(<np.ndarray>x, 0) * PyArray_DIM(<np.ndarray>x, 1)


cdef int _plan(const Window *w, bint of_images, Plan *plan) except -1:
    if not cf_make_plan(w, of_images, plan):
        raise MemoryError()
    return 0


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
    cdef Plan plan
    cdef ptrdiff_t images
    cdef void *index
    cdef void *source
    cdef void *target
    cdef void *found
    cdef bint single
    image = _plain(x)
    if image is None or not _fill_window(
            &w, PyArray_NDIM(x) - 2, ksize, stride, pad):
        return NotImplemented
    _fill_shape(w.n, x, w.nd)
    if not _find_places(&w, cover_all):
        return NotImplemented
    y = _images(image, w.out, w.nd, PyArray_TYPE(<np.ndarray>image))
    indexes = _images(image, w.out, w.nd, np.NPY_INT64)
    images = _count(image)
    single = PyArray_TYPE(<np.ndarray>image) == np.NPY_FLOAT
    source, target = PyArray_DATA(<np.ndarray>image), PyArray_DATA(<np.ndarray>y)
    found = PyArray_DATA(<np.ndarray>indexes)
    index = malloc(w.out[w.nd - 1] * sizeof(int64_t))
    if index is NULL:
        raise MemoryError()
    try:
        _plan(&w, False, &plan)
        with nogil:
            if single:
                cf_max_f(&w, &plan, images, <float *>source, <float *>target,
                         <int64_t *>found, <int32_t *>index)
            else:
                cf_max_d(&w, &plan, images, <double *>source, <double *>target,
                         <int64_t *>found, <int64_t *>index)
            cf_free_plan(&plan)
    finally:
        free(index)
    return _like(y, x), indexes


def window_sum(x, ksize, stride, pad, outs, divisor=1):
    cdef Window w
    cdef Plan plan
    cdef double number = divisor
    cdef ptrdiff_t images
    cdef void *source
    cdef void *target
    cdef bint single
    image = _plain(x)
    if image is None or not _fill_window(
            &w, PyArray_NDIM(x) - 2, ksize, stride, pad):
        return NotImplemented
    _fill_shape(w.n, x, w.nd)
    if not _fill(w.out, outs, w.nd):
        return NotImplemented
    y = _images(image, w.out, w.nd, PyArray_TYPE(<np.ndarray>image))
    if y is None:
        return NotImplemented
    images = _count(image)
    single = PyArray_TYPE(<np.ndarray>image) == np.NPY_FLOAT
    source, target = PyArray_DATA(<np.ndarray>image), PyArray_DATA(<np.ndarray>y)
    _plan(&w, False, &plan)
    with nogil:
        if single:
            cf_sum_f(&w, &plan, images, <float *>source, <float *>target,
                     <float>number)
        else:
            cf_sum_d(&w, &plan, images, <double *>source, <double *>target, number)
        cf_free_plan(&plan)
    return _like(y, x)


def window_spread(gy, ksize, stride, pad, lengths, divisor=1):
    cdef Window w
    cdef Plan plan
    cdef double number = divisor
    cdef ptrdiff_t images
    cdef void *source
    cdef void *target
    cdef bint single
    given = _plain(gy)
    if given is None or not _fill_window(
            &w, PyArray_NDIM(gy) - 2, ksize, stride, pad):
        return NotImplemented
    _fill_shape(w.out, gy, w.nd)
    if not _fill(w.n, lengths, w.nd):
        return NotImplemented
    gx = _images(given, w.n, w.nd, PyArray_TYPE(<np.ndarray>given))
    if gx is None:
        return NotImplemented
    images = _count(given)
    single = PyArray_TYPE(<np.ndarray>given) == np.NPY_FLOAT
    source, target = PyArray_DATA(<np.ndarray>given), PyArray_DATA(<np.ndarray>gx)
    _plan(&w, True, &plan)
    with nogil:
        if single:
            cf_spread_f(&w, &plan, images, <float *>source, <float *>target,
                        <float>number)
        else:
            cf_spread_d(&w, &plan, images, <double *>source, <double *>target, number)
        cf_free_plan(&plan)
    return _like(gx, gy)


cdef inline int _take(
        const void *source, bint wide, real *kind, void *to, ptrdiff_t n,
        ptrdiff_t count) noexcept nogil:
    """Copy indexes to those of a kind of loops; return whether they are in range."""
    if real is float:
        if wide:
            return cf_take_l_f(<int64_t *>source, <int32_t *>to, n, count)
        return cf_take_i_f(<int32_t *>source, <int32_t *>to, n, count)
    else:
        if wide:
            return cf_take_l_d(<int64_t *>source, <int64_t *>to, n, count)
        return cf_take_i_d(<int32_t *>source, <int64_t *>to, n, count)


cdef bint _put_all(
        const Window *w, const Plan *plan, ptrdiff_t images, const real *gy,
        const char *indexes, bint wide, real *gx, void *index) noexcept nogil:
    """Return whether all indexes were in range."""
    cdef ptrdiff_t size = cf_product(w.out, w.nd), length = cf_product(w.n, w.nd)
    cdef ptrdiff_t count = cf_product(w.k, w.nd), _i
    for _i in range(images):
        if not _take(indexes, wide, gx, index, size, count):
            return False
        if real is float:
            if plan is NULL:
                cf_put_f(w, gy, <int32_t *>index, gx)
            else:
                cf_put_rows_f(w, plan, gy, <int32_t *>index, gx)
        else:
            if plan is NULL:
                cf_put_d(w, gy, <int64_t *>index, gx)
            else:
                cf_put_rows_d(w, plan, gy, <int64_t *>index, gx)
        gy += size
        gx += length
        indexes += size * (8 if wide else 4)
    return True


cdef bint _pick_all(
        const Window *w, ptrdiff_t images, const real *x, const char *indexes,
        bint wide, real *y, void *index) noexcept nogil:
    """Return whether all indexes were in range."""
    cdef ptrdiff_t size = cf_product(w.out, w.nd), length = cf_product(w.n, w.nd)
    cdef ptrdiff_t count = cf_product(w.k, w.nd), _i
    for _i in range(images):
        if not _take(indexes, wide, y, index, size, count):
            return False
        if real is float:
            cf_pick_f(w, x, <int32_t *>index, y)
        else:
            cf_pick_d(w, x, <int64_t *>index, y)
        x += length
        y += size
        indexes += size * (8 if wide else 4)
    return True


cdef object _plain_indexes(object indexes, object like):
    """Return indexes of 32 or 64 bits in C order, or None."""
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
    return np.PyArray_GETCONTIGUOUS(<np.ndarray>indexes)


def put(gy, indexes, ksize, stride, pad, lengths):
    cdef Window w
    cdef Plan plan
    cdef const Plan *used = NULL
    cdef ptrdiff_t images
    cdef void *source
    cdef void *target
    cdef void *places
    cdef void *index
    cdef bint single, wide, good
    cdef int j
    given = _plain(gy)
    if given is None or not _fill_window(
            &w, PyArray_NDIM(gy) - 2, ksize, stride, pad):
        return NotImplemented
    chosen = _plain_indexes(indexes, gy)
    if chosen is None or not _fill(w.n, lengths, w.nd):
        return NotImplemented
    _fill_shape(w.out, gy, w.nd)
    for j in range(w.nd):
        if PyArray_DIM(<np.ndarray>chosen, 2 + j) != w.out[j]:
            return NotImplemented
    gx = _images(given, w.n, w.nd, PyArray_TYPE(<np.ndarray>given))
    if gx is None:
        return NotImplemented
    images = _count(given)
    single = PyArray_TYPE(<np.ndarray>given) == np.NPY_FLOAT
    wide = PyArray_TYPE(<np.ndarray>chosen) == np.NPY_INT64
    source, target = PyArray_DATA(<np.ndarray>given), PyArray_DATA(<np.ndarray>gx)
    places = PyArray_DATA(<np.ndarray>chosen)
    index = malloc(cf_product(w.out, w.nd) * sizeof(int64_t))
    if index is NULL:
        raise MemoryError()
    try:
        if cf_product(w.k, w.nd) <= SMALL_WINDOW:
            _plan(&w, True, &plan)
            used = &plan
        with nogil:
            if single:
                good = _put_all(&w, used, images, <float *>source, <char *>places,
                                wide, <float *>target, index)
            else:
                good = _put_all(&w, used, images, <double *>source, <char *>places,
                                wide, <double *>target, index)
            if used is not NULL:
                cf_free_plan(&plan)
    finally:
        free(index)
    return _like(gx, gy) if good else NotImplemented


def pick(x, indexes, ksize, stride, pad):
    cdef Window w
    cdef ptrdiff_t images
    cdef void *source
    cdef void *target
    cdef void *places
    cdef void *index
    cdef bint single, wide, good
    image = _plain(x)
    if image is None or not _fill_window(
            &w, PyArray_NDIM(x) - 2, ksize, stride, pad):
        return NotImplemented
    chosen = _plain_indexes(indexes, x)
    if chosen is None:
        return NotImplemented
    _fill_shape(w.n, x, w.nd)
    _fill_shape(w.out, chosen, w.nd)
    y = _images(image, w.out, w.nd, PyArray_TYPE(<np.ndarray>image))
    images = _count(image)
    single = PyArray_TYPE(<np.ndarray>image) == np.NPY_FLOAT
    wide = PyArray_TYPE(<np.ndarray>chosen) == np.NPY_INT64
    source, target = PyArray_DATA(<np.ndarray>image), PyArray_DATA(<np.ndarray>y)
    places = PyArray_DATA(<np.ndarray>chosen)
    index = malloc(cf_product(w.out, w.nd) * sizeof(int64_t))
    if index is NULL:
        raise MemoryError()
    try:
        with nogil:
            if single:
                good = _pick_all(&w, images, <float *>source, <char *>places, wide,
                                 <float *>target, index)
            else:
                good = _pick_all(&w, images, <double *>source, <char *>places, wide,
                                 <double *>target, index)
    finally:
        free(index)
    return _like(y, x) if good else NotImplemented
