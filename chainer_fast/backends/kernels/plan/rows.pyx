"""Steps on gradients of matrices of which few rows are used, which are kept as rows."""
from chainer_fast._core.rows cimport RowGradient, add_rows, dense
from chainer_fast.backends.kernels.plan.steps cimport Step, Workspace
from chainer_fast.backends.kernels.plan.steps import NotStatic


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
        a, b = workspace.arrays[self.a], workspace.arrays[self.b]
        if type(a) is RowGradient and type(b) is RowGradient:
            total = add_rows(<RowGradient>a, <RowGradient>b)
        else:
            total = dense(a) + dense(b)
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
        return workspace.put(self.target, dense(workspace.arrays[self.source]))
