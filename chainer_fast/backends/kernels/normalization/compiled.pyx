"""Normalizations that are not declared, and shortcuts of all of them."""
cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport (
    PyArray_CHKFLAGS, PyArray_CheckExact, PyArray_DIM, PyArray_EMPTY, PyArray_NDIM,
    PyArray_SAMESHAPE, PyArray_SIZE, PyArray_TYPE, npy_intp)

from chainer_fast._core.arrays.dtypes cimport same_dtype
from chainer_fast._core.arrays.gapless cimport gapless_kind
from chainer_fast._core.arrays.plain cimport common_kind, empty_like, kind_of
from chainer_fast._core.devices.launches cimport kind_on_device, on_current_device
from chainer_fast._core.graphs.graph cimport (
    FunctionBase, Shortcut, clear_float_errors, float_errors, input_array, new_ref,
    own_attribute, place_of)
from chainer_fast._core.updates.update cimport to_double
from chainer_fast.backends.kernels.common.layout cimport in_c_order

from chainer_fast.backends.kernels import normalization as kernels
from chainer_fast.backends.kernels.declared import declared
from chainer_fast.backends.kernels.normalization import cuda as on_device
from chainer_fast.backends.kernels.normalization.axes import batch_axes

np.import_array()

include "_compiled.pxi"
include "_shortcuts.pxi"
