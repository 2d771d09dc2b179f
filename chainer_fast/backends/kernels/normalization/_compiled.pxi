# Group normalization, and in-place running averages, which cannot be declared: a number
# of groups is not an axis, and declared kernels make new arrays.
#
# Each returns NotImplemented if an array is empty, is neither of singles nor of
# doubles, or differs in type from the others, and if a loop raised a floating-point
# flag, which NumPy would have to warn of.
#
# Part of compiled.pyx.

# ``kind`` is the type of the arrays, 'f' or 'd'.
cdef extern from "chainer_fast/backends/kernels/normalization/group_loops.hpp" \
        namespace "chainer_fast::normalization":
    void move_towards_loop(
        char kind, object running, object value, ptrdiff_t n, double decay,
        double weight) noexcept

    cdef struct Rows:
        ptrdiff_t rows, groups, size, inner

    void group_forward_loop(
        char kind, object x, object gamma, object beta, object y, object mean,
        object inv_std, Rows, double eps) noexcept
    void group_backward_loop(
        char kind, object x, object gamma, object gy, object mean, object inv_std,
        object gx, object ggamma, object gbeta, Rows) except +


cdef object _plain(object array, char *kind):
    """Return the array, copied if its elements are not in C order; None if unsupported.

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


cdef char _updatable(object running, object value) noexcept:
    """Return the kind of a statistic that can be updated in place, else 0."""
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
    ggamma = PyArray_EMPTY(1, dims, PyArray_TYPE(<np.ndarray>x), 0)
    gbeta = PyArray_EMPTY(1, dims, PyArray_TYPE(<np.ndarray>x), 0)
    clear_float_errors()
    group_backward_loop(kind, x, gamma, gy, mean, inv_std, gx, ggamma, gbeta, r)
    return NotImplemented if float_errors() else (gx, ggamma, gbeta)
