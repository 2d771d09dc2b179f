"""Functions that cut, join, view and move arrays, and what takes or adds rows of them.

Families that are small share this module: each has its part in its own folder.
"""
import sys

import numpy

cimport numpy as np
from cpython.number cimport PyIndex_Check
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.stddef cimport ptrdiff_t
from libc.string cimport memcpy, memset
from libcpp.vector cimport vector
from numpy cimport (
    NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE, NPY_INTP,
    PyArray_CHKFLAGS, PyArray_CheckExact, PyArray_DATA, PyArray_DESCR, PyArray_DIM,
    PyArray_DIMS, PyArray_EMPTY, PyArray_FLAGS, PyArray_FROM_O, PyArray_ISNOTSWAPPED,
    PyArray_IS_C_CONTIGUOUS, PyArray_ITEMSIZE, PyArray_NBYTES, PyArray_NDIM,
    PyArray_SAMESHAPE, PyArray_SIZE, PyArray_STRIDE, PyArray_TYPE, PyArray_ZEROS,
    npy_intp)

from chainer_fast._core.arrays.dtypes cimport HALF, SINGLE, has_dtype, same_dtype
from chainer_fast._core.arrays.gapless cimport any_gapless_kind
from chainer_fast._core.arrays.plain cimport (
    CF_PLAIN_FLAGS, cf_any_float_kind, cf_float_kind, empty_like, kind_of)
from chainer_fast._core.graphs.graph cimport (
    FunctionBase, RowGradient, Shortcut, VariableNodeBase, clear_float_errors, few_rows,
    float_errors, input_array, is_few, new_part, new_ref, new_rows, place_of,
    placed, report_float_errors, wanted)
from chainer_fast._core.updates.update cimport extent, kind_of_array, overlaps_itself
from chainer_fast.backends.kernels.common.contiguous cimport contiguous
from chainer_fast.backends.kernels.common.labels cimport (
    Ignored, has_row_of_each, label_at, plain_labels, read_ignored)
from chainer_fast.backends.kernels.common.layout cimport (
    as_channels_last, assign, empty_channels_last, in_c_order, is_channels_last, sum_to)

from chainer_fast.backends.kernels.common import negative

np.import_array()

cdef enum:
    MAX_DIMS = 16
    MOST_AXES = 32  # of an array that is read by its elements
    AXIS = 0        # the first field of functions that cut or join

include "_splits.pxi"
include "_shortcuts.pxi"
include "_views.pxi"
include "../embed_id/_shortcuts.pxi"
include "_places.pxi"
include "../packing/_compiled.pxi"
include "../sequences/_compiled.pxi"
include "../sequences/_shortcuts.pxi"
include "../sparse/_compiled.pxi"
include "../where/_compiled.pxi"
