"""Random masks and numbers from NumPy's global generator, a block at a time.

The stream and the final state are exactly those of ``numpy.random``. This code
supports only the default generator of NumPy, a Mersenne Twister.
"""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_SAMESHAPE, PyArray_SIZE

from chainer_fast._core.arrays.dtypes cimport same_dtype
from chainer_fast._core.arrays.gapless cimport (
    any_gapless_kind, common_gapless_kind, empty_gapless_like, gapless_kind)
from chainer_fast._core.arrays.plain cimport common_kind, empty_like, kind_of
from chainer_fast._core.arrays.private cimport Twister
from chainer_fast._core.graphs.graph cimport (
    FunctionBase, as_floats, as_halves, clear_float_errors, float_errors, own_attribute)
from chainer_fast.backends.kernels.common.elementwise cimport (
    Elementwise, Loop, run_loop)
from chainer_fast.backends.kernels.common.elementwise import ARITHMETIC as _ARITHMETIC
from chainer_fast.backends.kernels.common.halves import cast as _cast
from chainer_fast.backends.kernels.common.layout cimport in_order_of, is_channels_last
from chainer_fast.backends.kernels.common.layout cimport without_gaps

np.import_array()

cdef Loop _product = _ARITHMETIC['Mul::of']
cdef object _FLOAT = numpy.dtype(numpy.float32)
cdef object _DOUBLE = numpy.dtype(numpy.float64)

# NumPy is as fast for so many normal numbers.
cdef enum:
    FEW_NORMALS = 100

cdef extern from "chainer_fast/backends/kernels/noise/mersenne.hpp" \
        namespace "chainer_fast::noise":
    enum:
        WORDS
    void kept_loop(char kind, Twister *, object out, double ratio, ptrdiff_t n) noexcept
    void dropout_loop(
        char kind, Twister *, object x, object mask, object y, double ratio,
        ptrdiff_t n) noexcept
    void dropout_by_flags_loop(
        char kind, object flags, object x, object mask, object y, double ratio,
        ptrdiff_t n) noexcept
    void uniform_loop(
        char kind, Twister *, object out, double lower, double width,
        ptrdiff_t n) noexcept
    void gumbel_loop(char kind, Twister *, object out, ptrdiff_t n) noexcept
    void normal_loop(
        char kind, Twister *, object out, double deviation, ptrdiff_t start,
        ptrdiff_t n) noexcept


include "_generator.pxi"


cdef bint _number(object value) noexcept:
    return isinstance(value, float) or type(value) is int


# Beyond this, floats may be infinite, of which NumPy has to warn. The inverse of it
# keeps products of normal numbers above the least double, where zeros have signs.
cdef double LARGE = 1e37


cdef bint _ratio(object value) except -1:
    return _number(value) and 0 <= <double>value < 1


# ------------------------------------------------------------------------ kernels

def kept(x, shape, ratio):
    cdef Twister *mt = _twister('rand', _numpy_rand)
    if mt is NULL or not _ratio(ratio):
        return NotImplemented
    flags = numpy.empty(shape, bool)
    with _lock:
        kept_loop(b'f', mt, flags, ratio, PyArray_SIZE(flags))
    return flags


def uniform(x, lower, upper):
    cdef double start, width
    cdef char kind = kind_of(x)
    cdef Twister *mt = _twister('uniform', _numpy_uniform)
    if mt is NULL or not _number(lower) or not _number(upper):
        return NotImplemented
    start = lower
    width = <double>upper - start
    if not -LARGE < start < LARGE or not -LARGE < width < LARGE:
        return NotImplemented
    drawn = empty_like(x) if kind else numpy.empty(x.shape)
    with _lock:
        uniform_loop(
            kind if kind else b'd', mt, drawn, start, width, PyArray_SIZE(drawn))
    return drawn if kind else _cast(drawn, x.dtype)


def gumbel(x):
    cdef char kind = kind_of(x)
    cdef Twister *mt = _twister('gumbel', _numpy_gumbel)
    if mt is NULL:
        return NotImplemented
    drawn = empty_like(x) if kind else numpy.empty(x.shape)
    with _lock:
        gumbel_loop(kind if kind else b'd', mt, drawn, PyArray_SIZE(drawn))
    return drawn if kind else _cast(drawn, x.dtype)


def normal(shape, dtype, deviation):
    """Draw numbers of a normal distribution of mean zero.

    Parameters
    ----------
    shape : tuple of int
    dtype : dtype
    deviation : float or None
        Argument of ``numpy.random.normal``; None for ``numpy.random.standard_normal``.

    Returns
    -------
    array
        Of float64, unless ``dtype`` is float32.

    Notes
    -----
    Numbers come in pairs, and NumPy keeps the second number of a pair for the next
    call. NumPy itself draws the first number, and the last one if its pair is
    incomplete.
    """
    cdef Twister *mt
    cdef Py_ssize_t n, start
    cdef int position
    cdef double scale = 1
    if deviation is None:
        mt = _twister('standard_normal', _numpy_standard_normal)
    elif _number(deviation) and 1 / LARGE < <double>deviation < LARGE:
        scale = deviation
        mt = _twister('normal', _numpy_normal)
    else:
        return NotImplemented
    if mt is NULL or not _normals_are_known():
        return NotImplemented
    drawn = numpy.empty(shape, _FLOAT if same_dtype(dtype, _FLOAT) else _DOUBLE)
    n = PyArray_SIZE(drawn)
    if n <= FEW_NORMALS:
        return NotImplemented
    flat = drawn.reshape(-1)
    with _atomic:
        position, start = mt.pos, 1
        flat[0] = scale * <double>_numpy_standard_normal()
        if mt.pos != position:
            # That was the first number of a new pair.
            flat[1] = scale * <double>_numpy_standard_normal()
            start = 2
        with _lock:
            normal_loop(kind_of(drawn), mt, drawn, scale, start, (n - start) // 2 * 2)
        if (n - start) % 2:
            flat[n - 1] = scale * <double>_numpy_standard_normal()
    return drawn


cdef tuple _draw(object x, object ratio):
    """Return ``x`` times a new mask, None if that raised a flag, and the mask.

    The result is None if no code supports ``x``.
    """
    cdef double p
    cdef char kind
    cdef bint plain
    cdef Twister *mt
    x = without_gaps(x)
    if any_gapless_kind(x) == b'e':
        drawn = _draw(as_floats(x), ratio)
        if drawn is not None:
            mask = as_halves(drawn[1])
            drawn = run_loop(_product, x, mask), mask
        return drawn
    kind, plain = gapless_kind(x), kind_of(x) != 0
    if not kind or not _ratio(ratio) or not (plain or is_channels_last(x)):
        return None
    mt = _twister('rand', _numpy_rand)
    if mt is NULL:
        return None
    p = ratio
    y, mask = empty_gapless_like(x), empty_gapless_like(x)
    if plain:
        lock = _lock
        lock.acquire()
        # Another thread may have held the lock, and changed the array meanwhile.
        if common_kind(x, y) != kind:
            lock.release()
            return None
        clear_float_errors()
        dropout_loop(kind, mt, x, mask, y, p, PyArray_SIZE(x))
        lock.release()
    else:
        # Numbers are drawn in C order, whatever the order in memory.
        flags = kept(x, x.shape, ratio)
        if flags is NotImplemented:
            return None
        flags = in_order_of(flags, x)
        if common_gapless_kind(x, y) != kind or not is_channels_last(flags) or (
                not PyArray_SAMESHAPE(<np.ndarray>flags, <np.ndarray>x)):
            raise RuntimeError('another thread has changed an array while it was read')
        clear_float_errors()
        dropout_by_flags_loop(kind, flags, x, mask, y, p, PyArray_SIZE(x))
    return None if float_errors() else y, mask


def dropout(x, ratio):
    cdef tuple drawn = _draw(x, ratio)
    if drawn is None:
        return NotImplemented
    if drawn[0] is None:
        # NumPy has to warn of the product; the mask has been drawn already.
        return numpy.asarray(x * drawn[1]), drawn[1]
    return drawn


# --------------------------------------------------------------- shortcuts of functions

# The field of the function.
cdef enum:
    RATIO


cdef class DropoutShortcut(Elementwise):
    # The first lines are what ``inspect.signature`` reads.
    """DropoutShortcut(mask)
--

    Draws the mask if it is not set yet, and multiplies by it.

    Parameters
    ----------
    mask : str
        Attribute of the function that has the mask.
    """

    def __init__(self, str mask not None):
        super().__init__(_product, ((_product, 'held'),), held=mask)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef tuple drawn
        if n != 1:
            return None
        mask = own_attribute(function, self.held)
        if mask is not None:
            return run_loop(_product, <object>x[0], mask)
        drawn = _draw(<object>x[0], self.field(function, RATIO))
        if drawn is None:
            return None
        setattr(function, self.held, drawn[1])
        return drawn[0]
