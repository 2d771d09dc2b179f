"""Products of batches of matrices, by ``batches.hpp``."""
from libc.stddef cimport ptrdiff_t

from chainer_fast.backends.kernels.common.blas cimport Gemm

cdef extern from "chainer_fast/backends/kernels/matmul/batches.hpp" \
        namespace "chainer_fast::matmul" nogil:
    enum:
        MAX_BATCH_AXES
    ctypedef struct Matrix "chainer_fast::Matrix<float>":
        const float *data
        ptrdiff_t ld
        bint transposed
    ctypedef struct AnyMatrix "chainer_fast::Matrix<void>":
        const void *data
        ptrdiff_t ld
        bint transposed
    ctypedef struct Batch:
        ptrdiff_t axes, count, m, n, k
        ptrdiff_t length[MAX_BATCH_AXES]
        ptrdiff_t a_step[MAX_BATCH_AXES]
        ptrdiff_t b_step[MAX_BATCH_AXES]
    bint is_thin(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k) noexcept
    void multiply_all(
        Gemm gemm, const Batch &batch, Matrix a, Matrix b, float *c) noexcept
    void multiply_any(
        char kind, Gemm gemm, const Batch &batch, AnyMatrix a, AnyMatrix b,
        void *c) noexcept
