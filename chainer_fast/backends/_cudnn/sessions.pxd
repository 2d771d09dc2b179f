"""What a thread keeps for cuDNN on a device."""
from libc.stdint cimport intptr_t
from libcpp.vector cimport vector


cdef class Execution:
    cdef object call
    cdef object handle
    # The number of the engine, or None if the call takes none.
    cdef object index
    cdef object place
    cdef vector[intptr_t] addresses
    cdef int launch(self, object workspace) except -1


cdef class Engine:
    # Bytes of workspace.
    cdef public object size
    # None while there is only the public call.
    cdef public Execution execution


cdef class Kept:
    # An engine; None if there is none, or if this is kept no more.
    cdef public Engine plan
    # The session's count of executions at the latest one.
    cdef public unsigned long long used


cdef class Session:
    cdef object __weakref__
    cdef readonly object handle
    # Plans by what decides on them, each a `Kept`.
    cdef readonly dict plans
    # Operations that the device has no engine for.
    cdef readonly set without
    # Arrays for whoever needs some: zeros, and room for what nobody reads.
    cdef public object zeros
    cdef public object scratch
    cdef unsigned long long executions
    # Stream of the handle; -1 before there is one.
    cdef intptr_t stream
    # Version of the configuration that the others were read at.
    cdef unsigned long long seen
    cdef bint wanted
    # Calls that can be repeated under these settings, by their forms; None if none can.
    cdef dict calls
    cdef dict by_settings
    # What the call has executed that runs, if it is to be repeated.
    cdef list noted
    cdef int follow_stream(self) except -1
    cdef int follow_settings(self) except -1
