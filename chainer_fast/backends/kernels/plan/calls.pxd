"""Calls that are the same as a recorded one."""
from chainer_fast._core.configuration.state cimport ThreadState
from chainer_fast.backends.kernels.plan.patterns cimport Guard


cdef class RepeatedCall:
    cdef public object pattern          # arguments, with patterns for inputs
    cdef public Guard guard
    cdef public list params
    cdef public bint enable_backprop
    cdef readonly unsigned long long turn       # when a call was like it
    cdef unsigned long long _version
    cdef ThreadState _thread
    cdef bint _same_settings(self) except -1
    cdef bint is_same(self, args, kwargs, list inputs) except -1
    cpdef object repeat(self, args, kwargs)
