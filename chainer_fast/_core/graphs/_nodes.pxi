# Nodes: they represent variables in the graph. Part of graph.pyx.

cdef int _set_info(VariableNodeBase node, object array) except -1:
    """Note type and shape of the variable's array."""
    cdef int i, ndim
    if array is None:
        node.dtype = None
        return _set_shape(node, None)
    if not PyArray_CheckExact(array) or PyArray_NDIM(array) > INLINE_DIMS:
        node.dtype = array.dtype
        return _set_shape(node, array.shape)
    node.dtype = <object>PyArray_DESCR(array)
    ndim = PyArray_NDIM(array)
    for i in range(ndim):
        if PyArray_DIMS(array)[i] > LONGEST_INLINE:
            return _set_shape(node, array.shape)
        node.dims[i] = <int>PyArray_DIMS(array)[i]
    node.ndim = ndim
    return 0


cdef int _set_shape(VariableNodeBase node, object shape) except -1:
    cdef Py_ssize_t i, n, length
    cdef tuple lengths
    node.ndim = NO_SHAPE
    if shape is None:
        return 0
    lengths = tuple(shape)
    n = PyTuple_GET_SIZE(lengths)
    if n <= INLINE_DIMS:
        for i in range(n):
            length = lengths[i]
            if length > LONGEST_INLINE:
                break
            node.dims[i] = <int>length
        else:
            node.ndim = <int>n
            return 0
    vars(node)['shape'] = lengths
    node.ndim = SHAPE_ELSEWHERE
    return 0


cdef object _shape_of(VariableNodeBase node):
    if node.ndim == NO_SHAPE:
        return None
    if node.ndim == SHAPE_ELSEWHERE:
        return vars(node)['shape']
    return tuple([node.dims[i] for i in range(node.ndim)])


cdef bint shape_matches(VariableNodeBase node, object array) except -1:
    """Return whether an array has the shape of the node's variable."""
    cdef int i
    cdef object shape
    if not PyArray_CheckExact(array) or node.ndim < 0:
        shape = array.shape
        if node.ndim < 0 or type(shape) is not tuple:
            return _shape_of(node) == shape
        if PyTuple_GET_SIZE(shape) != node.ndim:
            return False
        for i in range(node.ndim):
            if node.dims[i] != <Py_ssize_t>(<tuple>shape)[i]:
                return False
        return True
    if PyArray_NDIM(array) != node.ndim:
        return False
    for i in range(node.ndim):
        if node.dims[i] != PyArray_DIMS(array)[i]:
            return False
    return True


cdef int _set_rank(Rank *place, object rank) except -1:
    if not -1 << 47 <= rank < 1 << 47:
        raise OverflowError('a rank has 48 bits. Actual: %s' % (rank,))
    place.set(rank)
    return 0


cdef VariableBase variable_of(VariableNodeBase node):
    """Return the node's variable while it lives, else None."""
    if node.variable_ptr is NULL or is_going(node.variable_ptr):
        return None
    return <VariableBase>node.variable_ptr


cdef int _attach(VariableNodeBase node, VariableBase variable) except -1:
    """Make the node represent ``variable``."""
    if node.variable_ptr is not NULL:
        (<VariableBase>node.variable_ptr).node_ptr = NULL
    if variable.node_ptr is not NULL:
        (<VariableNodeBase>variable.node_ptr).variable_ptr = NULL
    node.variable_ptr = <PyObject *>variable
    variable.node_base = node
    variable.node_ptr = <PyObject *>node
    return 0


cdef int _detach_creator(VariableNodeBase node) except -1:
    """Forget which function made the node; the function still knows its output."""
    cdef FunctionBase function
    if node.creator_ptr is not NULL:
        function = <FunctionBase>node.creator_ptr
        if may_have_more_references(function, 2):
            # Than those of the node and of this function.
            _set_references(function, (weakref.ref(node),))
        else:
            function.output = NULL
            node.creator_ptr = NULL
    node.creator_base = None
    return 0


cdef int _set_creator(VariableNodeBase node, FunctionBase function) except -1:
    if node.creator_base is not function:
        _detach_creator(node)
    node.creator_base = function
    if function is not None:
        node.rank_of.set(function.rank_of.get() + 1)
    return 0


cdef class VariableNodeBase:
    # The first lines are what ``inspect.signature`` reads.
    """VariableNodeBase()
--

    Compiled base of :class:`chainer_fast.variable.VariableNode`.
    """

    def __cinit__(self):
        self.variable_ptr = NULL
        self.creator_ptr = NULL
        self.ndim = NO_SHAPE
        self.needs_grad = True
        drop_instance_dict(self)

    def __dealloc__(self):
        if self.variable_ptr is not NULL:
            (<VariableBase>self.variable_ptr).node_ptr = NULL
        if self.creator_ptr is not NULL:
            (<FunctionBase>self.creator_ptr).output = NULL

    @property
    def shape(self):
        """Shape of the variable's array; None while there is none."""
        return _shape_of(self)

    @shape.setter
    def shape(self, shape):
        _set_shape(self, shape)

    @property
    def data(self):
        """The array, if a function of the graph has retained it; else None."""
        if _on_read is not None:
            _on_read(self, self.array, False)
        return self.array

    @data.setter
    def data(self, array):
        self.array = array
        self._update_data_info(array)

    @property
    def _data(self):
        return self.array

    @_data.setter
    def _data(self, array):
        self.array = array

    @property
    def rank(self):
        """Number of functions on the longest way from an input to this node."""
        return self.rank_of.get()

    @property
    def _rank(self):
        return self.rank_of.get()

    @_rank.setter
    def _rank(self, rank):
        _set_rank(&self.rank_of, rank)

    @property
    def requires_grad(self):
        """True if backpropagation computes the gradient of this node."""
        return bool(self.needs_grad)

    @property
    def _requires_grad(self):
        return bool(self.needs_grad)

    @_requires_grad.setter
    def _requires_grad(self, bint requires_grad):
        self.needs_grad = requires_grad

    @property
    def creator_node(self):
        """The :class:`~chainer_fast.FunctionNode` that made the variable, or None."""
        return self.creator_base

    @creator_node.setter
    def creator_node(self, FunctionBase function or None):
        _set_creator(self, function)

    @property
    def _creator_node(self):
        return self.creator_base

    def unchain(self):
        """Cut the way back to the function that made the variable."""
        _detach_creator(self)

    def get_variable(self):
        """Return the variable, created again if it has been released.

        Returns
        -------
        Variable
            If created again, it holds the array that the node retains, which may be
            None.
        """
        cdef VariableBase variable = variable_of(self)
        if variable is None:
            variable = new_variable(self.array, self.needs_grad)
            variable.name_text = self.name
            layout = self._layout
            if layout is not None:
                variable._layout = layout
            _attach(self, variable)
        return variable

    def get_variable_or_none(self):
        """Return the variable if it is still alive, else None."""
        return variable_of(self)

    def _update_data_info(self, array):
        """Follow a change of the variable's array."""
        _set_info(self, array)
        if self.array is not None:
            self.array = array

    def __reduce__(self):
        raise TypeError(
            'a VariableNode is part of a graph and cannot be pickled or copied: '
            'use its variable')
