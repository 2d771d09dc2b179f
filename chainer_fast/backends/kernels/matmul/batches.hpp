/* Products of many matrices. */
#pragma once

#include <stddef.h>

#include "chainer_fast/backends/kernels/common/blas.hpp"
#include "chainer_fast/backends/kernels/common/threaded_blas.hpp"
#include "chainer_fast/backends/kernels/matmul/thin.hpp"

namespace chainer_fast::matmul {
namespace {

enum { MAX_BATCH_AXES = 8 };

/* The layout of a batch: leading axes, with steps of both operands. */
struct Batch {
    ptrdiff_t axes, count, m, n, k;
    ptrdiff_t length[MAX_BATCH_AXES];
    ptrdiff_t a_step[MAX_BATCH_AXES], b_step[MAX_BATCH_AXES];   /* in elements */
};

/* c[i] = a[i] b[i]; the results are contiguous. Thin products need no gemm. */
template <typename T>
void multiply_all(Gemm gemm, const Batch &batch, Matrix<T> a, Matrix<T> b, T *c) {
    const double work = (double)batch.m * batch.n * batch.k;
    if (batch.count == 1 && batch.k == 1) {
        multiply_vectors(batch.m, batch.n, a, b, c);
        return;
    }
    const bool thin = is_thin(batch.m, batch.n, batch.k);
    /* Some microseconds: thin products are limited by memory. */
    const ptrdiff_t grain = (ptrdiff_t)((thin ? 1e5 : 4e5) / work) + 1;
    parallel(batch.count, grain, [&](ptrdiff_t begin, ptrdiff_t end) {
        std::vector<T> copy;
        for (ptrdiff_t i = begin; i < end; i++) {
            Matrix<T> x = a, y = b;
            ptrdiff_t rest = i;
            for (ptrdiff_t j = batch.axes - 1; j >= 0; j--) {
                const ptrdiff_t at = rest % batch.length[j];
                rest /= batch.length[j];
                x.data += at * batch.a_step[j];
                y.data += at * batch.b_step[j];
            }
            T *z = c + i * batch.m * batch.n;
            if (thin)
                multiply_thin(batch.m, batch.n, batch.k, x, y, z, copy);
            else
                product(gemm, batch.m, batch.n, batch.k, x, y, false, z, batch.n);
        }
    });
}

/* Likewise of floats, kind 'f', or of doubles. */
inline void multiply_any(char kind, Gemm gemm, const Batch &batch, const Matrix<void> &a,
                         const Matrix<void> &b, void *c) {
    const auto multiply = [&](auto *out) {
        typedef std::remove_pointer_t<decltype(out)> T;
        multiply_all<T>(gemm, batch, {(const T *)a.data, a.ld, a.transposed},
                        {(const T *)b.data, b.ld, b.transposed}, out);
    };
    kind == 'f' ? multiply((float *)c) : multiply((double *)c);
}

}  // namespace
}  // namespace chainer_fast::matmul
