/* Sums of the rows of a matrix, and rows made of sums. */
#ifndef CHAINER_FAST_REDUCTION_LOOPS_HPP
#define CHAINER_FAST_REDUCTION_LOOPS_HPP

#include "chainer_fast/backends/kernels/common/loops.hpp"

namespace chainer_fast {
namespace {

template <typename T>
void sum_each_row(const T *x, T *out, ptrdiff_t rows, ptrdiff_t columns) {
    for (ptrdiff_t i = 0; i < rows; ++i)
        out[i] = row_sum(x + i * columns, columns);
}

inline void sum_rows(
        char kind, const void *x, void *out, ptrdiff_t rows, ptrdiff_t columns) {
    by_type(kind, sum_each_row<float>, sum_each_row<double>, x, out, rows, columns);
}

/* Writes each of n numbers several times. */
template <typename T>
void repeat_each(const T *x, T *out, ptrdiff_t n, ptrdiff_t times) {
    for (ptrdiff_t i = 0; i < n; ++i)
        for (ptrdiff_t j = 0; j < times; ++j)
            out[i * times + j] = x[i];
}

inline void repeat(char kind, const void *x, void *out, ptrdiff_t n, ptrdiff_t times) {
    by_type(kind, repeat_each<float>, repeat_each<double>, x, out, n, times);
}

}  // namespace
}  // namespace chainer_fast

#endif
