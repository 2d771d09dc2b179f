# Gradients of matrices of which only some rows are used. Part of graph.pyx.
#
# A step of a model of words uses some thousand rows of a matrix of a hundred thousand.
# Its gradient is kept as these rows until somebody reads it: then it becomes, once and
# for all, the array that it stands for. Nobody but the engine and compiled shortcuts
# sees a :class:`RowGradient`.

cdef extern from "chainer_fast/_core/graphs/rows.hpp" namespace "chainer_fast" nogil:
    ptrdiff_t number_ids(
        ptrdiff_t *, ptrdiff_t, ptrdiff_t *, int32_t *, ptrdiff_t) noexcept

cdef enum:
    # Matrices of fewer elements are filled and updated as fast as they are.
    LARGE = 65536
    # A matrix of more rows than this times those used is kept as rows.
    FEW = 4


cdef class RowGradient:
    """Some rows of a matrix of zeros.

    A sum in a row starts from zero, as it does in an array of zeros, so that no element
    is minus zero.
    """


cdef bint few_rows(npy_intp n, npy_intp rows, npy_intp columns) noexcept:
    """Tell whether ``n`` rows of a matrix are few enough to keep them alone."""
    return n <= rows // FEW and rows * columns >= LARGE


cdef ptrdiff_t *_ids(object array) noexcept:
    return <ptrdiff_t *>PyArray_DATA(<np.ndarray>array)


cdef RowGradient new_rows(object ids, npy_intp rows, npy_intp columns, int typenum):
    """Return zeros for the rows that some ids name.

    Parameters
    ----------
    ids : numpy.ndarray of intp
        Numbers of rows, in C order; negative for none.  In their place come the numbers
        of their rows in ``values`` of the result.
    rows, columns : int
        Shape of the matrix.
    typenum : int
        Its type.
    """
    cdef RowGradient result = RowGradient.__new__(RowGradient)
    cdef npy_intp n = PyArray_SIZE(ids), capacity = 16
    cdef npy_intp dims[2]
    while capacity < 2 * n:
        capacity *= 2
    table = PyArray_EMPTY(1, &capacity, NPY_INT32, 0)
    memset(PyArray_DATA(<np.ndarray>table), 0xff, capacity * sizeof(int32_t))
    distinct = PyArray_EMPTY(1, &n, NPY_INTP, 0)
    dims[0] = number_ids(
        _ids(ids), n, _ids(distinct),
        <int32_t *>PyArray_DATA(<np.ndarray>table), capacity)
    dims[1] = columns
    result.ids = distinct[:dims[0]]
    result.values = PyArray_ZEROS(2, dims, typenum, 0)
    result.rows = rows
    return result


cdef object dense(RowGradient sparse):
    """Return the array that a gradient stands for."""
    cdef npy_intp dims[2]
    cdef npy_intp i, row_bytes
    cdef ptrdiff_t *ids
    cdef char *source
    cdef char *target
    if sparse.values is None:
        raise TypeError('a gradient by rows has no rows: it was made by __new__ alone')
    dims[0] = sparse.rows
    dims[1] = PyArray_DIM(sparse.values, 1)
    result = PyArray_ZEROS(2, dims, PyArray_TYPE(sparse.values), 0)
    row_bytes = dims[1] * PyArray_ITEMSIZE(sparse.values)
    ids = _ids(sparse.ids)
    source = <char *>PyArray_DATA(<np.ndarray>sparse.values)
    target = <char *>PyArray_DATA(<np.ndarray>result)
    for i in range(PyArray_SIZE(sparse.ids)):
        memcpy(target + ids[i] * row_bytes, source + i * row_bytes, row_bytes)
    return result


cdef bint has_shape_of(RowGradient gradient, object array) noexcept:
    """Tell whether an array of NumPy has the shape and type of a gradient."""
    return (gradient.values is not None and PyArray_CheckExact(array)
            and PyArray_TYPE(array) == PyArray_TYPE(gradient.values)
            and PyArray_NDIM(array) == 2 and PyArray_DIM(array, 0) == gradient.rows
            and PyArray_DIM(array, 1) == PyArray_DIM(gradient.values, 1))


cdef object add_rows(RowGradient a, RowGradient b):
    """Return the sum of two gradients; None if they are not of one shape and type."""
    if a.values is None or b.values is None:
        return None
    cdef npy_intp n_a = PyArray_SIZE(a.ids), n_b = PyArray_SIZE(b.ids), n = n_a + n_b
    cdef npy_intp columns = PyArray_DIM(a.values, 1), i
    cdef int typenum = PyArray_TYPE(a.values), flags = 0
    cdef npy_intp row_bytes = columns * PyArray_ITEMSIZE(a.values)
    cdef RowGradient result
    cdef char *source
    cdef char *target
    if a.rows != b.rows or columns != PyArray_DIM(b.values, 1) or (
            typenum != PyArray_TYPE(b.values)):
        return None
    places = PyArray_EMPTY(1, &n, NPY_INTP, 0)
    memcpy(_ids(places), _ids(a.ids), n_a * sizeof(ptrdiff_t))
    memcpy(_ids(places) + n_a, _ids(b.ids), n_b * sizeof(ptrdiff_t))
    result = new_rows(places, a.rows, columns, typenum)
    source = <char *>PyArray_DATA(<np.ndarray>b.values)
    target = <char *>PyArray_DATA(<np.ndarray>result.values)
    memcpy(target, PyArray_DATA(<np.ndarray>a.values), n_a * row_bytes)
    for i in range(n_b):
        flags |= add_into(
            typenum, target + _ids(places)[n_a + i] * row_bytes, source + i * row_bytes,
            columns)
    if flags:
        report_float_errors(flags)
    return result
