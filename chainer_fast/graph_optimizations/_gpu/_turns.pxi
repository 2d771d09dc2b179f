# Ordering of work on the memory of recordings. Part of _replay.pyx.

cdef enum:
    # Addresses of the default streams: that of the device and the per-thread one.
    _DEFAULT = 0
    _OF_THREADS = 2


cdef class Turns:
    """Makes work on some memory follow earlier such work, on any streams.

    Parameters
    ----------
    event : cupy.cuda.Event
    default : cupy.cuda.Stream
        The default stream.
    get_stream : callable
        Returns the current stream.
    """
    cdef object event, default, get_stream
    cdef intptr_t latest

    def __init__(self, event, default, get_stream):
        self.event, self.default, self.get_stream = event, default, get_stream
        self.latest = _DEFAULT

    def __enter__(self):
        self.begin()

    def __exit__(self, *exc_info):
        self.end()

    cdef intptr_t begin(self) except? -1:
        """Wait for earlier work; return the address of the current stream."""
        cdef intptr_t stream = current_stream()
        # The default stream keeps the order itself and is never destroyed: an event is
        # only recorded when another stream waits for it.
        if stream == _DEFAULT and self.latest == _DEFAULT:
            return stream
        if self.latest == _DEFAULT:
            self.event.record(self.default)
        self.get_stream().wait_event(self.event)
        self.latest = stream
        return stream

    cdef int end(self) except -1:
        if self.latest != _DEFAULT:
            self.event.record(self.get_stream())
        return 0
