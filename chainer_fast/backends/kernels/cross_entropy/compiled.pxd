"""Declarations that the compiled forms of the cross entropy share with its shortcut."""
from numpy cimport npy_intp

cdef object classes_of(object t, object x, npy_intp ignored, npy_intp *counted)
cdef object for_labels(object labels, object x)
cdef bint fill_losses_of(
    object x, object y, object labels, object soft, object weights, object losses)
cdef object gradient_of(
    object y, object labels, object soft, object weights, object scales)
