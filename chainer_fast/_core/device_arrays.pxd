"""Arrays on GPUs, and changes of them that are made together."""
from chainer_fast._core.recipe cimport Step


cdef int kind_on_device(object array) except -2
cdef list arrays_of_update(object param, object grad, object states, tuple names)


cdef class Changes:
    cdef object batch            # None as long as nothing was asked of it
    cdef object place(self, list arrays)
    cdef int add(
        self, object place, list arrays, Step *steps, int n_steps,
        int n_hooks=*) except -1
    cdef int launch(self) except -1
