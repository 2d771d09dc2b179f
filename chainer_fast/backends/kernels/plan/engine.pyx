"""Steps for functions that have no compiled ones: the graph engine runs these."""
import copy

cimport numpy as np
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libcpp.vector cimport vector

from chainer_fast._core.backward.backprop import backprop_step
from chainer_fast._core.configuration.state cimport current
from chainer_fast._core.graphs.graph cimport (
    FunctionBase, Shortcut, VariableBase, as_grad_array, new_variable, shortcut_of)
from chainer_fast.backends.kernels.plan.steps cimport Step, Workspace
from chainer_fast.backends.kernels.plan.steps import NotStatic
from chainer_fast.configuration import using_config

np.import_array()       # for what is inline in the header of the graph


cdef class EngineCall(Step):
    """Application of a function to variables of its own.

    Parameters
    ----------
    index : int
        Position of the function in a workspace.
    pristine : FunctionNode
        The function as it was before it was applied.
    inputs, outputs : tuple of int
        Values.
    flows : tuple of bool
        Whether the inputs get gradients.
    """
    cdef int index
    cdef object pristine
    cdef tuple inputs, outputs, flows

    def __cinit__(self, index, pristine, inputs, outputs, flows):
        self.index = index
        self.pristine = pristine
        self.inputs, self.outputs, self.flows = inputs, outputs, flows

    cdef object _applied(self):
        """Return a function that is not applied yet."""
        cdef object cls = type(self.pristine)
        if cls.__reduce__ is not FunctionBase.__reduce__ or hasattr(cls, '__copy__'):
            return copy.copy(self.pristine)
        function = cls.__new__(cls)
        own = vars(self.pristine)
        if own:
            vars(function).update(own)
        return function

    cpdef bint run(self, Workspace workspace) except -1:
        cdef Py_ssize_t i
        cdef list variables = []
        cdef tuple outputs
        function = self._applied()
        for i in range(len(self.inputs)):
            variables.append(new_variable(
                workspace.arrays[<int>self.inputs[i]], self.flows[i]))
        outputs = function.apply(tuple(variables))
        workspace.fallbacks[self.index] = function, outputs
        for i in range(len(self.outputs)):
            if not workspace.put(
                    <int>self.outputs[i], (<VariableBase?>outputs[i]).arr):
                raise NotStatic('%s has another result' % function.label)
        return True


cdef class EngineGradient(Step):
    """Gradients of such a function.

    Parameters
    ----------
    index : int
        Position of the function in a workspace.
    label : str
        What messages call it.
    grads : list of (int or None)
        Values that are the gradients of the outputs.
    targets : list of int
        Inputs whose gradients are asked for.
    found : list of int
        Values that become these gradients.
    """
    cdef int index
    cdef str label
    cdef list grads, found
    cdef tuple targets

    def __cinit__(self, index, label, grads, targets, found):
        self.index, self.label = index, label
        self.grads, self.targets, self.found = list(grads), tuple(targets), found

    cpdef bint run(self, Workspace workspace) except -1:
        cdef Py_ssize_t i
        cdef FunctionBase function = workspace.functions[self.index]
        cdef list grads = [
            None if value is None else workspace.arrays[<int>value]
            for value in self.grads]
        if function is None or self.index in workspace.declined:
            function = <FunctionBase>workspace.fallbacks[self.index][0]
            if self._short(workspace, function, grads):
                return True
        variables = tuple([
            None if array is None else new_variable(array, False) for array in grads])
        sums = {node: [] for node in function.input_nodes}
        if current().enable_backprop:
            with using_config('enable_backprop', False):
                backprop_step(function, self.targets, variables, sums, False)
        else:
            backprop_step(function, self.targets, variables, sums, False)
        for i in range(len(self.found)):
            found = sums[function.input_nodes[<Py_ssize_t>self.targets[i]]]
            gradient = as_grad_array(found[0]) if found else None
            if gradient is None or not workspace.put(
                    <int>self.found[i], gradient):
                raise NotStatic('%s has no gradient, or another' % self.label)
        return True

    cdef bint _short(
            self, Workspace workspace, FunctionBase function, list grads) except -1:
        """Differentiate by the shortcut; return False if it is not plain."""
        cdef Shortcut shortcut = shortcut_of(function)
        cdef vector[PyObject *] found
        cdef Py_ssize_t i, at
        cdef bint done
        if shortcut is None or function.lazy_grad_sum:
            return False
        found.resize(len(function.input_nodes))
        try:
            done = shortcut.backward(
                function, tuple(grads) if len(grads) > 1 else grads[0], found.data())
            for i in range(len(self.found)):
                at = self.targets[i]
                if done and (found[at] is NULL or not workspace.put_gradient(
                        <int>self.found[i], <object>found[at])):
                    raise NotStatic('%s has no gradient, or another' % self.label)
        finally:
            for i in range(<Py_ssize_t>found.size()):
                Py_XDECREF(found[i])
        return done
