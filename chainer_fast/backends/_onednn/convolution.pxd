"""Convolutions by oneDNN, and filters in its order."""
from libcpp.memory cimport shared_ptr

from chainer_fast.backends._onednn.library cimport Dim, Library
from chainer_fast.backends.kernels.convolution.arguments cimport Convolution, Task

cdef extern from "chainer_fast/backends/_onednn/primitives.hpp" \
        namespace "chainer_fast::onednn" nogil:
    cdef cppclass Planned "chainer_fast::onednn::Planned":
        int run(void *images, void *filters, void *places, void *bias,
                bint are_prepared)
        bint prepares()
        size_t prepared_size()
        bint prepares_like(const Planned &other)
        int prepare(void *filters, void *prepared)
        int status


cdef class Filters:
    cdef void *data
    cdef size_t size
    cdef unsigned long long checksum
    cdef shared_ptr[Planned] planned
    # Drops these filters when the array is gone.
    cdef object reference


cdef Filters prepared(object W, shared_ptr[Planned] planned)

cdef object compute_by_library(
    Task task, const Convolution &c, a, b, bias, bint rival)
