"""Images: windows that pass over them, regions of them, and places between pixels."""
cimport numpy as np

np.import_array()

include "_compiled.pxi"
include "../bilinear/_compiled.pxi"
include "../roi/_compiled.pxi"
