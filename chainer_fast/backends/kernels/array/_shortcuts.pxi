# Compiled shortcuts of functions that join arrays. Part of compiled.pyx.

cdef extern from *:
    PyObject **PySequence_Fast_ITEMS(list items)

cdef extern from "chainer_fast/backends/kernels/common/copies.hpp" \
        namespace "chainer_fast" nogil:
    void copy_rows(const void *, npy_intp step, void *, npy_intp to_step,
                   npy_intp bytes, npy_intp rows) noexcept

cdef extern from "chainer_fast/_cpu/threads.hpp" namespace "chainer_fast" nogil:
    int get_threads() noexcept

cdef enum:
    # Bytes that stay in the cache of a thread, and that several threads share.
    _JOINED = 32768
    _SHARED = 524288


cdef inline void _copy_rows(const char *source, npy_intp step, char *target,
                            npy_intp to_step, npy_intp bytes, npy_intp rows) noexcept:
    """Copy rows; if that takes long, other threads of Python run meanwhile."""
    if bytes * rows < _JOINED:
        copy_rows(source, step, target, to_step, bytes, rows)
    else:
        with nogil:
            copy_rows(source, step, target, to_step, bytes, rows)


cdef inline char _plain_kind(object array) noexcept:
    """Return the kind of a plain array, 'e' for float16; otherwise 0."""
    cdef char kind = any_gapless_kind(array)
    return kind if kind and PyArray_CHKFLAGS(
        <np.ndarray>array, np.NPY_ARRAY_C_CONTIGUOUS) else 0


cdef object _empty(int ndim, npy_intp *dims, object like, bint last):
    """Return a new array of a shape and the type of another one, not filled."""
    cdef int typenum = PyArray_TYPE(<np.ndarray>like)
    if last:
        return empty_channels_last(ndim, dims, typenum)
    return PyArray_EMPTY(ndim, dims, typenum, 0)


cdef object _joined(
        Shortcut shortcut, FunctionBase function, PyObject **x, Py_ssize_t n,
        bint last):
    """Join plain arrays, or, if ``last``, channels of images in channels-last order.

    In memory, these are matrices whose columns are joined. The result is None if no
    code supports the arrays.
    """
    cdef npy_intp dims[MAX_DIMS]
    cdef object first, each
    cdef char kind
    cdef npy_intp outer = 1, rest = 1, joined = 0
    cdef Py_ssize_t i
    cdef int ndim, axis, d
    first = <object>x[0]
    kind = any_gapless_kind(first) if last else _plain_kind(first)
    ndim = PyArray_NDIM(first) if kind else 0
    if not 0 < ndim < MAX_DIMS:
        return None
    axis = place_of(shortcut.field(function, AXIS), ndim)
    if axis < 0 or last and axis != 1:
        return None
    for i in range(n):
        each = <object>x[i]
        if (any_gapless_kind(each) if last else _plain_kind(each)) != kind or (
                PyArray_NDIM(each) != ndim):
            return None
        for d in range(ndim):
            if d != axis and PyArray_DIM(<np.ndarray>each, d) != PyArray_DIM(
                    <np.ndarray>first, d):
                return None
        joined += PyArray_DIM(<np.ndarray>each, axis)
    for d in range(ndim):
        dims[d] = PyArray_DIM(<np.ndarray>first, d)
        if d < axis or last and d > axis:
            outer *= dims[d]
        elif d > axis:
            rest *= dims[d]
    dims[axis] = joined
    y = _empty(ndim, dims, first, last)
    rest *= PyArray_ITEMSIZE(<np.ndarray>first)
    _join_rows(x, n, <char *>PyArray_DATA(<np.ndarray>y), outer, joined * rest)
    return y


cdef void _join_rows(
        PyObject **x, Py_ssize_t n, char *target, npy_intp rows,
        npy_intp size) noexcept:
    """Join the rows of arrays, which have so many, to rows of so many bytes.

    A piece of all of them stays in the cache.
    """
    cdef npy_intp most = _JOINED if get_threads() == 1 else _SHARED
    cdef npy_intp piece = max(1, most // max(size, 1)), row = 0, length
    cdef Py_ssize_t i
    cdef char *place
    while row < rows:
        piece = min(piece, rows - row)
        place = target + row * size
        for i in range(n):
            length = PyArray_NBYTES(<np.ndarray>x[i]) // rows
            _copy_rows(<char *>PyArray_DATA(<np.ndarray>x[i]) + row * length, length,
                       place, size, length, piece)
            place += length
        row += piece


cdef class ConcatShortcut(Shortcut):
    """Concatenation of plain arrays, or of images in channels-last order."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef Py_ssize_t i
        cdef list images
        if n < 1:
            return None
        for i in range(n):
            if is_channels_last(<object>x[i]):
                break
        else:
            return _joined(self, function, x, n, False)
        images = []
        for i in range(n):
            if not PyArray_CheckExact(<object>x[i]) or not (
                    cf_any_float_kind(<np.ndarray>x[i])
                    and 3 <= PyArray_NDIM(<object>x[i]) < MAX_DIMS):
                return None
            images.append(as_channels_last(<object>x[i]))
        return _joined(self, function, PySequence_Fast_ITEMS(images), n, True)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef tuple nodes = function.input_nodes
        cdef VariableNodeBase node
        cdef npy_intp dims[MAX_DIMS]
        cdef npy_intp strides[MAX_DIMS]
        cdef bint last = is_channels_last(gy)
        cdef char kind = any_gapless_kind(gy) if last else _plain_kind(gy)
        cdef npy_intp outer = 1, rest = 1, length, total = 0, start = 0, row
        cdef int ndim, axis, d
        cdef char *source
        cdef char *target
        ndim = PyArray_NDIM(gy) if kind else 0
        if not 0 < ndim < MAX_DIMS:
            return 0
        axis = place_of(self.field(function, AXIS), ndim)
        if axis < 0 or last and axis != 1:
            return 0
        for d in range(ndim):
            dims[d] = PyArray_DIM(<np.ndarray>gy, d)
            strides[d] = PyArray_STRIDE(<np.ndarray>gy, d)
            if d < axis or last and d > axis:
                outer *= dims[d]
            elif d > axis:
                rest *= dims[d]
        rest *= PyArray_ITEMSIZE(<np.ndarray>gy)
        row = dims[axis] * rest
        for node in nodes:
            if node.ndim != ndim or (
                    not has_dtype(gy, node.dtype)):
                return 0
            total += node.dims[axis]
        if total != dims[axis]:
            return 0
        source = <char *>PyArray_DATA(<np.ndarray>gy)
        for i in range(len(nodes)):
            node = <VariableNodeBase>nodes[i]
            length = node.dims[axis] * rest
            dims[axis] = node.dims[axis]
            if wanted(function, i):
                if outer == 1 or node.creator_base is None:
                    gx[i] = new_ref(view_of(
                        gy, ndim, dims, strides, start * strides[axis],
                        PyArray_FLAGS(<np.ndarray>gy)))
                else:
                    # With gaps, the functions behind it would take their general ways.
                    part = _empty(ndim, dims, gy, last)
                    target = <char *>PyArray_DATA(<np.ndarray>part)
                    _copy_rows(source, row, target, length, length, outer)
                    gx[i] = new_ref(part)
            source += length
            start += dims[axis]
        return 1


cdef class StackShortcut(Shortcut):
    """Plain arrays of one shape, joined along a new axis."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef npy_intp dims[MAX_DIMS]
        cdef npy_intp outer = 1
        cdef char kind
        cdef Py_ssize_t i
        cdef int ndim, place
        if n < 1:
            return None
        first = <object>x[0]
        kind = _plain_kind(first)
        ndim = PyArray_NDIM(first) if kind else MAX_DIMS
        place = place_of(self.field(function, AXIS), ndim + 1)
        if ndim >= MAX_DIMS or place < 0:
            return None
        for i in range(1, n):
            if _plain_kind(<object>x[i]) != kind or not PyArray_SAMESHAPE(
                    <np.ndarray>x[i], <np.ndarray>first):
                return None
        for i in range(ndim):
            dims[i + (i >= place)] = PyArray_DIM(<np.ndarray>first, <int>i)
            if i < place:
                outer *= dims[i]
        dims[place] = n
        y = PyArray_EMPTY(ndim + 1, dims, PyArray_TYPE(<np.ndarray>first), 0)
        if outer:
            _join_rows(x, n, <char *>PyArray_DATA(<np.ndarray>y), outer,
                       PyArray_NBYTES(<np.ndarray>y) // outer)
        return y

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef tuple nodes = function.input_nodes
        cdef npy_intp dims[MAX_DIMS]
        cdef npy_intp strides[MAX_DIMS]
        cdef VariableNodeBase node
        cdef Py_ssize_t i
        cdef int ndim, place, d, k = 0
        if not PyArray_CheckExact(gy):
            return 0
        ndim = PyArray_NDIM(gy)
        place = place_of(self.field(function, AXIS), ndim)
        if not 0 < ndim <= MAX_DIMS or place < 0:
            return 0
        if PyArray_DIM(<np.ndarray>gy, place) != len(nodes):
            return 0
        for d in range(ndim):
            if d != place:
                dims[k] = PyArray_DIM(<np.ndarray>gy, d)
                strides[k] = PyArray_STRIDE(<np.ndarray>gy, d)
                k += 1
        for i in range(len(nodes)):
            node = <VariableNodeBase>nodes[i]
            if node.ndim != ndim - 1 or (
                    not has_dtype(gy, node.dtype)):
                return 0
            for d in range(ndim - 1):
                if node.dims[d] != dims[d]:
                    return 0
        for i in range(len(nodes)):
            if wanted(function, i):
                gx[i] = new_ref(view_of(
                    gy, ndim - 1, dims, strides,
                    i * PyArray_STRIDE(<np.ndarray>gy, place),
                    PyArray_FLAGS(<np.ndarray>gy)))
        return 1
