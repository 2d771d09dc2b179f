"""Order in which backpropagation visits the functions of a graph."""
cimport cython
from cpython.object cimport PyObject

from chainer_fast._core.graph cimport FunctionBase


@cython.overflowcheck(False)        # a hash wraps around
cdef inline Py_ssize_t home_of(PyObject *pointer, Py_ssize_t capacity) noexcept:
    """Return the first place of an address in an open-addressing table."""
    # Objects are aligned to 16 bytes; the capacity is a power of two.
    return <Py_ssize_t>((<size_t>pointer >> 4) * <size_t>0x9E3779B1) & (capacity - 1)


cdef struct Candidate:
    int rank
    Py_ssize_t order
    PyObject *function


cdef class CandidateHeap:
    cdef Candidate *items
    cdef Py_ssize_t size
    cdef Py_ssize_t capacity
    # Every function ever pushed, held until the end: an address names one function.
    cdef PyObject **seen
    cdef Py_ssize_t n_seen
    cdef Py_ssize_t seen_capacity

    cdef bint _see(self, PyObject *function) except -1
    cdef int push(self, FunctionBase function) except -1
    cdef FunctionBase pop(self)
