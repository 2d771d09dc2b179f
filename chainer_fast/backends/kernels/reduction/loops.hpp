/* Sums of the rows of a matrix, rows made of sums, and running sums, by several threads if
 * that pays. */
#pragma once

#include <string.h>

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/reduction/sums.hpp"

namespace chainer_fast {
namespace {

template <typename T>
CF_CLONES void fill(T value, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = value;
}

/* Writes each of n numbers several times. */
template <typename T>
void repeat_each(const T *x, T *out, ptrdiff_t n, ptrdiff_t times) {
    if (n == 1) {
        const T value = *x;
        parallel(times, GRAIN, [=](ptrdiff_t j, ptrdiff_t end) {
            fill(value, out + j, end - j);
        });
        return;
    }
    parallel(n, GRAIN / times + 1, [=](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i)
            fill(x[i], out + i * times, times);
    });
}

/* Writes each of n rows several times. */
template <typename T>
void repeat(const T *x, T *out, ptrdiff_t n, ptrdiff_t times, ptrdiff_t columns) {
    if (columns == 1) {
        repeat_each(x, out, n, times);
        return;
    }
    const ptrdiff_t bytes = columns * sizeof(T);
    parallel(n * times, GRAIN * sizeof(float) / bytes + 1,
             [=](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i)
            memcpy(out + i * columns, x + i / times * columns, bytes);
    });
}

/* Running sums of some rows side by side, since each addition waits for the last one. */
template <int ROWS, typename T>
void running_rows(const T *x, T *out, ptrdiff_t n, ptrdiff_t step) {
    T total[ROWS];
    for (int j = 0; j < ROWS; ++j)
        out[j * n] = total[j] = x[j * n];
    for (ptrdiff_t i = 1, at = step; i < n; ++i, at += step)
        for (int j = 0; j < ROWS; ++j)
            out[j * n + at] = total[j] += x[j * n + at];
}

template <typename T>
CF_CLONES void add_to_last(const T *x, const T *last, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = last[i] + x[i];
}

/* Running sums over n elements that lie `inner` apart, from the last one on if asked to. */
template <typename T>
void running_sums(const T *x, T *out, ptrdiff_t outer, ptrdiff_t n, ptrdiff_t inner,
                  bool from_the_end) {
    constexpr int ROWS = 8;
    const ptrdiff_t step = from_the_end ? -inner : inner;
    const ptrdiff_t first = from_the_end ? (n - 1) * inner : 0;
    parallel(outer, GRAIN / (n * inner) + 1, [=](ptrdiff_t i, ptrdiff_t end) {
        while (i < end) {
            const T *row = x + i * n * inner + first;
            T *sums = out + i * n * inner + first;
            if (inner == 1 && end - i >= ROWS) {
                running_rows<ROWS>(row, sums, n, step);
                i += ROWS;
                continue;
            }
            if (inner == 1)
                running_rows<1>(row, sums, n, step);
            else {
                memcpy(sums, row, inner * sizeof(T));
                for (ptrdiff_t k = 1; k < n; ++k, sums += step)
                    add_to_last(row + k * step, sums, sums + step, inner);
            }
            ++i;
        }
    });
}

constexpr Loop running_sums_loop = {running_sums<float>, running_sums<double>};
constexpr Loop sum_rows_loop = {sum_each_row<float>, sum_each_row<double>};
constexpr Loop repeat_loop = {repeat<float>, repeat<double>};

}  // namespace
}  // namespace chainer_fast
