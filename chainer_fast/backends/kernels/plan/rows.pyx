"""Steps on gradients of matrices of which few rows are used, which are kept as rows."""
cimport numpy as np

from chainer_fast._core.graphs.graph cimport add_gradients, as_grad_array
from chainer_fast.backends.kernels.plan.steps cimport Step, Workspace
from chainer_fast.backends.kernels.plan.steps import NotStatic

np.import_array()       # for what is inline in the header of the graph


cdef class SumOfGradients(Step):
    """Sum of two gradients, of which one at least may be kept as rows.

    Parameters
    ----------
    a, b, total : int
        Values.
    """
    cdef int a, b, total

    def __cinit__(self, a, b, total):
        self.a, self.b, self.total = a, b, total

    cpdef bint run(self, Workspace workspace) except -1:
        total = add_gradients(
            workspace.arrays[self.a], workspace.arrays[self.b], True)
        if not workspace.put_gradient(self.total, total):
            raise NotStatic('a sum of gradients')
        return True


cdef class Dense(Step):
    """The array that a gradient stands for.

    Parameters
    ----------
    source, target : int
        Values.
    """
    cdef int source, target

    def __cinit__(self, source, target):
        self.source, self.target = source, target

    cpdef bint run(self, Workspace workspace) except -1:
        return workspace.put(self.target, as_grad_array(workspace.arrays[self.source]))
