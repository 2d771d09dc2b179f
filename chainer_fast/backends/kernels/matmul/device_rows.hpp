/* Operations on the rows of a matrix on a GPU. */
#pragma once

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {
namespace matmul {

/* A row is added to each row of out, which has n elements; N is the type of the sums. */
template <typename N, typename T>
CF_ELEMENT void add_to_rows(const T *row, T *out, long long n, long long columns) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = T(N(out[i]) + N(row[i % columns]));
}

}  // namespace matmul
}  // namespace chainer_fast
