"""Random masks from NumPy's global generator, without its detour by arrays of doubles.

The stream is that of ``numpy.random``, to the bit, and so is the state left behind.
That holds for the generator that NumPy starts with, a Mersenne Twister, whose words are
computed here a block at a time; for any other, there is no code.
"""
import numpy
import numpy.random

cimport numpy as np
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport ceil
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint32_t
from numpy cimport PyArray_DATA, PyArray_SAMESHAPE, PyArray_SIZE

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut
from chainer_fast._core.shortcut cimport attribute, given
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP, Binary, run2
from chainer_fast._core.plain cimport empty_like, kind_of

np.import_array()

cdef extern from "numpy/random/bitgen.h":
    ctypedef struct bitgen_t:
        void *state

cdef extern from "chainer_fast/backends/kernels/arithmetic/elements.hpp" nogil:
    const Binary MUL "chainer_fast::binary<chainer_fast::Mul>"

cdef extern from "chainer_fast/backends/kernels/noise/mersenne.h" nogil:
    enum:
        CF_MT_N
    ctypedef struct cf_mt:
        uint32_t key[CF_MT_N]
        int pos
    void cf_dropout_f(cf_mt *, const float *, float *, float *, float, int32_t, int32_t,
                      ptrdiff_t) noexcept
    void cf_dropout_d(cf_mt *, const double *, double *, double *, double, int32_t,
                      int32_t, ptrdiff_t) noexcept
    void cf_uniform_f(cf_mt *, float *, double, double, ptrdiff_t) noexcept
    void cf_uniform_d(cf_mt *, double *, double, double, ptrdiff_t) noexcept
    void cf_gumbel_f(cf_mt *, float *, ptrdiff_t) noexcept
    void cf_gumbel_d(cf_mt *, double *, ptrdiff_t) noexcept
    void cf_kept(cf_mt *, unsigned char *, int32_t, int32_t, ptrdiff_t) noexcept


# ------------------------------------------------------------------- the generator

# The global generator as it was when last looked at; ``_mt`` is NULL if it is of
# another kind. The functions are what NumPy gives as long as nobody replaces them.
cdef object _generator = None
cdef object _lock = None
cdef cf_mt *_mt = NULL
cdef object _global = numpy.random.mtrand._rand
cdef dict _namespace = vars(numpy.random)
cdef object _rand = numpy.random.rand
cdef object _uniform = numpy.random.uniform
cdef object _gumbel = numpy.random.gumbel


cdef int _look_at(object generator) except -1:
    """Find the state of a generator, and make sure that it looks as expected."""
    global _generator, _lock, _mt
    cdef cf_mt *mt
    cdef Py_ssize_t i
    _generator = generator
    _mt = NULL
    if type(generator) is not numpy.random.MT19937:
        return 0
    mt = <cf_mt *>(<bitgen_t *>PyCapsule_GetPointer(
        generator.capsule, 'BitGenerator')).state
    _lock = generator.lock
    with _lock:
        told = generator.state['state']
        key = told['key'].tolist()
        if len(key) != CF_MT_N or told['pos'] != mt.pos or not 0 <= mt.pos <= CF_MT_N:
            return 0
        for i in range(CF_MT_N):
            if <uint32_t>key[i] != mt.key[i]:
                return 0
    _mt = mt
    return 0


cdef cf_mt *_twister(str name, object function) except? NULL:
    """Return the state of the global generator, or NULL if the stream is not its own.

    ``function`` is one of those above; programs put their own in its place, to get the
    same numbers each time.
    """
    cdef PyObject *now = PyDict_GetItemWithError(_namespace, name)
    if now is NULL or <object>now is not function:
        return NULL
    generator = _global._bit_generator
    if generator is not _generator:
        _look_at(generator)
    return _mt


cdef bint _threshold(double ratio, int32_t *high, int32_t *low) noexcept:
    """Turn ``ratio`` into the integer that the 53 bits of a number are held against."""
    cdef int64_t bound
    if not 0 <= ratio < 1:
        return False
    bound = <int64_t>ceil(ratio * 9007199254740992.0)
    high[0] = <int32_t>(bound >> 26)
    low[0] = <int32_t>(bound & 0x3ffffff)
    return True


cdef bint _number(object ratio) noexcept:
    return type(ratio) is float or type(ratio) is int


# ------------------------------------------------------------------------ kernels

def kept(x, shape, ratio):
    cdef int32_t high = 0
    cdef int32_t low = 0
    cdef unsigned char *out
    cdef Py_ssize_t n
    cdef cf_mt *mt = _twister('rand', _rand)
    if mt is NULL or not _number(ratio) or not _threshold(ratio, &high, &low):
        return NotImplemented
    flags = numpy.empty(shape, bool)
    out = <unsigned char *>PyArray_DATA(<np.ndarray>flags)
    n = PyArray_SIZE(flags)
    with _lock:
        if n < LONG_LOOP:
            cf_kept(mt, out, high, low, n)
        else:
            with nogil:
                cf_kept(mt, out, high, low, n)
    return flags


def uniform(x, lower, upper):
    cdef double start, width
    cdef void *out
    cdef Py_ssize_t n
    cdef char kind = kind_of(x)
    cdef cf_mt *mt = _twister('uniform', _uniform)
    if mt is NULL or not kind or not _number(lower) or not _number(upper):
        return NotImplemented
    start = lower
    width = <double>upper - start
    if not -1e300 < width < 1e300:
        return NotImplemented
    drawn = empty_like(x)
    out = PyArray_DATA(<np.ndarray>drawn)
    n = PyArray_SIZE(drawn)
    with _lock:
        with nogil:
            if kind == b'f':
                cf_uniform_f(mt, <float *>out, start, width, n)
            else:
                cf_uniform_d(mt, <double *>out, start, width, n)
    return drawn


def gumbel(x):
    cdef void *out
    cdef Py_ssize_t n
    cdef char kind = kind_of(x)
    cdef cf_mt *mt = _twister('gumbel', _gumbel)
    if mt is NULL or not kind:
        return NotImplemented
    drawn = empty_like(x)
    out = PyArray_DATA(<np.ndarray>drawn)
    n = PyArray_SIZE(drawn)
    with _lock:
        with nogil:
            if kind == b'f':
                cf_gumbel_f(mt, <float *>out, n)
            else:
                cf_gumbel_d(mt, <double *>out, n)
    return drawn


cdef int _dropout(char kind, cf_mt *mt, void *x, void *mask, void *y, double ratio,
                  int32_t high, int32_t low, Py_ssize_t n) noexcept nogil:
    cdef double scale = 1. / (1 - ratio)
    if kind == b'f':
        cf_dropout_f(mt, <float *>x, <float *>mask, <float *>y, <float>scale, high, low,
                     n)
    else:
        cf_dropout_d(mt, <double *>x, <double *>mask, <double *>y, scale, high, low, n)
    return 0


cdef tuple _draw(object x, object ratio):
    """Return ``x`` times a new mask, None if that raised a flag, and the mask.

    None for what there is no code for.
    """
    cdef int32_t high = 0
    cdef int32_t low = 0
    cdef double p
    cdef void *px
    cdef void *py
    cdef void *pmask
    cdef Py_ssize_t n
    cdef char kind = kind_of(x)
    cdef cf_mt *mt
    cdef int flags
    if not kind or not _number(ratio) or not _threshold(ratio, &high, &low):
        return None
    mt = _twister('rand', _rand)
    if mt is NULL:
        return None
    p = ratio
    y = empty_like(x)
    mask = empty_like(x)
    n = PyArray_SIZE(x)
    px = PyArray_DATA(<np.ndarray>x)
    py = PyArray_DATA(<np.ndarray>y)
    pmask = PyArray_DATA(<np.ndarray>mask)
    lock = _lock
    lock.acquire()
    clear_float_errors()
    if n < LONG_LOOP:
        _dropout(kind, mt, px, pmask, py, p, high, low, n)
    else:
        with nogil:
            _dropout(kind, mt, px, pmask, py, p, high, low, n)
    flags = float_errors()
    lock.release()
    return None if flags else y, mask


def dropout(x, ratio):
    cdef tuple drawn = _draw(x, ratio)
    if drawn is None:
        return NotImplemented
    if drawn[0] is None:
        # NumPy has something to say about the product; the mask is drawn already.
        return numpy.asarray(x * drawn[1]), drawn[1]
    return drawn


# --------------------------------------------------------------- shortcuts of functions

cdef object _masked(FunctionBase function, object a):
    """Return the product of an array and the attribute ``mask``, or None."""
    cdef char kind = kind_of(a)
    mask = attribute(function, 'mask')
    if not kind or kind_of(mask) != kind or not PyArray_SAMESHAPE(
            <np.ndarray>a, <np.ndarray>mask):
        return None
    return run2(MUL, kind, a, mask)


cdef class DropoutGradShortcut(Shortcut):
    """Multiplies by the attribute ``mask``, forth and back."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        return _masked(function, <object>x[0]) if n == 1 else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        gx[0] = given(_masked(function, gy))
        return gx[0] is not NULL


cdef class DropoutShortcut(DropoutGradShortcut):
    """Draws the mask if there is none yet."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef tuple drawn
        if n != 1:
            return None
        if attribute(function, 'mask') is not None:
            return _masked(function, <object>x[0])
        drawn = _draw(<object>x[0], attribute(function, 'dropout_ratio'))
        if drawn is None:
            return None
        function.mask = drawn[1]
        return drawn[0]
