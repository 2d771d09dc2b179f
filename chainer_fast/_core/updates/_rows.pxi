# Updates of matrices whose gradients are rows. Part of update.pyx.

cdef extern from "chainer_fast/_cpu/parallel.hpp" namespace "chainer_fast" nogil:
    int thread_limit() noexcept

cdef extern from "chainer_fast/_core/updates/rows.hpp" namespace "chainer_fast" nogil:
    ctypedef void (*UpdateLoop)(void **, ptrdiff_t, const double *) noexcept
    cdef struct RowUpdate:
        UpdateLoop loop
        const double *coefficients
        void **arrays
        const ptrdiff_t *ids
        ptrdiff_t n
        const char *values
        ptrdiff_t rows, row_bytes, columns
        Unused unused
    void update_used_rows(const RowUpdate &) noexcept
    void update_all_rows(
        const RowUpdate &, ptrdiff_t *, char *, ptrdiff_t) noexcept

cdef enum:
    # Number of elements that are updated at a time, which loops treat as long arrays.
    PIECE = 65536


cdef int run_on_rows(
        Operands *operands, RowGradient gradient, Step *step, Unused unused) except -1:
    """Update a matrix, given by arrays in C order without a gradient.

    ``unused`` is the effect of the update on a row whose gradient is zero.
    """
    cdef RowUpdate update
    cdef npy_intp n = PyArray_SIZE(gradient.ids)
    cdef ptrdiff_t at_once
    cdef ptrdiff_t *order
    cdef char *pieces
    update.loop = <UpdateLoop>step.loop
    update.coefficients = step.c
    update.arrays = operands.data
    update.ids = <ptrdiff_t *>PyArray_DATA(<np.ndarray>gradient.ids)
    update.n = n
    update.values = <const char *>PyArray_DATA(<np.ndarray>gradient.values)
    update.rows = gradient.rows
    update.columns = PyArray_DIM(gradient.values, 1)
    update.row_bytes = update.columns * PyArray_ITEMSIZE(gradient.values)
    update.unused = unused
    if unused != MOVES:
        with nogil:
            update_used_rows(update)
        return 0
    at_once = max(1, PIECE // update.columns)
    numbers = PyArray_EMPTY(1, &n, NPY_INTP, 0)
    order = <ptrdiff_t *>PyArray_DATA(<np.ndarray>numbers)
    pieces = <char *>PyMem_RawCalloc(thread_limit() * at_once, update.row_bytes)
    if pieces is NULL:
        raise MemoryError()
    with nogil:
        update_all_rows(update, order, pieces, at_once)
    PyMem_RawFree(pieces)
    return 0
