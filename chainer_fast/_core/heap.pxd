"""Order in which backpropagation visits the functions of a graph."""
from cpython.object cimport PyObject

from chainer_fast._core.graph cimport FunctionBase


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
