# Compiled shortcuts of affine maps and products of matrices.
# The products equal those of ``ndarray.dot``, without the method call.
#
# Part of compiled.pyx.
cimport numpy as np
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_CheckExact, PyArray_DIM, PyArray_EMPTY, PyArray_NDIM, \
    PyArray_SIZE, PyArray_Transpose, PyArray_TYPE, npy_intp

from chainer_fast._core.arrays.dtypes cimport same_dtype
from chainer_fast._core.arrays.plain cimport cf_float_kind, is_vector, kind_of
from chainer_fast._core.devices.launches cimport kind_on_device
from chainer_fast._core.graphs import graph
from chainer_fast._core.graphs.graph cimport (
    Factors, FunctionBase, Shortcut, VariableNodeBase, clear_float_errors, float_errors,
    input_array, new_ref, reads_as, shape_matches, wanted)
from chainer_fast._core.graphs.graph import silently
from chainer_fast.backends.kernels.reduction import steps, total

graph.bind_dot(dot)

cdef extern from "numpy/arrayobject.h":
    object PyArray_Sum(np.ndarray, int axis, int typenum, PyObject *out)

cdef extern from "chainer_fast/backends/kernels/matmul/rows.hpp" \
        namespace "chainer_fast::matmul":
    void add_to_rows_loop(
        char, object row, object out, ptrdiff_t rows, ptrdiff_t columns) noexcept
    void sum_of_rows_loop(
        char, object x, object out, ptrdiff_t rows, ptrdiff_t columns) noexcept


cdef object _transposed(object matrix):
    return PyArray_Transpose(<np.ndarray>matrix, NULL)


cdef char _matrix(object array) noexcept:
    """Return the kind of a nonempty matrix with any strides, else 0."""
    if not PyArray_CheckExact(array) or PyArray_NDIM(array) != 2 or (
            PyArray_SIZE(array) == 0):
        return 0
    return cf_float_kind(<np.ndarray>array)


cdef inline npy_intp _rows(object matrix) noexcept:
    return PyArray_DIM(<np.ndarray>matrix, 0)


cdef inline npy_intp _columns(object matrix) noexcept:
    return PyArray_DIM(<np.ndarray>matrix, 1)


cdef class LinearShortcut(Shortcut):
    """``y = x W^T + b`` of matrices and a vector."""

    def __cinit__(self):
        self.traits.retain_inputs = (0, 1)
        self.traits.serves_devices = True
        self.traits.warns = True
        self.traits.takes_factors = True
        self.traits.in_single = True

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object rows, weight, bias, y
        cdef char kind
        if n != 2 and n != 3:
            return None
        rows = <object>x[0]
        weight = <object>x[1]
        kind = _matrix(rows)
        if not kind or _matrix(weight) != kind or _columns(rows) != _columns(weight):
            return None
        if n == 3:
            bias = <object>x[2]
            if kind_of(bias) != kind or PyArray_NDIM(bias) != 1 or (
                    PyArray_DIM(<np.ndarray>bias, 0) != _rows(weight)):
                return None
        y = dot(rows, _transposed(weight))
        if n == 3:
            # Code that shows warnings of the product may have changed the bias.
            if not is_vector(bias, kind, _columns(y)):
                return y + bias
            clear_float_errors()
            add_to_rows_loop(kind, bias, y, _rows(y), _columns(y))
            if float_errors():
                # NumPy has reported errors of the product, but not of the sum.
                y = silently(dot, rows, _transposed(weight))
                y += bias
        return y

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object rows = input_array(function, 0)
        cdef object weight = input_array(function, 1)
        cdef object product, bias_grad = None
        cdef bint by_numpy
        cdef bint wants_bias = len(function.input_nodes) == 3 and wanted(function, 2)
        cdef char kind = _matrix(gy)
        if not kind or _matrix(rows) != kind or _matrix(weight) != kind:
            return 0
        if wanted(function, 0):
            gx[0] = new_ref(dot(gy, weight))
        # NumPy sums the contiguous elements of a single column in pairs.
        if wants_bias and _matrix(gy) == kind == kind_of(gy) and _columns(gy) != 1:
            bias_grad = _sum_rows(kind, gy)
        by_numpy = wants_bias and bias_grad is None
        if wanted(function, 1) and (by_numpy or not _add_product(gx[1], gy, rows)):
            product = dot(_transposed(gy), rows)
            Py_XDECREF(gx[1])
            gx[1] = new_ref(product)
        if by_numpy:
            # Errors of the product come before those of the sum.
            bias_grad = PyArray_Sum(
                <np.ndarray>gy, 0, PyArray_TYPE(<np.ndarray>gy), NULL)
        if wants_bias:
            gx[2] = new_ref(bias_grad)
        return 1

    cdef object forward_on_device(
            self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object rows, weight, bias, y
        if n != 2 and n != 3:
            return None
        rows, weight, bias = <object>x[0], <object>x[1], <object>x[n - 1]
        y = product_on_device(rows, weight, False, True)
        if y is not None and n == 3 and not add_row_on_device(bias, y):
            return None
        return y

    cdef int backward_on_device(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object rows = input_array(function, 0)
        cdef object weight = input_array(function, 1)
        gy = dense_on_device(gy)
        if wanted(function, 0):
            gx[0] = new_ref(product_on_device(gy, weight, False, False))
            if gx[0] is NULL:
                return 0
        if wanted(function, 1):
            gx[1] = new_ref(product_on_device(gy, rows, True, False))
            if gx[1] is NULL:
                return 0
        if len(function.input_nodes) == 3 and wanted(function, 2):
            if kind_on_device(gy) < 0:
                return 0
            gx[2] = new_ref(total(gy, 0) if len(gy) > steps.LEAST else gy.sum(axis=0))
        return 1


cdef bint _add_product(PyObject *sums, object left, object right) except -1:
    """Add a product to an accumulator, if any; return whether it was added."""
    return sums is not NULL and (<Factors>sums).append(left, right)


cdef object _sum_rows(char kind, object matrix):
    """Return the sum of the rows of a plain matrix, or None if it raised a flag."""
    cdef npy_intp rows = _rows(matrix), columns = _columns(matrix)
    cdef object out = PyArray_EMPTY(1, &columns, PyArray_TYPE(<np.ndarray>matrix), 0)
    clear_float_errors()
    sum_of_rows_loop(kind, matrix, out, rows, columns)
    return None if float_errors() else out


cdef npy_intp _length(object matrix, bint transposed, int axis) noexcept:
    """Return the length of an axis of a matrix, or of its transpose."""
    return PyArray_DIM(<np.ndarray>matrix, 1 - axis if transposed else axis)


cdef object _transposed_product(
        object a, object b, bint trans_a, bint trans_b, bint trans_out):
    """Return the product of matrices, each transposed or not."""
    if trans_out:
        return _transposed_product(b, a, not trans_b, not trans_a, False)
    return dot(
        _transposed(a) if trans_a else a, _transposed(b) if trans_b else b)


# Fields of products, some of which have only the first one, or none.
cdef enum:
    DTYPE, TRANS_A, TRANS_B, TRANS_C


cdef class MatMulShortcut(Shortcut):
    # ``inspect.signature`` reads the first lines.
    """MatMulShortcut(transposed=None)
--

    Product of two matrices, in their own type.

    Parameters
    ----------
    transposed : tuple of bool, optional
        Whether the factors and the product are transposed; by default, given by
        attributes of the function.
    """
    cdef tuple transposed

    def __cinit__(self, tuple transposed=None):
        self.transposed = transposed
        self.traits.in_single = True
        self.traits.retain_inputs = (0, 1)
        self.traits.serves_devices = True
        self.traits.warns = True

    cdef object _dtype(self, FunctionBase function):
        """Return the type of the product; None if it is that of the factors."""
        return self.field(function, DTYPE) if self.traits.fields else None

    cdef tuple _transposed(self, FunctionBase function):
        if self.transposed is not None:
            return self.transposed
        return tuple([self.field(function, i) for i in (TRANS_A, TRANS_B, TRANS_C)])

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object a, b
        cdef char kind
        cdef bint trans_a, trans_b, trans_c
        if n != 2:
            return None
        a = <object>x[0]
        b = <object>x[1]
        if not _matrix(a):
            return None
        # Evaluating the truth of an attribute may run code of the user.
        trans_a, trans_b, trans_c = self._transposed(function)
        dtype = self._dtype(function)
        kind = _matrix(a)
        if not kind or _matrix(b) != kind:
            return None
        if dtype is not None and not reads_as(function, a, dtype):
            return None
        if _length(a, trans_a, 1) != _length(b, trans_b, 0):
            return None
        return _transposed_product(a, b, trans_a, trans_b, trans_c)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object a = input_array(function, 0)
        cdef object b = input_array(function, 1)
        cdef bint trans_a, trans_b, trans_c
        cdef char kind
        if not _matrix(gy):
            return 0
        trans_a, trans_b, trans_c = self._transposed(function)
        kind = _matrix(gy)
        if not kind or _matrix(a) != kind or _matrix(b) != kind:
            return 0
        # For op(a) op(b) = op(gy). NumPy sums over axes along which a factor was
        # broadcast.
        if _length(a, trans_a, 0) != _length(gy, trans_c, 0) or (
                _length(a, trans_a, 1) != _length(b, trans_b, 0)
                or _length(b, trans_b, 1) != _length(gy, trans_c, 1)):
            return 0
        if wanted(function, 0):
            gx[0] = new_ref(_transposed_product(gy, b, trans_c, not trans_b, trans_a))
        if wanted(function, 1):
            gx[1] = new_ref(_transposed_product(a, gy, not trans_a, trans_c, trans_b))
        return 1

    cdef object forward_on_device(
            self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object a, b
        cdef bint trans_a, trans_b, trans_c
        if n != 2:
            return None
        a = <object>x[0]
        b = <object>x[1]
        dtype = self._dtype(function)
        if dtype is not None and not same_dtype(dtype, a.dtype):
            return None
        trans_a, trans_b, trans_c = self._transposed(function)
        return _product_on_device(a, b, trans_a, trans_b, trans_c)

    cdef int backward_on_device(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object a = input_array(function, 0)
        cdef object b = input_array(function, 1)
        cdef bint trans_a, trans_b, trans_c
        trans_a, trans_b, trans_c = self._transposed(function)
        gy = dense_on_device(gy)
        if wanted(function, 0):
            gx[0] = new_ref(_product_on_device(gy, b, trans_c, not trans_b, trans_a))
            if not _fits(function, 0, gx):
                return 0
        if wanted(function, 1):
            gx[1] = new_ref(_product_on_device(a, gy, not trans_a, trans_c, trans_b))
            if not _fits(function, 1, gx):
                return 0
        return 1


cdef object _product_on_device(
        object a, object b, bint trans_a, bint trans_b, bint trans_out):
    if trans_out:
        return product_on_device(b, a, not trans_b, not trans_a)
    return product_on_device(a, b, trans_a, trans_b)


cdef bint _fits(FunctionBase function, int i, PyObject **gx) except -1:
    """Return whether a gradient exists and has the shape of its input.

    Otherwise a factor was broadcast.
    """
    return gx[i] is not NULL and shape_matches(
        <VariableNodeBase>function.input_nodes[i], <object>gx[i])
