# Compiled shortcuts of functions that return views, of arrays of any type. Part of
# compiled.pyx.

cdef extern from "numpy/arrayobject.h":
    bint PyArray_IsIntegerScalar(object)
    object PyArray_Newshape(np.ndarray, np.PyArray_Dims *, np.NPY_ORDER)
    object PyArray_Reshape(np.ndarray, object shape)
    object PyArray_SwapAxes(np.ndarray, int, int)
    object PyArray_Zeros(int ndim, npy_intp *dims, np.dtype, int is_fortran)
    object PyArray_Transpose(np.ndarray, np.PyArray_Dims *axes)

# Fields of the functions: one each, or two.
cdef enum:
    THE_FIELD = 0
    AXIS1 = 0
    AXIS2 = 1

cdef Py_ssize_t _MOST = sys.maxsize


cdef bint _has_type_of(object gy, FunctionBase function) noexcept:
    """Return whether a gradient is an array of NumPy of the type of the lone input."""
    return PyArray_CheckExact(gy) and has_dtype(
        gy, (<VariableNodeBase>function.input_nodes[0]).dtype)


cdef class BroadcastToShortcut(Shortcut):
    """A view of an array, repeated along some axes; it cannot be written to."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object shape = self.field(function, THE_FIELD)
        cdef npy_intp dims[MAX_DIMS]
        cdef npy_intp strides[MAX_DIMS]
        cdef np.ndarray array
        cdef int axis, ndim, own
        if n != 1 or type(shape) is not tuple or len(<tuple>shape) > MAX_DIMS or (
                not PyArray_CheckExact(<object>x[0])):
            return None
        array = <np.ndarray>x[0]
        ndim = <int>len(<tuple>shape)
        own = PyArray_NDIM(array) - ndim
        if own > 0:
            return None
        for axis in range(ndim):
            length = (<tuple>shape)[axis]
            if type(length) is not int or not 0 <= length < _MOST:
                return None
            dims[axis] = length
            strides[axis] = 0
            if own + axis >= 0 and PyArray_DIM(array, own + axis) != 1:
                if PyArray_DIM(array, own + axis) != dims[axis]:
                    return None
                strides[axis] = PyArray_STRIDE(array, own + axis)
        try:
            return view_of(array, ndim, dims, strides, 0, 0)
        except ValueError:
            # There are too many elements.
            return None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[0]
        if _has_type_of(gy, function) and (
                gy.shape == self.field(function, THE_FIELD)):
            gx[0] = new_ref(sum_to(gy, node))
        return gx[0] is not NULL


cdef bint _read_axes(object axes, int ndim, npy_intp *out) except -1:
    """Read the axes of a permutation; return False if they are not one."""
    cdef bint seen[MAX_DIMS]
    cdef int axis, i
    if ndim > MAX_DIMS or axes is not None and (
            type(axes) is not tuple or len(<tuple>axes) != ndim):
        return False
    for i in range(ndim):
        seen[i] = False
    for i in range(ndim):
        axis = ndim - 1 - i
        if axes is not None:
            axis = place_of((<tuple>axes)[i], ndim)
        if axis < 0 or seen[axis]:
            return False
        seen[axis] = True
        out[i] = axis
    return True


cdef class TransposeShortcut(Shortcut):
    """A view of an array with its axes in another order."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef npy_intp axes[MAX_DIMS]
        cdef np.PyArray_Dims order
        if n != 1 or not PyArray_CheckExact(<object>x[0]) or not _read_axes(
                self.field(function, THE_FIELD), PyArray_NDIM(<object>x[0]), axes):
            return None
        order.ptr, order.len = axes, PyArray_NDIM(<object>x[0])
        return PyArray_Transpose(<np.ndarray>x[0], &order)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef npy_intp axes[MAX_DIMS]
        cdef npy_intp back[MAX_DIMS]
        cdef np.PyArray_Dims order
        cdef int i, ndim
        if not _has_type_of(gy, function):
            return 0
        ndim = PyArray_NDIM(gy)
        if not _read_axes(self.field(function, THE_FIELD), ndim, axes):
            return 0
        for i in range(ndim):
            back[axes[i]] = i
        order.ptr, order.len = back, ndim
        gx[0] = new_ref(PyArray_Transpose(<np.ndarray>gy, &order))
        return 1


cdef class SwapaxesShortcut(Shortcut):
    """A view of an array with two axes exchanged."""

    cdef object _swapped(self, FunctionBase function, object array):
        cdef int ndim = PyArray_NDIM(array)
        cdef int axis1 = place_of(self.field(function, AXIS1), ndim)
        cdef int axis2 = place_of(self.field(function, AXIS2), ndim)
        if axis1 < 0 or axis2 < 0:
            return None
        return PyArray_SwapAxes(<np.ndarray>array, axis1, axis2)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        if n != 1 or not PyArray_CheckExact(<object>x[0]):
            return None
        return self._swapped(function, <object>x[0])

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        if _has_type_of(gy, function):
            gx[0] = new_ref(self._swapped(function, gy))
        return gx[0] is not NULL


cdef class _OfShape(Shortcut):
    """The same elements in another shape, and a gradient in that of the input."""

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[0]
        if not _has_type_of(gy, function):
            return 0
        try:
            gx[0] = new_ref(PyArray_Reshape(<np.ndarray>gy, node.shape))
        except ValueError:
            # The input has been replaced since.
            return 0
        return 1


cdef class ReshapeShortcut(_OfShape):
    """Another shape for the same elements.

    It is a view if NumPy makes one; images in channels-last order are copied.
    """

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object shape = self.field(function, THE_FIELD)
        cdef object array
        if n != 1 or type(shape) is not tuple:
            return None
        array = <object>x[0]
        if not PyArray_CheckExact(array):
            return None
        if is_channels_last(array) and len(<tuple>shape) == 2 and (
                (<tuple>shape)[0] == PyArray_DIM(<np.ndarray>array, 0)):
            array = in_c_order(array)
        try:
            return PyArray_Reshape(<np.ndarray>array, shape)
        except (TypeError, ValueError):
            # The general way reports the error in the shape.
            return None


cdef class ExpandDimsShortcut(_OfShape):
    """A view of an array with a new axis of length 1."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef npy_intp dims[MAX_DIMS]
        cdef np.PyArray_Dims shape
        cdef int i, axis, ndim
        if n != 1 or not PyArray_CheckExact(<object>x[0]):
            return None
        ndim = PyArray_NDIM(<object>x[0])
        axis = place_of(self.field(function, THE_FIELD), ndim + 1)
        if ndim >= MAX_DIMS or axis < 0:
            return None
        for i in range(ndim + 1):
            dims[i] = 1 if i == axis else PyArray_DIM(<np.ndarray>x[0], i - (i > axis))
        shape.ptr, shape.len = dims, ndim + 1
        return PyArray_Newshape(<np.ndarray>x[0], &shape, np.NPY_CORDER)


cdef class SqueezeShortcut(_OfShape):
    """A view of an array without axes of length 1."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object axes = self.field(function, THE_FIELD)
        cdef npy_intp dims[MAX_DIMS]
        cdef npy_intp strides[MAX_DIMS]
        cdef bint drops[MAX_DIMS]
        cdef int i, ndim, left = 0
        if n != 1 or not PyArray_CheckExact(<object>x[0]) or (
                PyArray_NDIM(<object>x[0]) > MAX_DIMS):
            return None
        ndim = PyArray_NDIM(<object>x[0])
        for i in range(ndim):
            drops[i] = axes is None and PyArray_DIM(<np.ndarray>x[0], i) == 1
        if axes is not None:
            if type(axes) is not tuple:
                return None
            for each in <tuple>axes:
                i = place_of(each, ndim)
                if i < 0 or drops[i] or PyArray_DIM(<np.ndarray>x[0], i) != 1:
                    return None
                drops[i] = True
        for i in range(ndim):
            if not drops[i]:
                dims[left] = PyArray_DIM(<np.ndarray>x[0], i)
                strides[left] = PyArray_STRIDE(<np.ndarray>x[0], i)
                left += 1
        return view_of(<np.ndarray>x[0], left, dims, strides, 0,
                       PyArray_FLAGS(<np.ndarray>x[0]))


cdef bint _is_basic(object index) except -1:
    """Return whether an index is a tuple of slices, integers, None and Ellipsis."""
    if type(index) is not tuple:
        return False
    for each in <tuple>index:
        if type(each) is not slice and each is not None and each is not Ellipsis and (
                type(each) is bool or not PyArray_IsIntegerScalar(each)):
            return False
    return True


cdef class GetItemShortcut(Shortcut):
    """A view of some elements; arrays as indexes are left to the methods."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object index = self.field(function, THE_FIELD)
        cdef object array = <object>x[0]
        if n != 1 or not PyArray_CheckExact(array) or not _is_basic(index):
            return None
        try:
            y = array[index]
        except (IndexError, TypeError, ValueError):
            # The general way reports the error in the index.
            return None
        if PyArray_CheckExact(y):
            return y
        return PyArray_FROM_O(y) if isinstance(y, numpy.generic) else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[0]
        cdef object index = self.field(function, THE_FIELD)
        cdef npy_intp dims[MAX_DIMS]
        cdef npy_intp size = 1
        cdef tuple shape = node.shape
        cdef np.dtype dtype
        cdef int i
        if not _has_type_of(gy, function) or len(shape) > MAX_DIMS or (
                not _is_basic(index)):
            return 0
        for i in range(<int>len(shape)):
            dims[i] = shape[i]
            size *= dims[i]
        if is_few(PyArray_SIZE(gy), size) and cf_any_float_kind(<np.ndarray>gy):
            gx[0] = new_ref(new_part(node, index, gy, True))
            return 1
        dtype = <np.dtype>PyArray_DESCR(<np.ndarray>gy)
        Py_INCREF(dtype)    # NumPy takes this reference
        whole = PyArray_Zeros(<int>len(shape), dims, dtype, 0)
        try:
            if assign(whole[index], gy) is NotImplemented:
                whole[index] = gy
        except (IndexError, ValueError):
            # The input has been replaced since.
            return 0
        gx[0] = new_ref(whole)
        return 1
