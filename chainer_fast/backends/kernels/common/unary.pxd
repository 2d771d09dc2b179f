"""Loops of NumPy's functions of one argument, in the form that C++ code calls."""
from chainer_fast.backends.kernels.common.loops cimport InnerLoop, UfuncLoop


cdef extern from "chainer_fast/backends/kernels/common/unary.hpp" nogil:
    ctypedef struct cf_unary "chainer_fast::UnaryLoop":
        InnerLoop loop
        void *data

    ctypedef struct Unary "chainer_fast::Unary":
        cf_unary f
        cf_unary d


cdef inline Unary unary_of(ufunc):
    """Return the loops of a ufunc; they are there as long as NumPy is."""
    cdef UfuncLoop source = UfuncLoop(ufunc)
    cdef Unary loops
    loops.f.loop = source.loop_f
    loops.f.data = source.data_f
    loops.d.loop = source.loop_d
    loops.d.data = source.data_d
    return loops
