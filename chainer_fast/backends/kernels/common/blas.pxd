"""Matrix products of SciPy's BLAS, for ``blas.hpp`` to call."""

cdef extern from "chainer_fast/backends/kernels/common/blas.hpp":
    ctypedef void (*Gemm "chainer_fast::Gemm")(
        char *, char *, int *, int *, int *, void *, void *, int *, void *, int *,
        void *, void *, int *) noexcept nogil

# Compilers for Windows compare no function with NULL, as a result that can fail would be.
cdef int find_gemm(char kind, Gemm *found) except -1
# Whether products of floats take less time than NumPy's.
cdef bint beats_numpy() except -1
