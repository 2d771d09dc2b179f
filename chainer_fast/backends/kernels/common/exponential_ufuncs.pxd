"""Loops of exponentials of floats."""
from chainer_fast._core.private cimport InnerLoop

# The loop of one of the functions.
cdef InnerLoop float_loop(function) except NULL
