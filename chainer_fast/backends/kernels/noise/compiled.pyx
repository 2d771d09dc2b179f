"""Random masks from NumPy's global generator, without temporary arrays of doubles.

The stream and the final state are exactly those of ``numpy.random``. This code
supports only the default generator of NumPy, a Mersenne Twister, whose words are
computed here a block at a time.
"""
import numpy
import numpy.random

cimport numpy as np
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy
from numpy cimport PyArray_CheckExact, PyArray_DIMS, PyArray_EMPTY, PyArray_NDIM, \
    PyArray_SAMESHAPE, PyArray_SIZE

from chainer_fast._core.arrays.gapless cimport (
    any_gapless_kind, common_gapless_kind, empty_gapless_like, gapless_kind)
from chainer_fast._core.arrays.plain cimport (
    cf_any_float_kind, common_kind, is_half, kind_of)
from chainer_fast._core.arrays.private cimport Twister, find_twister
from chainer_fast._core.graphs.graph cimport (
    FunctionBase, as_floats, as_halves, clear_float_errors, float_errors, own_attribute)
from chainer_fast.backends.kernels.common.elementwise cimport (
    Elementwise, Loop, run_loop)
from chainer_fast.backends.kernels.common.elementwise import ARITHMETIC as _ARITHMETIC
from chainer_fast.backends.kernels.common.layout cimport in_order_of, is_channels_last
from chainer_fast.backends.kernels.common.layout cimport without_gaps

np.import_array()

cdef Loop _product = _ARITHMETIC['Mul::of']

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


# ------------------------------------------------------------------- the generator

# The global generator as it was at the last check; ``_mt`` is NULL if it is of another
# kind. The functions are those of NumPy, unless a program replaces them.
cdef object _generator = None
cdef object _lock = None
cdef Twister *_mt = NULL
cdef object _get_bit_generator = numpy.random.get_bit_generator
cdef dict _namespace = vars(numpy.random)
cdef object _numpy_rand = numpy.random.rand
cdef object _numpy_uniform = numpy.random.uniform
cdef object _numpy_gumbel = numpy.random.gumbel


cdef int _look_at(object generator) except -1:
    """Find the state of a generator, and make sure that it looks as expected."""
    global _generator, _lock, _mt
    cdef Twister *mt
    cdef Py_ssize_t i
    _generator = generator
    _mt = NULL
    if type(generator) is not numpy.random.MT19937:
        return 0
    mt = find_twister(generator.capsule)
    if mt is NULL:
        return 0
    _lock = generator.lock
    with _lock:
        told = generator.state['state']
        key = told['key'].tolist()
        if len(key) != WORDS or told['pos'] != mt.pos or not 0 <= mt.pos <= WORDS:
            return 0
        for i in range(WORDS):
            if <uint32_t>key[i] != mt.key[i]:
                return 0
    _mt = mt
    return 0


cdef Twister *_twister(str name, object function) except? NULL:
    """Return the state of the global generator, or NULL if it must not be used.

    ``function`` is one of those above; programs replace it to get the same numbers each
    time.
    """
    cdef PyObject *now = PyDict_GetItemWithError(_namespace, name)
    if now is NULL or <object>now is not function:
        return NULL
    generator = _get_bit_generator()
    if generator is not _generator:
        _look_at(generator)
    return _mt


def uniform_state():
    """Return the state of the global generator for uniform numbers.

    Returns
    -------
    bytes or None
        None if the generator, or ``numpy.random.rand``, is not NumPy's first one.
    """
    cdef Twister *mt = _twister('rand', _numpy_rand)
    if mt is NULL:
        return None
    with _lock:
        return PyBytes_FromStringAndSize(<char *>mt, sizeof(Twister))


def set_uniform_state(bytes state not None):
    """Set what :func:`uniform_state` has returned."""
    cdef Twister *mt = _twister('rand', _numpy_rand)
    if mt is NULL or len(state) != sizeof(Twister):
        raise RuntimeError(
            "the state is of NumPy's first random generator, and another one is in use "
            'by now: do not replace it between a call and its gradients')
    with _lock:
        memcpy(mt, PyBytes_AS_STRING(state), sizeof(Twister))


cdef bint _number(object value) noexcept:
    return type(value) is float or type(value) is int


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


cdef char _kind_of_numbers(object x) noexcept:
    """Return the kind of numbers that become those of an array; 0 for no floats.

    NumPy draws doubles, so halves are rounded from them.
    """
    cdef char kind = 0
    if PyArray_CheckExact(x):
        kind = cf_any_float_kind(<np.ndarray>x)
    return b'd' if kind == b'e' else kind


cdef object _empty(object x, char kind):
    """Return an array of numbers of a kind, in C order and with the shape of ``x``."""
    return PyArray_EMPTY(
        PyArray_NDIM(x), PyArray_DIMS(<np.ndarray>x),
        np.NPY_FLOAT32 if kind == b'f' else np.NPY_FLOAT64, 0)


def uniform(x, lower, upper):
    cdef double start, width
    cdef char kind = _kind_of_numbers(x)
    cdef Twister *mt = _twister('uniform', _numpy_uniform)
    if mt is NULL or not kind or not _number(lower) or not _number(upper):
        return NotImplemented
    start = lower
    width = <double>upper - start
    if not -1e300 < width < 1e300:
        return NotImplemented
    drawn = _empty(x, kind)
    with _lock:
        uniform_loop(kind, mt, drawn, start, width, PyArray_SIZE(drawn))
    return as_halves(drawn) if is_half(x) else drawn


def gumbel(x):
    cdef char kind = _kind_of_numbers(x)
    cdef Twister *mt = _twister('gumbel', _numpy_gumbel)
    if mt is NULL or not kind:
        return NotImplemented
    drawn = _empty(x, kind)
    with _lock:
        gumbel_loop(kind, mt, drawn, PyArray_SIZE(drawn))
    return as_halves(drawn) if is_half(x) else drawn


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
