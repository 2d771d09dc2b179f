/* Steps of softmax and of its relatives, along the middle axis of three.
 *
 * The work goes block by block, each small enough to stay in the first level of cache
 * between the passes over it. Sums along contiguous columns take the order of NumPy's,
 * and so give its bits.
 */
#pragma once

#include <string.h>

#include <algorithm>
#include <atomic>

#include "chainer_fast/backends/kernels/common/exponential.hpp"
#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/common/reduced_axes.hpp"
#include "chainer_fast/backends/kernels/common/unary.hpp"

namespace chainer_fast::softmax {
namespace {

/* An axis of n elements, between those before it and those behind it. */
struct Extent {
    ptrdiff_t outer, n, inner;
};

/* Some columns of n elements each. With a stride of 1, one column follows the other;
   otherwise they lie side by side, the elements of each a stride apart. */
struct Block {
    ptrdiff_t at;       // the first element
    ptrdiff_t first;    // the number of the first column
    ptrdiff_t columns, n, stride;

    /* The element i of column j. */
    ptrdiff_t place(ptrdiff_t i, ptrdiff_t j) const {
        return i * stride + j * (stride == 1 ? n : 1);
    }
};

constexpr ptrdiff_t BLOCK = 4096;   // floats; no block has more columns
constexpr ptrdiff_t STRIP = 512;    // of columns side by side, on one thread the fewest

/* The blocks of a part of the elements are worked on by one thread. */
template <typename T, typename Work>
void for_each_block(Extent e, const Work &work) {
    constexpr ptrdiff_t length = BLOCK * sizeof(float) / sizeof(T);
    const ptrdiff_t whole = length / e.n;
    if (e.inner == 1) {
        const ptrdiff_t most = std::max<ptrdiff_t>(whole, 1);
        const ptrdiff_t blocks = (e.outer + most - 1) / most;
        parallel(blocks, std::max<ptrdiff_t>(1, GRAIN / (most * e.n)),
                 [&](ptrdiff_t begin, ptrdiff_t end) {
            for (ptrdiff_t i = begin * most; begin < end; ++begin, i += most)
                work(Block{i * e.n, i, std::min(most, e.outer - i), e.n, 1});
        });
        return;
    }
    const ptrdiff_t most = strip_of(std::max(whole, STRIP), e.inner, e.outer);
    const ptrdiff_t strips = (e.inner + most - 1) / most;
    const ptrdiff_t strip = std::min(most, e.inner) * e.n;
    parallel(e.outer * strips, std::max<ptrdiff_t>(1, GRAIN / strip),
             [&](ptrdiff_t begin, ptrdiff_t end) {
        for (; begin < end; ++begin) {
            const ptrdiff_t i = begin / strips, j = begin % strips * most;
            work(Block{i * e.n * e.inner + j, i * e.inner + j,
                       std::min(most, e.inner - j), e.n, e.inner});
        }
    });
}

/* Elements of a part of a long column. */
template <typename T>
constexpr ptrdiff_t PART = BLOCK * sizeof(float) / sizeof(T);

template <typename T>
ptrdiff_t parts_of(Extent e) {
    return e.inner == 1 ? (e.n + PART<T> - 1) / PART<T> : 1;
}

/* Blocks as above, with the number of each part of a column if columns are cut. */
template <typename T, typename Work>
void for_each_part(Extent e, const Work &work) {
    const ptrdiff_t parts = parts_of<T>(e);
    if (parts == 1)
        return for_each_block<T>(e, [&](Block b) { work(b, 0); });
    parallel(e.outer * parts, 1 + GRAIN / PART<T>, [&](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i) {
            const ptrdiff_t column = i / parts, at = i % parts * PART<T>;
            work(Block{column * e.n + at, column, 1, std::min(PART<T>, e.n - at), 1}, i);
        }
    });
}

/* Stretches of memory that make up a block. */
template <typename Work>
void for_each_stretch(Block b, Work work) {
    if (b.stride == 1 || b.stride == b.columns)
        work(0, b.n * b.columns);
    else
        for (ptrdiff_t i = 0; i < b.n; ++i)
            work(i * b.stride, b.columns);
}

/* An operation on each element, given its place and the value of its column. */
template <typename T, typename Operation>
CF_CLONES void for_each_element(Block b, const T *values, Operation operation) {
    ptrdiff_t i, j;
    if (b.stride == 1)
        for (j = 0; j < b.columns; ++j) {
            T value = values[j];
            for (i = 0; i < b.n; ++i)
                operation(j * b.n + i, value);
        }
    else
        for (i = 0; i < b.n; ++i)
            for (j = 0; j < b.columns; ++j)
                operation(i * b.stride + j, values[j]);
}

template <typename T>
void subtract(Block b, const T *x, const T *values, T *out) {
    for_each_element(b, values, [=](ptrdiff_t k, T value) { out[k] = x[k] - value; });
}

/* No number is positive. Exponentials of doubles are NumPy's. */
CF_CLONES void fill_exponentials(float *x, ptrdiff_t n, const Unary &) {
    for (ptrdiff_t i = 0; i < n; ++i)
        x[i] = one_ulp::exp_of_negative(x[i]);
}

inline void fill_exponentials(double *x, ptrdiff_t n, const Unary &exp) {
    exp.run(x, x, n);
}

template <typename T>
void exponentiate(Block b, T *x, const Unary &exp) {
    for_each_stretch(b, [&](ptrdiff_t at, ptrdiff_t n) {
        fill_exponentials(x + at, n, exp);
    });
}

/* Exponentials of numbers less a top in another array; true if a float is positive then,
 * and its exponential is wrong. */
CF_CLONES bool exponentials_below(
        const float *x, float top, float *out, ptrdiff_t n, const Unary &) {
    int32_t most = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        most = std::max(most, one_ulp::bits_of(x[i] - top));
        out[i] = one_ulp::exp_of_negative(x[i] - top);
    }
    return most != 0;
}

CF_CLONES bool exponentials_below(
        const double *x, double top, double *out, ptrdiff_t n, const Unary &exp) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = x[i] - top;
    exp.run(out, out, n);
    return false;
}

/* The same, while the processor loads as many elements that are needed next. */
template <typename T>
bool exponentials_below(const T *x, T top, T *out, ptrdiff_t n, const Unary &exp,
                        const T *next) {
    constexpr ptrdiff_t step = 512, line = 64 / sizeof(T);
    bool positive = false;
    for (ptrdiff_t i = 0; i < n; i += step) {
        const ptrdiff_t m = std::min(step, n - i);
#if defined(__GNUC__)
        for (ptrdiff_t k = 0; k < m; k += line)
            __builtin_prefetch(next + i + k);
#endif
        positive |= exponentials_below(x + i, top, out + i, m, exp);
    }
    return positive;
}

/* Integers in the order of the floats that have their bits, and back. */
CF_ELEMENT int32_t ordered(int32_t bits) { return bits ^ ((bits >> 31) & 0x7fffffff); }

/* The largest float, found among integers: compilers do not vectorize a maximum of floats.
 * NaN is larger or smaller than all numbers. */
CF_ELEMENT float largest_of(const float *x, ptrdiff_t n) {
    int32_t largest = ordered(one_ulp::bits_of(x[0]));
    for (ptrdiff_t i = 1; i < n; ++i)
        largest = std::max(largest, ordered(one_ulp::bits_of(x[i])));
    return one_ulp::from_bits(ordered(largest));
}

CF_ELEMENT double largest_of(const double *x, ptrdiff_t n) { return row_max(x, n); }

template <typename T>
CF_CLONES void shift_contiguous(Block b, const T *x, T *tops, T *out) {
    for (ptrdiff_t j = 0; j < b.columns; ++j, x += b.n, out += b.n) {
        const T top = tops[j] = largest_of(x, b.n);
        for (ptrdiff_t i = 0; i < b.n; ++i)
            out[i] = x[i] - top;
    }
}

template <typename T>
CF_CLONES void find_tops(Block b, const T *x, T *tops) {
    ptrdiff_t i, j;
    for (j = 0; j < b.columns; ++j)
        tops[j] = b.stride == 1 ? largest_of(x + j * b.n, b.n) : x[j];
    for (i = 1; b.stride != 1 && i < b.n; ++i)
        for (j = 0; j < b.columns; ++j)
            tops[j] = x[i * b.stride + j] > tops[j] ? x[i * b.stride + j] : tops[j];
}

/* The largest element of each column, and the column relative to it. */
template <typename T>
void shift(Block b, const T *x, T *tops, T *out) {
    if (b.stride == 1)
        return shift_contiguous(b, x, tops, out);
    find_tops(b, x, tops);
    subtract(b, x, tops, out);
}

/* The largest element of each column, and exponentials of the column relative to it. Short
 * columns are exponentiated together. */
template <typename T>
void exponentiate(Block b, const T *x, T *tops, T *out, const Unary &exp) {
    if (b.stride != 1 || b.n < 128) {
        shift(b, x, tops, out);
        return exponentiate(b, out, exp);
    }
    find_tops(b, x, tops);
    for (ptrdiff_t j = 0; j < b.columns; ++j)
        exponentials_below(x + j * b.n, tops[j], out + j * b.n, b.n, exp,
                           x + (j + b.columns) * b.n);
}

template <typename T>
CF_ELEMENT T contiguous_sum(const T *x, ptrdiff_t n) {
    return n <= 128 ? inlined_block_sum(x, n) : row_sum(x, n);
}

/* The sum of each column. */
template <typename T>
CF_CLONES void add_up(Block b, const T *x, T *totals) {
    ptrdiff_t i, j;
    if (b.stride == 1) {
        for (j = 0; j < b.columns; ++j)
            totals[j] = contiguous_sum(x + j * b.n, b.n);
        return;
    }
    for (j = 0; j < b.columns; ++j)
        totals[j] = x[j];
    for (i = 1; i < b.n; ++i)
        for (j = 0; j < b.columns; ++j)
            totals[j] += x[i * b.stride + j];
}

template <typename T>
CF_CLONES void normalize_contiguous(Block b, T *x, T *totals) {
    for (ptrdiff_t j = 0; j < b.columns; ++j, x += b.n) {
        T total = totals[j] = contiguous_sum(x, b.n);
        for (ptrdiff_t i = 0; i < b.n; ++i)
            x[i] /= total;
    }
}

/* The sum of each column, by which the column is divided. */
template <typename T>
void normalize(Block b, T *x, T *totals) {
    if (b.stride == 1)
        return normalize_contiguous(b, x, totals);
    add_up(b, x, totals);
    for_each_element(b, totals, [=](ptrdiff_t k, T total) { x[k] /= total; });
}

}  // namespace
}  // namespace chainer_fast::softmax
