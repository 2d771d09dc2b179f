"""Matrix products of SciPy's BLAS, for ``blas.hpp`` to call."""
from libc.stddef cimport ptrdiff_t

cdef extern from "chainer_fast/backends/kernels/common/blas.hpp":
    ctypedef void (*Gemm "chainer_fast::Gemm")(
        char *, char *, int *, int *, int *, void *, void *, int *, void *, int *,
        void *, void *, int *) noexcept nogil

cdef Gemm gemm(char kind) except NULL
# Whether a product of floats with m rows and n columns takes less time than NumPy's.
cdef bint beats_numpy(ptrdiff_t m, ptrdiff_t n) except -1
