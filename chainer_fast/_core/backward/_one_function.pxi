# The gradients of one function. Part of backprop.pyx.

def backprop_step(FunctionBase function, target_input_indexes, grad_outputs,
                  grad_inputs, is_debug):
    """Compute the input gradients of one function and add them up.

    Parameters
    ----------
    function : FunctionNode
        The function to differentiate.
    target_input_indexes : tuple of int
        Inputs whose gradients are requested, in ascending order.
    grad_outputs : tuple
        Gradient of each output, None where there is none.
    grad_inputs : dict
        Input nodes to lists of the gradients found so far; the new ones are appended,
        and each list is summed up unless the function has ``lazy_grad_sum``.
    is_debug : bool
        Whether to check type, shape, dtype and NaN of every gradient.
    """
    cdef tuple targets = tuple(target_input_indexes)
    cdef tuple nodes = function.input_nodes
    cdef list gradients, earlier, sums
    cdef bint lazy = function.lazy_grad_sum
    try:
        if type(function).backward_accumulate is _base_accumulate:
            earlier = None
            gradients = _backward(function, len(nodes), targets, grad_outputs)
            if is_debug:
                earlier = [settle(list(grad_inputs[nodes[i]])) for i in targets]
        else:
            earlier = [None] * len(targets)
            gradients = _backward_accumulate(
                function, nodes, targets, grad_outputs, grad_inputs)
        if is_debug:
            grad_check.check_step(function, targets, earlier, gradients)
            for gradient in gradients:
                if gradient is not None and _has_nan(as_grad_array(gradient)):
                    raise RuntimeError(
                        'NaN is detected on backward computation of %s'
                        % function.label)
        for i, gradient in zip(targets, gradients):
            if gradient is not None:
                (<list>grad_inputs[nodes[i]]).append(gradient)
        if not lazy:
            for sums in grad_inputs.values():
                if len(sums) > 1:
                    sums[:] = [settle(sums)]
    except Exception as error:
        if is_debug and function.stack is not None:
            grad_check.add_stack(function, error)
        raise


cdef list _backward(
        FunctionBase function, Py_ssize_t n_inputs, tuple targets, grad_outputs):
    """Return the gradients of the targets, given those or the ones of all inputs."""
    gradients = function.backward(targets, grad_outputs)
    cdef Py_ssize_t count = len(gradients)
    if count == n_inputs:
        return [gradients[i] for i in targets]
    if count == PyTuple_GET_SIZE(targets):
        return list(gradients)
    raise grad_check.wrong_number(
        function, 'backward', count, PyTuple_GET_SIZE(targets))


cdef list _backward_accumulate(
        FunctionBase function, tuple nodes, tuple targets, grad_outputs, grad_inputs):
    """Return the gradients of the targets, to which those found so far are added."""
    cdef list gradients, sums, earlier = []
    # A node that is an input twice passes its sum at the first place only.
    first = set()
    for i in targets:
        if nodes[i] in first:
            earlier.append(None)
            continue
        first.add(nodes[i])
        sums = grad_inputs[nodes[i]]
        earlier.append(as_grad_variable(settle(sums)))
        sums[:] = []
    gradients = list(
        function.backward_accumulate(targets, grad_outputs, tuple(earlier)))
    if len(gradients) != len(targets):
        raise grad_check.wrong_number(
            function, 'backward_accumulate', len(gradients), len(targets))
    return gradients


cdef int _check_leaf(
        FunctionBase function, VariableNodeBase node, object gradient) except -1:
    """Check the gradient of a leaf, an array, part or rows, against the leaf's data."""
    cdef VariableBase variable
    if gradient is None or PyArray_CheckExact(gradient) and has_dtype(
            gradient, node.dtype) and shape_matches(node, gradient) or is_like(
                gradient, node):
        return 0
    variable = variable_of(node)
    if variable is not None:
        if is_like(gradient, variable.arr) and has_dtype(
                variable.arr, node.dtype) and shape_matches(node, variable.arr):
            return 0
        if is_on_device(gradient) and is_on_device(variable.arr) and same_dtype(
                gradient.dtype, node.dtype) and shape_matches(node, gradient):
            return 0
    grad_check.check_gradient(function, node, as_grad_array(gradient))
    return 0
