"""Normalization of plain arrays; :mod:`chainer_fast.backends.kernels.normalization`
documents each function.

Each returns NotImplemented if an array is empty, is neither of singles nor of doubles,
or differs in type from the others, and if a loop raised a floating-point flag, which
NumPy would have to warn of.
"""
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport INTPTR_MAX
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DIM, PyArray_DIMS, \
    PyArray_EMPTY, PyArray_NDIM, PyArray_SAMESHAPE, PyArray_SIZE, \
    PyArray_STRIDE, PyArray_TYPE, PyArray_ZEROS, npy_intp

from chainer_fast._core.gapless cimport (
    common_gapless_kind, empty_gapless_like, gapless_kind)
from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.plain cimport common_kind, empty_like, kind_of
from chainer_fast._core.recipe cimport to_double
from chainer_fast.backends.kernels.common.layout cimport (
    in_c_order, in_order_of, is_channels_last)

np.import_array()

# ``kind`` is the type of the arrays, 'f' or 'd'.
cdef extern from "chainer_fast/backends/kernels/normalization/batch_loops.hpp" \
        namespace "chainer_fast":
    cdef struct Extent:
        ptrdiff_t outer, channels, inner
        bint by_rows

    void inverses_loop(
        char kind, object var, object inv_std, object inv_var, ptrdiff_t n,
        double eps) noexcept
    void statistics_backward_loop(
        char kind, object gamma, object inv_std, object inv_var, object ggamma,
        object gbeta, object gmean, object gvar, ptrdiff_t n) noexcept
    void move_towards_loop(
        char kind, object running, object value, ptrdiff_t n, double decay,
        double weight) noexcept

cdef extern from "chainer_fast/backends/kernels/normalization/pixel_loops.hpp" \
        namespace "chainer_fast":
    void batch_forward_loop(
        char kind, object x, object gamma, object beta, object y, object mean,
        object var, object inv_std, Extent, double eps) except +
    void batch_backward_loop(
        char kind, object x, object gamma, object gy, object mean, object inv_std,
        object gx, object ggamma, object gbeta, Extent, bint fixed) except +

cdef extern from "chainer_fast/backends/kernels/normalization/group_loops.hpp" \
        namespace "chainer_fast":
    cdef struct Rows:
        ptrdiff_t rows, groups, size, inner

    void group_forward_loop(
        char kind, object x, object gamma, object beta, object y, object mean,
        object inv_std, Rows, double eps) noexcept
    void group_backward_loop(
        char kind, object x, object gamma, object gy, object mean, object inv_std,
        object gx, object ggamma, object gbeta, Rows) except +

cdef extern from "chainer_fast/backends/kernels/normalization/response_loops.hpp" \
        namespace "chainer_fast":
    void response_forward_loop(
        char kind, object x, object y, object unit, object scale, Extent,
        ptrdiff_t half, double k, double alpha, int quarters) except +
    void response_backward_loop(
        char kind, object x, object gy, object unit, object scale, object gx, Extent,
        ptrdiff_t half, double factor) except +


cdef object _plain(object array, char *kind):
    """Return the array, copied if its elements are not in order; None for others.

    ``kind`` is zero for the first array of a call, and set to its type.
    """
    cdef char its
    if not PyArray_CheckExact(array):
        return None
    its = kind_of(array)
    if not its:
        if PyArray_SIZE(array) == 0 or PyArray_TYPE(<np.ndarray>array) not in (
                np.NPY_FLOAT, np.NPY_DOUBLE):
            return None
        array = in_c_order(array)
        its = kind_of(array)
        if not its:
            array = np.PyArray_NewCopy(<np.ndarray>array, np.NPY_CORDER)
            its = kind_of(array)
        if not its:
            return None
    if not kind[0]:
        kind[0] = its
    return array if its == kind[0] else None


cdef object _sized(object array, char *kind, npy_intp size):
    """Return the array as :func:`_plain` does, None unless it has ``size`` elements."""
    array = _plain(array, kind)
    return None if array is None or PyArray_SIZE(array) != size else array


cdef struct Shape:
    # The sizes before, of and behind some adjacent axes; the first of these axes, and
    # their number.
    Extent extent
    int first, count


cdef bint _around(object x, object axis, bint named, Shape *s) except -1:
    """Fill in the shape around the axes that are named, or around all others.

    Return False if they are apart, or cannot be told.
    """
    cdef bint middle[64]
    cdef int ndim = PyArray_NDIM(x)
    cdef int i
    if type(axis) is not tuple or ndim > 64:
        return False
    for i in range(ndim):
        middle[i] = not named
    for each in <tuple>axis:
        if type(each) is not int or not -ndim <= each < ndim:
            return False
        i = each if each >= 0 else each + ndim
        # An axis that comes twice is an error, which NumPy reports.
        if middle[i] == named:
            return False
        middle[i] = named
    i = 0
    s.extent.outer = s.extent.channels = s.extent.inner = 1
    s.extent.by_rows = False
    while i < ndim and not middle[i]:
        s.extent.outer *= PyArray_DIM(<np.ndarray>x, i)
        i += 1
    s.first = i
    while i < ndim and middle[i]:
        s.extent.channels *= PyArray_DIM(<np.ndarray>x, i)
        i += 1
    s.count = i - s.first
    while i < ndim and not middle[i]:
        s.extent.inner *= PyArray_DIM(<np.ndarray>x, i)
        i += 1
    return i == ndim


cdef object _statistic(object x, const Shape &s):
    """Return a new array of the shape of the channels."""
    return PyArray_EMPTY(
        s.count, PyArray_DIMS(<np.ndarray>x) + s.first, PyArray_TYPE(<np.ndarray>x), 0)


cdef bint _goes_by_rows(object array, const Shape &s) noexcept:
    """Whether NumPy's sums go from row to row: in memory, channels are nearest."""
    cdef npy_intp step, of_channels, of_others
    cdef int i
    if not PyArray_CheckExact(array):
        return False
    of_channels = of_others = INTPTR_MAX
    for i in range(PyArray_NDIM(array)):
        if PyArray_DIM(<np.ndarray>array, i) == 1:
            continue
        step = abs(PyArray_STRIDE(<np.ndarray>array, i))
        if s.first <= i < s.first + s.count:
            of_channels = min(of_channels, step)
        else:
            of_others = min(of_others, step)
    return of_channels < of_others


cdef object _images(object x, tuple axis, bint named, char *kind, Shape *s):
    """Return an array, copied unless it is plain or channels last, or None.

    Fill in its kind and the shape around its channels; see :func:`_around`.
    """
    if is_channels_last(x) and _around(x, axis, named, s) and s.first == s.count == 1:
        kind[0] = gapless_kind(x)
        s.extent.outer *= s.extent.inner
        s.extent.inner = 1
        s.extent.by_rows = True
        return x if kind[0] else None
    plain = _plain(x, kind)
    if plain is None or not _around(plain, axis, named, s):
        return None
    s.extent.by_rows = _goes_by_rows(x, s[0])
    return plain


def moments(x, tuple axis):
    cdef Shape s
    cdef char kind = 0
    x = _images(x, axis, False, &kind, &s)
    if x is None:
        return NotImplemented
    mean = _statistic(x, s)
    var = _statistic(x, s)
    clear_float_errors()
    batch_forward_loop(kind, x, None, None, None, mean, var, None, s.extent, 0)
    return NotImplemented if float_errors() else (mean, var)


def batch_apply(x, gamma, beta, mean, inv_std, tuple axis):
    cdef Shape s
    cdef char kind = 0
    x = _images(x, axis, False, &kind, &s)
    if x is None:
        return NotImplemented
    gamma = _sized(gamma, &kind, s.extent.channels)
    beta = _sized(beta, &kind, s.extent.channels)
    mean = _sized(mean, &kind, s.extent.channels)
    inv_std = _sized(inv_std, &kind, s.extent.channels)
    if gamma is None or beta is None or mean is None or inv_std is None:
        return NotImplemented
    y = empty_gapless_like(x)
    clear_float_errors()
    batch_forward_loop(kind, x, gamma, beta, y, mean, None, inv_std, s.extent, 0)
    return NotImplemented if float_errors() else y


def batch_forward(x, gamma, beta, tuple axis, eps):
    cdef Shape s
    cdef double number
    cdef char kind = 0
    x = _images(x, axis, False, &kind, &s)
    if x is None:
        return NotImplemented
    gamma = _sized(gamma, &kind, s.extent.channels)
    beta = _sized(beta, &kind, s.extent.channels)
    if gamma is None or beta is None:
        return NotImplemented
    if not to_double(eps, &number):
        return NotImplemented
    y = empty_gapless_like(x)
    mean = _statistic(x, s)
    var = _statistic(x, s)
    inv_std = _statistic(x, s)
    clear_float_errors()
    batch_forward_loop(kind, x, gamma, beta, y, mean, var, inv_std, s.extent, number)
    return NotImplemented if float_errors() else (y, mean, var, inv_std)


def batch_backward(x, gamma, gy, mean, inv_std, tuple axis, bint fixed):
    cdef Shape s
    cdef char kind = 0
    x = _images(x, axis, False, &kind, &s)
    if x is None:
        return NotImplemented
    gamma = _sized(gamma, &kind, s.extent.channels)
    if s.extent.by_rows:
        # The gradients of Chainer's images are in C order, whatever these are in.
        s.extent.by_rows = not is_channels_last(x) and _goes_by_rows(gy, s)
    gy = in_order_of(gy, x)
    mean = _sized(mean, &kind, s.extent.channels)
    inv_std = _sized(inv_std, &kind, s.extent.channels)
    if common_gapless_kind(x, gy) != kind or (
            gamma is None or mean is None or inv_std is None):
        return NotImplemented
    gx = empty_gapless_like(x)
    ggamma = _statistic(x, s)
    gbeta = _statistic(x, s)
    clear_float_errors()
    batch_backward_loop(
        kind, x, gamma, gy, mean, inv_std, gx, ggamma, gbeta, s.extent, fixed)
    return NotImplemented if float_errors() else (gx, ggamma, gbeta)


def inverses(var, eps):
    cdef char kind = 0
    cdef double number
    var = _plain(var, &kind)
    if var is None or not to_double(eps, &number):
        return NotImplemented
    inv_std = empty_like(var)
    inv_var = empty_like(var)
    clear_float_errors()
    inverses_loop(kind, var, inv_std, inv_var, PyArray_SIZE(var), number)
    return NotImplemented if float_errors() else (inv_std, inv_var)


def fixed_backward(x, gamma, gy, mean, inv_std, inv_var, tuple axis):
    cdef char kind = 0
    cdef npy_intp n
    grads = batch_backward(x, gamma, gy, mean, inv_std, axis, True)
    if grads is NotImplemented:
        return grads
    gx, ggamma, gbeta = grads
    n = PyArray_SIZE(ggamma)
    gamma = _plain(gamma, &kind)
    inv_std = _plain(inv_std, &kind)
    inv_var = _sized(inv_var, &kind, n)
    if inv_var is None:
        return NotImplemented
    gmean = empty_like(ggamma)
    gvar = empty_like(ggamma)
    clear_float_errors()
    statistics_backward_loop(
        kind, gamma, inv_std, inv_var, ggamma, gbeta, gmean, gvar, n)
    return NotImplemented if float_errors() else (gx, ggamma, gbeta, gmean, gvar)


cdef char _updatable(object running, object value) noexcept:
    """Return the kind of a statistic that can be moved where it is, else 0."""
    cdef char kind = common_kind(running, value)
    return kind if kind and PyArray_CHKFLAGS(running, np.NPY_ARRAY_WRITEABLE) else 0


def update_running(running_mean, running_var, mean, var, decay, double adjust):
    cdef double rate
    if not to_double(decay, &rate):
        return NotImplemented
    cdef char kind = _updatable(running_mean, mean)
    cdef char kind_of_var = _updatable(running_var, var)
    cdef double weight = 1 - rate
    if not kind or not kind_of_var:
        return NotImplemented
    move_towards_loop(kind, running_mean, mean, PyArray_SIZE(mean), rate, weight)
    move_towards_loop(
        kind_of_var, running_var, var, PyArray_SIZE(var), rate, weight * adjust)


cdef bint _rows(object x, Py_ssize_t groups, Rows *r) except -1:
    cdef npy_intp channels
    if PyArray_NDIM(x) < 2 or groups < 1:
        return False
    channels = PyArray_DIM(<np.ndarray>x, 1)
    if channels % groups != 0:
        return False
    r.rows = PyArray_DIM(<np.ndarray>x, 0) * groups
    r.groups = groups
    r.size = channels // groups
    r.inner = PyArray_SIZE(x) // (r.rows * r.size)
    return True


def group_forward(x, gamma, beta, Py_ssize_t groups, eps):
    cdef Rows r
    cdef double number
    cdef char kind = 0
    cdef npy_intp dims[1]
    x = _plain(x, &kind)
    if x is None or not _rows(x, groups, &r) or not to_double(eps, &number):
        return NotImplemented
    gamma = _sized(gamma, &kind, groups * r.size)
    beta = _sized(beta, &kind, groups * r.size)
    if gamma is None or beta is None or (
            not PyArray_NDIM(gamma) == PyArray_NDIM(beta) == 1):
        return NotImplemented
    dims[0] = r.rows
    y = empty_like(x)
    mean = PyArray_EMPTY(1, dims, PyArray_TYPE(<np.ndarray>x), 0)
    inv_std = PyArray_EMPTY(1, dims, PyArray_TYPE(<np.ndarray>x), 0)
    clear_float_errors()
    group_forward_loop(kind, x, gamma, beta, y, mean, inv_std, r, number)
    return NotImplemented if float_errors() else (y, mean, inv_std)


def group_backward(x, gamma, gy, mean, inv_std, Py_ssize_t groups):
    cdef Rows r
    cdef char kind = 0
    cdef npy_intp dims[1]
    x = _plain(x, &kind)
    if x is None or not _rows(x, groups, &r):
        return NotImplemented
    dims[0] = groups * r.size
    gamma = _sized(gamma, &kind, dims[0])
    gy = _sized(gy, &kind, PyArray_SIZE(x))
    mean = _sized(mean, &kind, r.rows)
    inv_std = _sized(inv_std, &kind, r.rows)
    if gamma is None or gy is None or mean is None or inv_std is None:
        return NotImplemented
    if PyArray_NDIM(gamma) != 1 or not PyArray_SAMESHAPE(
            <np.ndarray>gy, <np.ndarray>x):
        return NotImplemented
    gx = empty_like(x)
    ggamma = PyArray_ZEROS(1, dims, PyArray_TYPE(<np.ndarray>x), 0)
    gbeta = PyArray_ZEROS(1, dims, PyArray_TYPE(<np.ndarray>x), 0)
    clear_float_errors()
    group_backward_loop(kind, x, gamma, gy, mean, inv_std, gx, ggamma, gbeta, r)
    return NotImplemented if float_errors() else (gx, ggamma, gbeta)


def response_forward(x, Py_ssize_t half, k, alpha, beta):
    cdef Shape s
    cdef char kind = 0
    cdef double start, factor, power
    # Only roots have fast loops.
    if not (to_double(k, &start) and to_double(alpha, &factor)
            and to_double(beta, &power)) or not (
                power == 0.75 or power == 0.5 or power == 1):
        return NotImplemented
    x = _images(x, (1,), True, &kind, &s)
    if x is None or half < 0:
        return NotImplemented
    half = min(half, s.extent.channels)
    y = empty_gapless_like(x)
    unit = empty_gapless_like(x)
    scale = empty_gapless_like(x)
    clear_float_errors()
    response_forward_loop(
        kind, x, y, unit, scale, s.extent, half, start, factor,
        <int>(power * 4))
    return NotImplemented if float_errors() else (y, unit, scale)


def response_backward(x, gy, unit, scale, Py_ssize_t half, alpha, beta):
    cdef Shape s
    cdef char kind = 0
    cdef double factor, power
    if not to_double(alpha, &factor) or not to_double(beta, &power):
        return NotImplemented
    x = _images(x, (1,), True, &kind, &s)
    if x is None or half < 0:
        return NotImplemented
    half = min(half, s.extent.channels)
    gy, unit, scale = [in_order_of(each, x) for each in (gy, unit, scale)]
    for each in gy, unit, scale:
        if common_gapless_kind(each, x) != kind:
            return NotImplemented
    gx = empty_gapless_like(x)
    clear_float_errors()
    response_backward_loop(
        kind, x, gy, unit, scale, gx, s.extent, half, -2 * factor * power)
    return NotImplemented if float_errors() else gx

