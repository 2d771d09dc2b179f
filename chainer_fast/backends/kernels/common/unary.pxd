"""Loops of NumPy's functions of one argument, in the form that C code calls."""
from chainer_fast.backends.kernels.common.loops cimport InnerLoop, UfuncLoop


cdef extern from "chainer_fast/backends/kernels/common/unary.h" nogil:
    ctypedef struct cf_unary:
        InnerLoop loop
        void *data


cdef struct Unary:
    cf_unary f       # of single precision
    cf_unary d       # of double precision


cdef inline Unary unary_of(ufunc):
    """Return the loops of a ufunc; they are there as long as NumPy is."""
    cdef UfuncLoop source = UfuncLoop(ufunc)
    cdef Unary loops
    loops.f.loop = source.loop_f
    loops.f.data = source.data_f
    loops.d.loop = source.loop_d
    loops.d.data = source.data_d
    return loops
