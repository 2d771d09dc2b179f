"""Backpropagation: one loop for ``Variable.backward``, ``backward`` and ``grad``."""
cimport numpy as np
from cpython.object cimport PyObject
from cpython.dict cimport PyDict_Size
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int64_t
from libcpp.vector cimport vector
from numpy cimport PyArray_CheckExact, PyArray_DIM, PyArray_NDIM, npy_intp

from chainer_fast._core.arrays.addresses cimport AddressTable, Entry
from chainer_fast._core.arrays.dtypes cimport has_dtype, same_dtype
from chainer_fast._core.arrays.private cimport instance_dict
from chainer_fast._core.backward import grad_check
from chainer_fast._core.configuration.state cimport (
    ThreadState, current, set_enable_backprop)
from chainer_fast._core.devices.launches cimport device_in_use, is_on_device, use_again
from chainer_fast._core.graphs.graph cimport (
    MAX_SHORTCUT_INPUTS, OUTPUT_REFERENCES, FunctionBase, Shortcut, VariableBase,
    VariableNodeBase, add_gradients, as_factors, as_grad_array, as_grad_variable,
    as_terms, give_gradient, gradient_of, hooks_of, is_like, lone_output, node_of,
    nodes_of_outputs, on_host, put_grad, settle, shape_matches, shortcut_of,
    takes_factors, variable_of)

cdef object _FunctionNode = None
cdef object _base_accumulate = None
cdef object _device_scope = None        # arrays -> context manager, or None on the CPU
cdef object _has_nan = None             # array -> bool
cdef object _UNSET = object()


def bind(*, function_node, device_scope, has_nan):
    """Make known the public class and the array rules; called once, at import."""
    global _FunctionNode, _base_accumulate, _device_scope, _has_nan
    _FunctionNode = function_node
    _base_accumulate = function_node.backward_accumulate
    _device_scope = device_scope
    _has_nan = has_nan


# One module, since calls within a module are fast; a file for each part.
include "_heap.pxi"
include "_grad_table.pxi"


cdef class _BackpropMode:
    """Switches graph construction for one backward pass."""
    cdef object saved
    cdef ThreadState state

    cdef int enter(self, bint enable) except -1:
        self.state = current()
        self.saved = self.state.overrides.get('enable_backprop', _UNSET)
        return set_enable_backprop(self.state, enable)

    cdef int leave(self) except -1:
        # The entry gets back the very object it had, be it a bool or not.
        if self.saved is _UNSET:
            self.state.overrides.pop('enable_backprop', None)
        else:
            self.state.overrides['enable_backprop'] = self.saved
        self.state.seen = 0
        return 0


cpdef tuple taken_from(VariableBase variable):
    """Return the gradient of a variable, for :func:`put_back`, before it is cleared."""
    return variable, variable.grad_arr, variable._grad_var


cpdef put_back(list taken):
    """Give variables their gradients back, after a failure."""
    # A variable that was noted twice gets what it had first.
    for variable, array, grad in reversed(taken):
        put_grad(variable, array, grad)


# ---------------------------------------------------------------------- one function

def backprop_step(FunctionBase function, target_input_indexes, grad_outputs,
                  grad_inputs, is_debug):
    """Compute the input gradients of one function and add them up.

    Parameters
    ----------
    function : FunctionNode
        The function to differentiate.
    target_input_indexes : tuple of int
        Inputs whose gradients are wanted, in ascending order.
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
    """Check the gradient of a leaf, an array or rows, against the leaf's data."""
    cdef VariableBase variable
    if gradient is None or PyArray_CheckExact(gradient) and has_dtype(
            gradient, node.dtype) and shape_matches(node, gradient):
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


# -------------------------------------------------------------------------- the loop

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
        if function.output_kind == OUTPUT_REFERENCES and function._output_count > 1:
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


# ------------------------------------------------------------------ where it is used

def backprop_to_all(outputs, retain_grad, loss_scale):
    """Propagate gradients from some nodes to all leaves behind them.

    ``config.enable_backprop`` decides whether the computation is itself put in the
    graph.

    Parameters
    ----------
    outputs : iterable of (VariableNode, Variable or None)
        Where to start, and the gradients to start with; those of a node that is named
        twice add up.
    retain_grad : bool
        Whether variables in between keep their gradients.
    loss_scale : float or None
        Stored in the leaves; optimizers divide by it.
    """
    cdef VariableNodeBase node
    cdef GradTable table = GradTable(True)
    cdef Traversal traversal = Traversal(
        table, retain_grad, current().enable_backprop)
    for node, gradient in outputs:
        check_old_style(node)
        if gradient is not None:
            table.add(node, gradient)
        if gradient is not None or node.creator_base is not None:
            traversal._reach(node)
    gradient = None
    try:
        traversal.run()
    except BaseException:
        put_back(traversal.taken)
        raise
    traversal.set_leaves(loss_scale)


def backward_from(VariableBase variable, retain_grad, enable_double_backprop,
                  loss_scale):
    """Propagate a variable's gradient, and clear it unless ``retain_grad`` is set."""
    cdef _BackpropMode mode = _BackpropMode()
    cdef VariableNodeBase node = node_of(variable)
    given = gradient_of(variable)
    cdef tuple taken = taken_from(variable)
    put_grad(variable, None, None)
    mode.enter(enable_double_backprop)
    try:
        backprop_to_all([(node, given)], retain_grad, loss_scale)
    except BaseException:
        put_back([taken])
        raise
    finally:
        mode.leave()


def differentiate(outputs, inputs, grad_outputs, grad_inputs, *, set_grad, retain_grad,
                  enable_double_backprop):
    """Return the gradients of ``outputs`` with respect to ``inputs``.

    See :func:`chainer_fast.grad`; the arguments are checked there. ``grad_outputs`` and
    ``grad_inputs`` are lists of variables or None; ``grad_outputs`` already contains
    the loss scale.
    """
    cdef VariableBase variable
    cdef VariableNodeBase node
    cdef GradTable table = GradTable(False)
    cdef _BackpropMode mode = _BackpropMode()
    cdef Traversal traversal
    input_nodes = [node_of(variable) for variable in inputs]
    output_nodes = [node_of(variable) for variable in outputs]
    for node, gradient in zip(output_nodes, grad_outputs):
        table.put(node, gradient)
    for node, gradient in zip(input_nodes, grad_inputs):
        if gradient is not None:
            table.put(node, gradient)
    mode.enter(enable_double_backprop)
    try:
        traversal = Traversal(table, retain_grad, enable_double_backprop)
        traversal.keep = set(input_nodes)
        traversal.wanted = _nodes_between(output_nodes, traversal.keep)
        for node in output_nodes:
            check_old_style(node)
            if node.creator_base is not None:
                traversal.heap.push(node.creator_base)
        traversal.run()
        # Gradients that are still in lists are summed up here.
        results = [as_grad_variable(table.peek(node)) for node in input_nodes]
    finally:
        mode.leave()
    if set_grad:
        for variable, gradient in zip(inputs, results):
            variable.grad_var = gradient
    return results


cdef bint _leads_to(FunctionBase function, set nodes) except -1:
    """Tell whether a gradient reaches one of the nodes through a function.

    A node that requires no gradient gets one from visited functions, but no function is
    visited for it.
    """
    cdef VariableNodeBase node
    for node in function.input_nodes or ():
        if node.needs_grad and node in nodes:
            return True
    return False


cdef set _nodes_between(list starts, set input_nodes):
    """Return the nodes behind the outputs that depend on the inputs, and the inputs.
    """
    cdef VariableNodeBase node
    cdef FunctionBase function
    cdef CandidateHeap heap = CandidateHeap()
    functions = []
    for node in starts:
        if node.creator_base is not None:
            heap.push(node.creator_base)
    while True:
        function = heap.pop()
        if function is None:
            break
        functions.append(function)
        for node in function.input_nodes or ():
            if node.creator_base is not None:
                heap.push(node.creator_base)
            else:
                check_old_style(node)
    wanted = set(input_nodes)
    # Ascending ranks: whatever a function depends on has been decided before it.
    for function in reversed(functions):
        if _leads_to(function, wanted):
            for node in nodes_of_outputs(function):
                if node is not None:
                    wanted.add(node)
    return wanted
