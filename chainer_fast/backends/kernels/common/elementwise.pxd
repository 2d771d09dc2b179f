"""Elementwise functions: what the graph engine and static chains know of one."""
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t

from chainer_fast._core.graph cimport FunctionBase, Shortcut
from chainer_fast.backends.kernels.common.loops cimport Unary

cdef extern from "chainer_fast/backends/kernels/common/forms.hpp" \
        namespace "chainer_fast" nogil:
    cdef enum Form:
        COPY, BINARY, CONSTANT, UNARY, ACTIVATION, ACTIVATION_GRAD, PAIR

    cdef cppclass Activation:
        pass

    cdef cppclass AnyLoop:
        int form
        const void *loops
        const Unary *ufuncs
        void run(char, const void *, const void *, const void *, void *, void *,
                 ptrdiff_t, double, double) noexcept


cdef class Loop:
    cdef AnyLoop any
    cdef Unary ufuncs[2]


cdef Loop loop_of(Form form, const void *loops, tuple ufuncs=*)
cdef Loop ufunc_loop(ufunc, of_floats=*)


cdef class Elementwise(Shortcut):
    cdef readonly Loop loop
    cdef readonly int inputs
    cdef readonly object gradients
    cdef str _first
    cdef str _second
    cdef double _least
    cdef double _most
    cdef bint _at_once
    cdef bint _compares
    cdef AnyLoop _grads[2]
    cdef int _operands[2]
    cdef bint _serves(self, FunctionBase function, double *p, double *q) except -1
    cdef int _both(self, FunctionBase function, object gy, PyObject **gx) except -1
