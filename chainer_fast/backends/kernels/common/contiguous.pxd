"""Arrays as loops read them: in C order, aligned, and in native bytes."""
cimport numpy as np


cdef inline np.ndarray contiguous(object array, int typenum):
    """Return an array of numbers as such an array of a type: itself, or a copy.

    NumPy's own ``ascontiguousarray`` does not copy elements at odd addresses, as in
    a part of a file or of records.
    """
    return np.PyArray_FROM_OTF(
        array, typenum, np.NPY_ARRAY_IN_ARRAY | np.NPY_ARRAY_FORCECAST)
