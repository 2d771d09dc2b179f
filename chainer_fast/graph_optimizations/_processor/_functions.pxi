# Functions without loops, run by a shortcut or by the graph engine. Part of plans.pyx.
# A workspace has a function object for each function with a shortcut. The graph engine
# applies other functions, and those whose shortcut declined, to separate variables.

#: Maximum number of inputs of a function with a shortcut in a workspace.
MOST_INPUTS = MAX_SHORTCUT_INPUTS


cdef object _gradient(Workspace workspace, value):
    return None if value is None else workspace.arrays[<int>value]


cdef class FunctionCall(Step):
    """Application of a function.

    Parameters
    ----------
    index : int
        Position of the function in a workspace.
    pristine : FunctionNode
        A copy of the function from before it was applied.
    inputs, outputs : tuple of int
        Values.
    flows : tuple of bool
        Whether the inputs get gradients.
    """
    cdef int index
    cdef object pristine
    cdef tuple inputs, outputs, flows
    cdef dict attributes

    def __cinit__(self, index, pristine, inputs, outputs, flows):
        self.index = index
        self.pristine = pristine
        self.inputs, self.outputs, self.flows = inputs, outputs, flows
        self.attributes = dict(vars(pristine))

    cpdef bint run(self, Workspace workspace) except -1:
        cdef FunctionBase function = workspace.functions[self.index]
        if function is not None:
            if self._run_shortcut(workspace, function):
                workspace.declined.discard(self.index)
                return True
            workspace.declined.add(self.index)
        self._run_engine(workspace)
        return True

    cdef bint _run_shortcut(
            self, Workspace workspace, FunctionBase function) except -1:
        """Apply the function of the workspace; return False if it declines."""
        cdef Shortcut shortcut = shortcut_of(function)
        cdef PyObject *arrays[MAX_SHORTCUT_INPUTS]
        cdef VariableNodeBase node
        cdef Py_ssize_t i, n = len(self.inputs)
        if shortcut is None:
            return False
        own = vars(function)
        own.clear()
        own.update(self.attributes)
        for i in range(n):
            arrays[i] = <PyObject *>workspace.arrays[<int>self.inputs[i]]
        array = shortcut.forward(function, arrays, n)
        if array is None:
            return False
        self._put(workspace, 0, array)
        function._input_indexes_to_retain = shortcut.traits.retain_inputs
        function._output_indexes_to_retain = shortcut.traits.retain_outputs
        if shortcut.traits.retain_inputs is not None:
            for i in shortcut.traits.retain_inputs:
                node = <VariableNodeBase>function.input_nodes[i]
                node.array = <object>arrays[i]
        if shortcut.traits.retain_outputs is not None:
            function.kept_outputs = array
        return True

    cdef int _run_engine(self, Workspace workspace) except -1:
        cdef Py_ssize_t i
        cdef list variables = []
        cdef tuple outputs
        function = self._copy()
        for i in range(len(self.inputs)):
            variables.append(new_variable(
                workspace.arrays[<int>self.inputs[i]], self.flows[i]))
        outputs = function.apply(tuple(variables))
        workspace.fallbacks[self.index] = function, outputs
        for i in range(len(self.outputs)):
            self._put(workspace, i, (<VariableBase?>outputs[i]).arr)
        return 0

    cdef int _put(self, Workspace workspace, Py_ssize_t i, object array) except -1:
        if not workspace.put(<int>self.outputs[i], array):
            raise NotStatic('%s has another result' % self.pristine.label)
        return 0

    cdef object _copy(self):
        """Return a function that has not been applied."""
        cdef object cls = type(self.pristine)
        if cls.__reduce__ is not FunctionBase.__reduce__ or hasattr(cls, '__copy__'):
            return copy.copy(self.pristine)
        function = cls.__new__(cls)
        own = vars(self.pristine)
        if own:
            vars(function).update(own)
        return function


cdef class FunctionGradient(Step):
    """Gradients of a function.

    Parameters
    ----------
    index : int
        Position of the function in a workspace.
    label : str
        Name in messages.
    grads : list of (int or None)
        Values that are the gradients of the outputs.
    targets : list of int
        Inputs whose gradients are requested.
    found : list of int
        Values that become these gradients.
    """
    cdef int index
    cdef str label
    cdef list grads, found
    cdef tuple targets

    def __cinit__(self, index, label, grads, targets, found):
        self.index, self.label = index, label
        self.grads, self.targets, self.found = list(grads), tuple(targets), found

    cpdef bint run(self, Workspace workspace) except -1:
        cdef FunctionBase function = workspace.functions[self.index]
        cdef PyObject *few[MAX_SHORTCUT_INPUTS]
        cdef vector[PyObject *] many
        cdef PyObject **room = few
        cdef bint done
        if function is not None and self.index not in workspace.declined:
            done = self._run_shortcut(workspace, function, room)
        else:
            function = <FunctionBase>workspace.fallbacks[self.index][0]
            if len(function.input_nodes) > MAX_SHORTCUT_INPUTS:
                many.resize(len(function.input_nodes))
                room = many.data()
            done = not function.lazy_grad_sum and self._run_shortcut(
                workspace, function, room)
        if not done:
            self._run_engine(workspace, function)
        return True

    cdef bint _run_shortcut(self, Workspace workspace, FunctionBase function,
                            PyObject **found) except -1:
        """Differentiate by the shortcut; return False if it declines.

        The buffers have room for gradients of all inputs.
        """
        cdef Shortcut shortcut = shortcut_of(function)
        cdef Py_ssize_t i, n = len(function.input_nodes)
        if shortcut is None:
            return False
        if len(self.grads) == 1:
            gy = _gradient(workspace, self.grads[0])
        else:
            gy = tuple([_gradient(workspace, value) for value in self.grads])
        for i in range(n):
            found[i] = NULL
        try:
            if not shortcut.backward(function, gy, found):
                return False
            for i in range(len(self.found)):
                if found[<int>self.targets[i]] is NULL or (
                        not workspace.put_gradient(
                            <int>self.found[i],
                            placed(<object>found[<int>self.targets[i]]))):
                    raise NotStatic('%s has no gradient, or another' % self.label)
        finally:
            for i in range(n):
                Py_XDECREF(found[i])
        return True

    cdef int _run_engine(self, Workspace workspace, FunctionBase function) except -1:
        cdef Py_ssize_t i
        cdef list grads = [_gradient(workspace, value) for value in self.grads]
        variables = tuple([
            None if array is None else new_variable(array, False) for array in grads])
        sums = {node: [] for node in function.input_nodes}
        if current().enable_backprop:
            with using_config('enable_backprop', False):
                backprop_step(function, self.targets, variables, sums, False)
        else:
            backprop_step(function, self.targets, variables, sums, False)
        for i in range(len(self.found)):
            found = sums[function.input_nodes[<Py_ssize_t>self.targets[i]]]
            gradient = as_grad_array(found[0]) if found else None
            if gradient is None or not workspace.put(<int>self.found[i], gradient):
                raise NotStatic('%s has no gradient, or another' % self.label)
        return 0
