"""Compiled base of ChainerX's arrays: a variable, a device, and places in graphs.

Arrays of floats of one dtype that are in the default graph or in none, and numbers, are
added and multiplied as variables or arrays of NumPy are; routines that are handed down
serve all others.
"""
cimport numpy as np
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.number cimport (
    PyNumber_Add, PyNumber_Multiply, PyNumber_Subtract, PyNumber_TrueDivide)
from numpy cimport PyArray_CheckExact, PyArray_DESCR

from chainer_fast._core.allocation cimport cf_allocate
from chainer_fast._core.graph cimport VariableBase, new_variable

np.import_array()

ctypedef object (*_Operation)(object, object)

cdef tuple _NO_ARGS = ()
cdef object _Array = None
cdef list _routines = [None] * 4


def bind(array):
    """Make known the subclass of :class:`ArrayBase` that arrays are of."""
    global _Array
    _Array = array


def bind_operators(*routines):
    """Make known what operators of any operands are, one of them an array.

    Parameters
    ----------
    *routines : callable
        Those that add, subtract, multiply and divide two operands; they return
        ``NotImplemented`` for what they do not know.
    """
    _routines[:] = routines


cdef class ArrayBase:
    """Compiled base of :class:`chainerx.ndarray`."""

    def __add__(self, other):
        return _operate(PyNumber_Add, 0, self, other)

    def __sub__(self, other):
        return _operate(PyNumber_Subtract, 1, self, other)

    def __mul__(self, other):
        return _operate(PyNumber_Multiply, 2, self, other)

    def __truediv__(self, other):
        return _operate(PyNumber_TrueDivide, 3, self, other)

    def __radd__(self, other):
        return _with_number(PyNumber_Add, 0, self, other, True)

    def __rsub__(self, other):
        return _with_number(PyNumber_Subtract, 1, self, other, True)

    def __rmul__(self, other):
        return _with_number(PyNumber_Multiply, 2, self, other, True)

    def __rtruediv__(self, other):
        return _with_number(PyNumber_TrueDivide, 3, self, other, True)


cpdef object wrap(VariableBase variable, object device, object ids=None):
    """Return an array around a variable.

    Parameters
    ----------
    variable : Variable
        With an array of the device.
    device : chainerx.Device
    ids : frozenset of BackpropId, optional
        The graphs, if there is one beside the default one.
    """
    cdef ArrayBase array = <ArrayBase>cf_allocate(_Array, _NO_ARGS)
    array._v = variable
    array._device = device
    array._ids = ids
    return array


cpdef object plain(object array, object device):
    """Return an array around one of NumPy or CuPy, in no graph."""
    return wrap(new_variable(array, False), device)


cpdef list plain_variables(tuple arrays):
    """Return the variables inside arrays that need no closer look, or else None.

    Those are arrays of floats of one dtype, on one device of the host, that are in the
    default graph or in none.
    """
    cdef ArrayBase array, first = None
    cdef list variables = []
    for each in arrays:
        if type(each) is not _Array:
            return None
        array = <ArrayBase>each
        x = array._v.arr
        if array._ids is not None or not PyArray_CheckExact(x) or (
                not np.PyArray_ISFLOAT(<np.ndarray>x)):
            return None
        if first is None:
            first = array
        elif array._device is not first._device or (
                PyArray_DESCR(<np.ndarray>x)
                is not PyArray_DESCR(<np.ndarray>first._v.arr)):
            return None
        variables.append(array._v)
    return variables


cdef object _operate(_Operation operation, int place, ArrayBase a, object other):
    cdef ArrayBase b
    cdef object x, y
    if type(other) is not _Array:
        return _with_number(operation, place, a, other, False)
    b = <ArrayBase>other
    x, y = a._v.arr, b._v.arr
    if a._ids is not None or b._ids is not None or a._device is not b._device or (
            not PyArray_CheckExact(x) or not PyArray_CheckExact(y)
            or PyArray_DESCR(<np.ndarray>x) is not PyArray_DESCR(<np.ndarray>y)
            or not np.PyArray_ISFLOAT(<np.ndarray>x)
            or not np.PyArray_SAMESHAPE(<np.ndarray>x, <np.ndarray>y)):
        return _routines[place](a, other)
    if a._v._requires_grad or b._v._requires_grad:
        return wrap(operation(a._v, b._v), a._device)
    return plain(np.PyArray_FROM_O(operation(x, y)), a._device)


cdef object _with_number(
        _Operation operation, int place, ArrayBase a, object other, bint reflected):
    """Return what an operation makes of an array and something else, or the reverse."""
    cdef object x = a._v.arr, number
    # Variables are divided by a number as multiplied by its reciprocal.
    if a._ids is not None or not PyArray_CheckExact(x) or (
            not np.PyArray_ISFLOAT(<np.ndarray>x)
            or not (PyFloat_CheckExact(other) or PyLong_CheckExact(other))
            or (place == 3 and a._v._requires_grad)):
        routine = _routines[place]
        return routine(other, a) if reflected else routine(a, other)
    if a._v._requires_grad:
        return wrap(operation(other, a._v) if reflected else operation(a._v, other),
                    a._device)
    number = (<object>PyArray_DESCR(<np.ndarray>x)).type(other)
    return plain(
        np.PyArray_FROM_O(operation(number, x) if reflected else operation(x, number)),
        a._device)
