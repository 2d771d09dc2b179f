# Filters in oneDNN's order, kept while nothing changes them. Part of
# kernels/convolution/compiled.pyx.
cimport numpy as np
from libc.stdint cimport uint64_t
from libcpp.memory cimport shared_ptr
from numpy cimport PyArray_DATA, PyArray_SIZE

import collections
import weakref

from chainer_fast.backends._onednn.library cimport SUCCESS, failed

cdef extern from "chainer_fast/_cpu/aligned.hpp" namespace "chainer_fast" nogil:
    void *take_aligned(size_t alignment, size_t size) noexcept
    void free_aligned(void *data) noexcept

cdef extern from "chainer_fast/backends/_onednn/checksum.hpp" \
        namespace "chainer_fast::onednn" nogil:
    uint64_t checksum(const void *data, size_t size) noexcept

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

cdef enum:
    # Maximum bytes of filters that are kept.
    MAX_KEPT = 512 << 20


cdef class Filters:
    """Filters in the order of a convolution, and the array that they were made from."""
    cdef void *data
    cdef size_t size
    cdef unsigned long long checksum
    cdef shared_ptr[Planned] planned
    # Drops these filters when the array is freed.
    cdef object reference

    def __dealloc__(self):
        free_aligned(self.data)

# By the ids of arrays; the latest are last.
cdef object _kept_filters = collections.OrderedDict()
cdef size_t _kept_bytes = 0


def kept_bytes():
    """Return the memory used by filters in oneDNN's order."""
    return _kept_bytes


cdef int _forget(key) except -1:
    global _kept_bytes
    cdef Filters filters = _kept_filters.pop(key, None)
    if filters is not None:
        _kept_bytes -= filters.size
    return 0


cdef Filters prepared(object W, shared_ptr[Planned] planned):
    """Return filters in the order of a convolution, reusing kept ones if possible.

    They are kept while no graph is built, as optimizers do not change them then.
    Other changes are detected by a checksum of all bytes.
    """
    global _kept_bytes
    cdef const void *data = PyArray_DATA(<np.ndarray>W)
    cdef size_t size = PyArray_SIZE(W) * sizeof(float)
    cdef uint64_t number
    cdef int status
    cdef Filters filters = _kept_filters.get(id(W))
    with nogil:
        number = checksum(data, size)
    if filters is not None:
        if filters.checksum == number and (
                planned.get().prepares_like(filters.planned.get()[0])):
            _kept_filters.move_to_end(id(W))
            return filters
        _forget(id(W))
    filters = Filters.__new__(Filters)
    filters.size = planned.get().prepared_size()
    filters.data = take_aligned(64, (filters.size + 63) // 64 * 64)
    if filters.data is NULL:
        raise MemoryError
    filters.checksum = number
    filters.planned = planned
    with nogil:
        status = planned.get().prepare(<void *>data, filters.data)
    if status != SUCCESS:
        failed('reorder filters', status)
    key = id(W)
    filters.reference = weakref.ref(W, lambda _: _forget(key))
    _kept_filters[key] = filters
    _kept_bytes += filters.size
    while _kept_bytes > MAX_KEPT:
        _forget(next(iter(_kept_filters)))
    return filters
