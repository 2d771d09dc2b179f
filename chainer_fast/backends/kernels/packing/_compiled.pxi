# One pass over the elements of many arrays of NumPy.
#
# Both functions return ``NotImplemented``, and have changed nothing, unless all arrays
# are of floats and aligned, the buffer is as long as they are together, and the arrays
# that are written to are writable, and in separate memory.
#
# Part of array/compiled.pyx.

cdef extern from "chainer_fast/backends/kernels/packing/loops.hpp" \
        namespace "chainer_fast::packing" nogil:
    struct Axis:
        npy_intp size, step
    struct Member:
        char *data
        char kind
        int n_axes
        Axis *axes
        npy_intp begin, end
    struct Extent:
        const char *first
        const char *last
    bint add_axis(Member &, npy_intp, npy_intp) noexcept
    bint overlap(Extent *, size_t) noexcept
    void copy_members(bint packs, const Member *, size_t, char, void *, double) noexcept


cdef char _kind_of_member(object array, bint written) noexcept:
    """Return 'e', 'f' or 'd', or 0 if the loops do not support an array."""
    cdef int kind = kind_of_array(array)
    if kind < 0 or not PyArray_ISNOTSWAPPED(array) or PyArray_NDIM(array) > 32:
        return 0
    if not PyArray_CHKFLAGS(
            array, NPY_ARRAY_ALIGNED | (NPY_ARRAY_WRITEABLE if written else 0)):
        return 0
    return c'e' if kind == HALF else c'f' if kind == SINGLE else c'd'


cdef bint _add_member(
        object array, bint written, npy_intp begin, vector[Member] &members,
        vector[Extent] &extents) except -1:
    """Append an array whose elements begin at a given position of the buffer."""
    cdef Member member
    cdef Extent memory
    cdef int axis
    member.kind = _kind_of_member(array, written)
    if not member.kind:
        return False
    if PyArray_SIZE(array) == 0:
        return True
    if written and overlaps_itself(array):
        return False
    member.data = <char *>PyArray_DATA(array)
    member.begin = begin
    member.end = begin + PyArray_SIZE(array)
    member.n_axes = 1
    member.axes[0].size = 1
    member.axes[0].step = PyArray_ITEMSIZE(array)
    for axis in range(PyArray_NDIM(array)):
        if not add_axis(member, PyArray_DIM(array, axis), PyArray_STRIDE(array, axis)):
            return False
    members.push_back(member)
    extent(array, &memory.first, &memory.last)
    extents.push_back(memory)
    return True


cdef object _copy_members(object arrays, object buffer, double scale, bint packs):
    cdef vector[Member] members
    cdef vector[Extent] extents
    cdef Extent whole
    cdef npy_intp place = 0
    cdef void *data
    cdef size_t i
    cdef tuple kept = tuple(arrays)     # while other threads run
    cdef char kind = _kind_of_member(buffer, packs)
    if (not kind or PyArray_NDIM(buffer) != 1
            or not PyArray_CHKFLAGS(buffer, NPY_ARRAY_C_CONTIGUOUS)):
        return NotImplemented
    members.reserve(len(kept))
    extents.reserve(len(kept) + 1)
    for array in kept:
        if not _add_member(array, not packs, place, members, extents):
            return NotImplemented
        place += PyArray_SIZE(array)
    if place != PyArray_SIZE(buffer):
        return NotImplemented
    extent(buffer, &whole.first, &whole.last)
    if packs:
        for i in range(extents.size()):
            if (extents[i].first < whole.last and whole.first < extents[i].last):
                return NotImplemented
    else:
        extents.push_back(whole)
        if overlap(extents.data(), extents.size()):
            return NotImplemented
    data = PyArray_DATA(buffer)
    clear_float_errors()
    with nogil:
        copy_members(packs, members.data(), members.size(), kind, data, scale)
    report_float_errors(float_errors())
    return None


def pack(buffer, arrays):
    return _copy_members(arrays, buffer, 1., True)


def unpack(buffer, arrays, double scale):
    return _copy_members(arrays, buffer, scale, False)
