"""Normalization of plain arrays; :mod:`chainer_fast.backends.kernels.normalization`
says what each function computes.

All of them return NotImplemented where an array is empty, neither of singles nor of
doubles, or of another type than the others, and where a loop raised a floating-point
flag that NumPy would have to warn of.
"""
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from libc.stdlib cimport calloc, free, malloc
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, PyArray_DIM, \
    PyArray_DIMS, PyArray_EMPTY, PyArray_NDIM, PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP
from chainer_fast._core.plain cimport empty_like, kind_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/normalization/normalization.h" nogil:
    enum: CF_STRIP
    void cf_moments_f(const float *, ptrdiff_t, ptrdiff_t, ptrdiff_t, float *,
                      float *) noexcept
    void cf_moments_d(const double *, ptrdiff_t, ptrdiff_t, ptrdiff_t, double *,
                      double *) noexcept
    void cf_batch_apply_f(const float *, const float *, const float *, const float *,
                          const float *, float *, ptrdiff_t, ptrdiff_t,
                          ptrdiff_t) noexcept
    void cf_batch_apply_d(const double *, const double *, const double *,
                          const double *, const double *, double *, ptrdiff_t,
                          ptrdiff_t, ptrdiff_t) noexcept
    void cf_batch_forward_f(const float *, const float *, const float *, double,
                            float *, float *, float *, float *, ptrdiff_t, ptrdiff_t,
                            ptrdiff_t) noexcept
    void cf_batch_forward_d(const double *, const double *, const double *, double,
                            double *, double *, double *, double *, ptrdiff_t,
                            ptrdiff_t, ptrdiff_t) noexcept
    void cf_batch_backward_f(const float *, const float *, const float *, const float *,
                             const float *, int, float *, float *, float *, ptrdiff_t,
                             ptrdiff_t, ptrdiff_t) noexcept
    void cf_batch_backward_d(const double *, const double *, const double *,
                             const double *, const double *, int, double *, double *,
                             double *, ptrdiff_t, ptrdiff_t, ptrdiff_t) noexcept
    void cf_group_forward_f(const float *, const float *, const float *, double,
                            float *, float *, float *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                            ptrdiff_t) noexcept
    void cf_group_forward_d(const double *, const double *, const double *, double,
                            double *, double *, double *, ptrdiff_t, ptrdiff_t,
                            ptrdiff_t, ptrdiff_t) noexcept
    void cf_group_backward_f(const float *, const float *, const float *, const float *,
                             const float *, float *, float *, float *, double *,
                             double *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                             ptrdiff_t) noexcept
    void cf_group_backward_d(const double *, const double *, const double *,
                             const double *, const double *, double *, double *,
                             double *, double *, double *, ptrdiff_t, ptrdiff_t,
                             ptrdiff_t, ptrdiff_t) noexcept
    void cf_response_forward_f(const float *, float *, float *, float *, ptrdiff_t,
                               ptrdiff_t, ptrdiff_t, ptrdiff_t, float, float,
                               int) noexcept
    void cf_response_forward_d(const double *, double *, double *, double *, ptrdiff_t,
                               ptrdiff_t, ptrdiff_t, ptrdiff_t, double, double,
                               int) noexcept
    void cf_response_backward_f(const float *, const float *, const float *,
                                const float *, float *, float *, ptrdiff_t, ptrdiff_t,
                                ptrdiff_t, ptrdiff_t, float) noexcept
    void cf_response_backward_d(const double *, const double *, const double *,
                                const double *, double *, double *, ptrdiff_t,
                                ptrdiff_t, ptrdiff_t, ptrdiff_t, double) noexcept
    void cf_inverses_f(const float *, float, float *, float *, ptrdiff_t) noexcept
    void cf_inverses_d(const double *, double, double *, double *, ptrdiff_t) noexcept
    void cf_statistics_backward_f(const float *, const float *, const float *,
                                  const float *, const float *, float *, float *,
                                  ptrdiff_t) noexcept
    void cf_statistics_backward_d(const double *, const double *, const double *,
                                  const double *, const double *, double *, double *,
                                  ptrdiff_t) noexcept
    void cf_length_forward_f(const float *, float *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                             float) noexcept
    void cf_length_forward_d(const double *, double *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                             double) noexcept
    void cf_length_backward_f(const float *, const float *, float *, ptrdiff_t,
                              ptrdiff_t, ptrdiff_t, float) noexcept
    void cf_length_backward_d(const double *, const double *, double *, ptrdiff_t,
                              ptrdiff_t, ptrdiff_t, double) noexcept
    void cf_move_towards_f(float *, const float *, float, float, ptrdiff_t) noexcept
    void cf_move_towards_d(double *, const double *, double, double,
                           ptrdiff_t) noexcept


cdef struct Extent:
    # Shape as channels see it: the axes before theirs, theirs, and those behind.
    ptrdiff_t outer
    ptrdiff_t channels
    ptrdiff_t inner
    # Axes of the channels.
    int first
    int last


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
        array = np.PyArray_NewCopy(<np.ndarray>array, np.NPY_CORDER)
        its = kind_of(array)
        if not its:
            return None
    if not kind[0]:
        kind[0] = its
    return array if its == kind[0] else None


cdef inline void *_data(object array) noexcept:
    return PyArray_DATA(<np.ndarray>array)


cdef bint _extent(object x, tuple axis, Extent *e) except -1:
    """Fill in the extent; False if the axes of channels are not neighbours."""
    cdef int ndim = PyArray_NDIM(x)
    cdef int i
    cdef long number
    cdef bint aggregated[64]
    if ndim > 64:
        return False
    for i in range(ndim):
        aggregated[i] = False
    for each in axis:
        number = each
        if not 0 <= number < ndim:
            return False
        aggregated[number] = True
    e.outer = e.channels = e.inner = 1
    i = 0
    while i < ndim and aggregated[i]:
        e.outer *= PyArray_DIM(<np.ndarray>x, i)
        i += 1
    e.first = i
    while i < ndim and not aggregated[i]:
        e.channels *= PyArray_DIM(<np.ndarray>x, i)
        i += 1
    e.last = i
    while i < ndim and aggregated[i]:
        e.inner *= PyArray_DIM(<np.ndarray>x, i)
        i += 1
    return i == ndim


cdef object _statistic(object x, Extent *e):
    """Return a new array of the shape of the channels."""
    return PyArray_EMPTY(
        e.last - e.first, PyArray_DIMS(<np.ndarray>x) + e.first,
        PyArray_TYPE(<np.ndarray>x), 0)


def moments(x, tuple axis):
    cdef Extent e
    cdef char kind = 0
    cdef void *p
    cdef void *m
    cdef void *v
    x = _plain(x, &kind)
    if x is None or not _extent(x, axis, &e):
        return NotImplemented
    mean = _statistic(x, &e)
    var = _statistic(x, &e)
    p = _data(x)
    m = _data(mean)
    v = _data(var)
    clear_float_errors()
    with nogil:
        if kind == b'f':
            cf_moments_f(<float *>p, e.outer, e.channels, e.inner, <float *>m,
                         <float *>v)
        else:
            cf_moments_d(<double *>p, e.outer, e.channels, e.inner, <double *>m,
                         <double *>v)
    return NotImplemented if float_errors() else (mean, var)


def batch_apply(x, gamma, beta, mean, inv_std, tuple axis):
    cdef Extent e
    cdef char kind = 0
    cdef void *p
    cdef void *a
    cdef void *b
    cdef void *m
    cdef void *s
    cdef void *o
    x = _plain(x, &kind)
    if x is None or not _extent(x, axis, &e):
        return NotImplemented
    gamma = _plain(gamma, &kind)
    beta = _plain(beta, &kind)
    mean = _plain(mean, &kind)
    inv_std = _plain(inv_std, &kind)
    for each in (gamma, beta, mean, inv_std):
        if each is None or PyArray_SIZE(each) != e.channels:
            return NotImplemented
    y = empty_like(x)
    p = _data(x)
    a = _data(gamma)
    b = _data(beta)
    m = _data(mean)
    s = _data(inv_std)
    o = _data(y)
    clear_float_errors()
    with nogil:
        if kind == b'f':
            cf_batch_apply_f(<float *>p, <float *>a, <float *>b, <float *>m, <float *>s,
                             <float *>o, e.outer, e.channels, e.inner)
        else:
            cf_batch_apply_d(<double *>p, <double *>a, <double *>b, <double *>m,
                             <double *>s, <double *>o, e.outer, e.channels, e.inner)
    return NotImplemented if float_errors() else y


def batch_forward(x, gamma, beta, tuple axis, double eps):
    cdef Extent e
    cdef char kind = 0
    cdef void *p
    cdef void *a
    cdef void *b
    cdef void *m
    cdef void *v
    cdef void *s
    cdef void *o
    x = _plain(x, &kind)
    if x is None or not _extent(x, axis, &e):
        return NotImplemented
    gamma = _plain(gamma, &kind)
    beta = _plain(beta, &kind)
    if gamma is None or PyArray_SIZE(gamma) != e.channels or (
            beta is None or PyArray_SIZE(beta) != e.channels):
        return NotImplemented
    y = empty_like(x)
    mean = _statistic(x, &e)
    var = _statistic(x, &e)
    inv_std = _statistic(x, &e)
    p = _data(x)
    a = _data(gamma)
    b = _data(beta)
    m = _data(mean)
    v = _data(var)
    s = _data(inv_std)
    o = _data(y)
    clear_float_errors()
    if PyArray_SIZE(x) < LONG_LOOP:
        _batch_forward(kind, p, a, b, eps, o, m, v, s, e)
    else:
        with nogil:
            _batch_forward(kind, p, a, b, eps, o, m, v, s, e)
    return NotImplemented if float_errors() else (y, mean, var, inv_std)


cdef void _batch_forward(
        char kind, void *x, void *gamma, void *beta, double eps, void *y, void *mean,
        void *var, void *inv_std, Extent e) noexcept nogil:
    if kind == b'f':
        cf_batch_forward_f(
            <float *>x, <float *>gamma, <float *>beta, eps, <float *>y, <float *>mean,
            <float *>var, <float *>inv_std, e.outer, e.channels, e.inner)
    else:
        cf_batch_forward_d(
            <double *>x, <double *>gamma, <double *>beta, eps, <double *>y,
            <double *>mean, <double *>var, <double *>inv_std, e.outer, e.channels,
            e.inner)


def batch_backward(x, gamma, gy, mean, inv_std, tuple axis, bint fixed):
    cdef Extent e
    cdef char kind = 0
    cdef void *p
    cdef void *a
    cdef void *g
    cdef void *m
    cdef void *s
    cdef void *o
    cdef void *ga
    cdef void *gb
    x = _plain(x, &kind)
    if x is None or not _extent(x, axis, &e):
        return NotImplemented
    gamma = _plain(gamma, &kind)
    gy = _plain(gy, &kind)
    mean = _plain(mean, &kind)
    inv_std = _plain(inv_std, &kind)
    for each in (gamma, mean, inv_std):
        if each is None or PyArray_SIZE(each) != e.channels:
            return NotImplemented
    if gy is None or PyArray_SIZE(gy) != PyArray_SIZE(x):
        return NotImplemented
    gx = empty_like(x)
    ggamma = _statistic(x, &e)
    gbeta = _statistic(x, &e)
    p = _data(x)
    a = _data(gamma)
    g = _data(gy)
    m = _data(mean)
    s = _data(inv_std)
    o = _data(gx)
    ga = _data(ggamma)
    gb = _data(gbeta)
    clear_float_errors()
    if PyArray_SIZE(x) < LONG_LOOP:
        _batch_backward(kind, p, a, g, m, s, fixed, o, ga, gb, e)
    else:
        with nogil:
            _batch_backward(kind, p, a, g, m, s, fixed, o, ga, gb, e)
    return NotImplemented if float_errors() else (gx, ggamma, gbeta)


cdef void _batch_backward(
        char kind, void *x, void *gamma, void *gy, void *mean, void *inv_std,
        bint fixed, void *gx, void *ggamma, void *gbeta, Extent e) noexcept nogil:
    if kind == b'f':
        cf_batch_backward_f(
            <float *>x, <float *>gamma, <float *>gy, <float *>mean, <float *>inv_std,
            fixed, <float *>gx, <float *>ggamma, <float *>gbeta, e.outer, e.channels,
            e.inner)
    else:
        cf_batch_backward_d(
            <double *>x, <double *>gamma, <double *>gy, <double *>mean,
            <double *>inv_std, fixed, <double *>gx, <double *>ggamma, <double *>gbeta,
            e.outer, e.channels, e.inner)


def inverses(var, double eps):
    cdef char kind = 0
    cdef npy_intp n
    var = _plain(var, &kind)
    if var is None:
        return NotImplemented
    n = PyArray_SIZE(var)
    inv_std = empty_like(var)
    inv_var = empty_like(var)
    clear_float_errors()
    if kind == b'f':
        cf_inverses_f(<float *>_data(var), <float>eps, <float *>_data(inv_std),
                      <float *>_data(inv_var), n)
    else:
        cf_inverses_d(<double *>_data(var), eps, <double *>_data(inv_std),
                      <double *>_data(inv_var), n)
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
    inv_var = _plain(inv_var, &kind)
    if inv_var is None or PyArray_SIZE(inv_var) != n:
        return NotImplemented
    gmean = empty_like(ggamma)
    gvar = empty_like(ggamma)
    clear_float_errors()
    if kind == b'f':
        cf_statistics_backward_f(
            <float *>_data(gamma), <float *>_data(inv_std), <float *>_data(inv_var),
            <float *>_data(ggamma), <float *>_data(gbeta), <float *>_data(gmean),
            <float *>_data(gvar), n)
    else:
        cf_statistics_backward_d(
            <double *>_data(gamma), <double *>_data(inv_std), <double *>_data(inv_var),
            <double *>_data(ggamma), <double *>_data(gbeta), <double *>_data(gmean),
            <double *>_data(gvar), n)
    return NotImplemented if float_errors() else (gx, ggamma, gbeta, gmean, gvar)


cdef bint _updatable(object running, object value, char *kind) except -1:
    """Whether the second array can be added to the first where it is."""
    cdef char its = kind_of(running)
    if not its or not PyArray_CHKFLAGS(running, np.NPY_ARRAY_WRITEABLE):
        return False
    if kind_of(value) != its or PyArray_NDIM(running) != PyArray_NDIM(value):
        return False
    for i in range(PyArray_NDIM(value)):
        if PyArray_DIM(<np.ndarray>running, i) != PyArray_DIM(<np.ndarray>value, i):
            return False
    kind[0] = its
    return True


def update_running(running_mean, running_var, mean, var, double decay, double adjust):
    cdef char kind = 0, kind_of_var = 0
    cdef double weight = 1 - decay
    if not _updatable(running_mean, mean, &kind) or not _updatable(
            running_var, var, &kind_of_var):
        return NotImplemented
    _move(kind, running_mean, mean, decay, weight)
    _move(kind_of_var, running_var, var, decay, weight * adjust)


cdef void _move(char kind, object running, object value, double decay, double weight):
    cdef npy_intp n = PyArray_SIZE(value)
    if kind == b'f':
        cf_move_towards_f(
            <float *>_data(running), <float *>_data(value), <float>decay,
            <float>weight, n)
    else:
        cf_move_towards_d(
            <double *>_data(running), <double *>_data(value), decay, weight, n)


cdef struct Rows:
    # Rows, groups of channels that follow each other, their size, and what is behind.
    ptrdiff_t rows
    ptrdiff_t groups
    ptrdiff_t size
    ptrdiff_t inner


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


def group_forward(x, gamma, beta, Py_ssize_t groups, double eps):
    cdef Rows r
    cdef char kind = 0
    cdef npy_intp dims[1]
    cdef void *p
    cdef void *a
    cdef void *b
    cdef void *m
    cdef void *s
    cdef void *o
    x = _plain(x, &kind)
    if x is None or not _rows(x, groups, &r):
        return NotImplemented
    gamma = _plain(gamma, &kind)
    beta = _plain(beta, &kind)
    if gamma is None or PyArray_SIZE(gamma) != groups * r.size or (
            beta is None or PyArray_SIZE(beta) != groups * r.size):
        return NotImplemented
    dims[0] = r.rows
    y = empty_like(x)
    mean = PyArray_EMPTY(1, dims, PyArray_TYPE(<np.ndarray>x), 0)
    inv_std = PyArray_EMPTY(1, dims, PyArray_TYPE(<np.ndarray>x), 0)
    p = _data(x)
    a = _data(gamma)
    b = _data(beta)
    m = _data(mean)
    s = _data(inv_std)
    o = _data(y)
    clear_float_errors()
    if PyArray_SIZE(x) < LONG_LOOP:
        _group_forward(kind, p, a, b, eps, o, m, s, r)
    else:
        with nogil:
            _group_forward(kind, p, a, b, eps, o, m, s, r)
    return NotImplemented if float_errors() else (y, mean, inv_std)


cdef void _group_forward(
        char kind, void *x, void *gamma, void *beta, double eps, void *y, void *mean,
        void *inv_std, Rows r) noexcept nogil:
    if kind == b'f':
        cf_group_forward_f(
            <float *>x, <float *>gamma, <float *>beta, eps, <float *>y, <float *>mean,
            <float *>inv_std, r.rows, r.groups, r.size, r.inner)
    else:
        cf_group_forward_d(
            <double *>x, <double *>gamma, <double *>beta, eps, <double *>y,
            <double *>mean, <double *>inv_std, r.rows, r.groups, r.size, r.inner)


def group_backward(x, gamma, gy, mean, inv_std, Py_ssize_t groups):
    cdef Rows r
    cdef char kind = 0
    cdef npy_intp dims[1]
    cdef npy_intp i
    cdef void *p
    cdef void *a
    cdef void *g
    cdef void *m
    cdef void *s
    cdef void *o
    cdef void *ga
    cdef void *gb
    cdef double *totals
    x = _plain(x, &kind)
    if x is None or not _rows(x, groups, &r):
        return NotImplemented
    gamma = _plain(gamma, &kind)
    gy = _plain(gy, &kind)
    mean = _plain(mean, &kind)
    inv_std = _plain(inv_std, &kind)
    dims[0] = groups * r.size
    if gamma is None or PyArray_SIZE(gamma) != dims[0] or (
            gy is None or PyArray_SIZE(gy) != PyArray_SIZE(x)):
        return NotImplemented
    if mean is None or PyArray_SIZE(mean) != r.rows or (
            inv_std is None or PyArray_SIZE(inv_std) != r.rows):
        return NotImplemented
    gx = empty_like(x)
    ggamma = np.PyArray_ZEROS(1, dims, PyArray_TYPE(<np.ndarray>x), 0)
    gbeta = np.PyArray_ZEROS(1, dims, PyArray_TYPE(<np.ndarray>x), 0)
    totals = <double *>calloc(2 * dims[0], sizeof(double))
    if totals is NULL:
        raise MemoryError()
    p = _data(x)
    a = _data(gamma)
    g = _data(gy)
    m = _data(mean)
    s = _data(inv_std)
    o = _data(gx)
    ga = _data(ggamma)
    gb = _data(gbeta)
    clear_float_errors()
    if PyArray_SIZE(x) < LONG_LOOP:
        _group_backward(kind, p, a, g, m, s, o, ga, gb, totals, totals + dims[0], r)
    else:
        with nogil:
            _group_backward(
                kind, p, a, g, m, s, o, ga, gb, totals, totals + dims[0], r)
    for i in range(dims[0]):
        if kind == b'f':
            (<float *>ga)[i] = <float>totals[i]
            (<float *>gb)[i] = <float>totals[dims[0] + i]
        else:
            (<double *>ga)[i] = totals[i]
            (<double *>gb)[i] = totals[dims[0] + i]
    free(totals)
    return NotImplemented if float_errors() else (gx, ggamma, gbeta)


cdef void _group_backward(
        char kind, void *x, void *gamma, void *gy, void *mean, void *inv_std, void *gx,
        void *few_gamma, void *few_beta, double *ggamma, double *gbeta,
        Rows r) noexcept nogil:
    if kind == b'f':
        cf_group_backward_f(
            <float *>x, <float *>gamma, <float *>gy, <float *>mean, <float *>inv_std,
            <float *>gx, <float *>few_gamma, <float *>few_beta, ggamma, gbeta, r.rows,
            r.groups, r.size, r.inner)
    else:
        cf_group_backward_d(
            <double *>x, <double *>gamma, <double *>gy, <double *>mean,
            <double *>inv_std, <double *>gx, <double *>few_gamma, <double *>few_beta,
            ggamma, gbeta, r.rows, r.groups, r.size, r.inner)


def response_forward(x, Py_ssize_t half, double k, double alpha, double beta):
    cdef char kind = 0
    cdef ptrdiff_t outer, channels, inner
    cdef int quarters = <int>(beta * 4)
    cdef void *p
    cdef void *u
    cdef void *s
    cdef void *o
    # Only roots have fast loops.
    if not (beta == 0.75 or beta == 0.5 or beta == 1):
        return NotImplemented
    x = _plain(x, &kind)
    if x is None or PyArray_NDIM(x) < 2:
        return NotImplemented
    outer = PyArray_DIM(<np.ndarray>x, 0)
    channels = PyArray_DIM(<np.ndarray>x, 1)
    inner = PyArray_SIZE(x) // (outer * channels)
    y = empty_like(x)
    unit = empty_like(x)
    scale = empty_like(x)
    p = _data(x)
    u = _data(unit)
    s = _data(scale)
    o = _data(y)
    clear_float_errors()
    with nogil:
        if kind == b'f':
            cf_response_forward_f(
                <float *>p, <float *>o, <float *>u, <float *>s, outer, channels, inner,
                half, <float>k, <float>alpha, quarters)
        else:
            cf_response_forward_d(
                <double *>p, <double *>o, <double *>u, <double *>s, outer, channels,
                inner, half, k, alpha, quarters)
    return NotImplemented if float_errors() else (y, unit, scale)


def response_backward(x, gy, unit, scale, Py_ssize_t half, double alpha, double beta):
    cdef char kind = 0
    cdef ptrdiff_t outer, channels, inner
    cdef double factor = -2 * alpha * beta
    cdef void *p
    cdef void *g
    cdef void *u
    cdef void *s
    cdef void *o
    cdef void *terms
    x = _plain(x, &kind)
    if x is None or PyArray_NDIM(x) < 2:
        return NotImplemented
    gy = _plain(gy, &kind)
    unit = _plain(unit, &kind)
    scale = _plain(scale, &kind)
    for each in (gy, unit, scale):
        if each is None or PyArray_SIZE(each) != PyArray_SIZE(x):
            return NotImplemented
    outer = PyArray_DIM(<np.ndarray>x, 0)
    channels = PyArray_DIM(<np.ndarray>x, 1)
    inner = PyArray_SIZE(x) // (outer * channels)
    gx = empty_like(x)
    p = _data(x)
    g = _data(gy)
    u = _data(unit)
    s = _data(scale)
    o = _data(gx)
    terms = malloc(channels * CF_STRIP * sizeof(double))
    if terms is NULL:
        raise MemoryError()
    clear_float_errors()
    with nogil:
        if kind == b'f':
            cf_response_backward_f(
                <float *>p, <float *>g, <float *>u, <float *>s, <float *>o,
                <float *>terms, outer, channels, inner, half, <float>factor)
        else:
            cf_response_backward_d(
                <double *>p, <double *>g, <double *>u, <double *>s, <double *>o,
                <double *>terms, outer, channels, inner, half, factor)
    free(terms)
    return NotImplemented if float_errors() else gx


cdef bint _vectors(object x, object axis, Extent *e) except -1:
    """Fill in the extent; False if the axes of vectors are not neighbours."""
    cdef int ndim = PyArray_NDIM(x)
    cdef int i
    cdef bint of_vectors[64]
    if type(axis) is not tuple or ndim > 64:
        return False
    for i in range(ndim):
        of_vectors[i] = False
    for each in <tuple>axis:
        if type(each) is not int or not -ndim <= each < ndim:
            return False
        i = each if each >= 0 else each + ndim
        # A name that comes twice is an error, which NumPy tells of.
        if of_vectors[i]:
            return False
        of_vectors[i] = True
    e.outer = e.channels = e.inner = 1
    i = 0
    while i < ndim and not of_vectors[i]:
        e.outer *= PyArray_DIM(<np.ndarray>x, i)
        i += 1
    while i < ndim and of_vectors[i]:
        e.channels *= PyArray_DIM(<np.ndarray>x, i)
        i += 1
    while i < ndim and not of_vectors[i]:
        e.inner *= PyArray_DIM(<np.ndarray>x, i)
        i += 1
    return i == ndim


def length_forward(x, axis, double eps):
    cdef Extent e
    cdef char kind = 0
    cdef void *p
    cdef void *o
    x = _plain(x, &kind)
    if x is None or not _vectors(x, axis, &e):
        return NotImplemented
    y = empty_like(x)
    p = _data(x)
    o = _data(y)
    clear_float_errors()
    with nogil:
        if kind == b'f':
            cf_length_forward_f(<float *>p, <float *>o, e.outer, e.channels, e.inner,
                                <float>eps)
        else:
            cf_length_forward_d(<double *>p, <double *>o, e.outer, e.channels, e.inner,
                                eps)
    return NotImplemented if float_errors() else y


def length_backward(x, gy, axis, double eps):
    cdef Extent e
    cdef char kind = 0
    cdef void *p
    cdef void *g
    cdef void *o
    x = _plain(x, &kind)
    if x is None or not _vectors(x, axis, &e):
        return NotImplemented
    gy = _plain(gy, &kind)
    if gy is None or PyArray_SIZE(gy) != PyArray_SIZE(x):
        return NotImplemented
    gx = empty_like(x)
    p = _data(x)
    g = _data(gy)
    o = _data(gx)
    clear_float_errors()
    with nogil:
        if kind == b'f':
            cf_length_backward_f(<float *>p, <float *>g, <float *>o, e.outer,
                                 e.channels, e.inner, <float>eps)
        else:
            cf_length_backward_d(<double *>p, <double *>g, <double *>o, e.outer,
                                 e.channels, e.inner, eps)
    return NotImplemented if float_errors() else gx
