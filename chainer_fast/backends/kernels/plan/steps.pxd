"""Steps of a plan, and the values that they read and write."""
from libc.stddef cimport ptrdiff_t
from libcpp.vector cimport vector

cdef extern from "chainer_fast/backends/kernels/plan/fused.hpp" \
        namespace "chainer_fast::plan" nogil:
    cdef struct Place:
        char *data
        ptrdiff_t piece


cdef class Workspace:
    cdef readonly list arrays
    cdef readonly list functions
    cdef list templates
    cdef list plain
    cdef vector[Place] places
    cdef list leaving
    cdef set prepared
    cdef list buffers               # memory of its own
    cdef vector[Py_ssize_t] views   # number of those of each of them
    cdef vector[int] kept           # values that these views are
    cdef vector[int] others         # values whose arrays others may hold
    cdef bint calls                 # whether functions may have been called
    cdef readonly set declined
    cdef readonly dict fallbacks

    cdef int _grow(self) except -1
    cdef bint put(self, int value, object array) except -1
    cdef bint put_gradient(self, int value, object gradient) except -1
    cdef int make(self, int value, object array) except -1
    cdef bint _is_ours(self) except -1
    cdef bint _are_intact(self, vector[int] &values) except -1
    cpdef result(self, int value)
    cpdef bint forget(self) except -1


cdef class Step:
    cpdef bint run(self, Workspace workspace) except -1


cdef class Plan:
    cdef list steps
    cdef list fresh
    cdef list kept
    cdef list pieces
    cdef list starts
    cdef list drops
    cdef list made
    cdef vector[int] needs
    cdef vector[vector[int]] checks
    cdef bint calls

    cdef int _prepare(self, Workspace workspace) except -1
    cpdef bint run(self, Workspace workspace) except -1
