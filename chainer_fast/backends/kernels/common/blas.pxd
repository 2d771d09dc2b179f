"""Matrix products of SciPy's BLAS, for ``blas.hpp`` to call."""

cdef extern from "chainer_fast/backends/kernels/common/blas.hpp":
    ctypedef void (*Gemm "chainer_fast::Gemm")(
        char *, char *, int *, int *, int *, void *, void *, int *, void *, int *,
        void *, void *, int *) noexcept nogil

# Not a result: where it can fail it would be compared with NULL, and MSVC compares no
# function with it.
cdef int find_gemm(char kind, Gemm *found) except -1
# Whether products of floats take less time than NumPy's.
cdef bint beats_numpy() except -1
