"""Steps of a tape, and the values that they read and write."""
from libc.stddef cimport ptrdiff_t

cdef extern from "chainer_fast/backends/kernels/tape/tape.hpp" \
        namespace "chainer_fast" nogil:
    cdef struct Place:
        char *data
        ptrdiff_t piece


cdef class Frame:
    cdef list arrays
    cdef list functions
    cdef list templates
    cdef list plain
    cdef Place *places
    cdef Py_ssize_t size
    cdef list leaving
    cdef set prepared
    cdef set declined
    cdef readonly dict islands

    cdef int _grow(self) except -1
    cdef bint put(self, int value, object array) except -1
    cdef bint _is_intact(self) noexcept
    cpdef result(self, int value)
    cpdef forget(self)


cdef class Step:
    cpdef bint run(self, Frame frame) except -1


cdef class Tape:
    cdef list steps
    cdef list fresh
    cdef list kept
    cdef list pieces
    cdef list drops
    cdef list made

    cdef int _prepare(self, Frame frame) except -1
    cpdef bint run(self, Frame frame) except -1
