# Values added to the rows that an array of integers names. Part of compiled.pyx.

def add_at(values, index, base):
    """Compiled form of the kernel of this name, for an index of one array."""
    cdef char kind
    cdef Numbers found
    cdef npy_intp *numbers
    cdef npy_intp i, row, n, rows
    if type(index) is not tuple or len(index) != 1 or not kind_of(values):
        return NotImplemented
    places = index[0]
    if type(base) is tuple:
        out = numpy.zeros(base, values.dtype)
    elif PyArray_CheckExact(base):
        out = base.copy()
    else:
        return NotImplemented
    # A shape may have objects of the user, whose methods run code.
    kind = kind_of(values)
    if not kind or kind_of(out) != kind or not plain_labels(places) or (
            PyArray_NDIM(out) == 0 or not has_row_of_each(
                values, places, PyArray_DIMS(<np.ndarray>out) + 1,
                PyArray_NDIM(out) - 1)):
        return NotImplemented
    n, rows = PyArray_SIZE(places), PyArray_DIM(<np.ndarray>out, 0)
    numbers = found.room(n)
    for i in range(n):
        row = label_at(places, i)
        if not -rows <= row < rows:
            return NotImplemented
        numbers[i] = row + rows if row < 0 else row
    clear_float_errors()
    add_rows_loop(kind, numbers, values, PyArray_DATA(<np.ndarray>out), rows, n,
                  PyArray_SIZE(out) // rows)
    return NotImplemented if float_errors() else out
