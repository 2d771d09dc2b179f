"""Losses of labels: of one, of sequences, and of chains whose labels follow each other.
"""
cimport numpy as np

np.import_array()

include "_compiled.pxi"
include "../crf/_compiled.pxi"
include "../ctc/_compiled.pxi"
