"""Images: windows that pass over them, regions of them, and places between pixels."""
import numpy

cimport numpy as np
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.math cimport fabs
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int64_t
from numpy cimport (
    PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_EMPTY, PyArray_NDIM,
    PyArray_SIZE, PyArray_TYPE, npy_intp)

from chainer_fast._core.arrays.plain cimport cf_float_kind, kind_of
from chainer_fast.backends.kernels.common.contiguous cimport contiguous
from chainer_fast.backends.kernels.common.halves cimport in_type_of, plain_floats
from chainer_fast.backends.kernels.common.layout cimport (
    as_channels_last, empty_channels_last, in_c_order, is_channels_last)

np.import_array()

include "_compiled.pxi"
include "../bilinear/_compiled.pxi"
include "../roi/_compiled.pxi"
