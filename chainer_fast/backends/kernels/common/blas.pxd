"""Matrix products, for ``blas.hpp`` to call."""
from libc.stddef cimport ptrdiff_t

cdef extern from "chainer_fast/backends/kernels/common/blas.hpp":
    ctypedef void (*Gemm "chainer_fast::Gemm")(
        char *, char *, int *, int *, int *, void *, void *, int *, void *, int *,
        void *, void *, int *) noexcept nogil

cdef extern from "chainer_fast/backends/kernels/common/product_kinds.hpp":
    ctypedef struct ProductSizes "chainer_fast::ProductSizes":
        ptrdiff_t rows, columns, depth
        bint left_turned, right_turned

# Finds what computes products of floats, kind 'f', or doubles, kind 'd'. For parts of a
# product the sizes are those of the whole, so that all parts have the same code.
# Not a result: since it can fail, it would be compared with NULL, and MSVC does not
# support this comparison for functions.
cdef int find_gemm(char kind, const ProductSizes &sizes, Gemm *found) except -1
# Whether products of floats take less time than NumPy's.
cdef bint beats_numpy(const ProductSizes &sizes) except -1
