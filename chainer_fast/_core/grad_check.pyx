"""Checks of what ``backward`` of a function returns.

The checks that always run compare pointers and a few integers; a message is composed
only once one of them has failed.  Debug mode checks every gradient, otherwise only
those of leaves, which users see.
"""
from numpy cimport PyArray_CheckExact, PyArray_DESCR, PyArray_DIM

from chainer_fast._core.graph cimport FunctionBase, VariableBase, VariableNodeBase, \
    shape_matches, variable_of
from chainer_fast._core.rows cimport RowGradient, dense


cdef str _account(FunctionBase function):
    """Describe a function and what went in and out, for a message."""
    cdef VariableNodeBase node
    lines = ['  function=%s (%s)' % (function._impl_name, function.label)]
    for i, node in enumerate(function.inputs or ()):
        lines.append('    input %d: shape=%s dtype=%s' % (i, node.shape, node.dtype))
    for i, reference in enumerate(function.outputs or ()):
        node = reference()
        if node is None:
            lines.append('    output %d: not available' % i)
        else:
            lines.append(
                '    output %d: shape=%s dtype=%s' % (i, node.shape, node.dtype))
    return '\n'.join(lines)


def wrong_gradients(FunctionBase function, what, error=ValueError):
    """Return the exception for gradients that a function has returned.

    Parameters
    ----------
    function : FunctionNode
        The function.
    what : str
        The mistake: the property, then ``is incorrect: got != expected``.
    error : type
        Class of the exception.
    """
    return error(
        '%s\n%s\nMend the backward method of the function.'
        % (what, _account(function)))


def check_gradient(FunctionBase function, VariableNodeBase node, gradient):
    """Check a gradient array against the data of a variable.

    Parameters
    ----------
    function : FunctionNode or None
        The function that the gradient is from, for the message.
    node : VariableNode
        The node of the variable.
    gradient : array
        The gradient.

    Raises
    ------
    TypeError
        If types or dtypes differ.
    ValueError
        If shapes differ.
    """
    check_leaf(function, node, gradient)


cdef int check_leaf(
        FunctionBase function, VariableNodeBase node, object gradient) except -1:
    """Check the gradient array of a leaf against the leaf's data."""
    cdef str problem = ''
    if gradient is None or node.dtype is None:
        return 0
    if PyArray_CheckExact(gradient) and (
            <object>PyArray_DESCR(gradient) is node.dtype) and shape_matches(
                node, gradient):
        return 0
    error = TypeError
    cdef VariableBase variable = variable_of(node)
    if variable is not None and variable.arr is not None and not _same_kind(
            variable.arr, gradient):
        problem = 'Type of data and grad mismatch\ngrad: %s != data: %s' % (
            type(gradient), type(variable.arr))
    elif gradient.dtype != node.dtype:
        problem = 'Dtype of data and grad mismatch\ngrad: %s != data: %s' % (
            gradient.dtype, node.dtype)
    elif gradient.shape != node.shape:
        problem = 'Shape of data and grad mismatch\ngrad: %s != data: %s' % (
            gradient.shape, node.shape)
        error = ValueError
    if not problem:
        return 0
    if function is None:
        raise error(problem)
    text = 'the backward method of %s (%s) has a bug.\n' % (
        function._impl_name, function.label)
    if function.stack is not None:
        text += 'Stacktrace of the function is below:\n%s' % ''.join(
            function.stack.format())
    raise error(text + problem)


cdef int check_rows(
        FunctionBase function, VariableNodeBase node, RowGradient gradient) except -1:
    """Check the gradient of a matrix that is kept as rows, like :func:`check_leaf`."""
    if node.ndim == 2 and node.dims[0] == gradient.rows and (
            node.dims[1] == PyArray_DIM(gradient.values, 1)
            and node.dtype is <object>PyArray_DESCR(gradient.values)):
        return 0
    return check_leaf(function, node, dense(gradient))


cdef bint _same_kind(object data, object gradient) except -1:
    return (type(data) is type(gradient) or isinstance(gradient, type(data))
            or isinstance(data, type(gradient)))


cdef int check_step(FunctionBase function, tuple targets, list earlier,
                    list gradients) except -1:
    """Check all gradients of one step; ``earlier`` are those summed so far."""
    cdef VariableNodeBase node
    nodes = function.input_nodes
    for position, index in enumerate(targets):
        gradient = gradients[position]
        if gradient is None:
            continue
        node = nodes[index]
        if not isinstance(gradient, VariableBase):
            raise wrong_gradients(
                function,
                'type of gradients returned from backward is incorrect: %s != '
                'expected a Variable' % type(gradient))
        array = (<VariableBase>gradient).arr
        if array is None:
            continue
        if node.shape is not None and not shape_matches(node, array):
            raise wrong_gradients(
                function,
                'shape of gradients returned from backward is incorrect: '
                'input-index=%d, actual %s != expected %s'
                % (index, array.shape, node.shape))
        if earlier[position] is not None and (
                array.dtype != earlier[position].dtype):
            raise wrong_gradients(
                function,
                'dtype of gradients returned from backward is incorrect: '
                'input-index=%d, actual %s != expected %s'
                % (index, array.dtype, earlier[position].dtype))
    return 0
