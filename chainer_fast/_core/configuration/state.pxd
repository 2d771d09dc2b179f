"""The engine's record of the running thread: its hooks and its configuration."""


cdef class ThreadState:
    # OrderedDicts of hooks, by the names under which they were added.
    cdef public object function_hooks
    cdef public object link_hooks
    # Entries that ``chainer_fast.config`` holds for this thread alone.
    cdef dict overrides
    # Version of the configuration at which the flags below were read.
    cdef unsigned long long seen
    cdef bint enable_backprop
    cdef bint debug
    cdef bint type_check
    cdef bint lazy_grad_sum
    cdef bint static_graph
    # Number of threads before ``config.num_threads`` was set; 0 if it is not.
    cdef int threads


cdef ThreadState current()
cdef int set_enable_backprop(ThreadState state, bint value) except -1
