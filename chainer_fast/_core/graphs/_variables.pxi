# Variables: an array, its gradient, its node. Part of graph.pyx.

# What has just been made is no None.

@cython.nonecheck(False)
cdef VariableBase new_variable(object array, bint requires_grad):
    """Make a public variable around an array known to be valid."""
    cdef VariableBase variable = <VariableBase>cf_allocate(
        _Variable, _NO_ARGS)
    variable.arr = array
    variable._requires_grad = requires_grad
    if not _node_methods.unchanged():
        _new_node(variable)
    return variable


cdef object _not_a_matrix(object array):
    """Return an array that stays one for a matrix, whose products are other ones."""
    return array.view(numpy.ndarray) if isinstance(array, numpy.matrix) else array


cdef VariableNodeBase _new_node(VariableBase variable):
    cdef VariableNodeBase node = <VariableNodeBase>cf_allocate(
        _VariableNode, _NO_ARGS)
    _set_info(node, variable.arr)
    node.needs_grad = variable._requires_grad
    if variable.name_text is not None:
        node.name = variable.name_text
    if variable._layout is not None:
        node._layout = variable._layout
    node.variable_ptr = <PyObject *>variable
    variable.node_base = node
    variable.node_ptr = <PyObject *>node
    if not _node_methods.unchanged():
        # A program has replaced the method, to note something in every node.
        _VariableNode.__init__(node, variable, variable.name_text)
    return node


cdef VariableNodeBase node_of(VariableBase variable):
    if variable.node_base is None:
        return _new_node(variable)
    return variable.node_base


cdef object _grad_array_of(VariableBase variable):
    """Return the gradient as an array, which it is from then on."""
    if is_wrapper(variable.arr):
        return _of_wrappers.grad_of(variable)
    variable.grad_arr = as_grad_array(variable.grad_arr)
    return variable.grad_arr


cdef VariableBase grad_var_of(VariableBase variable):
    """Return the gradient as a variable, making it around the array if needed."""
    if is_wrapper(variable.arr):
        return _of_wrappers.grad_var_of(variable)
    if variable._grad_var is None and variable.grad_arr is not None:
        variable._grad_var = new_variable(_grad_array_of(variable), True)
    return variable._grad_var


cdef int put_grad(VariableBase variable, object array, VariableBase grad) except -1:
    """Set the gradient without any check; ``grad`` may be None for a bare array."""
    variable._grad_valid = True
    if is_wrapper(variable.arr):
        _of_wrappers.set_grad(variable, array, grad)
        return 0
    variable.grad_arr = array
    variable._grad_var = grad
    return 0


cdef int _check_grad(VariableBase variable, object grad) except -1:
    """Refuse a gradient whose type, dtype or shape is not that of the data."""
    data = variable.arr
    if grad is None or PyArray_CheckExact(grad) and (
            data is None or PyArray_CheckExact(data)
            and same_type(grad, data)
            and np.PyArray_SAMESHAPE(grad, data)):
        return 0
    variable._check_grad_array(grad)
    return 0


cdef int clear_grad(VariableBase variable) except -1:
    if is_wrapper(variable.arr):
        _clear_inside(<ArrayBase>variable.arr)
    variable.grad_arr = None
    variable._grad_var = None
    variable._grad_valid = True
    return 0


cdef class VariableBase:
    # The first lines are what ``inspect.signature`` reads.
    """VariableBase(data=None, *, name=None, grad=None, requires_grad=True, layout=None)
--

    Compiled base of :class:`chainer_fast.Variable`.
    """

    def __cinit__(self):
        self.node_ptr = NULL
        self._requires_grad = True
        self._grad_valid = True
        drop_instance_dict(self)

    def __dealloc__(self):
        if self.node_ptr is not NULL:
            (<VariableNodeBase>self.node_ptr).variable_ptr = NULL

    def __init__(self, data=None, *, name=None, grad=None, bint requires_grad=True,
                 bint _grad_valid=True, layout=None, **retired):
        cdef VariableNodeBase node
        if retired:
            if 'volatile' in retired:
                raise ValueError(
                    'volatile argument is not supported anymore. '
                    'Use chainer.using_config(\'enable_backprop\', False) instead.')
            raise _unexpected('Variable.__init__', retired, (
                'data', 'name', 'grad', 'requires_grad', 'layout'))
        if is_wrapper(data):
            data = _of_wrappers.connected(data, requires_grad)
        elif data is not None and not PyArray_CheckExact(data):
            if not _accepts_array(data):
                raise TypeError(
                    '%s are expected. Actual: %s. Convert the data with numpy.asarray '
                    'first.' % (_describe_arrays(), type(data)))
            data = _not_a_matrix(data)
        if self.node_ptr is not NULL:
            # __init__ called once more: the old node belongs to a graph, leave it.
            node = <VariableNodeBase>self.node_ptr
            node.variable_ptr = NULL
            self.node_ptr = NULL
        self.node_base = None
        self.arr = data
        self.name_text = name
        self._requires_grad = requires_grad
        self._grad_valid = _grad_valid
        self._layout = layout
        self._cached_device = None
        self.grad_arr = None
        self._grad_var = None
        if grad is not None:
            # Not checked, as in Chainer: the data may be replaced afterwards.
            put_grad(self, grad, None)
            self._grad_valid = _grad_valid
        if layout is not None and data is not None:
            self._semantic_shape()      # refuses a layout that the array cannot have
        if not _node_methods.unchanged():
            _new_node(self)     # at once, as the program expects it

    # -- the array

    @property
    def array(self):
        """The array; None while the variable is uninitialized."""
        if _on_read is not None:
            _on_read(self, self.arr, False)
        if self._layout is not None:
            self._refuse_layout()
        if is_wrapper(self.arr):
            return _of_wrappers.array_of(self)
        return self.arr

    @array.setter
    def array(self, array):
        if self._layout is not None:
            self._refuse_layout()
        self._set_array(array)

    @property
    def data(self):
        """The array; an older name of :attr:`array`."""
        return self.array

    @data.setter
    def data(self, array):
        self.array = array

    @property
    def raw_array(self):
        """The array as it is laid out in memory, whatever the layout."""
        if _on_read is not None:
            _on_read(self, self.arr, False)
        return self.arr

    def _set_array(self, array, *, layout_check=True):
        if layout_check and self._layout is not None:
            self._refuse_layout()
        if array is not None:
            array.dtype, array.shape  # an AttributeError before anything has changed
        if is_wrapper(self.arr):
            _of_wrappers.check_replaceable(self, array)
        if self.sharers is None:
            self._hold(array)
            return
        # Copies of a variable share one array, also when it is replaced.
        for reference in self.sharers:
            variable = reference()
            if variable is not None:
                (<VariableBase>variable)._hold(array)

    def _hold(self, array):
        """Take an array for this variable alone."""
        if is_wrapper(array):
            array = _of_wrappers.connected(array, self._requires_grad)
        elif not PyArray_CheckExact(array):
            array = _not_a_matrix(array)
        self.arr = array
        self._cached_device = None
        if self.node_base is not None:
            self.node_base._update_data_info(array)

    def _hold_alone(self, array):
        """Take an array, and part from the copies of this variable."""
        if self.sharers is not None:
            self.sharers[:] = [r for r in self.sharers if r() is not self]
            self.sharers = None
        self._hold(array)

    def _share_array(self, VariableBase copied not None):
        """Make a copy follow every replacement of the array, and the other way round.
        """
        if self.sharers is None:
            self.sharers = [weakref.ref(self)]
        self.sharers[:] = [r for r in self.sharers if r() is not None]
        self.sharers.append(weakref.ref(copied))
        copied.sharers = self.sharers
        copied.arr = self.arr

    @property
    def shape(self):
        """Lengths of the axes (the meaningful ones, whatever the layout)."""
        if self._layout is not None:
            return self._semantic_shape()
        return self.arr.shape

    @property
    def ndim(self):
        """Number of axes."""
        return self.arr.ndim

    @property
    def size(self):
        """Number of elements."""
        return self.arr.size

    @property
    def dtype(self):
        """Type of the elements."""
        return self.arr.dtype

    def __len__(self):
        if self._layout is not None:
            self._refuse_layout()
        return len(self.arr)

    # -- the gradient

    @property
    def grad(self):
        """Gradient array; None if it is cleared.

        Setting it to an array of another type, dtype or shape than the data raises
        TypeError or ValueError.
        """
        if _on_read is not None:
            _on_read(self, self.grad_arr, True)
        if self._layout is not None:
            self._refuse_layout()
        if not self._grad_valid:
            _refuse_grad()
        return _grad_array_of(self)

    @grad.setter
    def grad(self, grad):
        self._set_grad(grad)

    @property
    def grad_var(self):
        """Gradient as a variable: the same one each time; None if it is cleared."""
        if self._layout is not None:
            self._refuse_layout()
        return grad_var_of(self)

    @grad_var.setter
    def grad_var(self, grad_var):
        if grad_var is None:
            put_grad(self, None, None)
            return
        array = grad_var.array
        _check_grad(self, array)
        put_grad(self, array, grad_var)

    def _set_grad(self, grad, *, layout_check=True):
        if layout_check and self._layout is not None:
            self._refuse_layout()
        _check_grad(self, grad)
        put_grad(self, grad if PyArray_CheckExact(grad) else _not_a_matrix(grad), None)

    def _set_grad_without_check(self, grad):
        put_grad(self, grad, None)

    def _set_grad_var_without_check(self, grad_var):
        put_grad(self, None if grad_var is None else grad_var.raw_array, grad_var)

    @property
    def _grad(self):
        if is_wrapper(self.arr):
            return None     # The array keeps it.
        return _grad_array_of(self)

    @_grad.setter
    def _grad(self, grad):
        if is_wrapper(self.arr):
            _of_wrappers.set_grad(self, grad, None)
            return
        self.grad_arr = grad
        self._grad_var = None

    # -- the graph

    @property
    def node(self):
        """The node that represents the variable in the graph."""
        if is_wrapper(self.arr):
            _refuse_node()
        return node_of(self)

    @property
    def _node(self):
        return self.node

    @property
    def _has_wrapper(self):
        return is_wrapper(self.arr)

    @_node.setter
    def _node(self, VariableNodeBase node not None):
        _attach(node, self)

    @property
    def name(self):
        """A name for people: shown in text and computational graphs."""
        return self.name_text

    @name.setter
    def name(self, name):
        self.name_text = name
        if self.node_base is not None:
            self.node_base.name = name

    @property
    def requires_grad(self):
        """True if backpropagation computes the gradient of this variable."""
        return self._requires_grad

    @property
    def rank(self):
        """Number of functions on the longest way from an input to this variable."""
        return 0 if self.node_base is None else self.node_base.rank_of.get()

    @property
    def creator_node(self):
        """The :class:`~chainer_fast.FunctionNode` that made the variable, or None."""
        if is_wrapper(self.arr):
            return _of_wrappers.creator_of(self)
        return None if self.node_base is None else self.node_base.creator_base

    @creator_node.setter
    def creator_node(self, FunctionBase function or None):
        _set_creator(node_of(self), function)

    def cleargrad(self):
        """Set the gradient to None."""
        clear_grad(self)

    # -- arithmetic

    def __add__(self, other):
        return _operate(ADD, self, other)

    def __radd__(self, other):
        return _operate_reflected(ADD, self, other)

    def __sub__(self, other):
        return _operate(SUB, self, other)

    def __rsub__(self, other):
        return _operate_reflected(SUB, self, other)

    def __mul__(self, other):
        return _operate(MUL, self, other)

    def __rmul__(self, other):
        return _operate_reflected(MUL, self, other)

    def __truediv__(self, other):
        return _operate(DIV, self, other)

    def __rtruediv__(self, other):
        return _operate_reflected(DIV, self, other)

    def __pow__(self, other, modulus):
        if modulus is not None:
            return NotImplemented
        return _operate(POW, self, other)

    def __rpow__(self, other, modulus):
        if modulus is not None:
            return NotImplemented
        return _operate_reflected(POW, self, other)

    def __floordiv__(self, other):
        return _operate(FLOORDIV, self, other)

    def __rfloordiv__(self, other):
        return _operate_reflected(FLOORDIV, self, other)

    def __matmul__(self, other):
        return _operate(MATMUL, self, other)

    def __rmatmul__(self, other):
        return _operate_reflected(MATMUL, self, other)

    def __neg__(self):
        return _negate(self)

    def __pos__(self):
        return self

    # Comparing variables element by element was never part of the interface; a
    # variable that compares by identity would hide mistakes, so all of it is refused.

    def __richcmp__(self, other, int operator):
        raise TypeError(
            'Variables do not support the %s operator: compare their array attributes.'
            % ('<', '<=', '==', '!=', '>', '>=')[operator])

    def __bool__(self):
        raise TypeError(
            'Variables cannot be evaluated as Python bool: use their array attributes.')

    __hash__ = None


cdef int _refuse_node() except -1:
    raise RuntimeError(
        'A variable of an array of %s has no node: the array is in the graph.'
        % _name_of_wrappers)


cdef int _refuse_grad() except -1:
    raise RuntimeError(
        'Cannot retrieve Variable.grad of an uninitialized parameter: set it, or call '
        'cleargrad() before.')
