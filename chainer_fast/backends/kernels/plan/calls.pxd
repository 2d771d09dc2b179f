"""Calls that are the same as a recorded one."""
from chainer_fast.backends.kernels.plan.steps cimport Plan, Workspace


cdef class Guard:
    cdef list links
    cdef frozenset ignored

    cpdef bint holds(self) except -1


cdef class PlannedCallBase:
    cdef public object pattern          # arguments, with templates for inputs
    cdef public Guard guard
    cdef public list params
    cdef public list params_grad        # whether they require gradients
    cdef public list input_values
    cdef public list param_values
    cdef public list leaves             # variables with gradients, as values
    cdef public list seeds              # outputs with gradients, as values
    cdef public Plan plan
    cdef public list workspaces
    cdef public bint is_one_variable    # what the call returns
    cdef public type node_class
    cdef public object get_random_state     # None if no random numbers are drawn
    cdef public object full             # plan, seeds and results of all gradients
    cdef public bint enable_backprop
    cdef public object refused              # why no call is made any more, or None
    cdef unsigned long long _version
    cdef object _thread

    cdef bint _same_settings(self) except -1
    cpdef tuple apply(self, Workspace workspace, list inputs, drawn)
