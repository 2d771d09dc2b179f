"""Compiled shortcuts of sums and means."""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_CheckExact, PyArray_DIM, PyArray_EMPTY, PyArray_FROM_O, \
    PyArray_FROM_OTF, PyArray_ISNOTSWAPPED, PyArray_NDIM, PyArray_SIZE, PyArray_TYPE, \
    npy_intp

from chainer_fast._core.arrays.dtypes cimport has_dtype
from chainer_fast._core.arrays.plain cimport cf_float_kind, kind_of
from chainer_fast._core.graphs.graph cimport (
    INLINE_DIMS, FunctionBase, Shortcut, VariableNodeBase, as_floats, as_halves,
    new_ref, place_of)
from chainer_fast.backends.kernels.common.elementwise cimport Loop, run_loop
from chainer_fast.backends.kernels.common.elementwise import ARITHMETIC as _ARITHMETIC

np.import_array()

cdef extern from "numpy/arrayobject.h":
    int PyArray_CopyInto(np.ndarray, np.ndarray) except -1
    object PyArray_Newshape(np.ndarray, np.PyArray_Dims *, np.NPY_ORDER)

cdef extern from "chainer_fast/backends/kernels/reduction/loops.hpp" \
        namespace "chainer_fast::reduction":
    void repeat_loop(char, object x, object out, ptrdiff_t rows, ptrdiff_t times,
                     ptrdiff_t columns) noexcept

cdef extern from "chainer_fast/backends/kernels/common/reduce.hpp" \
        namespace "chainer_fast":
    object reduced(int kind, object, const bint *axes, bint keepdims)

# In the order of the enumeration there.
cdef enum:
    _SUM

cdef tuple _KINDS = ('sum', 'prod', 'max', 'min')

cdef Loop _multiply = _ARITHMETIC['MulConstant::of']
cdef Loop _divide = _ARITHMETIC['DivConstant::of']

cdef object _add_up = numpy.add.reduce

cdef enum:
    ALL_AXES = 0x100000
    NOT_PLAIN = 0x200000
    MAX_DIMS = 16

# Fields of the functions.
cdef enum:
    AXIS, KEEPDIMS, MULTIPLIER


cdef int _axis(Shortcut shortcut, FunctionBase function, int ndim) except -2:
    """Return the axis to reduce, ALL_AXES, or NOT_PLAIN, as with keepdims."""
    cdef int axis
    if shortcut.field(function, KEEPDIMS) is not False:
        return NOT_PLAIN
    found = shortcut.field(function, AXIS)
    if found is None:
        return ALL_AXES
    if type(found) is not tuple:
        return NOT_PLAIN
    axes = <tuple>found
    axis = place_of(axes[0], ndim) if len(axes) == 1 else -1
    return NOT_PLAIN if axis < 0 else axis


cdef bint _find_reduced(Shortcut shortcut, FunctionBase function, int ndim,
                        bint *reduced) except -1:
    """Find which axes are reduced; False if that takes a closer look."""
    cdef object axes = shortcut.field(function, AXIS)
    cdef int axis, i
    if ndim > MAX_DIMS or type(shortcut.field(function, KEEPDIMS)) is not bool:
        return False
    for i in range(ndim):
        reduced[i] = axes is None
    if axes is None:
        return True
    if type(axes) is not tuple:
        return False
    for each in <tuple>axes:
        axis = place_of(each, ndim)
        if axis < 0 or reduced[axis]:
            return False
        reduced[axis] = True
    return True


cdef object _sum(Shortcut shortcut, FunctionBase function, object x):
    """Return the sum over any axes, or None if it is left to the methods."""
    cdef bint flags[MAX_DIMS]
    if not PyArray_CheckExact(x) or not cf_float_kind(<np.ndarray>x) or (
            PyArray_SIZE(x) == 0
            or not _find_reduced(shortcut, function, PyArray_NDIM(x), flags)):
        return None
    total = reduced(_SUM, x, flags, shortcut.field(function, KEEPDIMS))
    if total is not None:
        return total
    total = _add_up(x, shortcut.field(function, AXIS), None, None,
                    shortcut.field(function, KEEPDIMS))
    return total if PyArray_CheckExact(total) else PyArray_FROM_O(total)


def reduction(str name not None, x, axis, bint keepdims):
    """Return a reduction of an array of floats over axes.

    Parameters
    ----------
    name : str
        ``'sum'``, ``'prod'``, ``'max'`` or ``'min'``.
    x : array
    axis : None, int or tuple of int
    keepdims : bool

    Returns
    -------
    array
        ``NotImplemented`` for other arrays, and where NumPy would warn.
    """
    cdef bint flags[MAX_DIMS]
    cdef int i, ndim
    if not PyArray_CheckExact(x) or not cf_float_kind(<np.ndarray>x) or (
            PyArray_SIZE(x) == 0 or PyArray_NDIM(x) > MAX_DIMS):
        return NotImplemented
    ndim = PyArray_NDIM(x)
    for i in range(ndim):
        flags[i] = axis is None
    for each in () if axis is None else (axis,) if type(axis) is int else axis:
        i = place_of(each, ndim)
        if i < 0 or flags[i]:
            return NotImplemented
        flags[i] = True
    found = reduced(_KINDS.index(name), x, flags, keepdims)
    return NotImplemented if found is None else found


cdef object _spread_by_numpy(Shortcut shortcut, FunctionBase function, object gy):
    """Return a gradient of any strides, repeated along the axes reduced, or None."""
    cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[0]
    cdef bint reduced[MAX_DIMS]
    cdef npy_intp dims[MAX_DIMS]
    cdef npy_intp kept[MAX_DIMS]
    cdef np.PyArray_Dims shape
    cdef bint keepdims
    cdef int i, ndim = node.ndim, k = 0
    # A gradient in another byte order stays in it.
    if not PyArray_CheckExact(gy) or ndim < 0 or not PyArray_ISNOTSWAPPED(gy) or (
            not has_dtype(gy, node.dtype)
            or not _find_reduced(shortcut, function, ndim, reduced)):
        return None
    keepdims = shortcut.field(function, KEEPDIMS)
    for i in range(ndim):
        dims[i] = node.dims[i]
        kept[i] = 1 if reduced[i] else dims[i]
        if keepdims or not reduced[i]:
            if k == PyArray_NDIM(gy) or PyArray_DIM(<np.ndarray>gy, k) != kept[i]:
                return None
            k += 1
    if k != PyArray_NDIM(gy):
        return None
    out = PyArray_EMPTY(ndim, dims, PyArray_TYPE(<np.ndarray>gy), 0)
    shape.ptr, shape.len = kept, ndim
    PyArray_CopyInto(out, PyArray_Newshape(<np.ndarray>gy, &shape, np.NPY_CORDER))
    return out


cdef object _spread(Shortcut shortcut, FunctionBase function, object gy):
    """Return ``gy`` repeated along the reduced axes, or None."""
    cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[0]
    cdef npy_intp dims[INLINE_DIMS]
    cdef npy_intp outer = 1, inner = 1, length = 1
    cdef int axis, k, ndim = node.ndim
    axis = NOT_PLAIN if ndim < 0 else _axis(shortcut, function, ndim)
    if axis == NOT_PLAIN or not kind_of(gy) or (
            not has_dtype(gy, node.dtype)):
        return _spread_by_numpy(shortcut, function, gy)
    if PyArray_NDIM(gy) != (0 if axis == ALL_AXES else ndim - 1):
        return None
    for k in range(ndim):
        dims[k] = node.dims[k]
        if axis == ALL_AXES or k == axis:
            length *= dims[k]
        elif k < axis:
            outer *= dims[k]
        else:
            inner *= dims[k]
    if length == 0 or outer * inner != PyArray_SIZE(gy):
        return None
    out = PyArray_EMPTY(ndim, dims, PyArray_TYPE(<np.ndarray>gy), 0)
    repeat_loop(kind_of(gy), gy, out, outer, length, inner)
    return out


cdef class SumShortcut(Shortcut):
    """Sum over axes."""

    def __cinit__(self):
        self.traits.warns = True
        self.traits.in_single = True

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        return _sum(self, function, <object>x[0]) if n == 1 else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        gx[0] = new_ref(_spread(self, function, gy))
        return gx[0] is not NULL


cdef class PositionShortcut(Shortcut):
    """Positions along an axis, or in the flattened array, as 32-bit integers.

    Parameters
    ----------
    find : callable
        Takes an array, an axis or None, and ``of_smallest``.
    of_smallest : bool
    """
    cdef object _find
    cdef bint _of_smallest

    def __init__(self, find, bint of_smallest):
        self._find = find
        self._of_smallest = of_smallest

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object array = <object>x[0], axis = self.field(function, AXIS)
        if n != 1 or not kind_of(array) or PyArray_SIZE(array) == 0 or (
                axis is not None and (
                    type(axis) is not int or place_of(axis, PyArray_NDIM(array)) < 0)):
            return None
        return PyArray_FROM_OTF(
            self._find(array, axis, self._of_smallest), np.NPY_INT32,
            np.NPY_ARRAY_CARRAY | np.NPY_ARRAY_FORCECAST)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        return 1        # positions have no gradient


cdef class MeanShortcut(Shortcut):
    """Mean over axes."""

    def __cinit__(self):
        self.traits.warns = True
        self.traits.in_single = True

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object array, y
        if n != 1:
            return None
        array = <object>x[0]
        # Code that shows warnings of the sum may change the array.
        size = PyArray_SIZE(array)
        y = _sum(self, function, array)
        if y is None:
            return None
        count = size // max(PyArray_SIZE(y), 1)
        self.keep(function, MULTIPLIER, 1. / count)
        return run_loop(_divide, y, y, count)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        # Half precision does not hold the inverse of a large number.
        cdef object floats = as_floats(gy)
        cdef object scaled = run_loop(
            _multiply, floats, floats, self.field(function, MULTIPLIER))
        if scaled is None:
            return 0
        if floats is not gy:
            scaled = as_halves(scaled)
        gx[0] = new_ref(_spread(self, function, scaled))
        return gx[0] is not NULL
