"""Functions of NumPy made of loops of our own, and loops of NumPy's functions."""
cimport numpy as np

np.import_array()
np.import_ufunc()

include "_exponentials.pxi"
include "_ufunc_loops.pxi"
