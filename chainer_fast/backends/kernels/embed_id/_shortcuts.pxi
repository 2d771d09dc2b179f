# Rows of matrices, selected by their numbers: the compiled kernel and shortcut.
#
# Part of array/compiled.pyx.

cdef extern from "chainer_fast/backends/kernels/embed_id/loops.hpp" \
        namespace "chainer_fast::embed_id":
    cdef cppclass Numbers:
        npy_intp *room(ptrdiff_t n) except +

    # A long matrix does not release the GIL, as few of its elements may be in use.
    void take_rows_loop(
        char kind, const npy_intp *numbers, const void *matrix, object rows,
        ptrdiff_t n, ptrdiff_t columns) noexcept
    void add_rows_loop(
        char kind, const npy_intp *numbers, object rows, void *matrix,
        ptrdiff_t matrix_rows, ptrdiff_t n, ptrdiff_t columns) noexcept


cdef bint _are_ids(object ids) noexcept:
    """Return whether this is a plain array of signed integers of 4 or 8 bytes."""
    return (PyArray_CheckExact(ids) and PyArray_CHKFLAGS(ids, CF_PLAIN_FLAGS)
            and np.PyArray_ISSIGNED(<np.ndarray>ids)
            and np.PyArray_ISINTEGER(<np.ndarray>ids)
            and not np.PyArray_ISBYTESWAPPED(<np.ndarray>ids)
            and PyArray_ITEMSIZE(<np.ndarray>ids) in (4, 8))


cdef bint _find_rows(
        object ids, npy_intp rows, const Ignored *ignored, npy_intp *found,
        bint *any_below) noexcept:
    """Write the numbers of rows, -1 for ignored ids; return whether each id has a row.

    If any counts from the end, the caller has to warn of it, but only when it no
    longer needs the arrays: code that shows warnings may change them.
    """
    any_below[0] = False
    cdef npy_intp i, row
    cdef npy_intp n = PyArray_SIZE(ids)
    cdef bint wide = PyArray_ITEMSIZE(<np.ndarray>ids) == 8
    cdef void *given_ids = PyArray_DATA(<np.ndarray>ids)
    for i in range(n):
        row = (<np.npy_int64 *>given_ids)[i] if wide else (<np.npy_int32 *>given_ids)[i]
        if ignored.some and row == ignored.label:
            row = -1
        elif -rows <= row < 0:
            row += rows
            any_below[0] = True
        elif not 0 <= row < rows:
            return False
        found[i] = row
    return True


cdef object _sum_rows(ids, gy, shape, ignore_label, bint alone):
    """Sum rows; if ``alone``, the result may have only the rows that are used."""
    cdef npy_intp dims[2]
    cdef npy_intp n
    cdef npy_intp *numbers
    cdef Numbers found
    cdef object places = None
    cdef RowGradient result = None
    cdef Ignored ignored
    cdef bint any_below
    if not read_ignored(ignore_label, &ignored) or len(shape) != 2:
        return NotImplemented
    dims[0], dims[1] = shape
    if not kind_of(gy) or not _are_ids(ids):
        return NotImplemented
    n = PyArray_SIZE(ids)
    if not has_row_of_each(gy, ids, dims + 1, 1):
        return NotImplemented
    alone = alone and few_rows(n, dims[0], dims[1])
    if alone:
        places = PyArray_EMPTY(1, &n, NPY_INTP, 0)
        numbers = <npy_intp *>PyArray_DATA(<np.ndarray>places)
    else:
        numbers = found.room(n)
    if not _find_rows(ids, dims[0], &ignored, numbers, &any_below):
        return NotImplemented
    if alone:
        # The used rows get new numbers, and a matrix has no others.
        result = new_rows(places, dims[0], dims[1], PyArray_TYPE(<np.ndarray>gy))
        out = result.values
    else:
        out = PyArray_ZEROS(2, dims, PyArray_TYPE(<np.ndarray>gy), 0)
    clear_float_errors()
    add_rows_loop(
        kind_of(gy), numbers, gy, PyArray_DATA(<np.ndarray>out),
        PyArray_DIM(<np.ndarray>out, 0), n, dims[1])
    if float_errors():
        return NotImplemented
    if any_below:
        negative.warn('x', ids, ignore_label, dims[0], 'rows')
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


# Fields of the function.
cdef enum:
    IGNORE_LABEL, W_SHAPE


cdef class EmbedIDShortcut(Shortcut):
    """Rows of a matrix, by their numbers."""

    #: Its gradient may be a :class:`RowGradient`.
    gives_rows = True

    def __cinit__(self):
        self.traits.retain_inputs = (0,)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object ids, weight
        cdef npy_intp dims[MOST_AXES]
        cdef Numbers found
        cdef npy_intp *numbers
        cdef int d, ndim
        cdef Ignored ignored
        cdef bint any_below
        label = self.field(function, IGNORE_LABEL)
        if n != 2 or not read_ignored(label, &ignored):
            return None
        ids = <object>x[0]
        weight = <object>x[1]
        if not _are_ids(ids) or not kind_of(weight) or PyArray_NDIM(weight) != 2:
            return None
        ndim = PyArray_NDIM(ids)
        if not 0 < ndim < MOST_AXES - 1:
            return None
        numbers = found.room(PyArray_SIZE(ids))
        if not _find_rows(ids, PyArray_DIM(<np.ndarray>weight, 0), &ignored, numbers,
                          &any_below):
            return None
        for d in range(ndim):
            dims[d] = PyArray_DIM(<np.ndarray>ids, d)
        dims[ndim] = PyArray_DIM(<np.ndarray>weight, 1)
        y = PyArray_EMPTY(ndim + 1, dims, PyArray_TYPE(<np.ndarray>weight), 0)
        take_rows_loop(
            kind_of(weight), numbers, PyArray_DATA(<np.ndarray>weight), y,
            PyArray_SIZE(ids), dims[ndim])
        shape = weight.shape
        if any_below:
            negative.warn('x', ids, label, shape[0], 'rows')
        self.keep(function, W_SHAPE, shape)
        return y

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[1]
        if not node.needs_grad or not kind_of(gy) or (
                not has_dtype(gy, node.dtype)):
            return 0
        if self.field(function, W_SHAPE) != node.shape:
            return 0    # the matrix is another one by now
        label = self.field(function, IGNORE_LABEL)
        grad = _sum_rows(input_array(function, 0), gy, node.shape, label, True)
        if grad is NotImplemented:
            return 0
        gx[1] = new_ref(grad)
        return 1


# Fields of the function.
cdef enum:
    IN_SHAPE, IN_DTYPE


cdef class SelectItemShortcut(Shortcut):
    """An element of each row of a matrix, by its number."""

    def __cinit__(self):
        self.traits.retain_inputs = (1,)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        if n != 2 or not PyArray_CheckExact(<object>x[0]) or (
                PyArray_NDIM(<object>x[0]) != 2):
            return None
        matrix, places = <object>x[0], _places_in(<object>x[0], <object>x[1])
        if places is None:
            return None
        try:
            y = matrix[places]
        except IndexError:
            return None     # The general way names the place.
        self.keep(function, IN_SHAPE, matrix.shape)
        self.keep(function, IN_DTYPE, matrix.dtype)
        return y

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[0]
        shape = node.shape
        if not _has_type_of(gy, function) or PyArray_NDIM(gy) != 1 or (
                self.field(function, IN_SHAPE) != shape):
            return 0
        places = _places_in(gy, input_array(function, 1))
        if places is None:
            return 0
        part = new_part(node, places, gy, False)
        if not cf_any_float_kind(<np.ndarray>gy) or not is_few(
                PyArray_SIZE(gy), PyArray_SIZE(gy) * shape[1]):
            gx[0] = new_ref(placed(part))
        else:
            gx[0] = new_ref(part)
        return 1


cdef object _places_in(object rows, object labels):
    """Return an index of an element of each row; None if there is not a label for each.
    """
    if not PyArray_CheckExact(labels) or PyArray_NDIM(labels) != 1 or (
            PyArray_DIM(<np.ndarray>rows, 0) != PyArray_SIZE(labels)
            or not np.PyArray_ISSIGNED(<np.ndarray>labels)
            or not np.PyArray_ISINTEGER(<np.ndarray>labels)):
        return None
    return numpy.arange(PyArray_SIZE(labels)), labels
