"""What calls are recognized by: patterns of arguments, and of attributes of links."""
cimport numpy as np


cdef class InputPattern:
    cdef np.ndarray template
    cdef tuple shape
    cdef int requires_grad
    cdef int device
    cdef bint fits(self, object array) except -1


cdef class Of:
    cdef readonly object cls


cdef class Same:
    cdef readonly int index


cdef class Slots:
    cdef readonly list places
    cdef readonly list patterns
    cdef readonly list used
    cdef bint fit(self, list inputs) except -1


cdef class Guard:
    cdef list links
    cpdef bint holds(self) except -1


cdef bint matches(object pattern, object argument, list inputs) except -1
cpdef object value_of(object link, str name)
