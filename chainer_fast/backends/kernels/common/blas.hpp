/* Matrix products of BLAS, for matrices in C order. */
#pragma once

#include <stddef.h>

namespace chainer_fast {
namespace {

/* sgemm or dgemm: see `gemm` of the module `blas`. */
typedef void (*Gemm)(char *, char *, int *, int *, int *, void *, void *, int *, void *,
                     int *, void *, void *, int *);

/* A matrix whose rows are `ld` elements apart, and whether it is to be transposed. */
template <typename T>
struct Matrix {
    const T *data;
    ptrdiff_t ld;
    bool transposed;
};

/* c = op(a) op(b), of the shapes (m, k), (k, n) and (m, n); with `add`, added to c. */
template <typename T>
void product(Gemm gemm, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, Matrix<T> a, Matrix<T> b,
             bool add, T *c, ptrdiff_t ldc) {
    T one = 1, beta = add;
    char ta = a.transposed ? 't' : 'n', tb = b.transposed ? 't' : 'n';
    int m_ = (int)m, n_ = (int)n, k_ = (int)k;
    int lda = (int)a.ld, ldb = (int)b.ld, ldc_ = (int)ldc;
    /* Fortran sees the transpose of a matrix in C order: c^T = op(b)^T op(a)^T. */
    gemm(&tb, &ta, &n_, &m_, &k_, &one, (void *)b.data, &ldb, (void *)a.data, &lda,
         &beta, c, &ldc_);
}

}  // namespace
}  // namespace chainer_fast
