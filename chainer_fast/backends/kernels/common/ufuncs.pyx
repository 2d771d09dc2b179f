"""Functions of NumPy made of loops of this package, and loops of NumPy's functions."""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from numpy cimport PyArray_DATA, PyArray_SIZE

from chainer_fast._core.arrays.private cimport find_loop

np.import_array()
np.import_ufunc()

include "_own_functions.pxi"
include "_ufunc_loops.pxi"
