# The short way: application of a function by its shortcut. Part of graph.pyx.
#
# The shortcut of a class of functions with several outputs returns a tuple of arrays of
# NumPy from ``forward``, two at least, and gets a tuple in ``backward``: the gradients
# of these outputs, None for those that have none.


cdef class Shortcut:

    def __cinit__(self):
        self.traits = Traits()

    @property
    def marks(self):
        """What the engine has to know, one object for all that do one's work."""
        return self.traits

    @property
    def fields(self):
        """Names of the attributes of functions that compiled code reads and sets."""
        return self.traits.fields

    cdef object field(self, FunctionBase function, Py_ssize_t i):
        """Return an attribute of the instance, or None."""
        value = own_attribute(function, <str>self.traits.fields[i])
        return as_floats(value) if function.bits.in_single else value

    cdef int keep(self, FunctionBase function, Py_ssize_t i, object value) except -1:
        """Set an attribute, as the methods of the class would."""
        if function.bits.in_single and self.traits.rounds_fields:
            value = as_halves(value)
        setattr(function, self.traits.fields[i], value)
        return 0

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        return None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        return 0

    cdef object forward_on_device(
            self, FunctionBase function, PyObject **x, Py_ssize_t n):
        return None

    cdef int backward_on_device(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        return 0


cdef class _Declared:
    """A class of functions whose methods compiled code may take the place of."""
    cdef Methods methods
    cdef Shortcut shortcut
    cdef object plan


# Classes of functions to what is declared of them; a class derived from one of these,
# by a user say, is not among them and goes the general way.
cdef dict _declared = {}
cdef tuple _REPLACED = (
    'forward', 'forward_cpu', 'backward', 'backward_accumulate', 'check_type_forward',
    'apply', '_check_data_type_forward', '__init__')


def declare(cls, Shortcut shortcut=None, plan=None, tuple fields=None):
    """Give a class of functions compiled code that takes the place of its methods.

    Parameters
    ----------
    cls : type
        Class derived from FunctionNode. Only its direct instances take the code, and
        only while the methods of the class are the ones that it has now.
    shortcut : Shortcut, optional
        What the graph engine applies.
    plan : object, optional
        What adds the function to the plan of a static chain.
    fields : tuple of str, optional
        Attributes of instances that the shortcut reads and sets, in its order.
    """
    cdef _Declared entry = _declared.setdefault(cls, _Declared())
    entry.methods = Methods(cls, _REPLACED)
    entry.shortcut = shortcut if shortcut is not None else entry.shortcut
    entry.plan = plan if plan is not None else entry.plan
    if fields is not None:
        shortcut.traits.fields = fields


def plan_of(FunctionBase function not None):
    """Return what adds a function to the plan of a static chain.

    Returns
    -------
    object
        None if nothing was declared, or a method has been replaced since.
    """
    cdef _Declared entry = _declared.get(type(function))
    if entry is None or not entry.methods.held_by(function):
        return None
    return entry.plan


def classes_with_shortcuts():
    """Return the classes of functions that have a compiled shortcut.

    Returns
    -------
    list of type
    """
    return [cls for cls, entry in _declared.items()
            if (<_Declared>entry).shortcut is not None]


def registered(cls):
    """Return the shortcut of a class, and its methods by name as they have to be.

    Parameters
    ----------
    cls : type

    Returns
    -------
    tuple of (Shortcut, dict) or None
        None if the class has no shortcut.
    """
    cdef _Declared entry = _declared.get(cls)
    if entry is None or entry.shortcut is None:
        return None
    return entry.shortcut, dict(entry.methods.by_name)


# Earlier checks ensure that no object whose attributes these functions read is None;
# Cython's own checks would take time in each call.

@cython.nonecheck(False)
cdef Shortcut shortcut_of(FunctionBase function):
    """Return the shortcut of a function, or None if it has to go the general way."""
    cdef PyObject *found = PyDict_GetItemWithError(
        _declared, <object>Py_TYPE(function))
    cdef PyObject *own
    cdef _Declared entry
    if found is NULL:
        return None
    entry = <_Declared>found
    own = instance_dict(function)
    if own is not NULL and PyDict_Size(<object>own) > 0 and (
            entry.methods.replaced_in(<object>own)
            or PyDict_GetItemWithError(
                <object>own, '_local_function_hooks') is not NULL):
        return None
    return entry.shortcut if entry.methods.unchanged() else None


@cython.nonecheck(False)
cdef object apply_shortcut(
        FunctionBase function, PyObject **xs, Py_ssize_t n, ThreadState state):
    """Apply a function by its shortcut.

    Returns
    -------
    Variable, tuple of Variable or None
        The output, or several of them; None if the case is not plain.
    """
    cdef Shortcut shortcut
    if state.debug or state.static_graph or PyDict_Size(state.function_hooks) > 0:
        return None
    shortcut = shortcut_of(function)
    if shortcut is None:
        return None
    return _apply_by(shortcut, function, xs, n, state)


@cython.nonecheck(False)
cdef inline object _apply_by(
        Shortcut shortcut, FunctionBase function, PyObject **xs, Py_ssize_t n,
        ThreadState state):
    cdef VariableBase variable
    cdef PyObject *few[MAX_SHORTCUT_INPUTS]
    cdef PyObject **arrays = few
    cdef vector[PyObject *] many
    # Meanwhile other threads, and an index of the user's, may replace the arrays.
    cdef Held held
    cdef bint requires_grad = False
    cdef Py_ssize_t i
    cdef object array
    cdef bint on_device = False
    cdef Traits traits = shortcut.traits
    if n > MAX_SHORTCUT_INPUTS:
        many.resize(n)
        arrays = many.data()
    held.objects = arrays
    for i in range(n):
        if isinstance(<object>xs[i], VariableBase):
            variable = <VariableBase>xs[i]
            if variable._layout is not None:
                return None
            arrays[i] = <PyObject *>variable.arr
            requires_grad = requires_grad or variable._requires_grad
        else:
            arrays[i] = xs[i]
        Py_INCREF(<object>arrays[i])
        held.n += 1
        if not PyArray_CheckExact(<object>arrays[i]):
            if is_wrapper(<object>arrays[i]):
                return _apply_inside(shortcut, function, xs, n, state)
            if not traits.serves_devices or not is_on_device(<object>arrays[i]):
                return None
            on_device = True
    array = (shortcut.forward_on_device(function, arrays, n) if on_device
             else shortcut.forward(function, arrays, n))
    if array is None and traits.in_single and not on_device:
        array = _forward_in_single(shortcut, function, arrays, n)
    if array is None:
        return None

    function._input_indexes_to_retain = traits.retain_inputs
    function._output_indexes_to_retain = traits.retain_outputs
    function._input_count = n
    if state.enable_backprop:
        _put_behind(shortcut, function, xs, arrays, n, state)
    if PyTuple_CheckExact(array):
        return _outputs_of(shortcut, function, <tuple>array, requires_grad, state)

    cdef VariableBase result = new_variable(array, requires_grad)
    function._output_count = 1
    if not state.enable_backprop:
        return result
    _set_lone_output(function, _set_output(function, result))
    if traits.retain_outputs is not None:
        (<VariableNodeBase>function.output).array = array
        function.kept_outputs = array
    return result


@cython.nonecheck(False)
cdef inline int _put_behind(
        Shortcut shortcut, FunctionBase function, PyObject **xs, PyObject **arrays,
        Py_ssize_t n, ThreadState state) except -1:
    """Put a computed function in the graph behind its inputs, and retain these."""
    cdef tuple nodes = PyTuple_New(n)
    cdef VariableNodeBase node
    cdef Py_ssize_t i
    for i in range(n):
        if isinstance(<object>xs[i], VariableBase):
            node = node_of(<VariableBase>xs[i])
        else:
            node = node_of(new_variable(<object>xs[i], False))
        Py_INCREF(node)
        PyTuple_SET_ITEM(nodes, i, node)
    _set_inputs(function, nodes, state)
    cdef tuple retained = shortcut.traits.retain_inputs
    if retained is not None:
        for i in range(PyTuple_GET_SIZE(retained)):
            index = <object>PyTuple_GET_ITEM(retained, i)
            node = <VariableNodeBase>PyTuple_GET_ITEM(nodes, <Py_ssize_t>index)
            node.array = <object>arrays[<Py_ssize_t>index]
    return 0


cdef tuple _outputs_of(
        Shortcut shortcut, FunctionBase function, tuple arrays, bint requires_grad,
        ThreadState state):
    """Return variables of several outputs, behind their function."""
    cdef Py_ssize_t n = PyTuple_GET_SIZE(arrays)
    cdef VariableNodeBase node
    cdef object array
    cdef list results = [new_variable(array, requires_grad) for array in arrays]
    function._output_count = n
    if not state.enable_backprop:
        return tuple(results)
    references = []
    for variable in results:
        references.append(
            weakref_of(_set_output(function, <VariableBase>variable), NULL))
    _set_references(function, tuple(references))
    if shortcut.traits.retain_outputs is not None:
        kept = []
        for index in shortcut.traits.retain_outputs:
            node = node_of(<VariableBase>results[index])
            node.array = arrays[index]
            kept.append(node.array)
        function.kept_outputs = tuple(kept)
    return tuple(results)
