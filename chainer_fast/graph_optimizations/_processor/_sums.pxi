# Sums and copies of gradients: arrays that loops do not support, or rows. Part of
# plans.pyx.


def as_array(gradient):
    """Return the array that a gradient represents; None for None."""
    return as_grad_array(gradient)


cdef class Sum(Step):
    """Sum of two gradients.

    Parameters
    ----------
    a, b, total : int
        Values.
    """
    cdef int a, b, total

    def __cinit__(self, a, b, total):
        self.a, self.b, self.total = a, b, total

    cpdef bint run(self, Workspace workspace) except -1:
        total = settle(add_gradients(
            workspace.arrays[self.a], workspace.arrays[self.b], True))
        if not workspace.put_gradient(self.total, total):
            raise NotStatic('a sum of gradients')
        return True


cdef class Dense(Step):
    """The array that a gradient represents, or a copy of it.

    Parameters
    ----------
    source, target : int
        Values.
    copied : bool
        Whether the array must not be referenced elsewhere.
    """
    cdef int source, target
    cdef bint copied

    def __cinit__(self, source, target, copied=False):
        self.source, self.target, self.copied = source, target, copied

    cpdef bint run(self, Workspace workspace) except -1:
        array = as_grad_array(workspace.arrays[self.source])
        return workspace.put(
            self.target, array.copy() if self.copied else array)
