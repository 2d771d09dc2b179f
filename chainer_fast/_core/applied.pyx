"""Functions applied to variables of ChainerX's arrays, in the plain case.

A function of this package computes with the plain arrays inside, so all that is done
here is to take them out and to put the results in arrays of ChainerX again.
"""
from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, \
    PyTuple_SET_ITEM
cimport numpy as np
from numpy cimport PyArray_CheckExact

from chainer_fast._core.graph cimport ArrayBase, FunctionBase, VariableBase, \
    array_around, is_chainerx, new_variable
from chainer_fast._core.private cimport instance_dict
from chainer_fast._core.state cimport current

np.import_array()

cdef object _general = None     # (function, inputs) -> outputs
cdef object _is_served = None   # class -> whether it may be applied here
cdef object _around = None      # (variable, device) -> variable of an array of ChainerX
cdef set _served = set()


def bind(general, is_served, around):
    """Make known what serves all other cases; called once, at import."""
    global _general, _is_served, _around
    _general, _is_served, _around = general, is_served, around


cdef bint _holds_arrays(FunctionBase function) noexcept:
    """Tell whether a function has an array of ChainerX among its attributes."""
    cdef PyObject *attributes = instance_dict(function)
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t position = 0
    if attributes is NULL:
        return False
    while PyDict_Next(<object>attributes, &position, &key, &value):
        if is_chainerx(<object>value):
            return True
    return False


cdef bint _is_float_of_numpy(object array) noexcept:
    return PyArray_CheckExact(array) and np.PyArray_ISFLOAT(<np.ndarray>array)


def apply(FunctionBase function not None, tuple inputs):
    """Apply a function to variables and arrays, of which one is of ChainerX.

    Returns
    -------
    tuple of Variable
    """
    cdef Py_ssize_t i, n = PyTuple_GET_SIZE(inputs)
    cdef tuple inner
    cdef ArrayBase array
    cdef VariableBase y
    cdef object x, device = None
    cls = type(function)
    if cls not in _served:
        if not _is_served(cls):
            return _general(function, inputs)
        _served.add(cls)
    inner = PyTuple_New(n)
    for i in range(n):
        x = <object>PyTuple_GET_ITEM(inputs, i)
        if isinstance(x, VariableBase):
            x = (<VariableBase>x).arr
        if not is_chainerx(x):
            return _general(function, inputs)
        array = <ArrayBase>x
        if device is None:
            device = array._device
        if array._ids is not None or array._device is not device or (
                not PyArray_CheckExact(array._v.arr)):
            return _general(function, inputs)
        Py_INCREF(array._v)
        PyTuple_SET_ITEM(inner, i, array._v)
    if _holds_arrays(function):
        return _general(function, inputs)
    outputs = []
    for y in function.apply(inner):
        if y._requires_grad and current().enable_backprop and (
                _is_float_of_numpy(y.arr)):
            outputs.append(new_variable(array_around(y, device), True))
        else:
            outputs.append(_around(y, device))
    return tuple(outputs)
