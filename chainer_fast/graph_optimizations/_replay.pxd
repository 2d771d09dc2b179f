"""Calls that match a recorded one, and the patterns that recognize them."""
from chainer_fast._core.configuration.state cimport ThreadState


cdef class Slots:
    cdef readonly list places
    cdef readonly list patterns
    cdef readonly list used
    cdef bint fit(self, list inputs) except -1


cdef class Guard:
    cdef list links
    cpdef bint holds(self) except -1


cdef class RepeatedCall:
    cdef public object pattern          # arguments, with patterns for inputs
    cdef public object same_settings    # returns whether the configuration is the same
    cdef public Guard guard
    cdef public list params
    cdef public bint enable_backprop
    cdef readonly unsigned long long turn       # when a call last matched it
    cdef unsigned long long _version
    cdef ThreadState _thread
    cdef bint _same_settings(self) except -1
    cdef bint is_same(self, args, kwargs, list inputs) except -1
    cpdef object repeat(self, args, kwargs)
