/* Means and variances of the columns of a matrix, in the order of NumPy's sums.
 *
 * NumPy adds one row after the other to the totals. Over thousands of rows, a float loses
 * up to three of its seven digits, and batch normalization multiplies what is lost where a
 * column varies little: only sums in this order lead to the numbers that Chainer has.
 * (Sums of images in C order are pairwise ones, which lose next to nothing.)
 */
#pragma once

#include <algorithm>

#include "chainer_fast/backends/kernels/common/loops.hpp"

namespace chainer_fast {
namespace {

/* Rows, and columns of them, that are added up in registers. */
constexpr ptrdiff_t STRIP_ROWS = 16;
constexpr ptrdiff_t SIDE_BY_SIDE = 32;

/* The terms of a sum: elements, or squares of their distances from the mean. */
template <typename T>
struct Elements {
    CF_ELEMENT T of(T x, ptrdiff_t) const { return x; }
};

template <typename T>
struct Deviations {
    const T *means;
    CF_ELEMENT T of(T x, ptrdiff_t column) const {
        const T d = x - means[column];
        return d * d;
    }
};

/* Adds some rows to the totals of WIDTH columns, of which this is the first. */
template <ptrdiff_t WIDTH, typename T, typename Terms>
CF_ELEMENT void add_strip(const T *x, ptrdiff_t rows, ptrdiff_t stride,
                          ptrdiff_t column, Terms terms, T *CF_RESTRICT totals) {
    T sums[WIDTH];
    for (ptrdiff_t j = 0; j < WIDTH; ++j)
        sums[j] = totals[column + j];
    for (ptrdiff_t i = 0; i < rows; ++i)
        for (ptrdiff_t j = 0; j < WIDTH; ++j)
            sums[j] += terms.of(x[i * stride + column + j], column + j);
    for (ptrdiff_t j = 0; j < WIDTH; ++j)
        totals[column + j] = sums[j];
}

template <typename T, typename Terms>
CF_CLONES void means_of_columns(const T *x, ptrdiff_t rows, ptrdiff_t stride,
                                ptrdiff_t columns, Terms terms, T *means) {
    for (ptrdiff_t j = 0; j < columns; ++j)
        means[j] = 0;
    for (ptrdiff_t i = 0; i < rows; i += STRIP_ROWS, x += STRIP_ROWS * stride) {
        const ptrdiff_t some = std::min(STRIP_ROWS, rows - i);
        ptrdiff_t j = 0;
        for (; j + SIDE_BY_SIDE <= columns; j += SIDE_BY_SIDE)
            add_strip<SIDE_BY_SIDE>(x, some, stride, j, terms, means);
        for (; j + 8 <= columns; j += 8)
            add_strip<8>(x, some, stride, j, terms, means);
        for (; j < columns; ++j)
            add_strip<1>(x, some, stride, j, terms, means);
    }
    for (ptrdiff_t j = 0; j < columns; ++j)
        means[j] = (T)((double)means[j] / (double)rows);
}

template <typename T>
void column_moments(const T *x, ptrdiff_t rows, ptrdiff_t stride, ptrdiff_t columns,
                    T *mean, T *var) {
    means_of_columns(x, rows, stride, columns, Elements<T>(), mean);
    means_of_columns(x, rows, stride, columns, Deviations<T>{mean}, var);
}

}  // namespace
}  // namespace chainer_fast
