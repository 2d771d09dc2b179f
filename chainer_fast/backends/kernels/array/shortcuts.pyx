"""Compiled shortcuts of functions that move rows and blocks of elements."""
cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from libc.string cimport memcpy, memset
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, PyArray_DIM, \
    PyArray_EMPTY, PyArray_ITEMSIZE, PyArray_NDIM, PyArray_SIZE, PyArray_TYPE, \
    PyArray_ZEROS, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut, VariableNodeBase, \
    own_attribute
from chainer_fast._core.shortcut cimport given, input_array, wanted
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP
from chainer_fast._core.plain cimport CF_PLAIN_FLAGS, kind_of

np.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_Reshape(np.ndarray, object shape)

cdef extern from "chainer_fast/backends/kernels/common/loops.h" nogil:
    void cf_add_f(const float *, const float *, float *, ptrdiff_t) noexcept
    void cf_add_d(const double *, const double *, double *, ptrdiff_t) noexcept

cdef enum:
    MAX_DIMS = 32


# --------------------------------------------------------------------- concatenation

cdef int _axis(FunctionBase function, int ndim) except -2:
    """Return the axis of a function, or -1 if it is out of range."""
    cdef int axis = own_attribute(function, 'axis')
    if axis < 0:
        axis += ndim
    return axis if 0 <= axis < ndim else -1


cdef class ConcatShortcut(Shortcut):
    """Concatenation of small arrays; that of large ones is all copying anyway."""

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


# --------------------------------------------------------------------------- shapes

cdef class ReshapeShortcut(Shortcut):
    """Another shape for the same elements: a view, as arrays here are in C order."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object shape = own_attribute(function, 'shape')
        if n != 1 or not kind_of(<object>x[0]) or type(shape) is not tuple:
            return None
        try:
            return PyArray_Reshape(<np.ndarray>x[0], shape)
        except (TypeError, ValueError):
            # The general way says what is wrong with the shape.
            return None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[0]
        if not kind_of(gy) or (
                node.dtype is not <object>np.PyArray_DESCR(<np.ndarray>gy)):
            return 0
        gx[0] = given(PyArray_Reshape(<np.ndarray>gy, node.shape))
        return 1


# ------------------------------------------------------------------------ embeddings

cdef int _id_size(object ids) noexcept:
    """Return the bytes of a plain signed integer, or 0."""
    if not PyArray_CheckExact(ids) or not PyArray_CHKFLAGS(ids, CF_PLAIN_FLAGS):
        return 0
    if not np.PyArray_ISSIGNED(<np.ndarray>ids) or not np.PyArray_ISINTEGER(
            <np.ndarray>ids) or np.PyArray_ISBYTESWAPPED(<np.ndarray>ids):
        return 0
    cdef int size = PyArray_ITEMSIZE(<np.ndarray>ids)
    return size if size == 4 or size == 8 else 0


cdef inline npy_intp _id(const void *ids, int size, npy_intp i) noexcept nogil:
    if size == 4:
        return (<const np.npy_int32 *>ids)[i]
    return (<const np.npy_int64 *>ids)[i]


cdef bint _ids_in_range(const void *ids, int size, npy_intp n, npy_intp rows,
                        bint ignores, npy_intp ignored) noexcept nogil:
    cdef npy_intp i, row
    for i in range(n):
        row = _id(ids, size, i)
        if not -rows <= row < rows and not (ignores and row == ignored):
            return False
    return True


cdef void _take_rows(const void *ids, int size, npy_intp n, npy_intp rows,
                     bint ignores, npy_intp ignored, const char *source,
                     char *target, size_t row_bytes) noexcept nogil:
    cdef npy_intp i, row
    for i in range(n):
        row = _id(ids, size, i)
        if ignores and row == ignored:
            memset(target + i * row_bytes, 0, row_bytes)
            continue
        if row < 0:
            row += rows
        memcpy(target + i * row_bytes, source + row * row_bytes, row_bytes)


cdef void _add_rows(const void *ids, int size, npy_intp n, npy_intp rows,
                    bint ignores, npy_intp ignored, char kind, const void *source,
                    void *target, npy_intp columns) noexcept nogil:
    cdef npy_intp i, row
    cdef float *row_f
    cdef double *row_d
    for i in range(n):
        row = _id(ids, size, i)
        if ignores and row == ignored:
            continue
        if row < 0:
            row += rows
        if kind == b'f':
            row_f = <float *>target + row * columns
            cf_add_f(row_f, <const float *>source + i * columns, row_f, columns)
        else:
            row_d = <double *>target + row * columns
            cf_add_d(row_d, <const double *>source + i * columns, row_d, columns)


def add_rows(ids, gy, shape, ignore_label):
    """Sum rows up in a matrix of zeros, each in the row that its id names.

    Parameters
    ----------
    ids : numpy.ndarray of signed integers
        Ids, counted from the end if negative.
    gy : numpy.ndarray, shape (*ids.shape, columns)
        Rows, in C order.
    shape : tuple of int
        Shape of the matrix, ``(rows, columns)``.
    ignore_label : int or None
        Id whose rows are left out.

    Returns
    -------
    numpy.ndarray or NotImplemented
        The matrix, in the type of ``gy``; no matrix for arrays that are not plain,
        where an id has no row, or for sums that NumPy has to warn of.
    """
    cdef npy_intp dims[2]
    cdef npy_intp n, ignored = 0
    cdef bint ignores = ignore_label is not None
    cdef char kind = kind_of(gy)
    cdef int size = _id_size(ids)
    cdef const void *p_ids
    cdef const void *source
    cdef void *target
    if not kind or not size or len(shape) != 2:
        return NotImplemented
    dims[0], dims[1] = shape
    n = PyArray_SIZE(ids)
    if PyArray_SIZE(gy) != n * dims[1]:
        return NotImplemented
    if ignores:
        ignored = ignore_label
    p_ids = PyArray_DATA(<np.ndarray>ids)
    if not _ids_in_range(p_ids, size, n, dims[0], ignores, ignored):
        return NotImplemented
    out = PyArray_ZEROS(2, dims, PyArray_TYPE(<np.ndarray>gy), 0)
    source = PyArray_DATA(<np.ndarray>gy)
    target = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if n * dims[1] < LONG_LOOP:
        _add_rows(p_ids, size, n, dims[0], ignores, ignored, kind, source, target,
                  dims[1])
    else:
        with nogil:
            _add_rows(p_ids, size, n, dims[0], ignores, ignored, kind, source, target,
                      dims[1])
    return NotImplemented if float_errors() else out


cdef class EmbedIDShortcut(Shortcut):
    """Rows of a matrix, by their numbers."""

    def __cinit__(self):
        self.retain_inputs = (0,)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object ids, weight
        cdef npy_intp dims[MAX_DIMS]
        cdef npy_intp rows, count, ignored = 0
        cdef bint ignores
        cdef size_t row_bytes
        cdef int size, d, ndim
        cdef char *source
        cdef char *target
        cdef const void *p_ids
        if n != 2:
            return None
        ids = <object>x[0]
        weight = <object>x[1]
        size = _id_size(ids)
        if not size or not kind_of(weight) or PyArray_NDIM(weight) != 2:
            return None
        ndim = PyArray_NDIM(ids)
        if not 0 < ndim < MAX_DIMS - 1:
            return None
        label = own_attribute(function, 'ignore_label')
        ignores = label is not None
        if ignores:
            if not isinstance(label, int):
                return None
            ignored = label
        p_ids = PyArray_DATA(<np.ndarray>ids)
        count = PyArray_SIZE(ids)
        rows = PyArray_DIM(<np.ndarray>weight, 0)
        if not _ids_in_range(p_ids, size, count, rows, ignores, ignored):
            return None
        for d in range(ndim):
            dims[d] = PyArray_DIM(<np.ndarray>ids, d)
        dims[ndim] = PyArray_DIM(<np.ndarray>weight, 1)
        row_bytes = dims[ndim] * PyArray_ITEMSIZE(<np.ndarray>weight)
        y = PyArray_EMPTY(ndim + 1, dims, PyArray_TYPE(<np.ndarray>weight), 0)
        source = <char *>PyArray_DATA(<np.ndarray>weight)
        target = <char *>PyArray_DATA(<np.ndarray>y)
        if PyArray_SIZE(y) < LONG_LOOP:
            _take_rows(p_ids, size, count, rows, ignores, ignored, source, target,
                       row_bytes)
        else:
            with nogil:
                _take_rows(p_ids, size, count, rows, ignores, ignored, source, target,
                           row_bytes)
        function._w_shape = weight.shape
        return y

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[1]
        if not node.needs_grad or not kind_of(gy) or (
                node.dtype is not <object>np.PyArray_DESCR(<np.ndarray>gy)):
            return 0
        label = own_attribute(function, 'ignore_label')
        grad = add_rows(input_array(function, 0), gy, node.shape, label)
        if grad is NotImplemented:
            return 0
        gx[1] = given(grad)
        return 1
