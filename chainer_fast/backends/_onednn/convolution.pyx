"""Convolutions by oneDNN, and filters in its order."""
cimport numpy as np

np.import_array()

include "_filters.pxi"
include "_convolution.pxi"
