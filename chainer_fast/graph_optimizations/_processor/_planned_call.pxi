# Calls that plans make, forward and backward. Part of plans.pyx.

cdef enum:
    LIMIT = 16      # workspaces for the next call

cdef enum:
    LEASE           # the field of the function


cdef class PlannedCallBase(RepeatedCall):
    """A recorded call that a plan makes."""
    cdef public list params_grad        # whether they require gradients
    cdef public Slots slots             # attributes of links, some of which are inputs
    cdef public list input_values       # those of arguments, then those of slots
    cdef public list param_values
    cdef public list leaves             # variables with gradients, as values
    cdef public list sources            # their positions: inputs first, then parameters
    cdef public list seeds              # outputs with gradients, as values
    cdef public list updated            # arrays that functions change in place
    cdef public Plan plan
    cdef public list workspaces         # workspaces for the next call
    cdef public set lent                # workspaces held by calls in graphs
    cdef public bint is_one_variable    # result of the call; nothing else is set
    cdef public type node_class
    cdef public object get_random_state     # None if no random numbers are drawn
    cdef public object set_random_state
    cdef public object full             # plan, seeds and results of all gradients
    cdef public object refused              # why no more calls are made, or None

    cpdef object repeat(self, args, kwargs):
        cdef list inputs = []
        cdef VariableBase param
        cdef Py_ssize_t i
        cdef Workspace workspace
        if self.refused is not None or not self.is_same(args, kwargs, inputs) or (
                not self.slots.fit(inputs)):
            return MISS
        for i in range(len(self.params)):
            param = <VariableBase>self.params[i]
            if param._requires_grad != <bint>self.params_grad[i]:
                return MISS
        workspace = self.workspaces.pop() if self.workspaces else self.new_workspace()
        if not self._fill(workspace, inputs):
            self.take_back(workspace)
            return MISS
        before = self._before()
        try:
            if not self.plan.run(workspace):
                self._restore(before)
                return MISS
        except NotStatic:
            self._restore(before)
            raise
        except Exception:
            # The code raises it again, with its own effects on links.
            self._restore(before)
            return MISS
        if self.is_one_variable:
            return self.apply(workspace, inputs, before)[0]
        return self.finish(workspace, inputs, before)

    cdef bint _fill(self, Workspace workspace, list inputs) except -1:
        """Set the arrays of parameters and inputs; return whether they match."""
        cdef Py_ssize_t i
        cdef bint fits = True
        workspace._grow()
        for i in range(len(self.params)):
            fits &= workspace.put(
                <int>self.param_values[i], (<VariableBase>self.params[i]).arr)
        for i in range(len(inputs)):
            array = inputs[i]
            if isinstance(array, VariableBase):
                array = (<VariableBase>array).arr
            fits &= workspace.put(<int>self.input_values[i], array)
        return fits

    cpdef list run_backward(self, Workspace workspace, tuple planned, list grads):
        """Return gradients computed by a plan, or None if it cannot compute them.

        Parameters
        ----------
        workspace : Workspace
            The workspace of the call.
        planned : tuple
            The plan, the values that it receives, and those that it computes, or
            None.
        grads : list of array
            Gradients of the outputs, which the plan receives.
        """
        cdef Plan plan = planned[0]
        cdef list values = planned[1], found = []
        cdef Py_ssize_t i
        workspace._grow()
        for i in range(len(grads)):
            if not workspace.put(<int>values[i], grads[i]):
                return None
        try:
            if not plan.run(workspace):
                return None
        except NotStatic as error:
            self.refused = str(error)
            return None
        for value in <list>planned[2]:
            found.append(None if value is None else workspace.result(<int>value))
        return found

    cpdef take_back(self, Workspace workspace):
        """Let the next call use a workspace if nothing else references it."""
        if workspace.forget() and len(self.workspaces) < LIMIT:
            self.workspaces.append(workspace)

    cdef tuple _before(self):
        """Return the random state if it is used, and copies of updated arrays."""
        if self.get_random_state is None and len(self.updated) == 0:
            return None
        return (
            None if self.get_random_state is None else self.get_random_state(),
            [PyArray_NewCopy(array, np.NPY_KEEPORDER) for array in self.updated])

    cdef int _restore(self, tuple before) except -1:
        if before is None:
            return 0
        if before[0] is not None:
            self.set_random_state(before[0])
        for array, copy in zip(self.updated, before[1]):
            array[...] = copy
        return 0

    cpdef tuple apply(self, Workspace workspace, list inputs, object before):
        """Add a call to the graph, and return its outputs with gradients."""
        cdef Py_ssize_t i, n = len(inputs)
        cdef Lease lease = Lease.__new__(Lease)
        cdef list variables = []
        node = self.node_class()
        for i in self.sources:
            variables.append(inputs[i] if i < n else self.params[i - n])
        lease.call, lease.workspace = self, workspace
        lease.inputs, lease.before = inputs, before
        self.lent.add(workspace)
        node.lease = lease
        return node.apply(tuple(variables))


@cython.no_gc_clear
cdef class Lease:
    """Held by a call in the graph; its workspace becomes free when it is released.

    That is when its memory is freed. A finalizer would be too early: the cycle
    collector runs those of all objects that it has found, and another finalizer may
    then resurrect them. The call also references lent workspaces, so that the collector
    does not clear one before it clears the holder of the lease.

    Attributes
    ----------
    call : PlannedCallBase
    workspace : Workspace
    inputs : list of Variable or array
    before : tuple or None
        State of NumPy's random numbers before the call, if it draws any, and arrays
        that functions have changed.
    """
    cdef readonly PlannedCallBase call
    cdef readonly Workspace workspace
    cdef readonly list inputs
    cdef readonly tuple before

    def __dealloc__(self):
        cdef PlannedCallBase call = self.call
        if call is None or call.lent is None or self.workspace not in call.lent:
            return      # the collector also clears the call
        call.lent.discard(self.workspace)
        # Only the reference of the lease remains.
        if not may_have_more_references(<PyObject *>self.workspace, 1):
            call.take_back(self.workspace)


cdef class PlanRunShortcut(Shortcut):
    """A call that has already been made."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef Lease lease = self.field(function, LEASE)
        cdef PlannedCallBase call = lease.call
        cdef Workspace workspace = lease.workspace
        if len(call.seeds) == 1:
            return workspace.result(<int>call.seeds[0])
        return tuple([workspace.result(<int>value) for value in call.seeds])

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef Lease lease = self.field(function, LEASE)
        cdef PlannedCallBase call = lease.call
        cdef Workspace workspace = lease.workspace
        cdef Py_ssize_t i
        cdef list found
        if call.full is None:
            return 0
        if type(gy) is tuple:
            found = call.backward(workspace, tuple(call.leaves), list(<tuple>gy))
        else:
            found = call.run_backward(workspace, call.full, [gy])
        if found is None:
            return 0
        for i in range(len(found)):
            if found[i] is not None:
                gx[i] = new_ref(found[i])
        return 1
