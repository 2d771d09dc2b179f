"""Compiled shortcuts of sums and means."""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, PyArray_DIM, \
    PyArray_DIMS, PyArray_EMPTY, PyArray_FROM_O, PyArray_FROM_OTF, \
    PyArray_ISNOTSWAPPED, PyArray_ITEMSIZE, PyArray_NDIM, PyArray_SIZE, \
    PyArray_STRIDE, PyArray_STRIDES, PyArray_TYPE, npy_intp

from chainer_fast._core.arrays.dtypes cimport has_dtype
from chainer_fast._core.arrays.plain cimport cf_float_kind, kind_of
from chainer_fast._core.graphs.graph cimport (
    FunctionBase, Shortcut, VariableNodeBase, as_floats, as_halves, new_ref, place_of)
from chainer_fast.backends.kernels.common.elementwise cimport Loop, run_loop
from chainer_fast.backends.kernels.common.elementwise import ARITHMETIC as _ARITHMETIC

np.import_array()

cdef extern from "chainer_fast/backends/kernels/common/copies.hpp" \
        namespace "chainer_fast" nogil:
    bint copy(ptrdiff_t itemsize, int ndim, const npy_intp *dims, const void *,
              const npy_intp *strides, void *, const npy_intp *to_strides) noexcept

cdef extern from "chainer_fast/backends/kernels/common/reduce.hpp" \
        namespace "chainer_fast":
    object reduced(int kind, object, const bint *axes, bint keepdims)

cdef extern from "chainer_fast/backends/kernels/reduction/positions.hpp" \
        namespace "chainer_fast::reduction":
    void find_in_rows(object x, ptrdiff_t n, bint smallest, npy_intp *places) except +

# In the order of the enumeration there.
cdef enum:
    _SUM

cdef tuple _KINDS = ('sum', 'prod', 'max', 'min')

cdef Loop _multiply = _ARITHMETIC['MulConstant::of']
cdef Loop _divide = _ARITHMETIC['DivConstant::of']

cdef object _add_up = numpy.add.reduce

cdef enum:
    MAX_DIMS = 16

# Fields of the functions.
cdef enum:
    AXIS, KEEPDIMS, MULTIPLIER


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


def positions(x, axis, bint of_smallest):
    """Return the positions of the largest elements of rows, or of the smallest.

    They are ``NotImplemented`` along other axes than the last one, for short rows, and
    for other arrays than floats in C order.
    """
    cdef int ndim = PyArray_NDIM(x) if kind_of(x) else 0
    cdef npy_intp n
    if ndim == 0 or axis is not None and place_of(axis, ndim) != ndim - 1:
        return NotImplemented
    n = PyArray_SIZE(x) if axis is None else PyArray_DIM(<np.ndarray>x, ndim - 1)
    # NumPy's functions have vectors for longer ones.
    if n * PyArray_ITEMSIZE(<np.ndarray>x) < 256:
        return NotImplemented
    out = PyArray_EMPTY(0 if axis is None else ndim - 1, PyArray_DIMS(<np.ndarray>x),
                        np.NPY_INTP, 0)
    find_in_rows(x, n, of_smallest, <npy_intp *>PyArray_DATA(<np.ndarray>out))
    return out


cdef object _spread(Shortcut shortcut, FunctionBase function, object gy):
    """Return a gradient of any strides, repeated along the axes reduced, or None."""
    cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[0]
    cdef bint reduced[MAX_DIMS]
    cdef npy_intp dims[MAX_DIMS]
    cdef npy_intp steps[MAX_DIMS]
    cdef np.ndarray x, out
    cdef ptrdiff_t itemsize
    cdef bint keepdims, done
    cdef int i, ndim = node.ndim, k = 0
    # A gradient in another byte order stays in it.
    if not PyArray_CheckExact(gy) or ndim < 0 or not PyArray_ISNOTSWAPPED(gy) or (
            not PyArray_CHKFLAGS(<np.ndarray>gy, np.NPY_ARRAY_ALIGNED)
            or not has_dtype(gy, node.dtype)
            or not _find_reduced(shortcut, function, ndim, reduced)):
        return None
    keepdims = shortcut.field(function, KEEPDIMS)
    for i in range(ndim):
        dims[i] = node.dims[i]
        steps[i] = 0
        if keepdims or not reduced[i]:
            if k == PyArray_NDIM(gy) or PyArray_DIM(<np.ndarray>gy, k) != (
                    1 if reduced[i] else dims[i]):
                return None
            steps[i] = 0 if reduced[i] else PyArray_STRIDE(<np.ndarray>gy, k)
            k += 1
    if k != PyArray_NDIM(gy):
        return None
    x, out = gy, PyArray_EMPTY(ndim, dims, PyArray_TYPE(<np.ndarray>gy), 0)
    itemsize = PyArray_ITEMSIZE(x)
    if PyArray_SIZE(out) == 0:
        return out
    with nogil:
        done = copy(itemsize, ndim, dims, PyArray_DATA(x), steps, PyArray_DATA(out),
                    PyArray_STRIDES(out))
    return out if done else None


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
