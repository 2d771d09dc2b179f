"""Gradients of the nodes that backpropagation has reached but not yet passed.

A gradient is kept in the form in which it came: a bare array from a compiled shortcut,
a variable from a ``backward`` written in Python, a list of them where they are to be
summed in one call, or an array with :class:`Factors` of products that are still to be
added to it.  Arrays become variables only where a variable is asked for.

A sum may go into the buffer of an earlier term only when nobody else can see it: the
table's reference is the only one, and the array owns its memory.
"""
from cpython.number cimport PyNumber_InPlaceAdd
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF
cimport numpy as np
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, \
    PyArray_SAMESHAPE, PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.addresses cimport Entry
from chainer_fast._core.dtypes cimport same_type
from chainer_fast._core.factors cimport Factors
from chainer_fast._core.gapless cimport common_gapless_kind
from chainer_fast._core.floats cimport add_into, report_float_errors
from chainer_fast._core.graph cimport Shortcut, VariableBase, VariableNodeBase, \
    new_variable, variable_of
from chainer_fast._core.launches cimport is_on_device
from chainer_fast._core.private cimport (
    instance_dict, may_be_held_weakly, may_have_more_references)
from chainer_fast._core.rows cimport RowGradient, add_rows, dense

np.import_array()

# Sums variables with a function of the graph; bound once the functions exist.
cdef object _add_variables = None
cdef Shortcut _add = None


def bind_add(add, Shortcut shortcut not None):
    """Make known how sums are made; called once, at import.

    Parameters
    ----------
    add : callable
        Function that sums two or more variables.
    shortcut : Shortcut
        What sums two arrays.
    """
    global _add_variables, _add
    _add_variables = add
    _add = shortcut


cdef VariableBase as_grad_variable(object gradient):
    """Return a gradient as a variable; None stays None."""
    if gradient is None or isinstance(gradient, VariableBase):
        return gradient
    return new_variable(dense(gradient), True)


cdef object as_grad_array(object gradient):
    """Return a gradient as an array; None stays None."""
    if isinstance(gradient, VariableBase):
        return (<VariableBase>gradient).arr
    return dense(gradient)


cdef bint _is_ours(object array) noexcept:
    # One reference from the table and one from the caller's variable.
    return (not may_have_more_references(array, 2)
            and not may_be_held_weakly(<PyObject *>array)
            and PyArray_CHKFLAGS(array, np.NPY_ARRAY_OWNDATA | np.NPY_ARRAY_BEHAVED))


cdef object _sum_rows(object a, object b):
    """Return the sum of two gradients by rows; None if the sum is one of arrays."""
    if type(a) is RowGradient and type(b) is RowGradient:
        return add_rows(<RowGradient>a, <RowGradient>b)
    return None


cdef object _sum_on_device(object a, object b):
    """Return the sum of two arrays on a GPU; None if they are not plain."""
    cdef PyObject **x = [<PyObject *>a, <PyObject *>b]
    return _add.forward_on_device(None, x, 2)


cdef object _sum_two(object a, object b):
    """Return ``a + b``, in place if only the table and the caller refer to ``a``."""
    cdef bint alike
    if PyArray_CheckExact(a) and PyArray_CheckExact(b):
        alike = same_type(a, b) and PyArray_SAMESHAPE(a, b)
        if alike and _is_ours(a):
            if common_gapless_kind(a, b):
                flags = add_into(PyArray_TYPE(a), PyArray_DATA(a), PyArray_DATA(b),
                                 PyArray_SIZE(a))
                if flags:
                    report_float_errors(flags)
                return a
            return PyNumber_InPlaceAdd(a, b)
        if alike:
            # Zero-dimensional arrays add up to a scalar.
            return np.PyArray_FROM_O(a + b)
    elif is_on_device(a) and is_on_device(b):
        total = _sum_on_device(a, b)
        if total is not None:
            return total
    elif type(a) is RowGradient or type(b) is RowGradient:
        rows = _sum_rows(a, b)
        return _sum_two(dense(a), dense(b)) if rows is None else rows
    return _add_variables(as_grad_variable(a), as_grad_variable(b))


cdef object _settled(object value):
    """Return a value of a table, without factors of products that are to be added."""
    cdef Factors factors
    if type(value) is not Factors:
        return value
    factors = <Factors>value
    product = factors.product()
    if product is not None:
        # As it would be in the table, the sum so far is in a field and a variable.
        total = factors.earlier
        factors.earlier = _sum_two(total, product)
    return factors.earlier


cdef object sum_gradients(list gradients):
    """Return the sum of a list of gradients; None if it is empty."""
    if not gradients:
        return None
    if len(gradients) == 1:
        return gradients[0]
    return _add_variables(*[as_grad_variable(g) for g in gradients])


cdef int check_old_style(VariableNodeBase node) except -1:
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
        return variable.grad_arr if variable._grad_var is None else variable._grad_var

    cdef object take(self, VariableNodeBase node):
        """Remove and return the gradient of a node; None if it has none."""
        cdef Entry *entry = self.gradients.find(<PyObject *>node)
        cdef object value
        if entry is NULL:
            return self._default(node)
        value = <object>entry.value
        Py_DECREF(value)
        self.gradients.remove(entry)
        if type(value) is list:
            return sum_gradients(<list>value)
        return _settled(value)

    cdef object peek(self, VariableNodeBase node):
        """Return the gradient of a node and keep it; None if it has none."""
        cdef Entry *entry = self.gradients.find(<PyObject *>node)
        if entry is NULL:
            return None
        value = <object>entry.value
        if type(value) is list:
            value = sum_gradients(<list>value)
            if value is not None:
                self.put(node, value)
        elif type(value) is Factors:
            value = _settled(value)
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
                gradient = _sum_shared(value, gradient)
            return self.put(node, gradient)
        value = <object>entry.value
        if type(value) is Factors:
            value = self.peek(node)
        if type(value) is list:
            (<list>value).append(gradient)
            value = sum_gradients(<list>value)
        else:
            value = _sum_two(value, gradient)
        return self.put(node, value)

    cdef list as_list(self, VariableNodeBase node):
        """Return the gradients of a node as a list; what is appended to it counts."""
        cdef Entry *entry = self.gradients.find(<PyObject *>node)
        if entry is NULL:
            if self.accumulate_grad_inputs and node.creator_base is None:
                check_old_style(node)
            value = self._default(node)
        else:
            value = <object>entry.value
            if type(value) is list:
                return value
            value = _settled(value)
        gradients = [] if value is None else [as_grad_variable(value)]
        self.put(node, gradients)
        return gradients

    cdef Factors factors(self, VariableNodeBase node, npy_intp rows):
        """Return what takes factors of so many rows, to add their product to a node.

        Returns
        -------
        Factors
            None if the node has no array yet.
        """
        cdef Entry *entry = self.gradients.find(<PyObject *>node)
        cdef Factors result
        if entry is NULL:
            return None
        value = <object>entry.value
        if type(value) is Factors:
            result = <Factors>value
            if not result.has_room(rows):
                _settled(result)
            return result
        if not PyArray_CheckExact(value):
            return None
        result = Factors.__new__(Factors)
        result.earlier = value
        self.put(node, result)
        return result

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
                value = <object>self.gradients.entries[i].value
                if type(value) is not list or len(<list>value) > 0:
                    raise AssertionError('a gradient is left in the table')


cdef object _sum_shared(object a, object b):
    """Add to a gradient that the user holds: never in place."""
    rows = _sum_rows(a, b)
    if rows is not None:
        return rows
    a, b = dense(a), dense(b)
    if PyArray_CheckExact(a) and PyArray_CheckExact(b):
        if same_type(a, b) and PyArray_SAMESHAPE(a, b):
            return np.PyArray_FROM_O(a + b)
    return _add_variables(as_grad_variable(a), as_grad_variable(b))


def check_old_style_gradient(VariableNodeBase node not None):
    """Raise RuntimeError for a gradient that an old-style function made."""
    check_old_style(node)


def reduce_gradients(gradients):
    """Return the sum of a list of gradients as a variable; None if it is empty."""
    return as_grad_variable(sum_gradients(list(gradients)))
