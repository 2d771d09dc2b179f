"""Normalizations that are not declared, and shortcuts of all of them."""
cimport numpy as np

np.import_array()

include "_compiled.pxi"
include "_shortcuts.pxi"
