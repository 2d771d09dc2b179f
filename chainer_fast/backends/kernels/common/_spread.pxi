# Arrays with gaps, and broadcast arrays, for loops that gather tiles; and sums.
#
# NumPy's results are in C order if the strides of all operands decrease from axis to
# axis; the methods compute other arrays. Gradients of broadcast arrays are summed as
# the methods sum them.
#
# Part of layout.pyx.
import numpy

cimport numpy as np
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DIM, PyArray_DIMS, \
    PyArray_EMPTY, PyArray_NDIM, PyArray_SAMESHAPE, PyArray_STRIDE, PyArray_TYPE, \
    npy_intp

from chainer_fast._core.arrays.dtypes cimport has_dtype
from chainer_fast._core.arrays.plain cimport cf_any_float_kind
from chainer_fast._core.graphs.graph cimport (
    INLINE_DIMS, VariableNodeBase, as_floats, as_halves)

cdef object _add_up = numpy.add.reduce

cdef extern from "chainer_fast/backends/kernels/common/reduce.hpp" \
        namespace "chainer_fast":
    object reduced(int kind, object, const bint *axes, bint keepdims)

cdef extern from "numpy/arrayobject.h":
    object PyArray_Newshape(np.ndarray, np.PyArray_Dims *, np.NPY_ORDER)


cdef bint _falls(object array) noexcept:
    """Return whether an array of floats has decreasing strides, none of them negative.

    Strides of zero, along which it is broadcast, do not count.
    """
    cdef npy_intp stride, last = 0
    cdef int axis
    if not PyArray_CheckExact(array) or not cf_any_float_kind(<np.ndarray>array) or (
            not PyArray_CHKFLAGS(<np.ndarray>array, np.NPY_ARRAY_ALIGNED)):
        return False
    for axis in range(PyArray_NDIM(array)):
        stride = PyArray_STRIDE(<np.ndarray>array, axis)
        if PyArray_DIM(<np.ndarray>array, axis) == 1 or stride == 0:
            continue
        if stride < 0 or (last and stride > last):
            return False
        last = stride
    return True


cdef bint _has_elements(const Spread *shape) noexcept:
    cdef int axis
    for axis in range(shape.ndim):
        if shape.dims[axis] == 0:
            return False
    return True


cdef bint shape_of_one(object array, Spread *shape) noexcept:
    """Find the shape of an array that can be spread out; otherwise return False."""
    cdef int axis
    if not _falls(array) or PyArray_NDIM(array) > MAX_SPREAD_DIMS:
        return False
    shape.ndim = PyArray_NDIM(array)
    for axis in range(shape.ndim):
        shape.dims[axis] = PyArray_DIM(<np.ndarray>array, axis)
    return _has_elements(shape)


cdef bint shape_of_two(object a, object b, bint broadcasts, Spread *shape) noexcept:
    """Find the shape that two arrays of one type are spread out to, likewise.

    Unless they are broadcast, they must have the same shape.
    """
    cdef int axis, missing
    cdef npy_intp length
    if not shape_of_one(a, shape) or not _falls(b) or (
            PyArray_TYPE(<np.ndarray>a) != PyArray_TYPE(<np.ndarray>b)):
        return False
    if PyArray_SAMESHAPE(<np.ndarray>a, <np.ndarray>b):
        return True
    if not broadcasts or PyArray_NDIM(b) > MAX_SPREAD_DIMS:
        return False
    missing = PyArray_NDIM(b) - shape.ndim
    if missing > 0:
        for axis in range(shape.ndim - 1, -1, -1):
            shape.dims[axis + missing] = shape.dims[axis]
        for axis in range(missing):
            shape.dims[axis] = 1
        shape.ndim += missing
        missing = 0
    for axis in range(PyArray_NDIM(b)):
        length = PyArray_DIM(<np.ndarray>b, axis)
        if shape.dims[axis - missing] == 1:
            shape.dims[axis - missing] = length
        elif length != 1 and length != shape.dims[axis - missing]:
            return False
    return _has_elements(shape)


cdef object without_gaps(object array):
    """Return an array of floats, copied to C order if its strides decrease."""
    if not PyArray_CheckExact(array) or PyArray_CHKFLAGS(
            <np.ndarray>array, np.NPY_ARRAY_C_CONTIGUOUS) or not _falls(array):
        return array
    return in_c_order(array)


cdef bint is_like(object array, object other, const Spread *shape) noexcept:
    """Return whether an array can be spread out, and has a given shape and type."""
    cdef Spread own
    return shape_of_one(array, &own) and own.ndim == shape.ndim and (
        PyArray_TYPE(<np.ndarray>array) == PyArray_TYPE(<np.ndarray>other)
        and np.PyArray_CompareLists(
            <npy_intp *>own.dims, <npy_intp *>shape.dims, shape.ndim))


cdef bint is_of_broadcast(object array, tuple nodes) except -1:
    """Return whether a gradient has floats, and the broadcast shape of two nodes."""
    cdef VariableNodeBase a = <VariableNodeBase>nodes[0]
    cdef VariableNodeBase b = <VariableNodeBase>nodes[1]
    cdef int ndim, axis
    cdef npy_intp length, other
    if not PyArray_CheckExact(array) or not cf_any_float_kind(<np.ndarray>array) or (
            a.ndim < 0 or b.ndim < 0):
        return False
    ndim = PyArray_NDIM(array)
    if not has_dtype(array, a.dtype) or not has_dtype(array, b.dtype) or (
            ndim != max(a.ndim, b.ndim)):
        return False
    for axis in range(-ndim, 0):
        length = a.dims[a.ndim + axis] if a.ndim + axis >= 0 else 1
        other = b.dims[b.ndim + axis] if b.ndim + axis >= 0 else 1
        if length == 1:
            length = other
        elif other != 1 and other != length:
            return False
        if PyArray_DIM(<np.ndarray>array, ndim + axis) != length:
            return False
    return True


cdef object sum_to(object array, VariableNodeBase node):
    """Return the sum of an array over the axes along which a node's was broadcast.

    It is the array itself if the node has its shape, and None if that of the node does
    not broadcast to it. NumPy adds, and warns of errors.
    """
    cdef int extra = PyArray_NDIM(array) - node.ndim
    cdef npy_intp dims[INLINE_DIMS]
    cdef bint differs = extra > 0
    cdef bint halves = PyArray_TYPE(<np.ndarray>array) == np.NPY_FLOAT16
    cdef np.PyArray_Dims shape
    cdef list axes = list(range(extra))
    cdef bint flags[2 * INLINE_DIMS]
    cdef npy_intp length
    cdef int axis
    if node.ndim < 0 or extra < 0 or extra > INLINE_DIMS:
        return None
    for axis in range(extra):
        flags[axis] = True
    for axis in range(node.ndim):
        dims[axis] = node.dims[axis]
        length = PyArray_DIM(<np.ndarray>array, axis + extra)
        flags[axis + extra] = dims[axis] == 1
        if dims[axis] == 1:
            axes.append(axis + extra)
            differs = differs or length != 1
        elif dims[axis] != length:
            return None
    if not differs:
        return array
    # Sums of halves stop growing; NumPy sums them as halves along all axes but the
    # last.
    terms = as_floats(array)
    total = reduced(0, terms, flags, True)
    if total is None:
        # Of halves in another byte order, too.
        total = _add_up(
            terms, tuple(axes), numpy.float32 if halves else None, None, True)
    if halves:
        total = as_halves(total)
    if extra == 0:
        return total
    shape.ptr, shape.len = dims, node.ndim
    return PyArray_Newshape(<np.ndarray>total, &shape, np.NPY_CORDER)
