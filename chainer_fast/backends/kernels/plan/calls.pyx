"""Calls that are the same as a recorded one.

A call is compared with the recorded one without a step of Python: its arguments, the
configuration, and the attributes of the links. Then a plan makes it.
"""
import numpy

cimport numpy as np
from cpython.dict cimport PyDict_Next, PyDict_Size
from cpython.object cimport PyObject
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DESCR, \
    PyArray_SAMESHAPE

from chainer_fast._core.graph cimport FunctionBase, Shortcut, VariableBase
from chainer_fast._core.launches cimport is_on_device
from chainer_fast._core.plain cimport CF_PLAIN_FLAGS
from chainer_fast._core.private cimport instance_dict, referent
from chainer_fast._core.shortcut cimport given
from chainer_fast._core.state cimport ThreadState, current
from chainer_fast.backends.kernels.plan.steps cimport Plan, Workspace
from chainer_fast.backends.kernels.plan.steps import NotStatic

np.import_array()

#: What :meth:`PlannedCallBase.repeat` returns if the plan is of another call.
MISS = object()


cdef class Guard:
    """The attributes of links, as they were.

    Parameters
    ----------
    links : list of weakref.ref
    ignored : frozenset of str
        Attributes that may change.
    """

    def __init__(self, links, frozenset ignored):
        self.ignored = ignored
        self.links = []
        for link in links:
            values = [value for name, value in vars(link()).items()
                      if name not in ignored]
            self.links.append((link, tuple(values), tuple(map(_length, values))))

    cpdef bint holds(self) except -1:
        """Return whether all of them are the same objects."""
        cdef PyObject *own
        cdef PyObject *name
        cdef PyObject *value
        cdef Py_ssize_t at, i, n
        cdef tuple each, values, lengths
        for each in self.links:
            link = referent(each[0])
            values = <tuple>each[1]
            lengths = <tuple>each[2]
            own = instance_dict(link)
            if own is NULL:
                return False
            at = i = 0
            n = len(values)
            while PyDict_Next(<object>own, &at, &name, &value):
                if i < n and value is <PyObject *>values[i]:
                    if lengths[i] is not None and len(<object>value) != lengths[i]:
                        return False
                    i += 1
                elif <object>name not in self.ignored:
                    return False
            if i != n:
                return False
        return True


cdef object _length(value):
    return len(value) if isinstance(value, (list, dict, set)) else None


cdef bint _matches(object pattern, object argument, list inputs) except -1:
    """Tell whether an argument is like the recorded one; append inputs to a list."""
    cdef Py_ssize_t i
    cdef VariableBase variable
    cdef object array
    if type(pattern) is InputPattern:
        if isinstance(argument, VariableBase):
            variable = <VariableBase>argument
            if (<InputPattern>pattern).requires_grad != variable._requires_grad or (
                    variable._layout is not None):
                return False
            array = variable.arr
        else:
            if (<InputPattern>pattern).requires_grad != -1:
                return False
            array = argument
        if not (<InputPattern>pattern).fits(array):
            return False
        inputs.append(argument)
        return True
    if type(pattern) is list:
        if not isinstance(argument, (list, tuple)) or (
                len(argument) != len(<list>pattern)):
            return False
        for i in range(len(<list>pattern)):
            if not _matches((<list>pattern)[i], argument[i], inputs):
                return False
        return True
    if type(pattern) is dict:
        if type(argument) is not dict or len(<dict>argument) != len(<dict>pattern):
            return False
        for (name, value), (name_given, value_given) in zip(
                (<dict>pattern).items(), (<dict>argument).items()):
            if name != name_given or not _matches(value, value_given, inputs):
                return False
        return True
    return pattern is argument or (
        type(pattern) is type(argument) and pattern == argument)


cdef class InputPattern:
    """An argument: an array, or a variable with one.

    Parameters
    ----------
    template : numpy.ndarray
        Its shape and type.
    requires_grad : bool or None
        None for an array.
    device : int or None
        The GPU; None for arrays of NumPy, in C order.
    """

    def __init__(self, np.ndarray template, requires_grad, device=None):
        self.template = template
        self.requires_grad = -1 if requires_grad is None else requires_grad
        self.device = -1 if device is None else device
        self.shape = (<object>template).shape

    cdef bint fits(self, object array) except -1:
        if self.device >= 0:
            return is_on_device(array) and array.dtype is <object>PyArray_DESCR(
                self.template) and (
                array.shape == self.shape) and array.data.device_id == self.device
        return PyArray_CheckExact(array) and (
            PyArray_DESCR(<np.ndarray>array) is PyArray_DESCR(self.template)
            and PyArray_SAMESHAPE(<np.ndarray>array, self.template)
            and PyArray_CHKFLAGS(<np.ndarray>array, CF_PLAIN_FLAGS))


cdef class RepeatedCall:
    """A recorded call, by which others are recognized."""

    cdef bint _same_settings(self) except -1:
        cdef ThreadState state = current()
        if state.debug or state.static_graph or (
                state.enable_backprop != self.enable_backprop) or (
                    PyDict_Size(state.function_hooks) > 0) or (
                        PyDict_Size(state.link_hooks) > 0):
            return False
        if self._thread is not state or self._version != state.seen:
            if not self.same_settings():
                return False
            self._thread = state
            self._version = state.seen
        return True

    cdef bint is_same(self, args, kwargs, list inputs) except -1:
        """Tell whether a call is like the recorded one; append its inputs to a list."""
        return self._same_settings() and _matches(
            self.pattern, [args, kwargs], inputs) and self.guard.holds()


cdef class PlannedCallBase(RepeatedCall):
    """A recorded call that a plan makes."""
    cdef public list params_grad        # whether they require gradients
    cdef public list input_values
    cdef public list param_values
    cdef public list leaves             # variables with gradients, as values
    cdef public list seeds              # outputs with gradients, as values
    cdef public Plan plan
    cdef public list workspaces
    cdef public bint is_one_variable    # what the call returns
    cdef public type node_class
    cdef public object get_random_state     # None if no random numbers are drawn
    cdef public object full             # plan, seeds and results of all gradients
    cdef public object refused              # why no call is made any more, or None

    def repeat(self, args, kwargs):
        """Make a call, if it is the same as the recorded one.

        Returns
        -------
        object
            What the call returns, or ``MISS``.
        """
        cdef list inputs = []
        cdef VariableBase param
        cdef Py_ssize_t i
        cdef Workspace workspace
        if self.refused is not None or not self.is_same(args, kwargs, inputs):
            return MISS
        workspace = self.workspaces.pop() if self.workspaces else self.new_workspace()
        workspace._grow()
        for i in range(len(self.params)):
            param = <VariableBase>self.params[i]
            if param._requires_grad != <bint>self.params_grad[i] or not workspace.put(
                    <int>self.param_values[i], param.arr):
                return MISS
        for i in range(len(inputs)):
            array = inputs[i]
            if isinstance(array, VariableBase):
                array = (<VariableBase>array).arr
            workspace.put(<int>self.input_values[i], array)
        drawn = None if self.get_random_state is None else self.get_random_state()
        if not self.plan.run(workspace):
            if drawn is not None:
                numpy.random.set_state(drawn)
            return MISS
        if self.is_one_variable:
            return self.apply(workspace, inputs, drawn)[0]
        return self.finish(workspace, inputs, drawn)

    cpdef tuple apply(self, Workspace workspace, list inputs, drawn):
        """Put a call in the graph, and return its outputs that have gradients."""
        cdef Py_ssize_t n = len(inputs)
        node = self.node_class()
        variables = []
        for value in self.leaves:
            variables.append(
                inputs[value] if value < n else self.params[<int>value - n])
        node.call = self
        node.lease = Lease(self.workspaces, workspace)
        node.arguments = inputs
        node.drawn = drawn
        return node.apply(tuple(variables))


cdef class Lease:
    """Gives a workspace back when the call is forgotten.

    Parameters
    ----------
    workspaces : list of Workspace
        Those that wait for the next call.
    workspace : Workspace
    """
    cdef list workspaces
    cdef readonly Workspace workspace

    def __init__(self, list workspaces, Workspace workspace):
        self.workspaces = workspaces
        self.workspace = workspace

    def __del__(self):
        if len(self.workspaces) < LIMIT:
            self.workspace.forget()
            self.workspaces.append(self.workspace)


# Workspaces that wait for the next call.
cdef enum:
    LIMIT = 16


cdef class PlanRunShortcut(Shortcut):
    """A call that is already made, with one output."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef PlannedCallBase call = function.call
        if len(call.seeds) != 1:
            return None
        cdef Workspace workspace = (<Lease>function.lease).workspace
        return workspace.result(<int>call.seeds[0])

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef PlannedCallBase call = function.call
        cdef Workspace workspace = (<Lease>function.lease).workspace
        cdef Plan plan
        cdef Py_ssize_t i
        if call.full is None:
            return 0
        plan, seeds, found = call.full
        try:
            if not workspace.put(<int>seeds[0], gy) or not plan.run(workspace):
                return 0
        except NotStatic as error:
            call.refused = str(error)
            return 0
        for i in range(len(<list>found)):
            if found[i] is not None:
                gx[i] = given(workspace.result(<int>found[i]))
        return 1
