"""Cells and layers of recurrent networks, a step or all steps at a time."""
cimport numpy as np

np.import_array()

include "_compiled.pxi"
include "_layer.pxi"
include "_scan.pxi"
