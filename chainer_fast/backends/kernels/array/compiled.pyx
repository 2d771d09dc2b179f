"""Shortcuts of functions that cut, join and view arrays, and sums of chosen rows."""
cimport numpy as np

np.import_array()

cdef enum:
    MAX_DIMS = 16
    AXIS = 0        # the first field of functions that cut or join

include "_splits.pxi"
include "_shortcuts.pxi"
include "_views.pxi"
include "_places.pxi"
