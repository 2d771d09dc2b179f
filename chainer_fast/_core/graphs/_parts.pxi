# Gradients of arrays of which functions use parts. Part of graph.pyx.
#
# A loop over the rows of an array makes a gradient of the array for each row. These are
# added to one array, each in its place, so that the loop takes time for its rows alone.
#
# The sum has the bits of a sum of whole arrays. There a zero is added to each element
# that is not in a part, which changes minus zero to zero.

cdef enum:
    # Arrays of fewer elements are filled and added in the time that an index takes.
    LARGE_WHOLE = 4096


cdef bint is_few(npy_intp n, npy_intp size) noexcept:
    """Return whether ``n`` elements of an array are few enough for a part."""
    return n <= size // FEW and size >= LARGE_WHOLE


cdef class Part:
    """Zeros, but for the values at an index that names no element twice."""


cdef Part new_part(VariableNodeBase node, object index, object values, bint is_view):
    """Return a gradient of a node.

    Parameters
    ----------
    node : VariableNodeBase
        Its shape is that of the gradient.
    index : object
        What NumPy takes as an index.
    values : numpy.ndarray
        Halves, floats or doubles in native bytes, of the shape of the indexed elements.
    is_view : bool
        Whether the index gives a view, or a scalar.
    """
    cdef Part part = Part.__new__(Part)
    part.node, part.index, part.values, part.is_view = node, index, values, is_view
    return part


cdef object whole_of(Part part):
    """Return the array that a part represents."""
    if part.node is None:
        raise TypeError('a part has no values: it was made by __new__ alone')
    whole = numpy.zeros(_shape_of(part.node), part.values.dtype)
    whole[part.index] = part.values
    return whole


cdef class PartSum:
    """A sum of parts, in a separate array."""

    cdef object take(self):
        """Return the array, and drop the reference of the sum to it."""
        whole = self.whole
        self.whole = self.doubtful = None
        return whole

    cdef bint add(self, object index, object values, bint is_view) except -1:
        """Add values at an index; return False, and do nothing, if they do not fit."""
        found = self.whole[index]
        if not _has_shape(found, values):
            return False
        is_view = is_view and PyArray_CheckExact(found)
        if self.doubtful is None and is_view:
            _add_arrays(found, values, True)
            return True
        # Both numbers may be minus zero: the sum is found before zero is added.
        sums = PyArray_FROM_O(found + values)
        if self.doubtful is not None:
            PyNumber_InPlaceAdd(self.doubtful, self.whole.dtype.type(0))
        self.whole[index] = sums
        self.doubtful = None
        if _has_minus_zero(sums):
            self.doubtful = found if is_view else self.whole
        return True


cdef PartSum new_sum(object whole, object doubtful):
    """Return a sum that is an array so far.

    Only elements of ``doubtful``, the array or a view of it, may be minus zero.
    """
    cdef PartSum total = PartSum.__new__(PartSum)
    total.whole, total.doubtful = whole, doubtful
    return total


cdef bint _has_shape(object found, object values) noexcept:
    if not PyArray_CheckExact(found):
        return PyArray_NDIM(values) == 0    # a scalar
    return PyArray_SAMESHAPE(<np.ndarray>found, <np.ndarray>values)


ctypedef fused pattern:
    uint16_t
    uint32_t
    uint64_t


cdef bint _has_pattern(pattern *bits, npy_intp n, pattern wanted) noexcept:
    cdef npy_intp i
    for i in range(n):
        if bits[i] == wanted:
            return True
    return False


cdef bint _has_minus_zero(object array) noexcept:
    """Return whether an element of an array without gaps is minus zero."""
    cdef void *data = PyArray_DATA(<np.ndarray>array)
    cdef npy_intp n = PyArray_SIZE(array)
    if PyArray_ITEMSIZE(array) == 2:
        return _has_pattern(<uint16_t *>data, n, 1 << 15)
    if PyArray_ITEMSIZE(array) == 4:
        return _has_pattern(<uint32_t *>data, n, <uint32_t>1 << 31)
    return _has_pattern(<uint64_t *>data, n, <uint64_t>1 << 63)
