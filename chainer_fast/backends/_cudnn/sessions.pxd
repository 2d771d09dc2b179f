"""Sessions of cuDNN, one per thread and device."""
from libc.stdint cimport intptr_t
from libcpp.vector cimport vector


cdef class Execution:
    cdef object call
    cdef object handle
    # The number of the engine, or None if the call has no such argument.
    cdef object index
    cdef object place
    cdef vector[intptr_t] addresses
    cdef int launch(self, object workspace) except -1


cdef class Engine:
    # Bytes of workspace.
    cdef public object size
    # None if only the public call is available.
    cdef public Execution execution


cdef class Kept:
    # An engine; None if there is none, or if this entry was dropped.
    cdef public Engine plan
    # The session's execution count at the latest use.
    cdef public unsigned long long used


cdef class Session:
    cdef object __weakref__
    cdef readonly object handle
    # Plans by key, each a `Kept`.
    cdef readonly dict plans
    # Operations for which the device has no engine.
    cdef readonly set without
    # Shared arrays: zeros, and memory for unused results.
    cdef public object zeros
    cdef public object scratch
    cdef unsigned long long executions
    # Stream of the handle; -1 before it is set.
    cdef intptr_t stream
    # Version of the configuration at which the other settings were read.
    cdef unsigned long long seen
    cdef bint wanted
    # Repeatable calls with these settings, by form; None if none is repeatable.
    cdef dict calls
    cdef dict by_settings
    # Executions of the running call, if it is being recorded.
    cdef list noted
    cdef int follow_stream(self) except -1
    cdef int follow_settings(self) except -1
