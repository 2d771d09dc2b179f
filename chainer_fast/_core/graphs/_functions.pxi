# Functions and their application. Part of graph.pyx.

cdef VariableNodeBase lone_output(FunctionBase function):
    """Return the node of the only output; None if it is gone or one of several."""
    if function.bits.output_kind != LONE_OUTPUT or function.output is NULL or is_going(
            function.output):
        return None
    return <VariableNodeBase>function.output


cdef list nodes_of_outputs(FunctionBase function):
    """Return the nodes of the outputs, None for those that are gone."""
    if function.bits.output_kind == LONE_OUTPUT:
        return [lone_output(function)]
    return [reference() for reference in function.outputs]


cdef int _forget_output(FunctionBase function) noexcept:
    cdef PyObject *old = function.output
    function.output = NULL
    if old is NULL:
        return 0
    if function.bits.output_kind == LONE_OUTPUT:
        (<VariableNodeBase>old).creator_ptr = NULL
    else:
        Py_DECREF(<object>old)
    return 0


cdef int _set_lone_output(FunctionBase function, VariableNodeBase node) except -1:
    """Link a function to its only output, and that output to the function."""
    if function.output is not NULL:
        _forget_output(function)
    function.output = <PyObject *>node
    function.bits.output_kind = LONE_OUTPUT
    node.creator_ptr = <PyObject *>function
    return 0


cdef int _set_references(FunctionBase function, object references) except -1:
    """Link a function to its outputs by a tuple of weak references, or None."""
    _forget_output(function)
    function.bits.output_kind = NO_OUTPUT
    if references is not None:
        Py_INCREF(references)
        function.output = <PyObject *>references
        function.bits.output_kind = OUTPUT_REFERENCES
    return 0


cdef object own_attribute(FunctionBase function, str name):
    """Return an entry of the instance dictionary, or None."""
    cdef PyObject *own = instance_dict(function)
    cdef PyObject *found
    if own is NULL:
        return None
    found = entry_of(<object>own, name)
    return None if found is NULL else <object>found


cdef object hooks_of(FunctionBase function, ThreadState state):
    """Return the hooks that see a function, by name; None if there are none."""
    hooks = state.function_hooks if PyDict_Size(state.function_hooks) > 0 else None
    own = own_attribute(function, '_local_function_hooks')
    if own:
        return {**hooks, **own} if hooks is not None else dict(own)
    return hooks


cdef FunctionBase new_function(object cls):
    """Return an instance of a class of functions that needs no arguments."""
    return <FunctionBase>cf_allocate(cls, _NO_ARGS)


cdef class FunctionBase:
    # The first lines are what ``inspect.signature`` reads.
    """FunctionBase()
--

    Compiled base of :class:`chainer_fast.FunctionNode`: its place in the graph.
    """

    def __cinit__(self):
        drop_instance_dict(self)

    def __dealloc__(self):
        _forget_output(self)

    @property
    def inputs(self):
        """Nodes of the input variables, a tuple; None before the function is applied.
        """
        return self.input_nodes

    @inputs.setter
    def inputs(self, nodes):
        self.input_nodes = nodes

    @property
    def outputs(self):
        """Weak references to the output nodes, a tuple; None before it is applied."""
        if self.bits.output_kind == NO_OUTPUT:
            return None
        if self.bits.output_kind == OUTPUT_REFERENCES:
            return <object>self.output
        node = lone_output(self)
        return (_gone if node is None else weakref.ref(node),)

    @outputs.setter
    def outputs(self, references):
        _set_references(self, references)

    @property
    def rank(self):
        """Highest rank of the inputs."""
        return self.rank_of.get()

    @rank.setter
    def rank(self, rank):
        _set_rank(&self.rank_of, rank)

    @property
    def _retained_output_data(self):
        if self.kept_outputs is None or isinstance(self.kept_outputs, tuple):
            return self.kept_outputs
        return self.kept_outputs,

    @_retained_output_data.setter
    def _retained_output_data(self, arrays):
        self.kept_outputs = arrays

    def get_retained_inputs(self):
        """Return the retained inputs as a tuple of variables.

        Returns
        -------
        tuple of Variable
            In the order given to :meth:`retain_inputs`; empty if none is retained.
        """
        indexes = self._input_indexes_to_retain
        if indexes is None or self.input_nodes is None:
            return ()
        nodes = self.input_nodes
        return tuple([_retained(nodes[i]) for i in indexes])

    def get_retained_outputs(self):
        """Return the retained outputs as a tuple of variables.

        An output that has been released is created again and put back in its place in
        the graph, so that a second differentiation passes through it.

        Returns
        -------
        tuple of Variable
            In the order given to :meth:`retain_outputs`; empty if none is retained.
        """
        cdef VariableNodeBase node
        cdef VariableBase variable
        indexes = self._output_indexes_to_retain
        if indexes is None or self.input_nodes is None:
            return ()
        refs = list(self.outputs)
        found = []
        for index, array in zip(indexes, self._retained_output_data):
            node = refs[index]()
            if array is None:
                found.append(None)
                continue
            if node is None:
                variable = new_variable(
                    array, any([x.requires_grad for x in self.input_nodes]))
                node = _set_output(self, variable)
                node.array = array
                refs[index] = weakref.ref(node)
                self.outputs = tuple(refs)
            else:
                variable = node.get_variable()
            found.append(variable)
        return tuple(found)

    def apply(self, inputs):
        """Compute the outputs and put the function in the graph.

        Parameters
        ----------
        inputs : tuple of Variable or array
            An array means a variable that requires no gradient.

        Returns
        -------
        tuple of Variable
            The outputs. They require gradients if any input does.

        Raises
        ------
        TypeError
            If the arrays are of several kinds, or ``forward`` returns anything but a
            tuple of arrays.
        chainer_fast.utils.type_check.InvalidType
            If ``check_type_forward`` refuses the inputs.
        RuntimeError
            In debug mode, if an output holds NaN.
        """
        cdef ThreadState state = current()
        if type(inputs) is list:
            inputs = tuple(inputs)
        if type(inputs) is tuple and PyTuple_GET_SIZE(inputs) > 0:
            y = apply_shortcut(
                self, PySequence_Fast_ITEMS(inputs), PyTuple_GET_SIZE(inputs), state)
            if y is not None:
                return y if PyTuple_CheckExact(y) else (y,)
        return _apply_general(self, inputs, state)

    def __reduce__(self):
        if self.input_nodes is not None:
            raise TypeError(
                'a function that is part of a graph cannot be pickled or copied: '
                'make a new %s and apply it' % type(self).__name__)
        return copyreg.__newobj__, (type(self),), vars(self) or None


cdef object _retained(VariableNodeBase node):
    """Return the variable of a retained input; None if its array is None."""
    variable = node.get_variable()
    return None if (<VariableBase>variable).arr is None else variable


cdef int _set_inputs(
        FunctionBase function, tuple nodes, ThreadState state) except -1:
    """Put a computed function in the graph, behind its inputs."""
    cdef int64_t rank = 0
    cdef Py_ssize_t i
    for i in range(PyTuple_GET_SIZE(nodes)):
        rank = max(rank, (<VariableNodeBase>PyTuple_GET_ITEM(nodes, i)).rank_of.get())
    function.input_nodes = nodes
    function.rank_of.set(rank)
    function.lazy_grad_sum = state.lazy_grad_sum
    return 0


cdef VariableNodeBase _set_output(FunctionBase function, VariableBase variable):
    """Put an output behind its function; return its node."""
    cdef VariableNodeBase node = node_of(variable)
    node.creator_base = function
    node.rank_of.set(function.rank_of.get() + 1)
    return node


cdef int _chain(FunctionBase function, list variables, tuple outputs,
                ThreadState state) except -1:
    """Put a computed function in the graph."""
    cdef VariableBase variable
    _set_inputs(function, tuple([node_of(variable) for variable in variables]), state)
    nodes = [_set_output(function, variable) for variable in outputs]
    if len(nodes) == 1:
        _set_lone_output(function, nodes[0])
    else:
        _set_references(function, tuple([weakref.ref(node) for node in nodes]))
    if function._input_indexes_to_retain is not None:
        for index in function._input_indexes_to_retain:
            variable = variables[index]
            node_of(variable).array = variable.arr
    if function._output_indexes_to_retain is not None:
        kept = []
        for index in function._output_indexes_to_retain:
            variable = outputs[index]
            node_of(variable).array = variable.arr
            kept.append(variable.arr)
        function.kept_outputs = tuple(kept)
    return 0


cdef bint on_host(tuple arrays) noexcept:
    """Return whether all arrays are plain NumPy arrays or None."""
    cdef Py_ssize_t i
    cdef object array
    for i in range(PyTuple_GET_SIZE(arrays)):
        array = <object>PyTuple_GET_ITEM(arrays, i)
        if array is not None and not PyArray_CheckExact(array):
            return False
    return True


cdef object _forward(FunctionBase function, tuple arrays, ThreadState state):
    if state.static_graph:
        return _run_static(function, arrays)
    return function.forward(arrays)


cdef object _forward_on_device(
        FunctionBase function, tuple arrays, ThreadState state):
    cdef int device = device_in_use(arrays)
    scope = None if device >= 0 else _device_scope(arrays)
    if scope is not None:
        with scope:
            return _forward(function, arrays, state)
    try:
        return _forward(function, arrays, state)
    finally:
        # Unless the function itself has changed it, this is a look at a number.
        if device >= 0:
            use_again(device)


cdef tuple _compute(FunctionBase function, tuple arrays, ThreadState state):
    """Run ``forward``, on the device of the arrays."""
    if on_host(arrays):
        outputs = _forward(function, arrays, state)
    else:
        outputs = _forward_on_device(function, arrays, state)
    if not isinstance(outputs, tuple):
        raise TypeError(
            'forward output must be a tuple (%s)\nActual: %s'
            % (function.label, type(outputs)))
    # A subclass of tuple, such as a named tuple, becomes a plain tuple.
    return outputs if type(outputs) is tuple else tuple(list(outputs))


cdef int _check_outputs(FunctionBase function, tuple outputs) except -1:
    for array in outputs:
        if not PyArray_CheckExact(array):
            break
    else:
        return 0
    if all_on_devices(outputs):
        return 0
    for array in outputs:
        if array is not None and not _accepts_array(array):
            raise TypeError(
                'forward output must be a tuple of ndarrays.\n'
                'Function: %s\nActual output types: %s'
                % (function.label, tuple([type(a) for a in outputs])))
    if not _compatible(outputs):
        raise TypeError(
            'incompatible array types are mixed in the forward output (%s).\n'
            'Actual: %s'
            % (function.label, ', '.join([str(type(a)) for a in outputs])))
    return 0


cdef tuple _compute_observed(
        FunctionBase function, tuple arrays, ThreadState state):
    """Run ``forward`` with checks, hooks and debug mode."""
    if state.debug:
        function.stack = traceback.extract_stack()
    if state.type_check:
        function._check_data_type_forward(arrays)
    hooks = hooks_of(function, state)
    if hooks is not None:
        for hook in list(hooks.values()):
            hook.forward_preprocess(function, arrays)
    function._input_indexes_to_retain = None
    function._output_indexes_to_retain = None
    function._input_count = len(arrays)
    outputs = _compute(function, arrays, state)
    _check_outputs(function, outputs)
    if hooks is not None:
        for hook in list(hooks.values()):
            hook.forward_postprocess(function, arrays)
    if state.debug:
        for array in outputs:
            if array is not None and _has_nan(array):
                raise RuntimeError(
                    'NaN is detected on forward computation of %s' % function.label)
    function._output_count = len(outputs)
    return outputs


cdef tuple _apply_general(FunctionBase function, inputs, ThreadState state):
    """Apply a function with checks of its inputs, and layouts."""
    cdef VariableBase variable
    cdef bint requires_grad = False
    cdef bint plain = True
    cdef bint layouts = False
    variables = []
    for x in inputs:
        if isinstance(x, VariableBase):
            variable = <VariableBase>x
            requires_grad = requires_grad or variable._requires_grad
            layouts = layouts or variable._layout is not None
            array = variable.arr
        else:
            variable = None
            array = x
        if not PyArray_CheckExact(array):
            plain = False
            if is_wrapper(array):
                return _apply_to_wrappers(function, tuple(inputs))
            if array is not None and not is_on_device(array) and (
                    not _accepts_array(array)):
                raise TypeError(
                    'incompatible array types are mixed in the forward input (%s).\n'
                    'Actual: %s%s' % (
                        function.label, type(x), _cure_of_mixture([x])))
            if variable is None:
                x = _not_a_matrix(x)
        variables.append(new_variable(x, False) if variable is None else variable)
    arrays = tuple([(<VariableBase>v).arr for v in variables])
    if not plain and not all_on_devices(arrays) and not _compatible(arrays):
        raise TypeError(
            'incompatible array types are mixed in the forward input (%s).\n'
            'Actual: %s%s'
            % (function.label, ', '.join([str(type(a)) for a in arrays]),
               _cure_of_mixture(arrays)))
    if layouts:
        function._note_input_layouts(variables)
    results = tuple([
        new_variable(array, requires_grad)
        for array in _compute_observed(function, arrays, state)])
    layouts_out = function._output_layouts
    if layouts_out is not None:
        for variable, layout in zip(results, layouts_out):
            variable._layout = layout
    # The configuration may have been changed by forward itself.
    if current().enable_backprop:
        _chain(function, variables, results, state)
    return results
