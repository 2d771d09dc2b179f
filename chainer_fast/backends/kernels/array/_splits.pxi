# Compiled shortcuts of functions that cut arrays into pieces. Part of compiled.pyx.

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewFromDescr(
        void *subtype, np.dtype descr, int nd, npy_intp *dims, npy_intp *strides,
        void *data, int flags, PyObject *obj)
    int PyArray_SetBaseObject(np.ndarray array, object base) except -1
    void *PyArray_Type_address "&PyArray_Type"

cdef enum:
    # More pieces than any axis is cut into.
    MANY = 0x7fffffff

# Fields of the functions.
cdef enum:
    INDICES = 1
    SECTIONS = 2


cdef object view_of(object x, int ndim, npy_intp *dims, npy_intp *strides,
                    npy_intp offset, int flags):
    """Return a view of an array of NumPy, as indexing does.

    Of the flags, only the one for writing has to be right.
    """
    cdef np.dtype dtype = <np.dtype>PyArray_DESCR(<np.ndarray>x)
    cdef object view
    Py_INCREF(dtype)    # NumPy takes this reference
    view = PyArray_NewFromDescr(
        PyArray_Type_address, dtype, ndim, dims, strides,
        <char *>PyArray_DATA(<np.ndarray>x) + offset, flags, NULL)
    Py_INCREF(x)        # and this one
    PyArray_SetBaseObject(<np.ndarray>view, x)
    return view


cdef bint _read_cuts(
        Shortcut shortcut, FunctionBase function, npy_intp *sections,
        vector[npy_intp] &cuts) except -1:
    """Read the number or the ends of pieces; return False for other types.
    """
    cdef object given_sections = shortcut.field(function, SECTIONS)
    cdef object indices = shortcut.field(function, INDICES)
    cdef npy_intp cut
    sections[0] = 0
    if indices is None:
        if type(given_sections) is not int or not 2 <= given_sections < MANY:
            return False
        sections[0] = given_sections
        return True
    if type(indices) is not list and type(indices) is not tuple and not (
            PyArray_CheckExact(indices) and PyArray_NDIM(indices) == 1):
        return False
    for each in indices:
        if not PyIndex_Check(each):     # a float, above all
            return False
        try:
            cut = each
        except (TypeError, OverflowError):
            return False
        cuts.push_back(cut)
    return True


cdef bint _fit_cuts(
        npy_intp length, npy_intp sections, vector[npy_intp] &cuts) noexcept:
    """Complete the ends of pieces of an axis; return whether they are in order."""
    cdef npy_intp i, last = 0
    if sections:
        if sections > length or length % sections:
            return False
        for i in range(1, sections + 1):
            cuts.push_back(length // sections * i)
        return True
    cuts.push_back(length)
    for i in range(<npy_intp>cuts.size()):
        if not last <= cuts[i] <= length:
            return False
        last = cuts[i]
    return cuts.size() > 1


cdef class SplitShortcut(Shortcut):
    """Pieces of an array, which are views.

    Parameters
    ----------
    keeps_axis : bool
        Whether the pieces have the axis that is cut; otherwise each is one long, and
        loses it.
    """
    cdef bint keeps_axis

    def __init__(self, bint keeps_axis=True):
        self.keeps_axis = keeps_axis

    cdef int _fit(self, FunctionBase function, int ndim, npy_intp *dims,
                  npy_intp sections, vector[npy_intp] &cuts) except -2:
        """Find where pieces end, of numbers that have been read.

        Returns
        -------
        int
            The axis, or -1 if there are not several pieces.
        """
        cdef int axis = place_of(self.field(function, AXIS), ndim)
        cdef npy_intp i
        if axis < 0:
            return -1
        if self.keeps_axis:
            return axis if _fit_cuts(dims[axis], sections, cuts) else -1
        for i in range(dims[axis]):
            cuts.push_back(i + 1)
        return axis if dims[axis] > 1 else -1

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object array = <object>x[0]
        cdef npy_intp dims[MAX_DIMS]
        cdef npy_intp strides[MAX_DIMS]
        cdef vector[npy_intp] cuts
        cdef npy_intp step, cut, start = 0, sections = 0
        cdef int axis, d, k = 0, ndim
        # Indices may run code of the user's, so they come first.
        if n != 1 or self.keeps_axis and not _read_cuts(
                self, function, &sections, cuts):
            return None
        ndim = PyArray_NDIM(array)
        if not 0 < ndim <= MAX_DIMS:
            return None
        axis = self._fit(
            function, ndim, PyArray_DIMS(<np.ndarray>array), sections, cuts)
        if axis < 0:
            return None
        for d in range(ndim):
            if d != axis or self.keeps_axis:
                dims[k] = PyArray_DIM(<np.ndarray>array, d)
                strides[k] = PyArray_STRIDE(<np.ndarray>array, d)
                k += 1
        step = PyArray_STRIDE(<np.ndarray>array, axis)
        pieces = []
        for cut in cuts:
            if self.keeps_axis:
                dims[axis] = cut - start
            pieces.append(view_of(array, k, dims, strides, start * step,
                                  PyArray_FLAGS(<np.ndarray>array)))
            start = cut
        return tuple(pieces)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[0]
        cdef tuple gradients = <tuple>gy
        cdef object like = None, each, joined
        cdef npy_intp dims[MAX_DIMS]
        cdef vector[npy_intp] cuts
        cdef npy_intp outer = 1, rest = 1, start = 0, sections = 0, row, k, length
        cdef npy_intp begin, end
        cdef size_t i, first = 0, last = 0
        cdef int axis, d, ndim
        cdef char *target
        cdef char *place
        if self.keeps_axis and not _read_cuts(self, function, &sections, cuts):
            return 0
        shape = node.shape
        ndim = len(shape)
        if not 0 < ndim <= MAX_DIMS:
            return 0
        for d in range(ndim):
            dims[d] = shape[d]
        axis = self._fit(function, ndim, dims, sections, cuts)
        if axis < 0 or cuts.size() != <size_t>len(gradients):
            return 0
        for i in range(cuts.size()):
            each = gradients[i]
            if each is None:
                continue
            first = i if like is None else first
            last = i
            like = each
            if not _plain_kind(each) or not self._fits(
                    each, node, axis, ndim, dims, cuts[i] - (cuts[i - 1] if i else 0)):
                return 0
        for d in range(ndim):
            if d < axis:
                outer *= dims[d]
            elif d > axis:
                rest *= dims[d]
        # If they are few, the pieces from the first gradient to the last are a part.
        begin, end = cuts[first - 1] if first else 0, cuts[last]
        if is_few(outer * (end - begin) * rest, outer * dims[axis] * rest):
            start, dims[axis] = begin, end - begin
        else:
            first, last, begin = 0, cuts.size() - 1, 0
        joined = PyArray_EMPTY(ndim, dims, PyArray_TYPE(<np.ndarray>like), 0)
        rest *= PyArray_ITEMSIZE(<np.ndarray>like)
        row = dims[axis] * rest
        target = <char *>PyArray_DATA(<np.ndarray>joined)
        for i in range(first, last + 1):
            each = gradients[i]
            length = (cuts[i] - start) * rest
            place = target + (start - begin) * rest
            if each is not None:
                _copy_rows(<char *>PyArray_DATA(<np.ndarray>each), length, place, row,
                           length, outer)
            else:
                for k in range(outer):
                    memset(place + k * row, 0, length)
            start = cuts[i]
        if begin or dims[axis] < cuts.back():
            index = (slice(None),) * axis + (slice(begin, end),)
            joined = new_part(node, index, joined, True)
        gx[0] = new_ref(joined)
        return 1

    cdef bint _fits(self, object gradient, VariableNodeBase node, int axis, int ndim,
                    npy_intp *dims, npy_intp length) except -1:
        """Return whether a gradient has the shape and the type of a piece."""
        cdef int d, k = 0
        if not has_dtype(gradient, node.dtype) or (
                PyArray_NDIM(gradient) != ndim - (not self.keeps_axis)):
            return False
        for d in range(ndim):
            if d == axis and not self.keeps_axis:
                continue
            if PyArray_DIM(<np.ndarray>gradient, k) != (
                    length if d == axis else dims[d]):
                return False
            k += 1
        return True
