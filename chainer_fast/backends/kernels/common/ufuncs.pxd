"""Loops over gapless arrays."""
from libc.stddef cimport ptrdiff_t

from chainer_fast._core.arrays.private cimport InnerLoop

cdef extern from "chainer_fast/backends/kernels/common/unary.hpp" \
        namespace "chainer_fast" nogil:
    cdef cppclass UnaryLoop:
        InnerLoop loop
        void *data
        void run(const void *, void *, ptrdiff_t n, ptrdiff_t size) noexcept

    cdef cppclass Unary:
        UnaryLoop f
        UnaryLoop d
        void run(char, const void *, void *, ptrdiff_t) noexcept

    Unary library_loops(const char *name) noexcept


cdef Unary unary_of(ufunc, of_floats=*) except *
