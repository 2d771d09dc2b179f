"""What compiled shortcuts ask of a function of the graph.

A shortcut says no (None from ``forward``, zero from ``backward``) to whatever is not
plain, and to results whose loops raised a floating-point flag, which NumPy has to warn
of; the function's own methods then do the work, and give the same bits.
"""
cimport numpy as np
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

from chainer_fast._core.graph cimport FunctionBase, VariableNodeBase, shape_matches

np.import_array()


cdef PyObject *given(object array) noexcept:
    """Return a new reference, for a slot of gradients."""
    if array is None:
        return NULL
    Py_INCREF(array)
    return <PyObject *>array


cdef bint wanted(FunctionBase function, Py_ssize_t i):
    return (<VariableNodeBase>function.input_nodes[i]).needs_grad


cdef object input_array(FunctionBase function, Py_ssize_t i):
    """Return a retained input array."""
    return (<VariableNodeBase>function.input_nodes[i]).array


cdef bint fits_inputs(FunctionBase function, object gy, Py_ssize_t n) except -1:
    """Tell whether a gradient has the shape and type of all inputs."""
    cdef Py_ssize_t i
    cdef VariableNodeBase node
    for i in range(n):
        node = <VariableNodeBase>function.input_nodes[i]
        if node.dtype is not <object>np.PyArray_DESCR(<np.ndarray>gy) or (
                not shape_matches(node, gy)):
            return False
    return True
