/* Products of many matrices in single precision. */
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
inline void multiply_all(Gemm gemm, const Batch &batch, Matrix<float> a,
                         Matrix<float> b, float *c) {
    const double work = (double)batch.m * batch.n * batch.k;
    const ptrdiff_t grain = (ptrdiff_t)(SHARED / 2 / work) + 1;
    if (batch.count == 1 && batch.k == 1) {
        multiply_vectors(batch.m, batch.n, a, b, c);
        return;
    }
    const bool thin = is_thin(batch.m, batch.n, batch.k);
    parallel(batch.count, grain, [&](ptrdiff_t begin, ptrdiff_t end) {
        std::vector<float> copy;
        for (ptrdiff_t i = begin; i < end; i++) {
            Matrix<float> x = a, y = b;
            ptrdiff_t rest = i;
            for (ptrdiff_t j = batch.axes - 1; j >= 0; j--) {
                const ptrdiff_t at = rest % batch.length[j];
                rest /= batch.length[j];
                x.data += at * batch.a_step[j];
                y.data += at * batch.b_step[j];
            }
            float *z = c + i * batch.m * batch.n;
            if (thin)
                multiply_thin(batch.m, batch.n, batch.k, x, y, z, copy);
            else
                product(gemm, batch.m, batch.n, batch.k, x, y, false, z, batch.n);
        }
    });
}

}  // namespace
}  // namespace chainer_fast::matmul
