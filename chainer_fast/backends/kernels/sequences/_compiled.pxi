# Sequences as blocks of memory, of any dtype that holds no references.
#
# All functions return ``NotImplemented`` if arrays are not in C order or not alike in
# dtype and shape behind the first axis.
#
# Part of array/compiled.pyx.

cdef extern from "numpy/arrayobject.h":
    int NPY_HALF
    bint PyArray_ISBYTESWAPPED(np.ndarray)
    object new_of_type "PyArray_NewFromDescr"(
        type, np.dtype, int, npy_intp *, npy_intp *, void *, int, object)

ctypedef struct Block:
    char *data
    npy_intp length


cdef npy_intp _row_bytes(np.ndarray first) noexcept:
    """Return the bytes of an element along the first axis, or -1."""
    cdef int d
    cdef npy_intp size = PyArray_ITEMSIZE(first)
    if not (np.NPY_BOOL <= PyArray_TYPE(first) <= np.NPY_CDOUBLE
            or PyArray_TYPE(first) == NPY_HALF):
        return -1
    if PyArray_ISBYTESWAPPED(first) or not 0 < PyArray_NDIM(first) < MOST_AXES:
        return -1
    for d in range(1, PyArray_NDIM(first)):
        size *= PyArray_DIM(first, d)
    return size


cdef bint _continues(object item, np.ndarray first) noexcept:
    """Return whether an array is in C order, and like another except for its length."""
    cdef int d, ndim = PyArray_NDIM(first)
    if not PyArray_CheckExact(item) or (
            not PyArray_IS_C_CONTIGUOUS(<np.ndarray>item)
            or PyArray_TYPE(<np.ndarray>item) != PyArray_TYPE(first)
            or PyArray_ISBYTESWAPPED(<np.ndarray>item)
            or PyArray_NDIM(<np.ndarray>item) != ndim):
        return False
    for d in range(1, ndim):
        if PyArray_DIM(<np.ndarray>item, d) != PyArray_DIM(first, d):
            return False
    return True


cdef bint _read_blocks(xs, np.ndarray first, vector[Block] &blocks) except -1:
    """Note where the arrays are; False if there is no code for them."""
    blocks.reserve(len(xs))
    for x in xs:
        if not _continues(x, first):
            return False
        blocks.push_back(Block(
            <char *>PyArray_DATA(<np.ndarray>x), PyArray_DIM(<np.ndarray>x, 0)))
    return True


cdef object _array_like(
        np.ndarray like, npy_intp *lengths, int leading, char *data, owner):
    """Return an array with other axes instead of the first one.

    It is in memory that another object owns, unless ``data`` is NULL.
    """
    cdef npy_intp shape[MOST_AXES + 1]
    cdef int d, ndim = PyArray_NDIM(like) - 1
    cdef np.dtype descr = <np.dtype>PyArray_DESCR(like)
    for d in range(leading):
        shape[d] = lengths[d]
    for d in range(ndim):
        shape[leading + d] = PyArray_DIM(like, d + 1)
    # The new array takes the reference.
    Py_INCREF(descr)
    array = new_of_type(
        np.ndarray, descr, leading + ndim, shape, NULL, data,
        0 if data is NULL else np.NPY_ARRAY_CARRAY, None)
    if owner is not None:
        np.set_array_base(array, owner)
    return array


cdef void _repeat(
        char *out, const char *value, npy_intp size, npy_intp n) noexcept nogil:
    """Write a value of some bytes n times over."""
    cdef npy_intp i, done, total = size * n
    if n <= 0:
        return
    for i in range(size):
        if value[i] != value[0]:
            break
    else:
        memset(out, value[0], total)
        return
    memcpy(out, value, size)
    done = size
    while done < total:
        i = done if done <= total - done else total - done
        memcpy(out + done, out, i)
        done += i


def stack_padded(np.ndarray first not None, xs, length, padding):
    cdef npy_intp row = _row_bytes(first), size = PyArray_ITEMSIZE(first)
    cdef npy_intp n
    cdef npy_intp lengths[2]
    cdef np.ndarray value, y
    cdef vector[Block] blocks
    cdef Block block
    cdef char *out
    cdef char *pad
    xs = tuple(xs)      # no other code can shorten it, or runs for its elements
    if row < 0 or len(xs) == 0:
        return NotImplemented
    value = np.PyArray_FROM_O(padding)
    if PyArray_NDIM(value) or PyArray_TYPE(value) != PyArray_TYPE(first):
        return NotImplemented
    lengths[0], lengths[1] = len(xs), length.__index__()
    if row != _row_bytes(first) or size != PyArray_ITEMSIZE(first) or (
            PyArray_TYPE(value) != PyArray_TYPE(first)):
        return NotImplemented
    if not _read_blocks(xs, first, blocks):
        return NotImplemented
    for block in blocks:
        if block.length > lengths[1]:
            return NotImplemented
    y = _array_like(first, lengths, 2, NULL, None)
    out = <char *>PyArray_DATA(y)
    pad = <char *>PyArray_DATA(value)
    with nogil:
        for block in blocks:
            n = block.length * row
            if n:
                memcpy(out, block.data, n)
            _repeat(out + n, pad, size, (lengths[1] * row - n) // size)
            out += lengths[1] * row
    return y


def transpose_sequences(np.ndarray first not None, xs, Py_ssize_t count):
    cdef npy_intp i, place, total = 0, reached
    cdef npy_intp row = _row_bytes(first)
    cdef vector[Block] blocks
    cdef char *out
    cdef list ys = []
    xs = tuple(xs)
    reached = len(xs)
    if row < 0 or reached == 0 or not _read_blocks(xs, first, blocks):
        return NotImplemented
    for i in range(reached):
        if i and blocks[i].length > blocks[i - 1].length:
            return NotImplemented
        total += blocks[i].length
    # One block of memory, so that `rows` need not copy what it joins again.
    flat = _array_like(first, &total, 1, NULL, None)
    out = <char *>PyArray_DATA(<np.ndarray>flat)
    for place in range(count):
        while reached and blocks[reached - 1].length <= place:
            reached -= 1
        ys.append(_array_like(first, &reached, 1, out, flat))
        for i in range(reached):
            memcpy(out, blocks[i].data + place * row, row)
            out += row
    return tuple(ys)


def join_rows(np.ndarray first not None, xs):
    """Join arrays that follow each other in memory that one array owns."""
    xs = tuple(xs)
    cdef npy_intp length = 0, row = _row_bytes(first)
    cdef object owner = np.get_array_base(first)
    cdef char *end = <char *>PyArray_DATA(first)
    if row < 0 or owner is None or not PyArray_CheckExact(owner):
        return NotImplemented
    for x in xs:
        if not _continues(x, first) or np.get_array_base(x) is not owner or (
                <char *>PyArray_DATA(<np.ndarray>x) != end):
            return NotImplemented
        length += PyArray_DIM(<np.ndarray>x, 0)
        end += PyArray_DIM(<np.ndarray>x, 0) * row
    return _array_like(first, &length, 1, <char *>PyArray_DATA(first), owner)
