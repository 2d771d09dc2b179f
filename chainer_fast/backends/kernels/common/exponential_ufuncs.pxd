"""Loops of exponentials of floats."""
from chainer_fast._core.arrays.private cimport InnerLoop

# The loop of one of the functions.
cdef int find_float_loop(function, InnerLoop *found) except -1
