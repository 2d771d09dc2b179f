# Elementwise loops, fused. Part of plans.pyx.

cdef class FusedLoops(Step):
    """Elementwise loops over arrays of one size and type.

    Parameters
    ----------
    kind : str
        ``'f'`` or ``'d'``.
    n : int
        Number of elements.
    pieces : int
        Number of pieces that its values need.
    loops : sequence of (Loop, tuple of int, tuple of int, tuple of float)
        Loops with the values that they read and write, and their constants. A value
        after those that a loop takes is added to its result.
    """
    cdef char kind
    cdef Py_ssize_t n
    cdef Py_ssize_t pieces
    cdef Fused fused

    def __cinit__(self, str kind, n, pieces, loops):
        cdef Loop loop
        cdef Instruction it
        self.kind = ord(kind)
        self.n = n
        self.pieces = pieces
        for loop, inputs, outputs, constants in loops:
            it.p, it.q = constants
            taken = inputs[:loop.arrays] + (-1,) * (3 - loop.arrays)
            if len(inputs) > loop.arrays:
                taken = taken[:2] + inputs[loop.arrays:]
            for i in range(3):
                it.inputs[i] = taken[i]
            for i in range(2):
                it.outputs[i] = outputs[i] if i < len(outputs) else -1
            self.fused.add(loop.any, it)

    cpdef bint run(self, Workspace workspace) except -1:
        self.fused.run(self.kind, workspace.places.data(), self.pieces, self.n)
        return True
