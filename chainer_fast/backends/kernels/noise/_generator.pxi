# The state of NumPy's global generator, as long as it is a Mersenne Twister.
#
# Part of compiled.pyx.
from contextlib import nullcontext
from threading import RLock

import numpy
import numpy.random

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from chainer_fast._core.arrays.private cimport Twister, find_twister

# The global generator as it was at the last check; ``_mt`` is NULL if it is of another
# kind. The functions are those of NumPy, unless a program replaces them.
cdef object _generator = None
cdef object _lock = None
cdef object _atomic = None
cdef Twister *_mt = NULL
cdef object _get_bit_generator = numpy.random.get_bit_generator
cdef dict _namespace = vars(numpy.random)
cdef object _numpy_rand = numpy.random.rand
cdef object _numpy_uniform = numpy.random.uniform
cdef object _numpy_gumbel = numpy.random.gumbel
cdef object _numpy_normal = numpy.random.normal
cdef object _numpy_standard_normal = numpy.random.standard_normal


cdef int _look_at(object generator) except -1:
    """Find the state of a generator, and make sure that it looks as expected."""
    global _generator, _lock, _atomic, _mt
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
    # Newer versions of NumPy have a lock that its own thread can acquire again.
    _atomic = _lock if type(_lock) is type(RLock()) else nullcontext()
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


cdef object _same_normals = None


cdef bint _normals_are_known() except -1:
    """Return whether NumPy draws the normal numbers of the loop.

    It does not if it was compiled with fused multiply-adds. The global generator has
    been checked before.
    """
    global _same_normals
    if _same_normals is None:
        drawn = numpy.empty(200)
        generator = numpy.random.MT19937(0)
        normal_loop(b'd', find_twister(generator.capsule), drawn, 1, 0, 200)
        expected = numpy.random.RandomState(numpy.random.MT19937(0))
        _same_normals = bool((drawn == expected.standard_normal(200)).all())
    return _same_normals


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
