"""Memory for intermediate results, which is reused."""


cdef class Scratch:
    cdef void *data
    cdef size_t size


cdef Scratch take(size_t size)
