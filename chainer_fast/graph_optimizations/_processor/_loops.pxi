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
        Loops with the values that they read and write, and their constants.
    """
    cdef char kind
    cdef Py_ssize_t n
    cdef Py_ssize_t pieces
    cdef vector[Instruction] instructions

    def __cinit__(self, str kind, n, pieces, loops):
        cdef Loop loop
        cdef Instruction it
        self.kind = ord(kind)
        self.n = n
        self.pieces = pieces
        for loop, inputs, outputs, constants in loops:
            it.loop = loop.any
            it.p, it.q = constants
            for i in range(3):
                it.inputs[i] = inputs[min(i, len(inputs) - 1)]
            for i in range(2):
                it.outputs[i] = outputs[min(i, len(outputs) - 1)]
            self.instructions.push_back(it)

    cpdef bint run(self, Workspace workspace) except -1:
        run_fused(self.instructions, self.kind, workspace.places.data(), self.pieces,
                  self.n)
        return True
