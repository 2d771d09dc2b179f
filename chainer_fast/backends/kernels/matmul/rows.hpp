/* Adding a row to all rows of a matrix, and summing rows; by several threads, if that
 * is faster. */
#pragma once

#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast::matmul {
namespace {

/* each row of out += a */
template <typename T>
CF_CLONES void add_to_rows(const T *a, T *out, ptrdiff_t rows, ptrdiff_t columns) {
    for (ptrdiff_t i = 0; i < rows; ++i)
        for (ptrdiff_t j = 0; j < columns; ++j)
            out[i * columns + j] += a[j];
}

template <typename T>
void shared_add_to_rows(const T *a, T *out, ptrdiff_t rows, ptrdiff_t columns) {
    parallel(rows, GRAIN / columns + 1, [=](ptrdiff_t begin, ptrdiff_t end) {
        add_to_rows(a, out + begin * columns, end - begin, columns);
    });
}

/* out = the sum of the rows of a, from the first to the last. */
template <typename T>
CF_CLONES void fill_sums(const T *a, T *out, ptrdiff_t rows, ptrdiff_t columns,
                         ptrdiff_t begin, ptrdiff_t end) {
    for (ptrdiff_t j = begin; j < end; ++j)
        out[j] = 0;
    for (ptrdiff_t i = 0; i < rows; ++i)
        for (ptrdiff_t j = begin; j < end; ++j)
            out[j] += a[i * columns + j];
}

/* A thread processes some of the columns. */
template <typename T>
void shared_sums(const T *a, T *out, ptrdiff_t rows, ptrdiff_t columns) {
    parallel(columns, GRAIN / rows + 1, [=](ptrdiff_t begin, ptrdiff_t end) {
        fill_sums(a, out, rows, columns, begin, end);
    });
}

constexpr Loop add_to_rows_loop = {
    shared_add_to_rows<float>, shared_add_to_rows<double>};
constexpr Loop sum_of_rows_loop = {shared_sums<float>, shared_sums<double>};

}  // namespace
}  // namespace chainer_fast::matmul
