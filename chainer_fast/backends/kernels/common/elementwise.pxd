"""Elementwise functions: their records for the graph engine and static chains."""
from cpython.object cimport PyObject
from libcpp.vector cimport vector

from chainer_fast._core.devices.launches cimport DeviceKernel
from chainer_fast._core.graphs.graph cimport FunctionBase, Shortcut
from chainer_fast.backends.kernels.common.ufuncs cimport Unary

cdef extern from "chainer_fast/backends/kernels/common/element_loops.hpp" \
        namespace "chainer_fast" nogil:
    cdef cppclass Loops:
        pass

    cdef cppclass AnyLoop(Loops):
        const Unary *ufuncs
        void run(char kind, const void *a, const void *b, const void *c, void *out,
                 void *second, Py_ssize_t n, double p, double q) noexcept

    cdef cppclass Ufuncs:
        const char *names[2]

    cdef cppclass ElementLoop:
        const char *element
        const char *function
        int arrays
        int constants
        Loops loops
        Ufuncs ufuncs


cdef class Loop:
    cdef AnyLoop any
    cdef Unary ufuncs[2]
    cdef readonly str name
    cdef readonly int arrays
    cdef readonly int constants
    cdef readonly int outputs
    cdef public object on_device
    cdef public tuple kernels


cdef dict loops_of(const vector[ElementLoop] &table)
cdef object run_loop(Loop loop, object a, object b, double p=*)


cdef class Elementwise(Shortcut):
    cdef readonly Loop loop
    cdef readonly int inputs
    cdef readonly object gradients
    cdef readonly tuple parameters
    cdef readonly str held
    cdef readonly double least
    cdef readonly double most
    cdef readonly bint broadcasts
    cdef readonly bint casts
    cdef readonly bint lessens
    cdef str _first
    cdef str _second
    cdef bint _at_once
    cdef bint _compares
    # Whether the methods sum gradients to the shapes of the inputs that were kept.
    cdef bint _fits_kept
    cdef AnyLoop _grads[2]
    cdef int _operands[2]
    cdef object _operand(self, FunctionBase function, int operand)
    cdef bint _serves(self, FunctionBase function, double *p, double *q) except -1
    cdef int _gradients(self, FunctionBase function, object gy, PyObject **gx,
                        bint on_device) except -1
    cdef int _sums(self, FunctionBase function, object gy, PyObject **gx) except -1
    cdef object _each(self, FunctionBase function, object gy)
    cdef object _both(self, FunctionBase function, object gy)
