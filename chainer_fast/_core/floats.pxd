"""Floating-point loops over plain memory, and the error flags that they raise."""


cdef int add_into(int typenum, void *target, void *source, Py_ssize_t n) noexcept nogil
cdef enum Operation:
    SUM, PRODUCT, QUOTIENT

cdef int report_float_errors(int flags, Operation operation=*) except -1
cdef void clear_float_errors() noexcept nogil
cdef int float_errors() noexcept nogil
