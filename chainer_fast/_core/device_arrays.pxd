"""Changes of arrays on GPUs that are made together."""
from libc.stdint cimport intptr_t
from libcpp.vector cimport vector

from chainer_fast._core.recipe cimport Step

cdef extern from "chainer_fast/_core/device_arrays.hpp" namespace "chainer_fast":
    cdef struct Changed:
        int n_arrays
        char kinds[2]
        size_t size
        intptr_t addresses[6]
        intptr_t ends[6]
        size_t first_step
        int n_steps
        int n_hooks


cdef list arrays_of_update(object param, object grad, object states, tuple names)


cdef class Changes:
    cdef list arrays             # of each change; they live until it is made
    cdef vector[Changed] noted
    cdef vector[Step] steps
    cdef Changed next            # what `place` found
    cdef bint next_is_plain
    cdef bint plain              # all can be launched here
    cdef bint place(self, list arrays) except -1
    cdef int add(
        self, list arrays, Step *steps, int n_steps, int n_hooks=*) except -1
    cdef int launch(self) except -1
