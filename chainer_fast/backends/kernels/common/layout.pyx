"""Layouts of arrays in memory: orders of axes, and elements that are repeated."""
cimport numpy as np

np.import_array()

include "_layout.pxi"
include "_spread.pxi"
