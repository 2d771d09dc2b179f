/* Sums over the columns of a matrix, in the order of NumPy's.
 *
 * NumPy adds one row after the other to the totals. Over thousands of rows, a float loses
 * up to three of its seven digits, and batch normalization multiplies what is lost where a
 * column varies little: only sums in this order lead to the numbers that Chainer has.
 * (Sums of images in C order are pairwise ones, which lose next to nothing.)
 */
#pragma once

#include <algorithm>

#include "chainer_fast/_cpu/lanes.hpp"
#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast::normalization {
namespace {

/* Rows whose columns are summed in registers. A processor loads a few rows ahead, not
 * many: long rows that no cache keeps are summed one after the other. */
constexpr ptrdiff_t STRIP_ROWS = 8, LONG_ROW = 2048, CACHED = 4 << 20;      /* bytes */

/* -- terms of one or two sums of elements x and gradients g of some columns */

struct Elements {
    static constexpr int SUMS = 1;
    template <typename V>
    CF_ELEMENT V of(int, const V &x, const V &, ptrdiff_t) const { return x; }
};

template <typename T>
struct SquaredDeviations {
    static constexpr int SUMS = 1;
    const T *mean;
    template <typename V>
    CF_ELEMENT V of(int, const V &x, const V &, ptrdiff_t column) const {
        const V d = x - lanes_at<V>(mean + column);
        return d * d;
    }
};

/* Gradients, and their products with normalized elements. */
template <typename T>
struct GradientsAndProducts {
    static constexpr int SUMS = 2;
    const T *mean, *inv_std;
    template <typename V>
    CF_ELEMENT V of(int which, const V &x, const V &g, ptrdiff_t column) const {
        if (which == 0)
            return g;
        const V d = x - lanes_at<V>(mean + column);
        return g * (d * lanes_at<V>(inv_std + column));
    }
};

/* -- sums */

/* Adds some rows to the totals of the columns of COUNT vectors, from this column on. */
template <typename V, int COUNT, typename T, typename Terms>
CF_ELEMENT void add_strip(const T *x, const T *g, ptrdiff_t rows, ptrdiff_t stride,
                          ptrdiff_t column, const Terms &terms, T *const *totals) {
    constexpr ptrdiff_t WIDTH = sizeof(V) / sizeof(T);
    V sums[Terms::SUMS][COUNT];
    CF_UNROLL(2) for (int k = 0; k < Terms::SUMS; ++k)
        CF_UNROLL(4) for (int j = 0; j < COUNT; ++j)
            sums[k][j] = lanes_at<V>(totals[k] + column + j * WIDTH);
    for (ptrdiff_t i = 0; i < rows; ++i)
        CF_UNROLL(4) for (int j = 0; j < COUNT; ++j) {
            const ptrdiff_t c = column + j * WIDTH, at = i * stride + c;
            CF_UNROLL(2) for (int k = 0; k < Terms::SUMS; ++k)
                sums[k][j] += terms.template of<V>(
                    k, lanes_at<V>(x + at), lanes_at<V>(g + at), c);
        }
    CF_UNROLL(2) for (int k = 0; k < Terms::SUMS; ++k)
        CF_UNROLL(4) for (int j = 0; j < COUNT; ++j)
            put_lanes(totals[k] + column + j * WIDTH, sums[k][j]);
}

/* Without a second sum, the array for it is not used. */
template <typename T, typename Terms>
CF_CLONES void sums_of_columns(const T *x, const T *g, ptrdiff_t rows, ptrdiff_t stride,
                               ptrdiff_t columns, Terms terms, T *first, T *second) {
    typedef typename Lanes<double, T>::type V;
    constexpr ptrdiff_t WIDTH = Lanes<double, T>::COUNT;
    constexpr int MANY = sizeof(T) == 4 ? 4 : 4 / Terms::SUMS;  // sums stay in registers
    const ptrdiff_t bytes = columns * sizeof(T);
    const ptrdiff_t strip = bytes >= LONG_ROW && bytes * rows > CACHED ? 1 : STRIP_ROWS;
    T *const totals[] = {first, second};
    for (int k = 0; k < Terms::SUMS; ++k)
        std::fill_n(totals[k], columns, T(0));
    for (ptrdiff_t i = 0; i < rows; i += strip) {
        const ptrdiff_t some = std::min(strip, rows - i);
        ptrdiff_t j = 0;
        for (; j + MANY * WIDTH <= columns; j += MANY * WIDTH)
            add_strip<V, MANY>(x, g, some, stride, j, terms, totals);
        for (; j + WIDTH <= columns; j += WIDTH)
            add_strip<V, 1>(x, g, some, stride, j, terms, totals);
        for (; j < columns; ++j)
            add_strip<T, 1>(x, g, some, stride, j, terms, totals);
        x += strip * stride;
        g += strip * stride;
    }
}

template <typename T, typename Terms>
void means_of_columns(const T *x, ptrdiff_t rows, ptrdiff_t stride, ptrdiff_t columns,
                      Terms terms, T *means) {
    sums_of_columns(x, x, rows, stride, columns, terms, means, means);
    for (ptrdiff_t j = 0; j < columns; ++j)
        means[j] = (T)((double)means[j] / (double)rows);
}

template <typename T>
void column_moments(const T *x, ptrdiff_t rows, ptrdiff_t stride, ptrdiff_t columns,
                    T *mean, T *var) {
    means_of_columns(x, rows, stride, columns, Elements(), mean);
    means_of_columns(x, rows, stride, columns, SquaredDeviations<T>{mean}, var);
}

/* Gradients of beta and gamma. */
template <typename T>
void column_gradients(const T *x, const T *g, ptrdiff_t rows, ptrdiff_t stride,
                      ptrdiff_t columns, const T *mean, const T *inv_std, T *gbeta,
                      T *ggamma) {
    sums_of_columns(x, g, rows, stride, columns, GradientsAndProducts<T>{mean, inv_std},
                    gbeta, ggamma);
}

}  // namespace
}  // namespace chainer_fast::normalization
