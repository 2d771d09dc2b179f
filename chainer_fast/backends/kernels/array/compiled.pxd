"""Views of arrays."""
from numpy cimport npy_intp

cdef object view_of(object x, int ndim, npy_intp *dims, npy_intp *strides,
                    npy_intp offset, int flags)
