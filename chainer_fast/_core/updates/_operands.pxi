# Loops over the arrays of a parameter with any memory layout. Part of update.pyx.
# Arrays that are contiguous in the same order, as nearly all are, are passed to
# the loops directly. Others are copied, and copied back.

cdef extern from "chainer_fast/_cpu/half_loops.hpp" namespace "chainer_fast" nogil:
    void floats_from_halves(const unsigned short *, float *, Py_ssize_t) noexcept
    void halves_from_floats(const float *, unsigned short *, Py_ssize_t) noexcept

cdef enum:
    # Number of elements that several loops process at a time.
    BLOCK = 2048
    # Loops longer than this release the GIL.
    LONG = 50000


cdef int kind_of_array(object array) noexcept:
    """Return the kind of a NumPy array of floats, or -1."""
    cdef int typenum
    if not PyArray_CheckExact(array):
        return -1
    typenum = PyArray_TYPE(array)
    if typenum == NPY_FLOAT32:
        return SINGLE
    if typenum == NPY_FLOAT64:
        return DOUBLE
    return HALF if typenum == NPY_FLOAT16 else -1


cdef bint _add(Operands *operands, object array, bint written) noexcept:
    """Append an array with the shape of the first one and the type of its slot.

    That is the type of the first; but states of float16 parameters are float32.
    """
    cdef int i = operands.count, flags, typenum
    cdef object first
    if i > 0:
        first = <object>operands.arrays[0]
        typenum = PyArray_TYPE(first)
        if i > 1 and typenum == NPY_FLOAT16:
            typenum = NPY_FLOAT32
        if (not PyArray_CheckExact(array)
                or PyArray_TYPE(array) != typenum
                or PyArray_NDIM(array) != PyArray_NDIM(first)
                or not PyArray_CompareLists(
                    PyArray_DIMS(array), PyArray_DIMS(first), PyArray_NDIM(first))):
            return False
    flags = PyArray_FLAGS(array)
    if written and not flags & NPY_ARRAY_WRITEABLE:
        return False
    if not (flags & NPY_ARRAY_ALIGNED and PyArray_ISNOTSWAPPED(array)):
        flags = 0
    operands.order &= flags
    operands.arrays[i] = <PyObject *>array
    operands.data[i] = PyArray_DATA(array)
    operands.count = i + 1
    return True


cdef bint gather(
        Operands *operands, object param, object grad, object states, tuple names,
        bint changes_grad) except -1:
    """Set the arrays of an update; False if they are not all of one kind.

    States of float16 parameters are float32.

    ``names`` are the names of the needed states; ``changes_grad`` is whether
    the gradient will be written to. Without a gradient, its slot stays empty.
    """
    cdef PyObject *item
    cdef int i
    operands.kind = kind_of_array(param)
    if operands.kind < 0:
        return False
    operands.count = 0
    operands.changes_grad = changes_grad
    operands.order = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS
    operands.size = PyArray_SIZE(param)
    if not _add(operands, param, True):
        return False
    if grad is None:
        operands.arrays[1] = operands.arrays[0]
        operands.data[1] = NULL
        operands.count = 2
    elif not _add(operands, grad, changes_grad):
        return False
    if len(names) and not PyDict_Check(states):
        return False
    for i in range(len(names)):
        item = entry_of(states, names[i])
        if item is NULL or not _add(operands, plain_inside(<object>item), True):
            return False
    for i in range(operands.count, MAX_ARRAYS):
        operands.data[i] = NULL
    return _are_apart(operands)


# -- overlapping memory


cdef void extent(object array, const char **first, const char **last) noexcept:
    """Return the bounds of an array's memory; both are 0 if it is empty."""
    cdef npy_intp reach
    cdef int axis
    first[0] = last[0] = NULL
    if PyArray_SIZE(array) == 0:
        return
    first[0] = last[0] = <const char *>PyArray_DATA(array)
    for axis in range(PyArray_NDIM(array)):
        reach = (PyArray_DIM(array, axis) - 1) * PyArray_STRIDE(array, axis)
        if reach < 0:
            first[0] += reach
        else:
            last[0] += reach
    last[0] += PyArray_ITEMSIZE(array)


cdef bint overlaps_itself(object array) noexcept:
    """Return whether two arrays may share elements; True when in doubt."""
    cdef npy_intp covered = PyArray_ITEMSIZE(array), stride, smallest
    cdef int axis, _, found
    cdef unsigned long seen = 0
    for _ in range(PyArray_NDIM(array)):
        found = -1
        smallest = 0
        for axis in range(PyArray_NDIM(array)):
            stride = abs(PyArray_STRIDE(array, axis))
            if not seen >> axis & 1 and (found < 0 or stride < smallest):
                found = axis
                smallest = stride
        seen |= 1ul << found
        if PyArray_DIM(array, found) > 1:
            if smallest < covered:
                return True
            covered += (PyArray_DIM(array, found) - 1) * smallest
    return False


cdef bint _are_apart(Operands *operands) noexcept:
    """Return whether no two arrays overlap.

    If they do, the order of the operations matters, which is left to NumPy.
    """
    cdef const char *first[MAX_ARRAYS]
    cdef const char *last[MAX_ARRAYS]
    cdef int i, j, n = operands.count
    if operands.order:
        for i in range(n):
            first[i] = last[i] = <const char *>operands.data[i]
            if first[i] is not NULL:
                last[i] += operands.size * PyArray_ITEMSIZE(<object>operands.arrays[i])
    else:
        if PyArray_NDIM(<object>operands.arrays[0]) > 32:
            return False
        for i in range(n):
            first[i] = last[i] = NULL
            if operands.data[i] is not NULL:
                extent(<object>operands.arrays[i], &first[i], &last[i])
            if i != 1 and overlaps_itself(<object>operands.arrays[i]):
                return False
    for i in range(n):
        for j in range(i + 1, n):
            if first[i] < last[j] and first[j] < last[i]:
                return False
    return True


# -- running


cdef void _run_block(
        void **data, Py_ssize_t n, Step *steps, int n_steps) noexcept nogil:
    cdef int i
    for i in range(n_steps):
        steps[i].loop(data, n, steps[i].c)


cdef void _run_flat(
        Operands *operands, Step *steps, int n_steps, const Py_ssize_t *itemsizes
        ) noexcept nogil:
    """Run over contiguous arrays block by block, so that data read by the first loop is
    in the cache for the second one.
    """
    cdef void *data[MAX_ARRAYS]
    cdef Py_ssize_t done = 0, n
    cdef int i
    if n_steps == 1:
        steps[0].loop(operands.data, operands.size, steps[0].c)
        return
    for i in range(MAX_ARRAYS):
        data[i] = operands.data[i]
    while done < operands.size:
        n = min(operands.size - done, <Py_ssize_t>BLOCK)
        _run_block(data, n, steps, n_steps)
        for i in range(operands.count):
            data[i] = <char *>data[i] + n * itemsizes[i]
        done += n


cdef int _run_copies(Operands *operands, Step *steps, int n_steps) except -1:
    """Run over C-order copies of arrays that are not in C order."""
    cdef Operands copied = operands[0]
    cdef list copies = []
    cdef int i
    for i in range(operands.count):
        if operands.data[i] is not NULL:
            array = <object>operands.arrays[i]
            copy = np.PyArray_FROM_OTF(
                array, PyArray_TYPE(array), NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED
                | NPY_ARRAY_NOTSWAPPED)
            copies.append(copy)
            copied.arrays[i] = <PyObject *>copy
            copied.data[i] = PyArray_DATA(copy)
    copied.order = NPY_ARRAY_C_CONTIGUOUS
    run(&copied, steps, n_steps)
    for i in range(operands.count):
        if copied.arrays[i] is not operands.arrays[i] and (
                i != 1 or operands.changes_grad):
            np.PyArray_CopyInto(
                <object>operands.arrays[i], <object>copied.arrays[i])
    return 0


cdef int run(Operands *operands, Step *steps, int n_steps) except -1:
    """Run loops over the arrays, one after the other for each element."""
    cdef Py_ssize_t itemsizes[MAX_ARRAYS]
    cdef int i
    if not operands.order:
        return _run_copies(operands, steps, n_steps)
    if n_steps > 1:
        for i in range(operands.count):
            itemsizes[i] = PyArray_ITEMSIZE(<object>operands.arrays[i])
    if operands.size < LONG:
        _run_flat(operands, steps, n_steps, itemsizes)
        return 0
    # Another thread may release the arrays meanwhile.
    for i in range(operands.count):
        Py_INCREF(<object>operands.arrays[i])
    with nogil:
        _run_flat(operands, steps, n_steps, itemsizes)
    for i in range(operands.count):
        Py_DECREF(<object>operands.arrays[i])
    return 0


cdef void _run_in_floats(
        Operands *operands, unsigned short *param, const unsigned short *grad,
        Step *steps, int n_steps) noexcept nogil:
    cdef float buffer[BLOCK]
    cdef void *data[MAX_ARRAYS]
    cdef Py_ssize_t done = 0, n
    cdef int i
    for i in range(MAX_ARRAYS):
        data[i] = operands.data[i]
    data[1] = buffer
    while done < operands.size:
        n = min(operands.size - done, <Py_ssize_t>BLOCK)
        floats_from_halves(grad + done, buffer, n)
        _run_block(data, n, steps, n_steps)
        halves_from_floats(<const float *>data[0], param + done, n)
        for i in range(operands.count):
            if i != 1:
                data[i] = <char *>data[i] + 4 * n
        done += n


cdef bint lie_alike(const Operands *a, const Operands *b) noexcept:
    """Return whether the arrays of two groups have the same shape and memory order."""
    cdef object first = <object>a.arrays[0], second = <object>b.arrays[0]
    return a.order & b.order and PyArray_NDIM(first) == PyArray_NDIM(second) and (
        PyArray_CompareLists(
            PyArray_DIMS(first), PyArray_DIMS(second), PyArray_NDIM(first)))


cdef int run_in_floats(
        Operands *operands, Operands *halves, Step *steps, int n_steps) except -1:
    """Run over float32 arrays instead of a float16 parameter and its gradient.

    The first array is the float32 copy of the parameter; the second is not used. All
    must have the same layout.
    """
    cdef int i
    for i in range(operands.count):
        Py_INCREF(<object>operands.arrays[i])
    for i in range(2):
        Py_INCREF(<object>halves.arrays[i])
    with nogil:
        _run_in_floats(
            operands, <unsigned short *>halves.data[0],
            <const unsigned short *>halves.data[1], steps, n_steps)
    for i in range(operands.count):
        Py_DECREF(<object>operands.arrays[i])
    for i in range(2):
        Py_DECREF(<object>halves.arrays[i])
    return 0
