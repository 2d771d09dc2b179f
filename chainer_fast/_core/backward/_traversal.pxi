# The loop. Part of backprop.pyx.

cdef class Traversal:
    """One backward pass over a graph.

    ``wanted`` restricts it to paths that lead to certain nodes; without it, every node
    that requires a gradient gets one.  ``keep`` are nodes whose gradients stay in the
    table when they have been passed.
    """
    cdef GradTable table
    cdef CandidateHeap heap
    cdef ThreadState state
    cdef set wanted
    cdef set keep
    cdef dict leaves                     # leaf nodes, in the order they were reached
    cdef list taken                      # what to put back after a failure
    cdef bint retain_grad
    cdef bint plain                      # shortcuts may be used

    def __cinit__(self, GradTable table, bint retain_grad, bint double_backprop):
        self.table = table
        self.heap = CandidateHeap()
        self.state = current()
        self.leaves = {}
        self.taken = []
        self.retain_grad = retain_grad
        self.plain = not (double_backprop or self.state.debug)

    cdef int run(self) except -1:
        """Visit the candidate functions until none is left."""
        cdef FunctionBase function
        cdef tuple targets
        while True:
            function = self.heap.pop()
            if function is None:
                return 0
            # Hooks may come and go while functions are visited.
            if self.plain and self.wanted is None and (
                    PyDict_Size(self.state.function_hooks) == 0) and (
                        self._short(function)):
                continue
            targets = self._targets(function)
            outputs = nodes_of_outputs(function)
            gradients = tuple([
                None if node is None else self._pass(node) for node in outputs])
            if targets:
                self._step(function, targets, gradients)
            if self.retain_grad and (targets or self.wanted is not None):
                for node, gradient in zip(outputs, gradients):
                    if node is not None:
                        self._retain(node, gradient)

    cdef tuple _targets(self, FunctionBase function):
        cdef VariableNodeBase node
        cdef Py_ssize_t i = 0
        indexes = []
        if function.input_nodes is None:
            return ()
        for node in function.input_nodes:
            if node.needs_grad if self.wanted is None else node in self.wanted:
                indexes.append(i)
            i += 1
        return tuple(indexes)

    cdef object _pass(self, VariableNodeBase node):
        """Take the gradient of an output, which is complete by now."""
        if node.creator_base is None:
            return None
        if self.keep is not None and node in self.keep:
            return as_grad_variable(self.table.peek(node))
        if self.table.accumulate_grad_inputs and (
                self.table.gradients.find(<PyObject *>node) is NULL):
            return self._pass_own(node)
        return as_grad_variable(self.table.take(node))

    cdef object _pass_own(self, VariableNodeBase node):
        """Take the gradient that the variable of an output has been given by the user.

        It counts for outputs that backpropagation does not reach: only some outputs of
        a function may lead to where it starts.
        """
        cdef VariableBase variable = variable_of(node)
        if variable is None or variable.grad_arr is None:
            return None
        given = gradient_of(variable)
        self.taken.append(taken_from(variable))
        put_grad(variable, None, None)
        return as_grad_variable(given)

    cdef int _retain(self, VariableNodeBase node, VariableBase gradient) except -1:
        cdef VariableBase variable = variable_of(node)
        if variable is not None:
            give_gradient(variable, gradient)
        return 0

    cdef int _short(self, FunctionBase function) except -1:
        """Differentiate a function by its shortcut; return 0 if it is not plain."""
        cdef Shortcut shortcut = shortcut_of(function)
        cdef VariableNodeBase output = None
        cdef list outputs = None         # of a function that has several
        cdef PyObject *few[MAX_SHORTCUT_INPUTS]
        cdef PyObject **found = few
        cdef vector[PyObject *] many
        cdef Py_ssize_t i, n
        cdef object gradient
        cdef int done
        if shortcut is None or function.input_nodes is None or function.lazy_grad_sum:
            return 0
        if function._output_count > 1 and (
                function.bits.output_kind == OUTPUT_REFERENCES):
            outputs = nodes_of_outputs(function)
            gradient = self._peek_all(function, outputs)
        else:
            output = lone_output(function)
            gradient = self._peek(function, output, shortcut.traits.serves_devices)
        if gradient is None:
            return 0
        n = PyTuple_GET_SIZE(function.input_nodes)
        if n > MAX_SHORTCUT_INPUTS:
            many.resize(n)
            found = many.data()
        for i in range(n):
            found[i] = NULL
        try:
            if outputs is None and not PyArray_CheckExact(gradient):
                done = shortcut.backward_on_device(function, gradient, found)
            else:
                if outputs is None and shortcut.traits.takes_factors:
                    self._offer(function, gradient, found)
                done = shortcut.backward(function, gradient, found)
                if not done and shortcut.traits.in_single:
                    done = backward_in_single(
                        shortcut, function, gradient, found, n)
            if not done:
                return 0
            gradient = None
            if outputs is None:
                self._finish(output)
            else:
                for output in outputs:
                    self._finish(output)
            self._add(function, found)
        finally:
            for i in range(n):
                Py_XDECREF(found[i])
        return 1

    cdef object _peek(
            self, FunctionBase function, VariableNodeBase output, bint on_devices):
        """Return the gradient of the only output as an array; None if it is not plain.
        """
        cdef object gradient
        if output is None or output.creator_base is not function or (
                not output.needs_grad):
            return None
        gradient = as_grad_array(self.table.peek(output))
        if PyArray_CheckExact(gradient) or on_devices and is_on_device(gradient):
            return gradient
        return None

    cdef tuple _peek_all(self, FunctionBase function, list outputs):
        """Return those of several outputs, None for some; they are on the processor."""
        cdef VariableNodeBase node
        cdef VariableBase variable
        cdef list gradients = []
        cdef bint reached = False
        cdef object gradient
        for node in outputs:
            gradient = None
            if node is not None and node.creator_base is not None:
                if node.creator_base is not function or not node.needs_grad:
                    return None
                gradient = as_grad_array(self.table.peek(node))
                if gradient is None:
                    # The user may have given one to this variable.
                    variable = variable_of(node)
                    if variable is not None and variable.grad_arr is not None:
                        return None
                elif PyArray_CheckExact(gradient):
                    reached = True
                else:
                    return None
            gradients.append(gradient)
        return tuple(gradients) if reached else None

    cdef int _finish(self, VariableNodeBase output) except -1:
        """Take the gradient of an output out of the table, and let others keep it."""
        if output is None:
            return 0
        given = None if output.creator_base is None else self.table.take(output)
        if self.retain_grad:
            self._retain(output, as_grad_variable(given))
        return 0

    cdef int _offer(
            self, FunctionBase function, object gradient, PyObject **found) except -1:
        """Let a shortcut add a product to the sum that the second input has so far."""
        cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[1]
        if node.needs_grad and PyArray_NDIM(<np.ndarray>gradient) == 2:
            factors = self.table.factors(node, PyArray_DIM(<np.ndarray>gradient, 0))
            if factors is not None:
                Py_INCREF(factors)
                found[1] = <PyObject *>factors
        return 0

    cdef inline int _add(self, FunctionBase function, PyObject **found) except -1:
        """Add what a shortcut has found to the gradients of the inputs."""
        cdef VariableNodeBase node
        cdef object gradient
        cdef Py_ssize_t i
        for i in range(PyTuple_GET_SIZE(function.input_nodes)):
            node = <VariableNodeBase>PyTuple_GET_ITEM(function.input_nodes, i)
            if found[i] is not NULL and node.needs_grad:
                if not PyArray_CheckExact(<object>found[i]) and (
                        takes_factors(<object>found[i])):
                    self._reach(node)       # it is in the table
                    continue
                if node.creator_base is None:
                    check_old_style(node)
                    _check_leaf(function, node, <object>found[i])
                # The table's reference is the only one from here on.
                gradient = <object>found[i]
                Py_XDECREF(found[i])
                found[i] = NULL
                self.table.add(node, gradient)
                gradient = None
                self._reach(node)
        return 0

    cdef int _step(self, FunctionBase function, tuple targets,
                   tuple gradients) except -1:
        """Differentiate a function by its own methods, with hooks and checks."""
        cdef VariableNodeBase node
        cdef dict found = {}
        cdef tuple nodes = function.input_nodes
        data = tuple([(<VariableNodeBase>n).array for n in nodes])
        arrays = tuple([as_grad_array(g) for g in gradients])
        hooks = hooks_of(function, self.state)
        for i in targets:
            node = nodes[i]
            if node not in found:
                if node.creator_base is None:
                    check_old_style(node)
                found[node] = self.table.as_list(node)
        if hooks is not None:
            for hook in list(hooks.values()):
                hook.backward_preprocess(function, data, arrays)
        if on_host(data) and on_host(arrays):
            backprop_step(function, targets, gradients, found, self.state.debug)
        else:
            self._step_on_device(function, targets, gradients, found, data + arrays)
        if hooks is not None:
            for hook in list(hooks.values()):
                hook.backward_postprocess(function, data, arrays)
        for node, sums in found.items():
            if not sums:
                continue
            # Gradients that are asked for are returned as they are; a variable that is
            # to keep one checks it.
            if node.creator_base is None and self.wanted is None:
                for gradient in sums:
                    _check_leaf(function, node, as_grad_array(gradient))
            self._reach(node)
        return 0

    cdef int _step_on_device(
            self, FunctionBase function, tuple targets, tuple gradients, dict found,
            tuple arrays) except -1:
        """Differentiate a function on the GPU of the first array that is on one."""
        cdef int device = device_in_use(arrays)
        scope = None if device >= 0 else _device_scope(arrays)
        if scope is not None:
            with scope:
                backprop_step(function, targets, gradients, found, self.state.debug)
            return 0
        try:
            backprop_step(function, targets, gradients, found, self.state.debug)
        finally:
            if device >= 0:
                use_again(device)
        return 0

    cdef int _reach(self, VariableNodeBase node) except -1:
        if node.creator_base is None:
            self.leaves[node] = True
        else:
            self.heap.push(node.creator_base)
        return 0

    cdef int set_leaves(self, loss_scale) except -1:
        """Give the leaves their gradients, now that nothing can fail any more."""
        cdef VariableNodeBase node
        cdef VariableBase variable
        for node in self.leaves:
            gradient = self.table.take(node)
            variable = variable_of(node)
            if variable is not None:
                give_gradient(variable, gradient)
                variable._loss_scale = loss_scale
        return 0
