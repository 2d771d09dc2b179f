"""Calls that are the same as a recorded one.

A call is compared with the recorded one without a step of Python: its arguments, the
configuration, and the attributes of the links. Then a tape makes it.
"""
import numpy

cimport numpy as np
from cpython.dict cimport PyDict_Next, PyDict_Size
from cpython.object cimport PyObject
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DESCR, \
    PyArray_SAMESHAPE

from chainer_fast._core.graph cimport FunctionBase, Shortcut, VariableBase
from chainer_fast._core.plain cimport CF_PLAIN_FLAGS
from chainer_fast._core.private cimport instance_dict, referent
from chainer_fast._core.shortcut cimport given
from chainer_fast._core.state cimport ThreadState, current
from chainer_fast.backends.kernels.tape.steps cimport Frame, Tape
from chainer_fast.backends.kernels.tape.steps import NotStatic

np.import_array()

#: What :meth:`RepeatedCall.repeat` returns if the call is another one.
ANOTHER = object()


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

    def holds(self):
        """Return whether all of them are the same objects."""
        return self._holds()

    cdef bint _holds(self) except -1:
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
        if not PyArray_CheckExact(array):
            return False
        template = (<InputPattern>pattern).template
        if PyArray_DESCR(<np.ndarray>array) is not PyArray_DESCR(
                <np.ndarray>template) or not PyArray_SAMESHAPE(
                    <np.ndarray>array, <np.ndarray>template) or (
                        not PyArray_CHKFLAGS(<np.ndarray>array, CF_PLAIN_FLAGS)):
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
    template : array
        Its shape and type.
    requires_grad : bool or None
        None for an array.
    """
    cdef object template
    cdef int requires_grad

    def __init__(self, template, requires_grad):
        self.template = template
        self.requires_grad = -1 if requires_grad is None else requires_grad


cdef class RepeatedCall:
    """A recorded call."""

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

    cdef Frame _take_frame(self):
        if self.frames:
            return <Frame>self.frames.pop()
        return self.new_frame()

    def repeat(self, args, kwargs):
        """Make a call, if it is the same as the recorded one.

        Returns
        -------
        object
            What the call returns, or ``ANOTHER``.
        """
        cdef list inputs = []
        cdef VariableBase param
        cdef Py_ssize_t i
        cdef Frame frame
        if self.refused is not None or not self._same_settings() or not _matches(
                self.pattern, [args, kwargs], inputs) or not self.guard._holds():
            return ANOTHER
        frame = self._take_frame()
        frame._grow()
        for i in range(len(self.params)):
            param = <VariableBase>self.params[i]
            if param._requires_grad != <bint>self.params_grad[i] or not frame.put(
                    <int>self.param_values[i], param.arr):
                return ANOTHER
        for i in range(len(inputs)):
            array = inputs[i]
            if isinstance(array, VariableBase):
                array = (<VariableBase>array).arr
            frame.put(<int>self.input_values[i], array)
        drawn = None if self.get_random_state is None else self.get_random_state()
        if not self.tape.run(frame):
            if drawn is not None:
                numpy.random.set_state(drawn)
            return ANOTHER
        if self.is_one_variable:
            return self._apply(frame, inputs, drawn)[0]
        return self.finish(frame, inputs, drawn)

    def apply(self, Frame frame, list inputs, drawn):
        """Put a call in the graph, and return its outputs that have gradients."""
        return self._apply(frame, inputs, drawn)

    cdef tuple _apply(self, Frame frame, list inputs, drawn):
        cdef Py_ssize_t n = len(inputs)
        node = self.node_class()
        variables = []
        for value in self.leaves:
            variables.append(
                inputs[value] if value < n else self.params[<int>value - n])
        node.calls = self
        node.lease = Lease(self.frames, frame)
        node.arguments = inputs
        node.drawn = drawn
        return node.apply(tuple(variables))


cdef class Lease:
    """Gives a frame back when the call is forgotten.

    Parameters
    ----------
    frames : list of Frame
        Frames that wait for the next call.
    frame : Frame
    """
    cdef list frames
    cdef readonly Frame frame

    def __init__(self, list frames, Frame frame):
        self.frames = frames
        self.frame = frame

    def __del__(self):
        if len(self.frames) < LIMIT:
            self.frame.forget()
            self.frames.append(self.frame)


# Frames that wait for the next call.
cdef enum:
    LIMIT = 16


cdef class ReplayShortcut(Shortcut):
    """A call that is already made, with one output."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef RepeatedCall calls = function.calls
        if len(calls.seeds) != 1:
            return None
        cdef Frame frame = (<Lease>function.lease).frame
        return frame.result(<int>calls.seeds[0])

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef RepeatedCall calls = function.calls
        cdef Frame frame = (<Lease>function.lease).frame
        cdef Tape tape
        cdef Py_ssize_t i
        if calls.full is None:
            return 0
        tape, seeds, found = calls.full
        try:
            if not frame.put(<int>seeds[0], gy) or not tape.run(frame):
                return 0
        except NotStatic as error:
            calls.refused = str(error)
            return 0
        for i in range(len(<list>found)):
            if found[i] is not None:
                gx[i] = given(frame.result(<int>found[i]))
        return 1
