/* Products of matrices of which one has a single row or column.
 *
 * They read the matrix once, and a call of BLAS for each costs as much as a small one.
 */
#pragma once

#include <stddef.h>

#include <algorithm>
#include <vector>

#include "chainer_fast/_cpu/lanes.hpp"
#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/_cpu/parallel.hpp"
#include "chainer_fast/backends/kernels/common/blas.hpp"

namespace chainer_fast::matmul {
namespace {

/* c[j] = sum of a[p] b[p][j] */
template <typename T>
CF_CLONES void sum_rows(const T *a, ptrdiff_t k, const T *b, ptrdiff_t ld, T *c,
                        ptrdiff_t n) {
    typedef typename Lanes<T>::type V;
    constexpr ptrdiff_t LANES = Lanes<T>::COUNT, TILE = 4 * LANES;
    ptrdiff_t j = 0;
    for (; j + TILE <= n; j += TILE) {
        V sums[4] = {};
        for (ptrdiff_t p = 0; p < k; ++p)
            CF_UNROLL(4) for (int i = 0; i < 4; ++i)
                sums[i] += lanes_at<V>(b + p * ld + j + i * LANES) * a[p];
        CF_UNROLL(4) for (int i = 0; i < 4; ++i)
            put_lanes(c + j + i * LANES, sums[i]);
    }
    for (ptrdiff_t i = j; i < n; ++i)
        c[i] = 0;
    for (ptrdiff_t p = 0; p < k; ++p)
        for (ptrdiff_t i = j; i < n; ++i)
            c[i] += a[p] * b[p * ld + i];
}

/* c[j] = sum of a[p] b[j][p] */
template <typename T>
CF_CLONES void multiply_rows(const T *a, ptrdiff_t k, const T *b, ptrdiff_t ld, T *c,
                             ptrdiff_t n) {
    typedef typename Lanes<T>::type V;
    constexpr ptrdiff_t LANES = Lanes<T>::COUNT;
    constexpr ptrdiff_t ROWS = 8;       // the ends of their sums wait for each addition
    T parts[ROWS][LANES];
    for (ptrdiff_t j = 0; j < n; ++j) {
        const T *row = b + j * ld;
        V sums[4] = {};
        ptrdiff_t p = 0;
        for (; p + 4 * LANES <= k; p += 4 * LANES)
            CF_UNROLL(4) for (int i = 0; i < 4; ++i)
                sums[i] += lanes_at<V>(a + p + i * LANES)
                    * lanes_at<V>(row + p + i * LANES);
        for (; p + LANES <= k; p += LANES)
            sums[0] += lanes_at<V>(a + p) * lanes_at<V>(row + p);
        put_lanes(parts[j % ROWS], (sums[0] + sums[1]) + (sums[2] + sums[3]));
        if (j + 1 < n && (j + 1) % ROWS)
            continue;
        for (ptrdiff_t r = j / ROWS * ROWS; r <= j; ++r) {
            T sum = 0;
            for (ptrdiff_t i = 0; i < LANES; ++i)
                sum += parts[r % ROWS][i];
            for (ptrdiff_t i = p; i < k; ++i)
                sum += a[i] * b[r * ld + i];
            c[r] = sum;
        }
    }
}

/* c[i][j] = a[i * step] b[j] */
template <typename T>
CF_CLONES void multiply_column(const T *a, ptrdiff_t step, ptrdiff_t m, const T *b, T *c,
                               ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < m; ++i) {
        const T factor = a[i * step];
        for (ptrdiff_t j = 0; j < n; ++j)
            c[i * n + j] = factor * b[j];
    }
}

/* Numbers one after another: those that are given, or copies. */
template <typename T>
const T *in_a_row(const T *x, ptrdiff_t step, ptrdiff_t n, std::vector<T> &copy) {
    if (step == 1 || n <= 1)
        return x;
    copy.resize(n);
    for (ptrdiff_t i = 0; i < n; ++i)
        copy[i] = x[i * step];
    return copy.data();
}

inline bool is_thin(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k) {
    return std::min({m, n, k}) == 1;
}

/* c = a b, of which c has rows without gaps. */
template <typename T>
void multiply_thin(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const Matrix<T> &a,
                   const Matrix<T> &b, T *c, std::vector<T> &copy) {
    /* Steps from one element of a row, or of a column, to the next. */
    const ptrdiff_t along_row_of_a = a.transposed ? a.ld : 1;
    const ptrdiff_t along_row_of_b = b.transposed ? b.ld : 1;
    const ptrdiff_t down_b = b.transposed ? 1 : b.ld;
    if (k == 1)
        multiply_column(a.data, a.transposed ? 1 : a.ld, m,
                        in_a_row(b.data, along_row_of_b, n, copy), c, n);
    else if (m == 1) {
        const T *row = in_a_row(a.data, along_row_of_a, k, copy);
        (b.transposed ? multiply_rows<T> : sum_rows<T>)(row, k, b.data, b.ld, c, n);
    }
    else {
        const T *column = in_a_row(b.data, down_b, k, copy);
        (a.transposed ? sum_rows<T> : multiply_rows<T>)(column, k, a.data, a.ld, c, m);
    }
}

/* A column times a row, by several threads. */
template <typename T>
void multiply_vectors(ptrdiff_t m, ptrdiff_t n, const Matrix<T> &a, const Matrix<T> &b,
                      T *c) {
    constexpr ptrdiff_t GRAIN = 1 << 15;
    std::vector<T> copy;
    const ptrdiff_t step = a.transposed ? 1 : a.ld;
    const T *row = in_a_row(b.data, b.transposed ? b.ld : 1, n, copy);
    parallel(m, GRAIN / n + 1, [&](ptrdiff_t begin, ptrdiff_t end) {
        multiply_column(a.data + begin * step, step, end - begin, row, c + begin * n, n);
    });
}

}  // namespace
}  // namespace chainer_fast::matmul
