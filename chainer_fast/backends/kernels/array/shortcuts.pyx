"""Compiled shortcuts of functions that rearrange arrays."""
cimport numpy as np
from cpython.object cimport PyObject
from libc.string cimport memcpy
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_EMPTY, PyArray_ITEMSIZE, \
    PyArray_NDIM, PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.graph cimport FunctionBase, Shortcut, VariableNodeBase, \
    own_attribute
from chainer_fast._core.plain cimport kind_of
from chainer_fast._core.shortcut cimport given, wanted
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP

np.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_Reshape(np.ndarray, object shape)

cdef enum:
    MAX_DIMS = 32


cdef int _axis(FunctionBase function, int ndim) except -2:
    """Return the axis of a function, or -1 if it is out of range."""
    cdef int axis = own_attribute(function, 'axis')
    if axis < 0:
        axis += ndim
    return axis if 0 <= axis < ndim else -1


cdef class ConcatShortcut(Shortcut):
    """Concatenation of small arrays; for large ones copying dominates anyway."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef npy_intp dims[MAX_DIMS]
        cdef object first, each
        cdef char kind
        cdef char *target
        cdef npy_intp outer = 1, rest = 1, joined = 0, row, k
        cdef Py_ssize_t i
        cdef int ndim, axis, d
        if n < 1:
            return None
        first = <object>x[0]
        kind = kind_of(first)
        ndim = PyArray_NDIM(first) if kind else 0
        if not 0 < ndim < MAX_DIMS:
            return None
        axis = _axis(function, ndim)
        if axis < 0:
            return None
        for i in range(n):
            each = <object>x[i]
            if kind_of(each) != kind or PyArray_NDIM(each) != ndim:
                return None
            for d in range(ndim):
                if d != axis and PyArray_DIM(<np.ndarray>each, d) != PyArray_DIM(
                        <np.ndarray>first, d):
                    return None
            joined += PyArray_DIM(<np.ndarray>each, axis)
        for d in range(ndim):
            dims[d] = PyArray_DIM(<np.ndarray>first, d)
            if d < axis:
                outer *= dims[d]
            elif d > axis:
                rest *= dims[d]
        dims[axis] = joined
        if outer * joined * rest > LONG_LOOP:
            return None
        y = PyArray_EMPTY(ndim, dims, PyArray_TYPE(<np.ndarray>first), 0)
        target = <char *>PyArray_DATA(<np.ndarray>y)
        rest *= PyArray_ITEMSIZE(<np.ndarray>first)
        for k in range(outer):
            for i in range(n):
                row = PyArray_DIM(<np.ndarray>x[i], axis) * rest
                memcpy(target, <char *>PyArray_DATA(<np.ndarray>x[i]) + k * row, row)
                target += row
        return y

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef tuple nodes = function.input_nodes
        cdef VariableNodeBase node
        cdef npy_intp dims[MAX_DIMS]
        cdef char kind = kind_of(gy)
        cdef npy_intp outer = 1, rest = 1, length, total = 0, k, row
        cdef int ndim, axis, d
        cdef char *source
        cdef char *target
        if not kind or PyArray_SIZE(gy) > LONG_LOOP:
            return 0
        ndim = PyArray_NDIM(gy)
        axis = _axis(function, ndim)
        if axis < 0:
            return 0
        for d in range(ndim):
            dims[d] = PyArray_DIM(<np.ndarray>gy, d)
            if d < axis:
                outer *= dims[d]
            elif d > axis:
                rest *= dims[d]
        rest *= PyArray_ITEMSIZE(<np.ndarray>gy)
        row = dims[axis] * rest
        for node in nodes:
            if node.ndim != ndim or (
                    node.dtype is not <object>np.PyArray_DESCR(<np.ndarray>gy)):
                return 0
            total += node.dims[axis]
        if total != dims[axis]:
            return 0
        source = <char *>PyArray_DATA(<np.ndarray>gy)
        for i in range(len(nodes)):
            node = <VariableNodeBase>nodes[i]
            length = node.dims[axis] * rest
            if wanted(function, i):
                dims[axis] = node.dims[axis]
                part = PyArray_EMPTY(ndim, dims, PyArray_TYPE(<np.ndarray>gy), 0)
                target = <char *>PyArray_DATA(<np.ndarray>part)
                for k in range(outer):
                    memcpy(target + k * length, source + k * row, length)
                gx[i] = given(part)
            source += length
        return 1


cdef class ReshapeShortcut(Shortcut):
    """Another shape for the same elements: a view, as arrays here are in C order."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object shape = own_attribute(function, 'shape')
        if n != 1 or not kind_of(<object>x[0]) or type(shape) is not tuple:
            return None
        try:
            return PyArray_Reshape(<np.ndarray>x[0], shape)
        except (TypeError, ValueError):
            # The general way reports the error in the shape.
            return None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[0]
        if not kind_of(gy) or (
                node.dtype is not <object>np.PyArray_DESCR(<np.ndarray>gy)):
            return 0
        gx[0] = given(PyArray_Reshape(<np.ndarray>gy, node.shape))
        return 1
