"""Functions that cut, join, view and move arrays, and what takes or adds rows of them.

Families that are small share this module: each has its part in its own folder.
"""
cimport numpy as np

np.import_array()

cdef enum:
    MAX_DIMS = 16
    MOST_AXES = 32  # of an array that is read by its elements
    AXIS = 0        # the first field of functions that cut or join

include "_splits.pxi"
include "_shortcuts.pxi"
include "_views.pxi"
include "../embed_id/_shortcuts.pxi"
include "_places.pxi"
include "../packing/_compiled.pxi"
include "../sequences/_compiled.pxi"
include "../sequences/_shortcuts.pxi"
include "../sparse/_compiled.pxi"
include "../where/_compiled.pxi"
