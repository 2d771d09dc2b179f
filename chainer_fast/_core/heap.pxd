"""Order in which backpropagation visits the functions of a graph."""
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from chainer_fast._core.addresses cimport AddressTable
from chainer_fast._core.graph cimport FunctionBase

cdef extern from *:
    """
    #include <queue>

    struct Candidate {
        int64_t rank;
        Py_ssize_t order;
        PyObject *function;

        /* The greatest comes first. */
        bool operator<(const Candidate &other) const {
            return rank != other.rank ? rank < other.rank : order > other.order;
        }
    };
    """
    cdef struct Candidate:
        int64_t rank
        Py_ssize_t order
        PyObject *function

    cdef cppclass Candidates "std::priority_queue<Candidate>":
        void push(Candidate) except +
        const Candidate &top()
        void pop()
        size_t size()


cdef class CandidateHeap:
    cdef Candidates items
    # Every function ever pushed, held until the end: an address names one function.
    cdef AddressTable seen

    cdef int push(self, FunctionBase function) except -1
    cdef FunctionBase pop(self)
