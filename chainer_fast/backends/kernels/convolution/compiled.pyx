"""Convolutions of plain images, with own loops or oneDNN, and shortcuts."""
cimport numpy as np

np.import_array()

include "../../_onednn/_filters.pxi"
include "../../_onednn/_convolution.pxi"
include "_compiled.pxi"
include "_pointwise.pxi"
include "_shortcuts.pxi"
