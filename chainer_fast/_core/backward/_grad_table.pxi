# Gradients of the nodes that backpropagation has reached but not yet passed. Part of
# backprop.pyx.
#
# A gradient is stored in the form in which it came: `graphs/_gradients.pxi` lists the
# forms.


cpdef int check_old_style(VariableNodeBase node) except -1:
    """Refuse a gradient that an old-style function made: it has lost its history."""
    if instance_dict(node) is NULL:
        return 0
    maker = node._old_style_grad_generator
    if maker is not None:
        raise RuntimeError(
            'cannot twice-differentiate an old style Function "%s": its backward '
            'computes with arrays. Write it as a FunctionNode.' % (maker,))
    return 0


cdef class GradTable:
    """Gradients by node.

    Parameters
    ----------
    accumulate_grad_inputs : bool
        Whether the gradient of a leaf starts from the one that its variable has.
    """
    cdef AddressTable gradients
    cdef readonly bint accumulate_grad_inputs

    def __init__(self, accumulate_grad_inputs=False):
        self.accumulate_grad_inputs = accumulate_grad_inputs

    cdef object _default(self, VariableNodeBase node):
        """Return the gradient that a leaf's variable already has, if that counts."""
        cdef VariableBase variable
        if not self.accumulate_grad_inputs or node.creator_base is not None:
            return None
        variable = variable_of(node)
        if variable is None or not variable._grad_valid:
            return None
        return gradient_of(variable)

    cdef object take(self, VariableNodeBase node):
        """Remove and return the gradient of a node; None if it has none."""
        cdef Entry *entry = self.gradients.find(<PyObject *>node)
        cdef object value
        if entry is NULL:
            return self._default(node)
        value = <object>entry.value
        Py_DECREF(value)
        self.gradients.remove(entry)
        return settle(value)

    cdef object peek(self, VariableNodeBase node):
        """Return the gradient of a node and keep it; None if it has none."""
        cdef Entry *entry = self.gradients.find(<PyObject *>node)
        if entry is NULL:
            return None
        value = settle(<object>entry.value)
        if value is not None and <PyObject *>value is not entry.value:
            self.put(node, value)
        return value

    cdef int put(self, VariableNodeBase node, object value) except -1:
        """Set the gradient of a node, replacing any other."""
        cdef Entry *entry = self.gradients.make(<PyObject *>node)
        cdef PyObject *old = entry.value
        Py_INCREF(value)
        entry.value = <PyObject *>value
        Py_XDECREF(old)
        return 0

    cdef int add(self, VariableNodeBase node, object gradient) except -1:
        """Add to the gradient of a node."""
        cdef Entry *entry = self.gradients.find(<PyObject *>node)
        cdef object value
        if entry is NULL:
            value = self._default(node)
            if value is not None:
                gradient = add_gradients(value, gradient, True)
            else:
                gradient = opened(gradient)
        else:
            value = <object>entry.value
            gradient = add_gradients(value, gradient, False)
        return self.put(node, gradient)

    cdef list as_list(self, VariableNodeBase node):
        """Return the gradients of a node as a list; what is appended to it counts."""
        cdef Entry *entry = self.gradients.find(<PyObject *>node)
        if entry is NULL:
            if self.accumulate_grad_inputs and node.creator_base is None:
                check_old_style(node)
            value = self._default(node)
        else:
            value = <object>entry.value
        terms = as_terms(value)
        if terms is not value:
            self.put(node, terms)
        return terms

    cdef object factors(self, VariableNodeBase node, npy_intp rows):
        """Return what takes factors of so many rows; None if a node has no array yet.
        """
        cdef Entry *entry = self.gradients.find(<PyObject *>node)
        if entry is NULL:
            return None
        factors = as_factors(<object>entry.value, rows)
        if factors is not None and <PyObject *>factors is not entry.value:
            self.put(node, factors)
        return factors

    # -- for Python

    def __setitem__(self, VariableNodeBase node not None, gradient):
        self.put(node, [] if gradient is None else gradient)

    def accumulate(self, VariableNodeBase node not None, gradient):
        """Add ``gradient`` (a variable or None) to the gradient of ``node``."""
        if gradient is not None:
            self.add(node, gradient)

    def pop(self, VariableNodeBase node not None):
        """Remove and return the gradient of ``node`` as a variable, or None."""
        return as_grad_variable(self.take(node))

    def get_as_list(self, VariableNodeBase node not None):
        """Return the list of gradients of ``node``; what is appended to it counts."""
        return self.as_list(node)

    def assert_no_grads(self):
        """Check that nothing is left in the table."""
        cdef size_t i
        for i in range(self.gradients.capacity):
            if self.gradients.entries[i].key is not NULL:
                if as_terms(<object>self.gradients.entries[i].value):
                    raise AssertionError('a gradient is left in the table')


def reduce_gradients(gradients):
    """Return the sum of a list of gradients as a variable; None if it is empty."""
    return as_grad_variable(settle(list(gradients)))
