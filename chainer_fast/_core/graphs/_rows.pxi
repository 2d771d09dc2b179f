# Gradients of matrices of which only some rows are used. Part of graph.pyx.
#
# A step of a model of words uses some thousand rows of a matrix of a hundred thousand.
# Its gradient is stored as these rows until a caller reads it. From then on it is the
# array that the rows represent. Only the engine and compiled shortcuts handle a
# :class:`RowGradient`.

cdef extern from "chainer_fast/_core/graphs/rows.hpp" namespace "chainer_fast" nogil:
    ptrdiff_t number_ids(
        ptrdiff_t *, ptrdiff_t, ptrdiff_t *, ptrdiff_t, int32_t *, ptrdiff_t) noexcept

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
    """Return whether ``n`` rows of a matrix are few enough to store them alone."""
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
    cdef npy_intp n = PyArray_SIZE(ids)
    cdef npy_intp dims[2]
    result.rows = rows
    _make_room(result, n)
    dims[0], dims[1] = _number(result, ids, 0), columns
    result.ids = result.all_ids[:dims[0]]
    result.values = result.all_values = PyArray_ZEROS(2, dims, typenum, 0)
    return result


cdef int _make_room(RowGradient gradient, npy_intp n) except -1:
    """Make room for ``n`` ids, and an empty table to find them."""
    cdef npy_intp capacity = 16
    while capacity < 2 * n:
        capacity *= 2
    gradient.table = PyArray_EMPTY(1, &capacity, NPY_INT32, 0)
    memset(PyArray_DATA(<np.ndarray>gradient.table), 0xff, capacity * sizeof(int32_t))
    gradient.all_ids = PyArray_EMPTY(1, &n, NPY_INTP, 0)
    return 0


cdef npy_intp _number(RowGradient gradient, object ids, npy_intp count) noexcept:
    """Replace ids with numbers of rows; return how many rows there are.

    ``count`` is the number of rows before the call.
    """
    return number_ids(
        _ids(ids), PyArray_SIZE(ids), _ids(gradient.all_ids), count,
        <int32_t *>PyArray_DATA(<np.ndarray>gradient.table),
        PyArray_SIZE(gradient.table))


cdef RowGradient _with_room(RowGradient gradient, npy_intp n):
    """Return a copy of a gradient that has room for ``n`` rows."""
    cdef RowGradient result = RowGradient.__new__(RowGradient)
    cdef npy_intp dims[2]
    dims[0], dims[1] = n, PyArray_DIM(gradient.values, 1)
    result.rows = gradient.rows
    _make_room(result, n)
    _number(result, gradient.ids.copy(), 0)
    result.all_values = PyArray_EMPTY(2, dims, PyArray_TYPE(gradient.values), 0)
    memcpy(PyArray_DATA(<np.ndarray>result.all_values),
           PyArray_DATA(<np.ndarray>gradient.values), PyArray_NBYTES(gradient.values))
    return result


cdef object dense(RowGradient sparse):
    """Return the array that a gradient represents."""
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
    """Return whether an array of NumPy has the shape and type of a gradient."""
    return (gradient.values is not None and PyArray_CheckExact(array)
            and PyArray_TYPE(array) == PyArray_TYPE(gradient.values)
            and PyArray_NDIM(array) == 2 and PyArray_DIM(array, 0) == gradient.rows
            and PyArray_DIM(array, 1) == PyArray_DIM(gradient.values, 1))


cdef object add_rows(RowGradient a, RowGradient b, bint held):
    """Return the sum of two gradients; None if they are not of one shape and type.

    Unless the user holds ``a``, the sum goes into its memory, which grows by half of it
    at least: a sum of many takes time for the rows of each alone.
    """
    if a.values is None or b.values is None:
        return None
    cdef npy_intp n_a = PyArray_SIZE(a.ids), n_b = PyArray_SIZE(b.ids), n, i
    cdef npy_intp columns = PyArray_DIM(a.values, 1)
    cdef int typenum = PyArray_TYPE(a.values), flags = 0
    cdef npy_intp row_bytes = columns * PyArray_ITEMSIZE(a.values)
    cdef ptrdiff_t *place
    cdef char *source
    cdef char *target
    cdef char *row
    if a.rows != b.rows or columns != PyArray_DIM(b.values, 1) or (
            typenum != PyArray_TYPE(b.values)):
        return None
    n = min(n_a + n_b, a.rows)
    if held or n > PyArray_DIM(a.all_values, 0) or 2 * n > PyArray_SIZE(a.table):
        a = _with_room(a, min(n + n // 2, a.rows))
    places = b.ids.copy()
    n = _number(a, places, n_a)
    place = _ids(places)
    source = <char *>PyArray_DATA(<np.ndarray>b.values)
    target = <char *>PyArray_DATA(<np.ndarray>a.all_values)
    for i in range(n_b):
        row = target + place[i] * row_bytes
        if place[i] < n_a:
            flags |= add_into(typenum, row, source + i * row_bytes, columns)
        else:
            memcpy(row, source + i * row_bytes, row_bytes)
    a.ids, a.values = a.all_ids[:n], a.all_values[:n]
    if flags:
        report_float_errors(flags)
    return a
