"""Activations on plain arrays: shortcuts of functions, and steps that they share."""
import numpy

cimport numpy as np
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from libc.stdlib cimport free, malloc
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, PyArray_DIM, \
    PyArray_NDIM, PyArray_SAMESHAPE, PyArray_SIZE

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut, cf_instance_dict
from chainer_fast._core.shortcut cimport given, input_array
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP
from chainer_fast._core.plain cimport CF_PLAIN_FLAGS, empty_like, kind_of
from chainer_fast.backends.kernels.common.unary cimport Unary, cf_unary, unary_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/activation/loops.h" nogil:
    ctypedef void (*cf_map_f)(const float *, const float *, float *, ptrdiff_t, float,
                              float, const cf_unary *) noexcept nogil
    ctypedef void (*cf_map_d)(const double *, const double *, double *, ptrdiff_t,
                              double, double, const cf_unary *) noexcept nogil
    ctypedef struct cf_activation:
        cf_map_f f
        cf_map_f grad_f
        cf_map_d d
        cf_map_d grad_d
    const cf_activation cf_leaky, cf_clipped, cf_hard_sigmoid, cf_elu, cf_softplus
    void cf_bend_f(const float *, const float *, const float *, float *,
                   ptrdiff_t) noexcept
    void cf_bend_d(const double *, const double *, const double *, double *,
                   ptrdiff_t) noexcept
    void cf_mix_f(const float *, const float *, const unsigned char *, float *,
                  ptrdiff_t) noexcept
    void cf_mix_d(const double *, const double *, const unsigned char *, double *,
                  ptrdiff_t) noexcept
    void cf_parametric_f(const float *, const float *, float *, ptrdiff_t, ptrdiff_t,
                         ptrdiff_t, const cf_unary *) noexcept
    void cf_parametric_d(const double *, const double *, double *, ptrdiff_t, ptrdiff_t,
                         ptrdiff_t, const cf_unary *) noexcept
    void cf_parametric_grad_f(
        const float *, const float *, const float *, const float *, float *, double *,
        ptrdiff_t, ptrdiff_t, ptrdiff_t, const cf_unary *) noexcept
    void cf_parametric_grad_d(
        const double *, const double *, const double *, const double *, double *,
        double *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const cf_unary *) noexcept
    void cf_maxout_f(const float *, float *, ptrdiff_t, ptrdiff_t, ptrdiff_t) noexcept
    void cf_maxout_d(const double *, double *, ptrdiff_t, ptrdiff_t, ptrdiff_t) noexcept
    void cf_maxout_grad_f(const float *, const float *, const float *, float *,
                          ptrdiff_t, ptrdiff_t, ptrdiff_t) noexcept
    void cf_maxout_grad_d(const double *, const double *, const double *, double *,
                          ptrdiff_t, ptrdiff_t, ptrdiff_t) noexcept


# --------------------------------------------------------------- shortcuts of functions

cdef class ActivationShortcut(Shortcut):
    """An activation and its gradient, in one pass over the array each.

    The function's parameters are read off its attributes. Where the gradient is made
    of the output, a negative first parameter is no case for the shortcut: the sign of
    the input is lost then.
    """
    cdef cf_activation loops
    cdef cf_unary f[2]
    cdef cf_unary d[2]
    cdef str first
    cdef str second

    def __cinit__(self):
        self.retain_inputs = (0,)

    cdef int use(self, tuple ufuncs) except -1:
        cdef Py_ssize_t i
        cdef Unary loop
        for i in range(len(ufuncs)):
            loop = unary_of(ufuncs[i])
            self.f[i] = loop.f
            self.d[i] = loop.d
        return 0

    cdef int from_output(self) except -1:
        self.retain_inputs = None
        self.retain_outputs = (0,)
        return 0

    cdef object run(self, FunctionBase function, object x, object gy):
        """Return the output for ``x``; or with ``gy`` the gradient."""
        cdef double p = 0
        cdef double q = 0
        cdef void *px
        cdef void *pg = NULL
        cdef void *pout
        cdef Py_ssize_t n
        cdef char kind = kind_of(x)
        if not kind or not _parameter(function, self.first, &p) or (
                not _parameter(function, self.second, &q)):
            return None
        if not p >= 0 and self.retain_outputs is not None:
            return None
        if gy is not None:
            if kind_of(gy) != kind or not PyArray_SAMESHAPE(
                    <np.ndarray>x, <np.ndarray>gy):
                return None
            pg = PyArray_DATA(<np.ndarray>gy)
        out = empty_like(x)
        n = PyArray_SIZE(x)
        px = PyArray_DATA(<np.ndarray>x)
        pout = PyArray_DATA(<np.ndarray>out)
        clear_float_errors()
        if n < LONG_LOOP:
            self.loop(kind, px, pg, pout, n, p, q)
        else:
            with nogil:
                self.loop(kind, px, pg, pout, n, p, q)
        return None if float_errors() else out

    cdef int loop(self, char kind, void *x, void *g, void *out, Py_ssize_t n, double p,
                  double q) noexcept nogil:
        cdef cf_map_f f = self.loops.f if g is NULL else self.loops.grad_f
        cdef cf_map_d d = self.loops.d if g is NULL else self.loops.grad_d
        if kind == b'f':
            f(<float *>x, <float *>g, <float *>out, n, <float>p, <float>q, self.f)
        else:
            d(<double *>x, <double *>g, <double *>out, n, p, q, self.d)
        return 0

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        return self.run(function, <object>x[0], None) if n == 1 else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        kept = input_array(function, 0)
        if self.retain_outputs is not None:
            kept = function.kept_outputs
        gx[0] = given(self.run(function, kept, gy))
        return gx[0] is not NULL


cdef bint _parameter(FunctionBase function, str name, double *value) except -1:
    """Read an attribute if it is a Python number; a name of None is no matter."""
    cdef PyObject *own
    cdef PyObject *found
    if name is None:
        return True
    own = cf_instance_dict(function)
    found = NULL
    if own is not NULL:
        found = PyDict_GetItemWithError(<object>own, name)
    if found is NULL or (
            type(<object>found) is not float and type(<object>found) is not int):
        return False
    value[0] = <object>found
    return True


cdef class LeakyReLUShortcut(ActivationShortcut):

    def __cinit__(self):
        self.loops = cf_leaky
        self.first = 'slope'
        self.from_output()


cdef class ClippedReLUShortcut(ActivationShortcut):

    def __cinit__(self):
        self.loops = cf_clipped
        self.first = 'cap'


cdef class HardSigmoidShortcut(ActivationShortcut):

    def __cinit__(self):
        self.loops = cf_hard_sigmoid


cdef class ELUShortcut(ActivationShortcut):

    def __cinit__(self):
        self.loops = cf_elu
        self.first = 'alpha'
        self.use((numpy.expm1,))
        self.from_output()


cdef class SoftplusShortcut(ActivationShortcut):

    def __cinit__(self):
        self.loops = cf_softplus
        self.first = 'beta'
        self.second = 'beta_inv'
        self.use((numpy.exp, numpy.log1p))


# ------------------------------------------------------------------------ kernels

def bend(x, signs, slopes):
    cdef char kind = kind_of(x)
    cdef Py_ssize_t n
    if not kind or kind_of(signs) != kind or kind_of(slopes) != kind or not (
            PyArray_SAMESHAPE(<np.ndarray>x, <np.ndarray>signs)
            and PyArray_SAMESHAPE(<np.ndarray>x, <np.ndarray>slopes)):
        return NotImplemented
    out = empty_like(x)
    n = PyArray_SIZE(x)
    clear_float_errors()
    if kind == b'f':
        cf_bend_f(<float *>PyArray_DATA(<np.ndarray>x),
                  <float *>PyArray_DATA(<np.ndarray>signs),
                  <float *>PyArray_DATA(<np.ndarray>slopes),
                  <float *>PyArray_DATA(<np.ndarray>out), n)
    else:
        cf_bend_d(<double *>PyArray_DATA(<np.ndarray>x),
                  <double *>PyArray_DATA(<np.ndarray>signs),
                  <double *>PyArray_DATA(<np.ndarray>slopes),
                  <double *>PyArray_DATA(<np.ndarray>out), n)
    return NotImplemented if float_errors() else out


def mix(a, b, flags):
    cdef char kind = kind_of(a)
    cdef Py_ssize_t n
    if not kind or kind_of(b) != kind or not PyArray_CheckExact(flags):
        return NotImplemented
    if np.PyArray_TYPE(<np.ndarray>flags) != np.NPY_BOOL or not PyArray_CHKFLAGS(
            <np.ndarray>flags, CF_PLAIN_FLAGS):
        return NotImplemented
    if not (PyArray_SAMESHAPE(<np.ndarray>a, <np.ndarray>b)
            and PyArray_SAMESHAPE(<np.ndarray>a, <np.ndarray>flags)):
        return NotImplemented
    out = empty_like(a)
    n = PyArray_SIZE(a)
    clear_float_errors()
    if kind == b'f':
        cf_mix_f(<float *>PyArray_DATA(<np.ndarray>a),
                 <float *>PyArray_DATA(<np.ndarray>b),
                 <unsigned char *>PyArray_DATA(<np.ndarray>flags),
                 <float *>PyArray_DATA(<np.ndarray>out), n)
    else:
        cf_mix_d(<double *>PyArray_DATA(<np.ndarray>a),
                 <double *>PyArray_DATA(<np.ndarray>b),
                 <unsigned char *>PyArray_DATA(<np.ndarray>flags),
                 <double *>PyArray_DATA(<np.ndarray>out), n)
    return NotImplemented if float_errors() else out


cdef Unary _tanh = unary_of(numpy.tanh)


cdef bint _fits(object x, object w, ptrdiff_t *count, ptrdiff_t *run) noexcept:
    """Tell whether ``w`` has the first axes of ``x`` but the very first; and how much.
    """
    cdef Py_ssize_t i
    cdef Py_ssize_t ndim = PyArray_NDIM(<np.ndarray>w)
    if PyArray_NDIM(<np.ndarray>x) < ndim + 1:
        return False
    for i in range(ndim):
        if PyArray_DIM(<np.ndarray>x, i + 1) != PyArray_DIM(<np.ndarray>w, i):
            return False
    count[0] = PyArray_SIZE(w)
    run[0] = PyArray_SIZE(x) // (PyArray_DIM(<np.ndarray>x, 0) * count[0])
    return True


cdef int _forward(char kind, void *x, void *w, void *out, Py_ssize_t n, ptrdiff_t count,
                  ptrdiff_t run, bint swish) noexcept nogil:
    if kind == b'f':
        cf_parametric_f(<float *>x, <float *>w, <float *>out, n, count, run,
                        &_tanh.f if swish else NULL)
    else:
        cf_parametric_d(<double *>x, <double *>w, <double *>out, n, count, run,
                        &_tanh.d if swish else NULL)
    return 0


cdef object _parametric(object x, object w, bint swish):
    cdef ptrdiff_t count = 0
    cdef ptrdiff_t run = 0
    cdef void *px
    cdef void *pw
    cdef void *pout
    cdef Py_ssize_t n
    cdef char kind = kind_of(x)
    if not kind or kind_of(w) != kind or not _fits(x, w, &count, &run):
        return NotImplemented
    out = empty_like(x)
    n = PyArray_SIZE(x)
    px = PyArray_DATA(<np.ndarray>x)
    pw = PyArray_DATA(<np.ndarray>w)
    pout = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    with nogil:
        _forward(kind, px, pw, pout, n, count, run, swish)
    return NotImplemented if float_errors() else out


cdef int _backward(char kind, void *cond, void *x, void *w, void *gy, void *gx,
                   void *gw,
                   Py_ssize_t n, ptrdiff_t count, ptrdiff_t run,
                   bint swish) noexcept nogil:
    cdef ptrdiff_t i
    cdef double *totals = <double *>malloc(count * sizeof(double))
    if totals is NULL:
        return -1
    if kind == b'f':
        cf_parametric_grad_f(
            <float *>cond, <float *>x, <float *>w, <float *>gy, <float *>gx, totals, n,
            count, run, &_tanh.f if swish else NULL)
        for i in range(count):
            (<float *>gw)[i] = <float>totals[i]
    else:
        cf_parametric_grad_d(
            <double *>cond, <double *>x, <double *>w, <double *>gy, <double *>gx,
            totals, n, count, run, &_tanh.d if swish else NULL)
        for i in range(count):
            (<double *>gw)[i] = totals[i]
    free(totals)
    return 0


cdef object _parametric_grad(object x, object w, object gy, object cond, bint swish):
    cdef ptrdiff_t count = 0
    cdef ptrdiff_t run = 0
    cdef void *pcond
    cdef void *px
    cdef void *pw
    cdef void *pgy
    cdef void *pgx
    cdef void *pgw
    cdef Py_ssize_t n
    cdef int rc
    cdef char kind = kind_of(x)
    if not kind or kind_of(w) != kind or not _fits(x, w, &count, &run) or (
            kind_of(gy) != kind or kind_of(cond) != kind):
        return NotImplemented
    if not (PyArray_SAMESHAPE(<np.ndarray>x, <np.ndarray>gy)
            and PyArray_SAMESHAPE(<np.ndarray>x, <np.ndarray>cond)):
        return NotImplemented
    gx = empty_like(x)
    gw = empty_like(w)
    n = PyArray_SIZE(x)
    pcond = PyArray_DATA(<np.ndarray>cond)
    px = PyArray_DATA(<np.ndarray>x)
    pw = PyArray_DATA(<np.ndarray>w)
    pgy = PyArray_DATA(<np.ndarray>gy)
    pgx = PyArray_DATA(<np.ndarray>gx)
    pgw = PyArray_DATA(<np.ndarray>gw)
    clear_float_errors()
    with nogil:
        rc = _backward(kind, pcond, px, pw, pgy, pgx, pgw, n, count, run, swish)
    if rc < 0:
        raise MemoryError
    return NotImplemented if float_errors() else (gx, gw)


def prelu(x, W):
    return _parametric(x, W, False)


def prelu_grad(x, W, gy, cond):
    return _parametric_grad(x, W, gy, cond, False)


def swish(x, beta):
    return _parametric(x, beta, True)


def swish_grad(x, beta, gy):
    return _parametric_grad(x, beta, gy, x, True)


cdef bint _groups(object x, Py_ssize_t size, Py_ssize_t axis, object y,
                  ptrdiff_t *inner) noexcept:
    """Tell whether ``y`` has an element for each group, and find how they lie."""
    cdef Py_ssize_t i
    cdef Py_ssize_t ndim = PyArray_NDIM(<np.ndarray>x)
    if PyArray_NDIM(<np.ndarray>y) != ndim or not 0 <= axis < ndim:
        return False
    inner[0] = 1
    for i in range(ndim):
        if PyArray_DIM(<np.ndarray>x, i) != PyArray_DIM(<np.ndarray>y, i) * (
                size if i == axis else 1):
            return False
        if i > axis:
            inner[0] *= PyArray_DIM(<np.ndarray>x, i)
    return True


def maxout(x, Py_ssize_t size, Py_ssize_t axis):
    cdef ptrdiff_t inner
    cdef char kind = kind_of(x)
    cdef np.npy_intp dims[64]
    cdef Py_ssize_t i
    if not kind or not 0 <= axis < PyArray_NDIM(<np.ndarray>x):
        return NotImplemented
    for i in range(PyArray_NDIM(<np.ndarray>x)):
        dims[i] = PyArray_DIM(<np.ndarray>x, i)
    dims[axis] //= size
    y = np.PyArray_EMPTY(
        PyArray_NDIM(<np.ndarray>x), dims, np.PyArray_TYPE(<np.ndarray>x), 0)
    if not _groups(x, size, axis, y, &inner):
        return NotImplemented
    clear_float_errors()
    if kind == b'f':
        cf_maxout_f(<float *>PyArray_DATA(<np.ndarray>x),
                    <float *>PyArray_DATA(<np.ndarray>y), PyArray_SIZE(y) // inner,
                    size, inner)
    else:
        cf_maxout_d(<double *>PyArray_DATA(<np.ndarray>x),
                    <double *>PyArray_DATA(<np.ndarray>y), PyArray_SIZE(y) // inner,
                    size, inner)
    return NotImplemented if float_errors() else y


def maxout_grad(x, y, gy, Py_ssize_t size, Py_ssize_t axis):
    cdef ptrdiff_t inner
    cdef char kind = kind_of(x)
    if not kind or kind_of(y) != kind or kind_of(gy) != kind or not _groups(
            x, size, axis, y, &inner) or not PyArray_SAMESHAPE(
                <np.ndarray>y, <np.ndarray>gy):
        return NotImplemented
    out = empty_like(x)
    if kind == b'f':
        cf_maxout_grad_f(
            <float *>PyArray_DATA(<np.ndarray>x), <float *>PyArray_DATA(<np.ndarray>y),
            <float *>PyArray_DATA(<np.ndarray>gy),
            <float *>PyArray_DATA(<np.ndarray>out), PyArray_SIZE(y) // inner, size,
            inner)
    else:
        cf_maxout_grad_d(
            <double *>PyArray_DATA(<np.ndarray>x),
            <double *>PyArray_DATA(<np.ndarray>y),
            <double *>PyArray_DATA(<np.ndarray>gy),
            <double *>PyArray_DATA(<np.ndarray>out), PyArray_SIZE(y) // inner, size,
            inner)
    return out
