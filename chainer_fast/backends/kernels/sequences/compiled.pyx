"""Sequences as blocks of memory, of any dtype that holds no references."""
cimport numpy as np

np.import_array()

include "_compiled.pxi"
include "_shortcuts.pxi"
