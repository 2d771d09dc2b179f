/* Products with sparse matrices given by coordinates; a negative one marks padding. */
#pragma once

#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast::sparse {
namespace {

template <typename T>
CF_CLONES T dot(const T *x, const T *y, ptrdiff_t n) {
    constexpr ptrdiff_t LANES = 16;
    T part[LANES] = {0}, sum = 0;
    ptrdiff_t i, j;
    for (i = 0; i + LANES <= n; i += LANES)
        for (j = 0; j < LANES; ++j)
            part[j] += x[i + j] * y[i + j];
    for (; i < n; ++i)
        sum += x[i] * y[i];
    for (j = 0; j < LANES; ++j)
        sum += part[j];
    return sum;
}

/* Adds to y, of height rows, the product of a sparse and a dense matrix of k rows. */
template <typename T>
void product(const T *data, const ptrdiff_t *row, const ptrdiff_t *col, const T *dense,
             T *y, ptrdiff_t batches, ptrdiff_t nnz, ptrdiff_t height, ptrdiff_t k,
             ptrdiff_t n) {
    for (; batches-- > 0; dense += k * n, y += height * n)
        for (ptrdiff_t i = 0; i < nnz; ++i, ++data, ++row, ++col)
            if (*row >= 0 && *col >= 0)
                add_times(dense + *col * n, *data, y + *row * n, n);
}

/* Elements of the product of a, of m rows, and the transpose of b, of n rows. */
template <typename T>
void sampled_product(T *values, const ptrdiff_t *row, const ptrdiff_t *col, const T *a,
                     const T *b, ptrdiff_t batches, ptrdiff_t nnz, ptrdiff_t m,
                     ptrdiff_t n, ptrdiff_t k) {
    for (; batches-- > 0; a += m * k, b += n * k)
        for (ptrdiff_t i = 0; i < nnz; ++i, ++values, ++row, ++col)
            if (*row >= 0 && *col >= 0)
                *values = dot(a + *row * k, b + *col * k, k);
}

constexpr Loop product_loop = {product<float>, product<double>};
constexpr Loop sampled_product_loop = {sampled_product<float>, sampled_product<double>};

}  // namespace
}  // namespace chainer_fast::sparse
