"""Matrix products on the CPU and on GPUs, and shortcuts of affine maps."""
cimport numpy as np

np.import_array()

include "_compiled.pxi"
include "_on_device.pxi"
include "_shortcuts.pxi"
