"""Convolutions of plain images, and shortcuts of those of two dimensions."""
cimport numpy as np

np.import_array()

include "_compiled.pxi"
include "_shortcuts.pxi"
