# Elementwise loops, fused. Part of plans.pyx.

cdef class FusedLoops(Step):
    """Elementwise loops over arrays of one size and type.

    Parameters
    ----------
    kind : str
        ``'f'`` or ``'d'``.
    n : int
        Number of elements.
    pieces : dict of int to int
        Values of which only a piece exists at a time, and its number.
    loops : sequence of (Loop, tuple of int, tuple of int, tuple of float)
        Loops with the values that they read and write, and their constants. A value
        after those that a loop takes is added to its result.
    """
    cdef char kind
    cdef Py_ssize_t n
    cdef Fused fused

    def __cinit__(self, str kind, n, dict pieces, loops):
        cdef Loop loop
        cdef Instruction it
        cdef dict places = {None: 0}
        self.kind = ord(kind)
        self.n = n
        self.fused.pieces = 1 + max(pieces.values(), default=-1)
        for loop, inputs, outputs, constants in loops:
            it.p, it.q = constants
            taken = [*inputs[:loop.arrays], *(None,) * (3 - loop.arrays)]
            if len(inputs) > loop.arrays:
                taken[2] = inputs[loop.arrays]
            for i in range(3):
                it.inputs[i] = self._place(places, pieces, taken[i])
            for i in range(2):
                it.outputs[i] = self._place(
                    places, pieces, outputs[i] if i < len(outputs) else None)
            self.fused.add(loop.any, it)

    cdef int _place(self, dict places, dict pieces, value) except -1:
        """Return the number of a value, or of None, among those of the loops."""
        if value not in places:
            if value in pieces:
                places[value] = 1 + pieces[value]
            else:
                self.fused.values.push_back(value)
                places[value] = <int>(self.fused.pieces + self.fused.values.size())
        return places[value]

    cpdef bint run(self, Workspace workspace) except -1:
        self.fused.run(self.kind, workspace.places.data(), self.n)
        return True
