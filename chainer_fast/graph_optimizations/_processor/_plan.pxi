# Plans, and the loop over their steps. Part of plans.pyx.

cdef object _on_line(np.ndarray buffer, template):
    """Return an array in a buffer; it begins where the processor reads at once."""
    start = LINE - <Py_ssize_t>PyArray_DATA(buffer) % LINE
    return buffer[start:start + template.nbytes].view(template.dtype).reshape(
        template.shape)


cdef class Plan:
    """Steps, and the memory that they use.

    Parameters
    ----------
    steps : list of Step
    fresh : list of int
        Values whose arrays are created in every run.
    kept : list of (int, int)
        Values whose arrays belong to the workspace, and the numbers of these arrays:
        later values use the memory of earlier ones.
    inner : set of int
        Values that have no arrays: only a piece exists at a time, or nothing.
    starts : list of list of int
        For each step, the values whose arrays are created for it.
    drops : list of list of int
        For each step, the values that are not needed after it, among those whose
        arrays are created for steps, or by them.
    made : list of int
        All values whose arrays are created for steps, or by them.
    needs : list of int
        Values that must exist before the first step.
    checks : list of list of int
        For each step, the values that functions called by earlier steps may have
        resized.
    calls : bool
        Whether steps call functions.
    """
    cdef list steps
    cdef list fresh
    cdef list kept
    cdef set inner
    cdef list starts
    cdef list drops
    cdef list made
    cdef vector[int] needs
    cdef vector[vector[int]] checks
    cdef bint calls

    def __cinit__(self, steps, fresh, kept, inner, starts, drops, made, needs, checks,
                  calls):
        self.needs = needs
        self.checks = checks
        self.calls = calls
        self.starts = starts
        self.drops = drops
        self.made = made
        self.steps = steps
        self.fresh = fresh
        self.kept = kept
        self.inner = inner

    cdef int _prepare(self, Workspace workspace) except -1:
        cdef int value
        cdef Py_ssize_t at
        workspace._grow()
        places = {}
        for value, at in self.kept:
            template = workspace.templates[value]
            if at not in places:
                places[at] = len(workspace.buffers)
                workspace.buffers.append(
                    numpy.empty(template.nbytes + LINE, numpy.int8))
                workspace.views.push_back(0)
            at = places[at]
            workspace.make(value, _on_line(workspace.buffers[at], template))
            workspace.views[at] += 1
            workspace.kept.push_back(value)
        workspace.inner |= self.inner
        workspace.others = set(range(len(workspace.arrays))).difference(
            workspace.kept, workspace.inner)
        workspace.calls |= self.calls
        workspace.prepared.add(self)
        workspace.leaving += self.fresh + self.made
        return 0

    cpdef bint run(self, Workspace workspace) except -1:
        """Run the steps.

        Returns
        -------
        bool
            False if the call must be repeated without the plan, as a loop has raised
            a floating-point flag for which NumPy would warn.
        """
        cdef Step step
        cdef Py_ssize_t i
        cdef int value
        cdef int flags = 0
        if self not in workspace.prepared:
            self._prepare(workspace)
        if not workspace._are_intact(workspace.others):
            return False
        for value in self.needs:
            if workspace.places[value] == NULL and (
                    workspace.arrays[value] is None):
                raise NotStatic('value %d, which a plan reads, is missing' % value)
        for value in self.fresh:
            workspace.make(value, empty_like(workspace.templates[value]))
        clear_float_errors()
        for i in range(len(self.steps)):
            step = <Step>self.steps[i]
            if self.starts[i] is not None:
                for value in <list>self.starts[i]:
                    workspace.make(value, empty_like(workspace.templates[value]))
            if not self.checks[i].empty() and (
                    not workspace._are_intact(self.checks[i])):
                return False
            if type(step) is FusedLoops:
                step.run(workspace)
                flags |= float_errors()
            elif step.run(workspace):
                clear_float_errors()
            else:
                return False
            if self.drops[i] is not None:
                for value in <list>self.drops[i]:
                    workspace.arrays[value] = None
        return flags == 0
