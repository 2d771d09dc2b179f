"""Losses of labels: of one, of sequences, and of chains whose labels follow each other.
"""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport (
    PyArray_DATA, PyArray_DIM, PyArray_DIMS, PyArray_EMPTY, PyArray_NDIM,
    PyArray_SAMESHAPE, PyArray_SIZE, PyArray_TYPE, npy_int32, npy_int64, npy_intp)

from chainer_fast._core.arrays.plain cimport empty_like, is_matrix, is_vector, kind_of
from chainer_fast._core.graphs.graph cimport (
    FunctionBase, Shortcut, clear_float_errors, fits_inputs, float_errors, input_array,
    new_ref, number)
from chainer_fast.backends.kernels.common.contiguous cimport contiguous
from chainer_fast.backends.kernels.common.labels cimport (
    Ignored, plain_labels, read_ignored)
from chainer_fast.backends.kernels.common.layout cimport without_gaps
from chainer_fast.backends.kernels.common.ufuncs cimport Unary, unary_of

np.import_array()

include "_compiled.pxi"
include "../crf/_compiled.pxi"
include "../ctc/_compiled.pxi"
