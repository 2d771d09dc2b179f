"""Loops over gapless arrays."""
from libc.stddef cimport ptrdiff_t

from chainer_fast._core.arrays.private cimport InnerLoop

cdef extern from "chainer_fast/backends/kernels/common/unary.hpp" \
        namespace "chainer_fast" nogil:
    ptrdiff_t FUNCTION_GRAIN

    cdef cppclass UnaryLoop:
        InnerLoop loop
        void *data
        void run(const void *, void *, ptrdiff_t n, ptrdiff_t size) noexcept
        void run_with(const void *, const void *, ptrdiff_t step, void *, ptrdiff_t n,
                      ptrdiff_t size) noexcept

    cdef cppclass Unary:
        UnaryLoop f
        UnaryLoop d

    Unary library_loops(const char *name) noexcept


cdef Unary unary_of(ufunc, own=*) except *
