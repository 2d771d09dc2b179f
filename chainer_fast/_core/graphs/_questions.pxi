# Questions that compiled shortcuts ask about a function of the graph. Part of
# graph.pyx.
#
# A shortcut declines (None from ``forward``, zero from ``backward``) cases that are not
# plain, and results whose loops raised a floating-point flag, of which NumPy has to
# warn; the function's own methods then do the work, and give the same bits.

cdef extern from "Python.h":
    long PyLong_AsLongAndOverflow(object, int *overflow) except? -1


cdef PyObject *new_ref(object array) noexcept:
    """Return a new reference, for a slot of gradients."""
    if array is None:
        return NULL
    Py_INCREF(array)
    return <PyObject *>array


cdef bint wanted(FunctionBase function, Py_ssize_t i):
    return (<VariableNodeBase>function.input_nodes[i]).needs_grad


cdef object _array_of(VariableNodeBase node):
    """Return a retained array, or what the user has put in its place."""
    cdef VariableBase variable = variable_of(node)
    return node.array if variable is None else variable.arr


cdef object input_array(FunctionBase function, Py_ssize_t i):
    """Return a retained input array."""
    array = _array_of(<VariableNodeBase>function.input_nodes[i])
    return as_floats(array) if function.bits.in_single else array


cdef object output_array(FunctionBase function):
    """Return the retained output array, the first of several; None if there is none."""
    cdef VariableNodeBase node = lone_output(function)
    cdef object kept = function.kept_outputs
    if kept is not None and function.bits.output_kind == OUTPUT_REFERENCES:
        index = function._output_indexes_to_retain[0]
        node = (<tuple>function.output)[index]()
        kept = kept[0] if type(kept) is tuple else kept
    if node is not None and kept is not None:
        kept = _array_of(node)
    return as_floats(kept) if function.bits.in_single else kept


cdef bint fits_inputs(FunctionBase function, object gy, Py_ssize_t n) except -1:
    """Return whether a gradient has the shape and type of all inputs."""
    cdef Py_ssize_t i
    cdef VariableNodeBase node
    cdef object dtype = (
        <object>np.PyArray_DESCR(<np.ndarray>gy) if np.PyArray_CheckExact(gy)
        else gy.dtype)
    for i in range(n):
        node = <VariableNodeBase>function.input_nodes[i]
        if not same_dtype(node.dtype, _HALF if function.bits.in_single else dtype) or (
                not shape_matches(node, gy)):
            return False
    return True


cdef int place_of(object axis, int ndim) except -2:
    """Return an axis, counted from the first one; -1 if it is no int in range."""
    cdef int overflow
    cdef long place
    if type(axis) is not int:
        return -1
    place = PyLong_AsLongAndOverflow(axis, &overflow)
    if overflow or not -ndim <= place < ndim:
        return -1
    return place + ndim if place < 0 else place


cdef bint number(
        FunctionBase function, str name, double *value, bint casts=False) except -1:
    """Read an attribute of the instance if it is a Python number that fits a double.

    If the name is None, there is no such parameter, and the value stays as it is. A
    float of NumPy's will do only with ``casts``, if the function gives it the type of
    its arrays: elsewhere NumPy computes in the wider of the two types.
    """
    if name is None:
        return True
    cdef object found = own_attribute(function, name)
    if type(found) is not float and type(found) is not int and not (
            casts and is_numpy_float(found)):
        return False
    try:
        value[0] = found
    except OverflowError:
        return False
    return True
