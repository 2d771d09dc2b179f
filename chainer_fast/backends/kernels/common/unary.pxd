"""Loops of NumPy's functions of one argument, in the form that C code calls.

Goes with ``unary.h`` when no module uses it any more: ``Unary`` of ``unary.hpp`` does
the same.
"""
from chainer_fast.backends.kernels.common cimport loops


cdef extern from "chainer_fast/backends/kernels/common/unary.h" nogil:
    ctypedef struct cf_unary:
        loops.InnerLoop loop
        void *data


cdef struct Unary:
    cf_unary f       # of single precision
    cf_unary d       # of double precision


cdef inline Unary unary_of(ufunc) except *:
    """Return the loops of a ufunc; they are there as long as NumPy is."""
    cdef loops.Unary source = loops.unary_of(ufunc)
    cdef Unary found
    found.f.loop = source.f
    found.f.data = source.data_f
    found.d.loop = source.d
    found.d.data = source.data_d
    return found
