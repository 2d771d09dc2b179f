# Products with sparse matrices: one pass over the elements.
#
# All functions return ``NotImplemented`` for arrays that are not of single or double
# precision. Arrays that are not contiguous are copied.
#
# Part of array/compiled.pyx.

cdef extern from "chainer_fast/backends/kernels/sparse/loops.hpp" \
        namespace "chainer_fast::sparse":
    void product_loop(
        char kind, object data, object row, object col, object dense, object y,
        npy_intp batches, npy_intp nnz, npy_intp height, npy_intp k,
        npy_intp n) noexcept
    void sampled_product_loop(
        char kind, object values, object row, object col, object a, object b,
        npy_intp batches, npy_intp nnz, npy_intp m, npy_intp n, npy_intp k) noexcept


cdef np.ndarray _coordinates(x):
    """Return coordinates in the type of the loops; they are integers."""
    if not np.PyArray_Check(x) or not np.PyArray_ISINTEGER(<np.ndarray>x):
        raise TypeError(
            'coordinates of a sparse matrix must be an array of integers, got %s'
            % getattr(x, 'dtype', type(x).__name__))
    return contiguous(x, np.NPY_INTP)


cdef int _check_places(np.ndarray x, npy_intp length, name) except -1:
    cdef npy_intp *at = <npy_intp *>PyArray_DATA(x)
    cdef npy_intp i
    for i in range(PyArray_SIZE(x)):
        if at[i] >= length:
            raise ValueError(
                '%s index %d exceeds the matrix, which has %d'
                % (name, at[i], length))
    return 0


cdef bint _has_type_of_values(np.ndarray x, y):
    return (PyArray_CheckExact(y) and cf_float_kind(x) != 0
            and cf_float_kind(<np.ndarray>y) == cf_float_kind(x))


cdef bint _one_for_each(np.ndarray x, np.ndarray rows, np.ndarray columns):
    """Return whether each element has a row and a column."""
    return np.PyArray_SAMESHAPE(x, rows) and np.PyArray_SAMESHAPE(x, columns)


def product(np.ndarray data not None, row, col, height, dense):
    cdef np.ndarray rows, columns, values, matrix, y
    cdef npy_intp batches, n, nnz, m, k
    cdef int last
    m = height      # which may run code of the user
    if not _has_type_of_values(data, dense):
        return NotImplemented
    rows, columns = _coordinates(row), _coordinates(col)
    last = PyArray_NDIM(data) - 1
    if not 0 <= last <= 1 or PyArray_NDIM(dense) != last + 2 or (
            not _one_for_each(data, rows, columns)
            or last and PyArray_DIM(data, 0) != PyArray_DIM(dense, 0)):
        return NotImplemented
    values = contiguous(data, PyArray_TYPE(data))
    matrix = contiguous(dense, PyArray_TYPE(data))
    nnz = PyArray_DIM(values, last)
    batches = PyArray_DIM(values, 0) if last else 1
    k, n = PyArray_DIM(matrix, last), PyArray_DIM(matrix, last + 1)
    _check_places(rows, m, 'row')
    _check_places(columns, k, 'column')
    y = numpy.zeros((batches, m, n), data.dtype)
    product_loop(
        cf_float_kind(data), values, rows, columns, matrix, y, batches, nnz, m, k, n)
    return y if last else y.reshape(m, n)


def sampled_product(np.ndarray a not None, row, col, b):
    cdef np.ndarray rows, columns, left, right, values
    cdef npy_intp batches, nnz, m, n, k
    cdef int last
    if not _has_type_of_values(a, b):
        return NotImplemented
    rows, columns = _coordinates(row), _coordinates(col)
    last = PyArray_NDIM(rows) - 1
    if not 0 <= last <= 1 or not _one_for_each(rows, rows, columns) or (
            not PyArray_NDIM(a) == PyArray_NDIM(b) == last + 2
            or PyArray_DIM(a, last + 1) != PyArray_DIM(b, last + 1)):
        return NotImplemented
    if last and not (
            PyArray_DIM(rows, 0) == PyArray_DIM(a, 0) == PyArray_DIM(b, 0)):
        return NotImplemented
    left, right = contiguous(a, PyArray_TYPE(a)), contiguous(b, PyArray_TYPE(a))
    nnz = PyArray_DIM(rows, last)
    batches = PyArray_DIM(rows, 0) if last else 1
    m, k, n = (PyArray_DIM(left, last), PyArray_DIM(left, last + 1),
               PyArray_DIM(right, last))
    _check_places(rows, m, 'row')
    _check_places(columns, n, 'column')
    values = numpy.zeros(row.shape, a.dtype)
    sampled_product_loop(
        cf_float_kind(a), values, rows, columns, left, right, batches, nnz, m, n, k)
    return values
