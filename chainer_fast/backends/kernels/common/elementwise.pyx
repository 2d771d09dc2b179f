"""Elementwise functions: their records for the graph engine and static chains.

A record names the loops of a function and of its gradient, and their operands. The
graph engine applies the function by its record, without calling the methods of its
class, and launches the same elements as kernels on a GPU; a static chain runs the
loops of many functions one after the other.
"""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from libc.math cimport INFINITY

from chainer_fast._core.arrays.dtypes cimport same_dtype
from chainer_fast._core.arrays.gapless cimport (
    any_common_gapless_kind, any_gapless_kind, empty_gapless_like)
from chainer_fast._core.arrays.plain cimport cf_any_float_kind
from chainer_fast._core.graphs.graph cimport (
    VariableNodeBase, clear_float_errors, fits_inputs, float_errors, input_array,
    new_ref, number, output_array, own_attribute, shape_matches, shortcut_of, wanted)
from chainer_fast.backends.kernels.common import ufuncs
from chainer_fast.backends.kernels.common.layout cimport (
    Spread, in_order_of, is_like, is_of_broadcast, shape_of_one, shape_of_two, sum_to)
from chainer_fast.backends.kernels.common.ufuncs cimport unary_of

np.import_array()

# Operands of gradients that are not inputs; or the gradient goes through as it is.
cdef enum:
    _OUTPUT = -1
    _GRADIENT = -2
    _PASSES = -3
    _HELD = -4

cdef dict _OPERANDS = {'y': _OUTPUT, 'g': _GRADIENT, 'held': _HELD}

include "_element_loops.pxi"
include "_element_kernels.pxi"


cdef bint _are_as_they_were(FunctionBase function) except -1:
    """Return whether two inputs that were kept still have their shapes."""
    cdef object array
    cdef int i
    for i in range(2):
        array = input_array(function, i)
        if array is None or not shape_matches(
                <VariableNodeBase>function.input_nodes[i], array):
            return False
    return True


cdef class Elementwise(Shortcut):
    """An elementwise function of one or two arrays, and its gradient.

    Parameters
    ----------
    loop : Loop
        The function.
    gradients : tuple or Loop
        For each input the loop of its gradient with the operand that precedes the
        gradient of the output: the number of an input, ``'y'`` for the output,
        ``'held'`` for the attribute of that name, or ``'g'`` if there is no other; None
        if the gradient of the output is that of the input. A loop makes those of two
        inputs at once, from both and the gradient.
    parameters : tuple of str
        Attributes of the function that are constants of all these loops, two at most.
    held : str, optional
        Attribute of the function that is the first array of its loop.
    least, most : float
        The range of the first parameter; the methods of the class compute others.
    broadcasts : bool
        Whether the function supports two arrays of different shapes.
    casts : bool
        Whether it converts its parameter, a scalar, to the type of the array.
    lessens : bool
        Whether the second constant is the first one less 1.
    """

    def __init__(self, Loop loop not None, gradients, tuple parameters=(),
                 str held=None, double least=-INFINITY, double most=INFINITY,
                 bint broadcasts=False, bint casts=False, bint lessens=False):
        self.loop, self.gradients = loop, gradients
        self.parameters, self.held = parameters, held
        self._first, self._second = (*parameters, None, None)[:2]
        self.least, self.most = least, most
        self.broadcasts, self.casts = broadcasts, casts
        self.lessens = lessens
        self._at_once = isinstance(gradients, Loop)
        self._compares = True
        self.traits.serves_devices = True
        if self._at_once:
            self.inputs = 2
            self.traits.retain_inputs = (0, 1)
            self._fits_kept = broadcasts
            return
        self.inputs = len(gradients)
        kept = set()
        for i, gradient in enumerate(gradients):
            self._operands[i] = _PASSES
            if gradient is not None:
                made, operand = gradient
                self._grads[i] = (<Loop?>made).any
                self._operands[i] = _OPERANDS.get(operand, operand)
                kept.add(self._operands[i])
        self.traits.retain_inputs = tuple(sorted([i for i in kept if i >= 0])) or None
        self.traits.retain_outputs = (0,) if _OUTPUT in kept else None
        self._fits_kept = broadcasts and self.traits.retain_inputs is not None
        # A single operand determines the shape and type of the gradient.
        self._compares = self.inputs > 1 or not kept or _GRADIENT in kept

    cdef bint _serves(self, FunctionBase function, double *p, double *q) except -1:
        """Read the parameters; return whether the loops support them."""
        if self._first is None:
            return True
        if not number(function, self._first, p, self.casts) or (
                not self.least <= p[0] <= self.most):
            return False
        if self.lessens:
            q[0] = p[0] - 1
            return True
        return number(function, self._second, q)

    cdef object _operand(self, FunctionBase function, int operand):
        if operand == _OUTPUT:
            return output_array(function)
        if operand == _HELD:
            return own_attribute(function, self.held)
        return input_array(function, operand)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef double p = 0, q = 0
        cdef object a = <object>x[0]
        cdef object b = <object>x[n - 1]
        cdef char kind
        if n != self.inputs or (
                self._first is not None and not self._serves(function, &p, &q)):
            return None
        if self.held is not None:
            return _run_with(self.loop.any, own_attribute(function, self.held), a, p, q)
        kind = any_gapless_kind(a) if n == 1 else any_common_gapless_kind(a, b)
        if not kind:
            return _run_spread(self.loop.any, a, b, self.broadcasts, p, q)
        return _run(self.loop.any, kind, a, b, p, q)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        if self._compares and not fits_inputs(function, gy, self.inputs):
            return self._sums(function, gy, gx) if self.broadcasts else 0
        # If both gradients are required, their loops compare the operands with ``gy``.
        if self._fits_kept and (
                self._at_once or not (wanted(function, 0) and wanted(function, 1))
                ) and not _are_as_they_were(function):
            return 0
        return self._gradients(function, gy, gx, False)

    cdef int _sums(self, FunctionBase function, object gy, PyObject **gx) except -1:
        """Find the gradients of two operands that were broadcast, summed for each.

        Nothing is summed before all else has succeeded, since NumPy may warn of sums.
        """
        cdef VariableNodeBase node
        cdef object whole, found
        cdef int i
        if not is_of_broadcast(gy, function.input_nodes) or (
                self._fits_kept and not _are_as_they_were(function)):
            return 0
        whole = self._both(function, gy) if self._at_once else self._each(function, gy)
        if whole is None:
            return 0
        for i in range(2):
            found = whole[i]
            if found is None:
                continue
            node = <VariableNodeBase>function.input_nodes[i]
            found = sum_to(found, node)
            if self._operands[i] == _GRADIENT and not shape_matches(node, gy):
                found = _run_alone(self._grads[i], found, 0, 0)
            gx[i] = new_ref(found)
            if gx[i] is NULL:
                return 0
        return 1

    cdef object _each(self, FunctionBase function, object gy):
        """Return the required gradients before sums, or the terms of the sums."""
        cdef list whole = [None, None]
        cdef object found
        cdef int i
        for i in range(2):
            if not wanted(function, i):
                continue
            found = gy
            if self._operands[i] >= 0:
                found = _run_spread(
                    self._grads[i], input_array(function, self._operands[i]), gy, True,
                    0, 0)
            elif self._operands[i] == _GRADIENT and shape_matches(
                    <VariableNodeBase>function.input_nodes[i], gy):
                found = _run_alone(self._grads[i], gy, 0, 0)
            if found is None:
                return None
            whole[i] = found
        return whole

    cdef int _gradients(self, FunctionBase function, object gy, PyObject **gx,
                        bint on_device) except -1:
        cdef double p = 0, q = 0
        cdef object found
        cdef int i, operand
        if self._first is not None and not self._serves(function, &p, &q):
            return 0
        if self._at_once:
            found = _on_device(
                self.gradients, input_array(function, 0), input_array(function, 1), gy,
                0, 0) if on_device else self._both(function, gy)
            if found is None:
                return 0
            gx[0], gx[1] = new_ref(found[0]), new_ref(found[1])
            return 1
        for i in range(self.inputs):
            operand = self._operands[i]
            if operand == _PASSES:
                gx[i] = new_ref(gy)
                continue
            if self.inputs > 1 and not wanted(function, i):
                continue
            if on_device:
                found = _on_device(
                    self.gradients[i][0], gy if operand == _GRADIENT
                    else self._operand(function, operand), gy, None, p, q)
            elif operand == _GRADIENT:
                found = _run_alone(self._grads[i], gy, p, q)
            else:
                found = _run_with(
                    self._grads[i], self._operand(function, operand), gy, p, q)
            gx[i] = new_ref(found)
            if gx[i] is NULL:
                return 0
        return 1

    cdef object _both(self, FunctionBase function, object gy):
        """Return both gradients before sums, since NumPy warns of either."""
        cdef Spread shape
        cdef object a = input_array(function, 0)
        cdef object b = input_array(function, 1)
        cdef object ga, gb
        cdef char kind = any_common_gapless_kind(a, b)
        if kind:
            gy = in_order_of(gy, a)
        clear_float_errors()
        if kind and any_common_gapless_kind(a, gy):
            ga, gb = empty_gapless_like(a), empty_gapless_like(a)
            _call((<Loop>self.gradients).any, kind, a, b, gy, ga, gb, 0, 0)
        elif shape_of_two(a, b, self.broadcasts, &shape) and is_like(gy, a, &shape):
            ga, gb = [
                PyArray_EMPTY(shape.ndim, shape.dims, PyArray_TYPE(<np.ndarray>a), 0)
                for _ in range(2)]
            run_gathered((<Loop>self.gradients).any, cf_any_float_kind(<np.ndarray>a),
                         shape.ndim, shape.dims, a, b, gy, ga, gb, 0, 0)
        else:
            return None
        return None if float_errors() else (ga, gb)

    cdef object forward_on_device(
            self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object a = <object>x[0]
        cdef object b = <object>x[n - 1]
        cdef double p = 0, q = 0
        if n != self.inputs or not self._serves(function, &p, &q):
            return None
        if self.held is not None:
            return _on_device(self.loop, own_attribute(function, self.held),
                              a, None, p, q)
        return _on_device(self.loop, a, b, None, p, q)

    cdef int backward_on_device(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        if self._compares and not fits_inputs(function, gy, self.inputs):
            return 0
        return self._gradients(function, gy, gx, True)


def elementwise_of(FunctionBase function, Py_ssize_t inputs):
    """Return the record of an elementwise function, and its parameters.

    Parameters
    ----------
    function : FunctionNode
    inputs : int
        Number of arrays to which it is applied.

    Returns
    -------
    tuple of (Elementwise, tuple of float) or None
        None if it has no record, or is used in a way for which there are no loops.
    """
    cdef Shortcut shortcut = shortcut_of(function)
    cdef Elementwise record
    cdef double p = 0, q = 0
    if type(shortcut) is not Elementwise:
        return None
    record = <Elementwise>shortcut
    if record.inputs != inputs or record.held is not None:
        return None
    return (record, (p, q)) if record._serves(function, &p, &q) else None
