# Calls of engines. Part of sessions.pyx.

cdef class Execution:
    """A call of an engine with only the addresses of its tensors.

    Parameters
    ----------
    call : callable
        Takes the address of the array of addresses, their number, the address of
        the workspace, the handle and, unless it is None, the number of the
        engine.
    count : int
        Number of tensors.
    handle, index : object
    """

    def __init__(self, call, size_t count, handle, index):
        self.call, self.handle, self.index = call, handle, index
        self.addresses.resize(count)
        self.place = <uintptr_t>self.addresses.data()

    def __call__(self, list addresses, workspace):
        cdef size_t i
        if <size_t>len(addresses) != self.addresses.size():
            raise ValueError('%d addresses for %d tensors' % (
                len(addresses), self.addresses.size()))
        for i in range(self.addresses.size()):
            self.addresses[i] = addresses[i]
        self.launch(workspace)

    cdef int launch(self, object workspace) except -1:
        """Execute with the stored addresses."""
        cdef size_t count = self.addresses.size()
        if self.index is None:
            self.call(self.place, count, workspace, self.handle)
        else:
            self.call(self.place, count, workspace, self.handle, self.index)
        return 0


cdef class Engine:
    """Base class of plans, with the data needed for execution."""


cdef class Kept:
    """An entry of a session's table: a plan, or that none exists."""

    def __init__(self, plan):
        self.plan = plan
