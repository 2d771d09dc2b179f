# Windows that pass over images in host memory: compiled forms of
# :mod:`chainer_fast.backends.kernels.pooling`.
#
# Floats and doubles are computed as they are, halves in single precision. Images that
# neither are in C order nor lie channels last are copied first.
#
# Part of pooling/compiled.pyx.

# ``kind`` is the type of the images, 'f' or 'd'.
cdef extern from "chainer_fast/backends/kernels/pooling/pixels.hpp" \
        namespace "chainer_fast::pooling":
    enum:
        MAX_AXES
    ctypedef struct Window:
        ptrdiff_t images, channels
        int nd
        bint last
        ptrdiff_t n[MAX_AXES]
        ptrdiff_t out[MAX_AXES]
        ptrdiff_t k[MAX_AXES]
        ptrdiff_t s[MAX_AXES]
        ptrdiff_t p[MAX_AXES]
    void max_pool_loop(
        char kind, const Window *, object x, object y, object indexes) except +
    void sum_pool_loop(
        char kind, const Window *, bint of_images, object x, object y,
        double divisor) except +
    # Whether all are indexes of a window's elements.
    bint put_loop(
        char kind, const Window *, object gy, object indexes, object gx) except +
    bint pick_loop(
        char kind, const Window *, object x, object indexes, object y) except +

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


cdef bint _fill_window(Window *w, object ksize, object stride, object pad) except -1:
    """Return whether the loops can work with such a window.

    The numbers may be objects of the user that run Python code, so callers read no
    array before this call.
    """
    cdef ptrdiff_t elements = 1
    cdef int j
    if not PyTuple_CheckExact(ksize) or not 1 <= PyTuple_GET_SIZE(ksize) <= MAX_AXES:
        return False
    w.nd = <int>PyTuple_GET_SIZE(ksize)
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


cdef object _read(Window *w, object x, bint of_images, bint last=False):
    """Return an array of the values of ``x`` for the loops with a window, or None.

    It lies channels last if ``last`` asks for it or if ``x`` does; otherwise it is in C
    order. Fill in the lengths of the images or, with ``of_images``, the places that are
    given.
    """
    if is_channels_last(x) and cf_float_kind(<np.ndarray>x):
        last = True
    else:
        x = plain_floats(x)
        if x is None or (last and not 3 <= PyArray_NDIM(x) <= 2 + MAX_AXES):
            return None
        if last:
            x = as_channels_last(x)
    if PyArray_NDIM(x) - 2 != w.nd:
        return None
    w.images = PyArray_DIM(<np.ndarray>x, 0)
    w.channels = PyArray_DIM(<np.ndarray>x, 1)
    w.last = last
    _fill_shape(&w.out[0] if of_images else &w.n[0], x, w.nd)
    return x


cdef object _images(const Window &w, const ptrdiff_t *lengths, int typenum):
    """Return a new array of such images, not filled; None if it would be empty."""
    cdef npy_intp dims[2 + MAX_AXES]
    cdef int j
    dims[0] = w.images
    dims[1] = w.channels
    for j in range(w.nd):
        if lengths[j] <= 0:
            return None
        dims[2 + j] = lengths[j]
    if w.last:
        return empty_channels_last(2 + w.nd, dims, typenum)
    return PyArray_EMPTY(2 + w.nd, dims, typenum, 0)


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
    if not _fill_window(&w, ksize, stride, pad) or not _fill(w.n, lengths, w.nd):
        return NotImplemented
    if not _find_places(&w, cover_all):
        return NotImplemented
    if w.nd == 2:
        return w.out[0], w.out[1]
    return tuple([w.out[j] for j in range(w.nd)])


def max_pool(x, ksize, stride, pad, cover_all):
    cdef Window w
    cdef bint covers = cover_all
    image = _read(&w, x, False) if _fill_window(&w, ksize, stride, pad) else None
    if image is None or not _find_places(&w, covers):
        return NotImplemented
    y = _images(w, w.out, PyArray_TYPE(<np.ndarray>image))
    indexes = _images(w, w.out, np.NPY_INT64)
    max_pool_loop(cf_float_kind(<np.ndarray>image), &w, image, y, indexes)
    return in_type_of(x, y), indexes


cdef object _sums(bint of_images, object x, object ksize, object stride, object pad,
                  object lengths, double divisor, bint last):
    """Return sums over windows or, with ``of_images``, their adjoint."""
    cdef Window w
    cdef ptrdiff_t *wanted = &w.n[0] if of_images else &w.out[0]
    if not _fill_window(&w, ksize, stride, pad) or not _fill(wanted, lengths, w.nd):
        return NotImplemented
    given = _read(&w, x, of_images, last)
    if given is None:
        return NotImplemented
    y = _images(w, wanted, PyArray_TYPE(<np.ndarray>given))
    if y is None:
        return NotImplemented
    sum_pool_loop(cf_float_kind(<np.ndarray>given), &w, of_images, given, y, divisor)
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


def put(gy, indexes, ksize, stride, pad, lengths, channels_last=False):
    cdef Window w
    cdef int j
    cdef bint last = channels_last
    if not _fill_window(&w, ksize, stride, pad) or not _fill(w.n, lengths, w.nd):
        return NotImplemented
    given = _read(&w, gy, True, last)
    if given is None:
        return NotImplemented
    chosen = _plain_indexes(indexes, gy, w.last)
    if chosen is None:
        return NotImplemented
    for j in range(w.nd):
        if PyArray_DIM(<np.ndarray>chosen, 2 + j) != w.out[j]:
            return NotImplemented
    gx = _images(w, w.n, PyArray_TYPE(<np.ndarray>given))
    if gx is None or not put_loop(
            cf_float_kind(<np.ndarray>given), &w, given, chosen, gx):
        return NotImplemented
    return in_type_of(gy, gx)


def pick(x, indexes, ksize, stride, pad):
    cdef Window w
    if not _fill_window(&w, ksize, stride, pad):
        return NotImplemented
    image = _read(&w, plain_floats(x), False)
    if image is None:
        return NotImplemented
    chosen = _plain_indexes(indexes, x, False)
    if chosen is None:
        return NotImplemented
    _fill_shape(w.out, chosen, w.nd)
    y = _images(w, w.out, PyArray_TYPE(<np.ndarray>image))
    if not pick_loop(cf_float_kind(<np.ndarray>image), &w, image, chosen, y):
        return NotImplemented
    return in_type_of(x, y)


def lies_channels_last(x):
    """Return whether ``x`` is an array of NumPy that lies channels last."""
    return is_channels_last(x)
