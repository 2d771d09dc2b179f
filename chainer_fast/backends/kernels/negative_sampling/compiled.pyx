"""Scores of a few classes out of many, in single and double precision."""
cimport numpy as np

np.import_array()

include "_compiled.pxi"
include "_shortcuts.pxi"
