"""Rows of matrices, found by their numbers: the compiled kernel and shortcut."""
cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from libc.string cimport memcpy, memset
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, PyArray_DIM, \
    PyArray_EMPTY, PyArray_ITEMSIZE, PyArray_NDIM, PyArray_SIZE, PyArray_TYPE, \
    PyArray_ZEROS, NPY_INTP, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase, Shortcut, VariableNodeBase, \
    own_attribute
from chainer_fast._core.plain cimport CF_PLAIN_FLAGS, kind_of
from chainer_fast._core.rows cimport RowGradient, few_rows, new_rows
from chainer_fast._core.shortcut cimport given, input_array
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP

np.import_array()

cdef extern from "chainer_fast/backends/kernels/arithmetic/elements.hpp":
    pass

cdef extern from "chainer_fast/backends/kernels/common/loops.hpp" nogil:
    void c_add "chainer_fast::map2<chainer_fast::Add>"(
        const float *, const float *, float *, ptrdiff_t) noexcept
    void c_add "chainer_fast::map2<chainer_fast::Add>"(
        const double *, const double *, double *, ptrdiff_t) noexcept

cdef enum:
    MAX_DIMS = 32

ctypedef fused real:
    float
    double


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
                    bint ignores, npy_intp ignored, const real *source, real *target,
                    npy_intp columns) noexcept nogil:
    cdef npy_intp i, row
    for i in range(n):
        row = _id(ids, size, i)
        if ignores and row == ignored:
            continue
        if row < 0:
            row += rows
        c_add(target + row * columns, source + i * columns, target + row * columns,
              columns)


cdef void _add_any_rows(
        const void *ids, int size, npy_intp n, npy_intp rows, bint ignores,
        npy_intp ignored, char kind, const void *source, void *target,
        npy_intp columns) noexcept nogil:
    if kind == b'f':
        _add_rows(ids, size, n, rows, ignores, ignored, <const float *>source,
                  <float *>target, columns)
    else:
        _add_rows(ids, size, n, rows, ignores, ignored, <const double *>source,
                  <double *>target, columns)


cdef object _sum_rows(ids, gy, shape, ignore_label, bint alone):
    """Sum rows up; ``alone`` tells that those that are used may be kept alone."""
    cdef npy_intp dims[2]
    cdef npy_intp n, i, rows, ignored = 0
    cdef bint ignores = ignore_label is not None
    cdef char kind = kind_of(gy)
    cdef int size = _id_size(ids)
    cdef const void *p_ids
    cdef const void *source
    cdef void *target
    cdef npy_intp *places
    cdef RowGradient result = None
    if not kind or not size or len(shape) != 2:
        return NotImplemented
    dims[0], dims[1] = shape
    n = PyArray_SIZE(ids)
    if PyArray_NDIM(gy) != PyArray_NDIM(ids) + 1 or (
            PyArray_DIM(<np.ndarray>gy, PyArray_NDIM(ids)) != dims[1]):
        return NotImplemented
    for i in range(PyArray_NDIM(ids)):
        if PyArray_DIM(<np.ndarray>gy, i) != PyArray_DIM(<np.ndarray>ids, i):
            return NotImplemented
    if ignores:
        ignored = ignore_label
    p_ids = PyArray_DATA(<np.ndarray>ids)
    rows = dims[0]
    if not _ids_in_range(p_ids, size, n, rows, ignores, ignored):
        return NotImplemented
    if alone and few_rows(n, rows, dims[1]):
        # The rows that are used are numbered, and a matrix has no others.
        numbers = PyArray_EMPTY(1, &n, NPY_INTP, 0)
        places = <npy_intp *>PyArray_DATA(<np.ndarray>numbers)
        for i in range(n):
            places[i] = _id(p_ids, size, i)
            if ignores and places[i] == ignored:
                places[i] = -1
            elif places[i] < 0:
                places[i] += rows
        result = new_rows(numbers, rows, dims[1], PyArray_TYPE(<np.ndarray>gy))
        p_ids, size, ignored, ignores = places, sizeof(npy_intp), -1, True
        out = result.values
    else:
        out = PyArray_ZEROS(2, dims, PyArray_TYPE(<np.ndarray>gy), 0)
    source = PyArray_DATA(<np.ndarray>gy)
    target = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if n * dims[1] < LONG_LOOP:
        _add_any_rows(p_ids, size, n, rows, ignores, ignored, kind, source, target,
                      dims[1])
    else:
        with nogil:
            _add_any_rows(p_ids, size, n, rows, ignores, ignored, kind, source, target,
                          dims[1])
    if float_errors():
        return NotImplemented
    return out if result is None else result


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
        The matrix, in the type of ``gy``; NotImplemented for arrays that are not plain,
        ids without a row, and sums that NumPy has to warn of.
    """
    return _sum_rows(ids, gy, shape, ignore_label, False)


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
        if own_attribute(function, '_w_shape') != node.shape:
            return 0    # the matrix is another one by now
        label = own_attribute(function, 'ignore_label')
        grad = _sum_rows(
            input_array(function, 0), gy, node.shape, label, node.creator_base is None)
        if grad is NotImplemented:
            return 0
        gx[1] = given(grad)
        return 1
