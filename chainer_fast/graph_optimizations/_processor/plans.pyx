"""Plans: steps on values, the memory of values, and planned calls.

A *value* is a number; a workspace has an array for it, or a piece of memory that only
loops use. A workspace belongs to one call at a time: data that a call keeps for its
gradients stays there until the call is dropped.
"""
import copy

import numpy

cimport cython
cimport numpy as np
from cpython.list cimport PyList_GET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libc.stddef cimport ptrdiff_t
from libcpp.vector cimport vector
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DATA, \
    PyArray_NewCopy, PyArray_SAMESHAPE

from chainer_fast._core.arrays.dtypes cimport same_type
from chainer_fast._core.arrays.plain cimport CF_PLAIN_FLAGS, empty_like
from chainer_fast._core.backward.backprop import backprop_step
from chainer_fast._core.configuration.state cimport current
from chainer_fast._core.graphs.graph cimport (
    MAX_SHORTCUT_INPUTS, FunctionBase, Shortcut, VariableBase, VariableNodeBase,
    add_gradients, as_grad_array, clear_float_errors, float_errors, is_like, new_ref,
    new_variable, placed, settle, shortcut_of)
from chainer_fast.backends.kernels.common.elementwise cimport AnyLoop, Loop
from chainer_fast.backends.kernels.common.ufuncs cimport Unary, unary_of
from chainer_fast.backends.kernels.recurrent.cell cimport Cell
from chainer_fast.configuration import using_config
from chainer_fast.graph_optimizations._replay cimport RepeatedCall, Slots
from chainer_fast.graph_optimizations._replay import MISS, NotStatic

np.import_array()

cdef extern from "chainer_fast/_core/arrays/private.hpp" namespace "chainer_fast":
    bint may_have_more_references(PyObject *, Py_ssize_t n) noexcept
    bint may_be_held_weakly(PyObject *) noexcept

cdef extern from "chainer_fast/graph_optimizations/_processor/fused.hpp" \
        namespace "chainer_fast::plan":
    cdef struct Instruction:
        double p
        double q
        int inputs[3]
        int outputs[2]

    cdef cppclass Fused:
        ptrdiff_t pieces
        vector[int] values
        void add(const AnyLoop &, Instruction)
        void run(char, char *const *, ptrdiff_t n) noexcept

    ptrdiff_t LINE

cdef extern from "chainer_fast/backends/kernels/common/panels.hpp" \
        namespace "chainer_fast":
    cdef cppclass Tiles:
        pass
    const Tiles *find_tiles() noexcept

cdef extern from "chainer_fast/graph_optimizations/_processor/products.hpp" \
        namespace "chainer_fast::plan":
    ptrdiff_t packed_size(ptrdiff_t, ptrdiff_t) noexcept
    ptrdiff_t size_with_room(ptrdiff_t, ptrdiff_t) noexcept
    void pack_below(
        ptrdiff_t, const float *, ptrdiff_t, ptrdiff_t, ptrdiff_t, float *) noexcept
    void add_product_of_rows(
        const float *, ptrdiff_t, ptrdiff_t, const float *, ptrdiff_t, ptrdiff_t,
        float *) noexcept
    void pack(bint, const float *, ptrdiff_t, ptrdiff_t, float *) noexcept
    void packed_product(
        bint, const float *, ptrdiff_t, ptrdiff_t, const float *, ptrdiff_t,
        const float *, ptrdiff_t, float *) noexcept
    void packed_products(
        const vector[const float *] &, ptrdiff_t, ptrdiff_t, const float *, ptrdiff_t,
        const float *, const vector[float *] &) noexcept

cdef extern from "chainer_fast/backends/kernels/matmul/rows.hpp" \
        namespace "chainer_fast::matmul":
    void sum_of_rows_loop(
        char, const void *, void *, ptrdiff_t rows, ptrdiff_t columns) noexcept

cdef extern from "chainer_fast/backends/kernels/recurrent/loops.hpp" nogil:
    const Cell LSTM "chainer_fast::recurrent::LSTM"
    const Cell LSTM_GRAD "chainer_fast::recurrent::LSTM_GRAD"


include "_workspace.pxi"


cdef class Step:
    """Reads values of a workspace, and writes others."""

    cpdef bint run(self, Workspace workspace) except -1:
        """Run the step.

        Returns
        -------
        bool
            False if the call must be repeated without the plan.
        """
        raise NotImplementedError


cdef inline float *_data(Workspace workspace, int value) noexcept:
    """Return the address of a value; NULL for a negative number."""
    return <float *>NULL if value < 0 else <float *>workspace.places[value]


include "_loops.pxi"
include "_products.pxi"
include "_cells.pxi"
include "_functions.pxi"
include "_sums.pxi"
include "_plan.pxi"
include "_planned_call.pxi"
