"""Kernels on GPUs, launched by the CUDA driver."""
from libc.stdint cimport intptr_t
from libcpp.vector cimport vector

cdef extern from "chainer_fast/_core/devices/launches.hpp" namespace "chainer_fast":
    cdef cppclass Arguments:
        void add[T](T value)

    cdef struct Compiled:
        intptr_t context
        char kind
        intptr_t function


cdef bint is_on_device(object array) noexcept
cdef intptr_t current_stream() except? -1
cdef bint all_on_devices(tuple arrays) noexcept
cdef bint on_current_device(tuple arrays) except -1
cdef int device_in_use(tuple arrays) except -2
cdef int use_again(int device) except -1
cdef int kind_of_dtype(object dtype) except -2
cdef int kind_on_device(object array) except -2
cdef intptr_t current_context(int *device) except -1
cdef intptr_t address_on(int device, object array) except -1
cdef int copy_on_device(int device, object to, object array) except -1


cdef class DeviceKernel:
    cdef readonly object make
    cdef object kept
    cdef vector[Compiled] compiled
    cdef intptr_t _function(self, intptr_t context, char kind) except -1
    cdef int launch(
        self, intptr_t context, char kind, Py_ssize_t n,
        Arguments &arguments) except -1
    cdef int launch_blocks(
        self, intptr_t context, char kind, size_t blocks, unsigned int threads,
        Arguments &arguments) except -1


cdef object new_on_device(object shape, object dtype)
cpdef bint is_channels_last(object array) except -1
cdef object new_channels_last(object shape, object dtype)
cdef int channels_first(int ndim, int i) noexcept
