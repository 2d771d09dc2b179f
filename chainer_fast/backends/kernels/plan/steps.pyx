"""Steps of a plan, the values that they read and write, and the loop over the steps.

A *value* is a number; a workspace has an array for it, or a piece of memory that only
loops see. A workspace belongs to one call at a time: what a call keeps for its
gradients stays there until the call is forgotten.
"""
cimport numpy as np
import numpy
from cpython.list cimport PyList_GET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libc.stddef cimport ptrdiff_t
from libcpp.vector cimport vector
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, \
    PyArray_SAMESHAPE

from chainer_fast._core.arrays.dtypes cimport same_type
from chainer_fast._core.arrays.plain cimport CF_PLAIN_FLAGS, empty_like
from chainer_fast._core.graphs.graph cimport (
    MAX_SHORTCUT_INPUTS, FunctionBase, Shortcut, VariableNodeBase, as_grad_array,
    clear_float_errors, float_errors, is_like, shortcut_of)
from chainer_fast.backends.kernels.common.elementwise cimport AnyLoop, Loop

np.import_array()

cdef extern from "chainer_fast/backends/kernels/plan/fused.hpp" \
        namespace "chainer_fast::plan":
    cdef struct Instruction:
        AnyLoop loop
        double p
        double q
        int inputs[3]
        int outputs[2]

    void run_fused(const vector[Instruction] &, char, const Place *, ptrdiff_t pieces,
                   ptrdiff_t n) noexcept


cdef extern from "chainer_fast/_core/arrays/private.hpp" namespace "chainer_fast":
    bint may_have_more_references(PyObject *, Py_ssize_t n) noexcept
    bint may_be_held_weakly(PyObject *) noexcept


class NotStatic(Exception):
    """A function gave something else than it did when it was recorded."""


def as_array(gradient):
    """Return the array that a gradient stands for; None for None."""
    return as_grad_array(gradient)


cdef class Workspace:
    """Arrays of the values of one call.

    Parameters
    ----------
    templates : list of array
        For each value an array of its shape and type. The list may grow.
    plain : list of bool
        Whether the array of a value is to be in C order.
    functions : list
        Functions whose shortcuts steps call, by number.
    leaving : list of int
        Values whose arrays belong to the caller.

    Attributes
    ----------
    arrays : list
        Those of the values.
    fallbacks : dict
        Functions that the graph engine has applied, with their outputs, by number.
    declined : set of int
        Functions whose shortcuts have declined in this call.
    """

    def __cinit__(self, list templates, list plain, list functions, list leaving):
        self.templates = templates
        self.plain = plain
        self.arrays = []
        self.functions = functions
        self.leaving = list(leaving)
        self.prepared = set()
        self.buffers = []
        self.declined = set()
        self.fallbacks = {}
        self._grow()

    cdef int _grow(self) except -1:
        while len(self.arrays) < len(self.templates):
            self.arrays.append(None)
            self.places.push_back(Place(NULL, -1))
        return 0

    cdef bint put(self, int value, object array) except -1:
        """Set the array of a value; return whether it is of the recorded kind.

        If it is not, the value has none, so that no plan runs that needs it.
        """
        template = self.templates[value]
        if not PyArray_CheckExact(array) or not same_type(array, template) or (
                not PyArray_SAMESHAPE(<np.ndarray>array, <np.ndarray>template)):
            self.arrays[value] = None
            self.places[value].data = NULL
            return False
        if not PyArray_CHKFLAGS(<np.ndarray>array, CF_PLAIN_FLAGS) and (
                self.plain[value]):
            array = numpy.array(array, order='C')
        self.arrays[value] = array
        self.places[value].data = <char *>PyArray_DATA(<np.ndarray>array)
        return True

    cdef bint put_gradient(self, int value, object gradient) except -1:
        """Set a gradient, an array or rows, likewise."""
        if PyArray_CheckExact(gradient):
            return self.put(value, gradient)
        self.places[value].data = NULL      # no loop takes rows
        self.arrays[value] = (
            gradient if is_like(gradient, self.templates[value]) else None)
        return self.arrays[value] is not None

    cdef int make(self, int value, object array) except -1:
        """Set the array of a value that the plan itself provides."""
        if not self.put(value, array):
            raise NotStatic('a plan has no memory for value %d' % value)
        return 0

    cdef bint _is_ours(self) except -1:
        """Tell whether nobody else refers to memory, or a function, of the workspace.

        Functions that steps call may have kept what they were given; in another call
        they would see other numbers there.
        """
        cdef Py_ssize_t i
        cdef PyObject *each
        for i in range(<Py_ssize_t>self.kept.size()):
            each = PyList_GET_ITEM(self.arrays, self.kept[i])
            if may_have_more_references(each, 1) or may_be_held_weakly(each):
                return False
        for i in range(len(self.buffers)):
            each = PyList_GET_ITEM(self.buffers, i)
            # This list refers to it, and each of the views in it.
            if may_have_more_references(each, 1 + self.views[i]) or (
                    may_be_held_weakly(each)):
                return False
        for i in range(len(self.functions)):
            each = PyList_GET_ITEM(self.functions, i)
            if each is not <PyObject *>None and may_have_more_references(each, 1):
                return False
        return True

    cdef bint _are_intact(self, vector[int] &values) except -1:
        """Tell whether the arrays of some values are where they were put, and as large.

        Users hold arguments, parameters and results, which NumPy may resize in place;
        loops know no more of an array than where it was.
        """
        cdef int value
        cdef object array
        for value in values:
            array = self.arrays[value]
            if PyArray_CheckExact(array) and (
                    <char *>PyArray_DATA(<np.ndarray>array) != self.places[value].data
                    or not PyArray_SAMESHAPE(
                        <np.ndarray>array, <np.ndarray>self.templates[value])):
                return False
        return True

    def fill(self, values, arrays):
        """Set the arrays of some values.

        Returns
        -------
        bool
            Whether they are of the shapes and types that were recorded.
        """
        cdef bint fits = True
        self._grow()
        for value, array in zip(values, arrays):
            fits &= self.put(value, array)
        return fits

    cpdef result(self, int value):
        """Return the array of a value, for users to keep.

        A gradient by rows is for the graph engine, or for :func:`as_array`.
        """
        array = self.arrays[value]
        # Arrays of the workspace are views, as may be results of functions of them.
        if not PyArray_CheckExact(array) or PyArray_CHKFLAGS(
                <np.ndarray>array, np.NPY_ARRAY_OWNDATA):
            return array
        return array.copy()

    cpdef bint forget(self) except -1:
        """Let go of arrays that users may hold.

        Returns
        -------
        bool
            Whether another call can have the workspace.
        """
        cdef int value
        cdef FunctionBase function
        cdef VariableNodeBase node
        for value in self.leaving:
            self.arrays[value] = None
        if not self.calls:
            return True
        self.fallbacks.clear()
        for function in self.functions:
            if function is not None:
                function.kept_outputs = None
                vars(function).clear()
                for node in function.input_nodes:
                    node.array = None
        function, node = None, None     # which refer to the last of them
        return self._is_ours()


cdef class Step:
    """Reads values of a workspace, and writes others."""

    cpdef bint run(self, Workspace workspace) except -1:
        """Run the step.

        Returns
        -------
        bool
            False if the call has to be made again without the plan.
        """
        raise NotImplementedError


cdef class ShortcutCall(Step):
    """Application of a function by its shortcut.

    Parameters
    ----------
    index : int
        Position of the function in a workspace.
    inputs : tuple of int
        Values.
    output : int
        Value.
    pristine : FunctionNode
        The function as it was before it was applied.
    otherwise : Step
        Runs if the shortcut declines.
    """
    cdef int index
    cdef tuple inputs
    cdef int output
    cdef dict attributes
    cdef Step otherwise

    def __cinit__(self, index, inputs, output, pristine, otherwise):
        self.index = index
        self.otherwise = otherwise
        self.inputs = inputs
        self.output = output
        self.attributes = dict(vars(pristine))

    cpdef bint run(self, Workspace workspace) except -1:
        cdef FunctionBase function = workspace.functions[self.index]
        cdef Shortcut shortcut = shortcut_of(function)
        cdef PyObject *arrays[MAX_SHORTCUT_INPUTS]
        cdef VariableNodeBase node
        cdef Py_ssize_t i, n = len(self.inputs)
        if shortcut is None:
            return self._otherwise(workspace)
        own = vars(function)
        own.clear()
        own.update(self.attributes)
        for i in range(n):
            arrays[i] = <PyObject *>workspace.arrays[<int>self.inputs[i]]
        array = shortcut.forward(function, arrays, n)
        if array is None:
            return self._otherwise(workspace)
        if not workspace.put(self.output, array):
            raise NotStatic('%s has another result' % function.label)
        function._input_indexes_to_retain = shortcut.traits.retain_inputs
        function._output_indexes_to_retain = shortcut.traits.retain_outputs
        if shortcut.traits.retain_inputs is not None:
            for i in shortcut.traits.retain_inputs:
                node = <VariableNodeBase>function.input_nodes[i]
                node.array = <object>arrays[i]
        if shortcut.traits.retain_outputs is not None:
            function.kept_outputs = array
        workspace.declined.discard(self.index)
        return True

    cdef bint _otherwise(self, Workspace workspace) except -1:
        workspace.declined.add(self.index)
        return self.otherwise.run(workspace)


cdef class ShortcutGradient(Step):
    """Gradient of a function by its shortcut.

    Parameters
    ----------
    index : int
        Position of the function in a workspace.
    given : int
        Value that is the gradient of the output.
    found : tuple of (int or None)
        Values that become the gradients of the inputs.
    otherwise : Step
        Runs if the shortcut declines, in this direction or the other.
    """
    cdef int index
    cdef int given
    cdef tuple found
    cdef Step otherwise

    def __cinit__(self, index, given, found, otherwise):
        self.index = index
        self.otherwise = otherwise
        self.given = given
        self.found = found

    cpdef bint run(self, Workspace workspace) except -1:
        cdef FunctionBase function = workspace.functions[self.index]
        cdef Shortcut shortcut = shortcut_of(function)
        cdef PyObject *found[MAX_SHORTCUT_INPUTS]
        cdef Py_ssize_t i, n = len(self.found)
        if shortcut is None or self.index in workspace.declined:
            return self.otherwise.run(workspace)
        for i in range(n):
            found[i] = NULL
        try:
            if not shortcut.backward(function, workspace.arrays[self.given], found):
                return self.otherwise.run(workspace)
            for i in range(n):
                if self.found[i] is None:
                    continue
                if found[i] is NULL or not workspace.put_gradient(
                        self.found[i], <object>found[i]):
                    raise NotStatic('%s has no gradient, or another' % function.label)
        finally:
            for i in range(n):
                Py_XDECREF(found[i])
        return True


cdef class FusedLoops(Step):
    """Elementwise loops over arrays of one size and type.

    Parameters
    ----------
    kind : str
        ``'f'`` or ``'d'``.
    n : int
        Number of elements.
    pieces : int
        Number of pieces that its values need.
    loops : sequence of (Loop, tuple of int, tuple of int, tuple of float)
        Each with the values that it reads and writes, and its constants.
    """
    cdef char kind
    cdef Py_ssize_t n
    cdef Py_ssize_t pieces
    cdef vector[Instruction] instructions

    def __cinit__(self, str kind, n, pieces, loops):
        cdef Loop loop
        cdef Instruction it
        self.kind = ord(kind)
        self.n = n
        self.pieces = pieces
        for loop, inputs, outputs, constants in loops:
            it.loop = loop.any
            it.p, it.q = constants
            for i in range(3):
                it.inputs[i] = inputs[min(i, len(inputs) - 1)]
            for i in range(2):
                it.outputs[i] = outputs[min(i, len(outputs) - 1)]
            self.instructions.push_back(it)

    cpdef bint run(self, Workspace workspace) except -1:
        run_fused(self.instructions, self.kind, workspace.places.data(), self.pieces,
                  self.n)
        return True


cdef class Plan:
    """Steps, and the memory that they work on.

    Parameters
    ----------
    steps : list of Step
    fresh : list of int
        Values whose arrays are made anew in every run.
    kept : list of (int, int)
        Values whose arrays belong to the workspace, and the numbers of these arrays:
        later values use the memory of earlier ones.
    pieces : list of (int, int)
        Values of which only a piece exists at a time, and its number.
    starts : list of list of int
        For each step the values whose arrays are made for it.
    drops : list of list of int
        For each step the values that are not needed after it, among those whose arrays
        are made for steps, or by them.
    made : list of int
        All values whose arrays are made for steps, or by them.
    needs : list of int
        Values that have to be there before the first step.
    checks : list of list of int
        For each step the values that functions, which earlier steps have called, may
        have resized.
    calls : bool
        Whether steps call functions.
    """
    def __cinit__(self, steps, fresh, kept, pieces, starts, drops, made, needs, checks,
                  calls):
        self.needs = needs
        self.checks = checks
        self.calls = calls
        self.starts = starts
        self.drops = drops
        self.made = made
        self.steps = steps
        self.fresh = fresh
        self.kept = kept
        self.pieces = pieces

    cdef int _prepare(self, Workspace workspace) except -1:
        cdef int value
        cdef Py_ssize_t at
        workspace._grow()
        places = {}
        for value, at in self.kept:
            if at not in places:
                places[at] = len(workspace.buffers)
                workspace.buffers.append(empty_like(workspace.templates[value]))
                workspace.views.push_back(0)
            at = places[at]
            workspace.make(value, workspace.buffers[at].reshape(
                workspace.templates[value].shape))
            workspace.views[at] += 1
            workspace.kept.push_back(value)
        for value, at in self.pieces:
            workspace.places[value].piece = at
        own = set(workspace.kept)
        workspace.others.clear()
        for value in range(len(workspace.arrays)):
            if workspace.places[value].piece < 0 and value not in own:
                workspace.others.push_back(value)
        workspace.calls |= self.calls
        workspace.prepared.add(self)
        workspace.leaving += self.fresh + self.made
        return 0

    cpdef bint run(self, Workspace workspace) except -1:
        """Run the steps.

        Returns
        -------
        bool
            False if the call has to be made again without the plan: a loop has raised
            a floating-point flag, of which NumPy warns.
        """
        cdef Step step
        cdef Py_ssize_t i
        cdef int value
        cdef int flags = 0
        if self not in workspace.prepared:
            self._prepare(workspace)
        if not workspace._are_intact(workspace.others):
            return False
        for value in self.needs:
            if workspace.places[value].data == NULL and (
                    workspace.arrays[value] is None):
                raise NotStatic('value %d, which a plan reads, is missing' % value)
        for value in self.fresh:
            workspace.make(value, empty_like(workspace.templates[value]))
        clear_float_errors()
        for i in range(len(self.steps)):
            step = <Step>self.steps[i]
            if self.starts[i] is not None:
                for value in <list>self.starts[i]:
                    workspace.make(value, empty_like(workspace.templates[value]))
            if not self.checks[i].empty() and (
                    not workspace._are_intact(self.checks[i])):
                return False
            if type(step) is FusedLoops:
                step.run(workspace)
                flags |= float_errors()
            elif step.run(workspace):
                clear_float_errors()
            else:
                return False
            if self.drops[i] is not None:
                for value in <list>self.drops[i]:
                    workspace.arrays[value] = None
        return flags == 0
