"""Checks of what ``backward`` of a function returns, and messages of what is wrong.

The engine itself compares pointers and a few integers; it comes here once one of these
differs, and with every gradient in debug mode.
"""
from chainer_fast._core.graphs.graph import VariableBase


def _account(function):
    """Describe a function and what went in and out, for a message."""
    lines = ['  function=%s (%s)' % (function._impl_name, function.label)]
    for i, node in enumerate(function.inputs or ()):
        lines.append('    input %d: shape=%s dtype=%s' % (i, node.shape, node.dtype))
    for i, reference in enumerate(function.outputs or ()):
        node = reference()
        lines.append('    output %d: %s' % (
            i, 'not available' if node is None
            else 'shape=%s dtype=%s' % (node.shape, node.dtype)))
    return '\n'.join(lines)


def wrong_gradients(function, what):
    """Return the exception for gradients that a function has returned.

    Parameters
    ----------
    function : FunctionNode
        The function.
    what : str
        The mistake: the property, then ``is incorrect: got != expected``.
    """
    return ValueError(
        '%s\n%s\nFix the backward method of the function.'
        % (what, _account(function)))


def wrong_number(function, method, found, expected):
    """Return the exception for a number of gradients that a method has returned."""
    return wrong_gradients(
        function, 'number of gradients returned from %s is incorrect: %d != expected %d'
        % (method, found, expected))


def _alike(dtype, other):
    """Return whether dtypes are the same except for the order of bytes in memory."""
    return dtype == other or dtype.newbyteorder('=') == other.newbyteorder('=')


def mismatch(gradient, dtype, shape, kind=None):
    """Return the exception for a gradient that does not fit the data, or None.

    Parameters
    ----------
    gradient : array
        The gradient.
    dtype : numpy.dtype
    shape : tuple of int
        Of the data.
    kind : type or None
        Type of the data, if the gradient is an array of another kind.
    """
    if kind is not None:
        error, what, pair = TypeError, 'Type', (type(gradient), kind)
    elif not _alike(gradient.dtype, dtype):
        error, what, pair = TypeError, 'Dtype', (gradient.dtype, dtype)
    elif gradient.shape != shape:
        error, what, pair = ValueError, 'Shape', (gradient.shape, shape)
    else:
        return None
    return error('%s of data and grad mismatch\ngrad: %s != data: %s' % (what, *pair))


def check_gradient(function, node, gradient):
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
    if node.dtype is None:
        return
    variable = node.get_variable_or_none()
    data = None if variable is None else variable.raw_array
    alike = (data is None or isinstance(gradient, type(data))
             or isinstance(data, type(gradient)))
    error = mismatch(gradient, node.dtype, node.shape, None if alike else type(data))
    if error is None:
        return
    if function is not None:
        text = 'the backward method of %s (%s) has a bug.\n' % (
            function._impl_name, function.label)
        if function.stack is not None:
            text += 'Stacktrace of the function is below:\n%s' % ''.join(
                function.stack.format())
        error.args = (text + error.args[0],)
    raise error


def check_step(function, targets, earlier, gradients):
    """Check the gradients of one step.

    Parameters
    ----------
    function : FunctionNode
        The function that was differentiated.
    targets : tuple of int
        Its inputs that the gradients are of.
    earlier : list
        Gradients of these inputs summed so far, or None.
    gradients : list
        The new ones, or None.

    Raises
    ------
    ValueError
        If one is not a variable, or shapes or dtypes differ.
    """
    for index, before, gradient in zip(targets, earlier, gradients, strict=True):
        if gradient is None:
            continue
        if not isinstance(gradient, VariableBase):
            raise wrong_gradients(
                function,
                'type of gradients returned from backward is incorrect: %s != '
                'expected a Variable' % type(gradient))
        array = gradient.raw_array
        shape = function.inputs[index].shape
        if array is None:
            continue
        if shape is not None and array.shape != shape:
            what, got, expected = 'shape', array.shape, shape
        elif before is not None and not _alike(array.dtype, before.dtype):
            what, got, expected = 'dtype', array.dtype, before.dtype
        else:
            continue
        raise wrong_gradients(
            function,
            '%s of gradients returned from backward is incorrect: '
            'input-index=%s, actual %s != expected %s' % (what, index, got, expected))


def add_stack(function, error):
    """Add the stack of the function's application to the message of an exception."""
    args = error.args
    if args and isinstance(args[0], str) and 'Stacktrace of the function' in args[0]:
        return
    text = '\n%s\nStacktrace of the function is below:\n%s' % (
        '-' * 80, ''.join(function.stack.format()))
    error.args = ((str(args[0]) if args else '') + text, *args[1:])
