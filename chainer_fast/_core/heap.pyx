"""Order in which backpropagation visits the functions of a graph.

The function of highest rank comes first; of equal ranks, the one that was pushed first.
That order is part of Chainer's contract, since it decides in which order gradients are
summed and hooks are called.  A function is taken only once, however many of its outputs
lead to it.
"""
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Realloc
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF

from chainer_fast._core.graph cimport FunctionBase


cdef inline bint _before(Candidate a, Candidate b) noexcept:
    if a.rank != b.rank:
        return a.rank > b.rank
    return a.order < b.order


cdef class CandidateHeap:
    """Functions yet to be visited, each of them once."""

    def __dealloc__(self):
        cdef Py_ssize_t i
        if self.seen is not NULL:
            for i in range(self.seen_capacity):
                if self.seen[i] is not NULL:
                    Py_DECREF(<object>self.seen[i])
        PyMem_Free(self.seen)
        PyMem_Free(self.items)

    def __len__(self):
        return self.size

    cdef bint _see(self, PyObject *function) except -1:
        """Remember a function; return whether it is new."""
        cdef PyObject **old = self.seen
        cdef Py_ssize_t i, at, old_capacity = self.seen_capacity
        if 2 * (self.n_seen + 1) > old_capacity:
            capacity = max(64, 2 * old_capacity)
            grown = <PyObject **>PyMem_Calloc(capacity, sizeof(PyObject *))
            if grown is NULL:
                raise MemoryError()
            self.seen = grown
            self.seen_capacity = capacity
            for i in range(old_capacity):
                if old[i] is not NULL:
                    at = home_of(old[i], capacity)
                    while grown[at] is not NULL:
                        at = (at + 1) & (capacity - 1)
                    grown[at] = old[i]
            PyMem_Free(old)
        at = home_of(function, self.seen_capacity)
        while self.seen[at] is not NULL:
            if self.seen[at] is function:
                return False
            at = (at + 1) & (self.seen_capacity - 1)
        self.seen[at] = function
        Py_INCREF(<object>function)
        self.n_seen += 1
        return True

    cdef int push(self, FunctionBase function) except -1:
        """Add a function unless it has been added before."""
        cdef Py_ssize_t child, parent, capacity
        cdef Candidate item
        cdef Candidate *grown
        if not self._see(<PyObject *>function):
            return 0
        if self.size == self.capacity:
            capacity = max(16, 2 * self.capacity)
            grown = <Candidate *>PyMem_Realloc(
                self.items, capacity * sizeof(Candidate))
            if grown is NULL:
                raise MemoryError()
            self.items = grown
            self.capacity = capacity
        item.rank = function.rank
        item.order = self.n_seen
        item.function = <PyObject *>function
        child = self.size
        self.size += 1
        while child > 0:
            parent = (child - 1) // 2
            if not _before(item, self.items[parent]):
                break
            self.items[child] = self.items[parent]
            child = parent
        self.items[child] = item
        return 0

    cdef FunctionBase pop(self):
        """Remove and return the next function; None if there is none."""
        cdef Py_ssize_t parent, child
        cdef Candidate last
        cdef PyObject *first
        if self.size == 0:
            return None
        first = self.items[0].function
        self.size -= 1
        last = self.items[self.size]
        parent = 0
        while True:
            child = 2 * parent + 1
            if child >= self.size:
                break
            if child + 1 < self.size and _before(
                    self.items[child + 1], self.items[child]):
                child += 1
            if not _before(self.items[child], last):
                break
            self.items[parent] = self.items[child]
            parent = child
        self.items[parent] = last
        return <FunctionBase>first

    def add(self, FunctionBase function not None):
        """Add a function unless it has been added before."""
        self.push(function)

    def take(self):
        """Remove and return the next function.

        Raises
        ------
        IndexError
            If no function is left.
        """
        if self.size == 0:
            raise IndexError('no candidate function is left')
        return self.pop()
