"""Arrays with gaps, and such as are broadcast, spread out for loops; and sums."""
from numpy cimport npy_intp

from chainer_fast._core.graph cimport VariableNodeBase

cdef enum:
    MAX_SPREAD_DIMS = 8

cdef struct Spread:
    int ndim
    npy_intp dims[MAX_SPREAD_DIMS]

cdef bint shape_of_one(object array, Spread *shape) noexcept
cdef bint shape_of_two(object a, object b, bint broadcasts, Spread *shape) noexcept
cdef object spread(object array, const Spread *shape)
cdef object without_gaps(object array)
cdef bint is_like(object array, object other, const Spread *shape) noexcept
cdef bint is_of_broadcast(object array, tuple nodes) except -1
cdef object sum_to(object array, VariableNodeBase node)
