"""Recognition of calls that match a recorded one, and can be repeated without code.

Compiled code compares a call with the recorded one: its arguments, the configuration,
and the attributes of the links. On a GPU, CUDA graphs launched from here then make
the call; on the processor, a plan does (``_processor/plans.pyx``).
"""
import weakref

import numpy

cimport cython
cimport numpy as np
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next, PyDict_Size
from cpython.list cimport PyList_GET_ITEM
from cpython.object cimport PyObject
from libc.stdint cimport intptr_t
from libcpp.vector cimport vector
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_SAMESHAPE

from chainer_fast._core.arrays.dtypes cimport has_dtype, same_dtype, same_type
from chainer_fast._core.arrays.plain cimport CF_PLAIN_FLAGS
from chainer_fast._core.arrays.private cimport (
    KNOWN_PYTHON, instance_dict, may_be_held_weakly, referent)
from chainer_fast._core.configuration.state cimport ThreadState, current
from chainer_fast._core.devices.launches cimport (
    copy_on_device, current_context, current_stream, is_on_device, new_on_device)
from chainer_fast._core.graphs.graph cimport (
    FunctionBase, Shortcut, VariableBase, new_ref)

np.import_array()

cdef extern from "chainer_fast/_core/arrays/private.hpp" namespace "chainer_fast":
    bint may_have_more_references(PyObject *, Py_ssize_t n) noexcept


include "_guards.pxi"
include "_repeated.pxi"
include "_gpu/_turns.pxi"
include "_gpu/_launches.pxi"
