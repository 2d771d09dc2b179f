/* Running sums. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include <string.h>

namespace chainer_fast::reduction {
namespace {

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

/* From the first element of the middle axis on, or from the last one if asked to. */
template <typename T>
void running_sums(const Call &c) {
    constexpr ptrdiff_t ROWS = 8;
    const bool from_the_end = c.numbers[0] != 0;
    const ptrdiff_t n = c.columns, inner = c.inner;
    const ptrdiff_t step = from_the_end ? -inner : inner;
    const ptrdiff_t first = from_the_end ? (n - 1) * inner : 0;
    for (ptrdiff_t i = 0; i < c.rows;) {
        const T *row = c.at<T>(0, i) + first;
        T *sums = c.at<T>(1, i) + first;
        if (inner == 1 && c.rows - i >= ROWS) {
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
}

}  // namespace

const Declaration KERNELS[] = {
    {"running_sum",
     "x:E(before;n;behind) axis:axis from_the_end:b -> y:E(before;n;behind)",
     running_sums<float>, running_sums<double>, 1, {}},
    {}};

}  // namespace chainer_fast::reduction
