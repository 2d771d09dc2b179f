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
    as_terms, backward_in_single, give_gradient, gradient_of, hooks_of, is_like,
    lone_output, node_of, nodes_of_outputs, on_host, opened, put_grad, settle,
    shape_matches, shortcut_of, takes_factors, variable_of)

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


# One module, since calls within a module are fast; a file for each part.
include "_heap.pxi"
include "_grad_table.pxi"
include "_one_function.pxi"
include "_traversal.pxi"


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
    """Return whether a gradient reaches one of the nodes through a function.

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
