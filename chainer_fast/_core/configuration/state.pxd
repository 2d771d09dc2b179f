"""The running thread as the engine sees it: its hooks and its configuration."""


cdef class ThreadState:
    # OrderedDicts from the names that hooks were added under.
    cdef public object function_hooks
    cdef public object link_hooks
    # Entries that ``chainer_fast.config`` holds for this thread alone.
    cdef dict overrides
    # Version of the configuration that the flags below were read at.
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
