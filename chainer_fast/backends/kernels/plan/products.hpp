/* Products of single-precision matrices in C order, whose right operand is packed once.
 *
 * A plan packs a weight once for all functions that use it. */
#pragma once

#include <stddef.h>

#include <algorithm>

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/common/panels.hpp"
#include "chainer_fast/_core/parallel.hpp"

namespace chainer_fast {
namespace {

/* Products of so many multiplications let other threads run. */
constexpr ptrdiff_t LONG_PRODUCT = 200000;

constexpr float NO_START[PANEL] = {};

/* Rows of a packed operand: terms of the sums, in whole panels. */
inline ptrdiff_t packed_rows(ptrdiff_t depth) { return panels_of(depth) * PANEL; }

/* Floats of a packed operand. */
inline ptrdiff_t packed_size(ptrdiff_t depth, ptrdiff_t columns) {
    return packed_rows(depth) * packed_rows(columns);
}

/* A matrix of the shape (depth, columns), or with `turned` the transpose of one of the
 * shape (columns, depth). */
inline void pack(bool turned, const float *a, ptrdiff_t depth, ptrdiff_t columns,
                 float *out) {
    pack(turned, a, turned ? depth : columns, depth, columns,
         {out, PANEL, packed_rows(depth) * PANEL});
}

/* out = start + left right, of the shapes (rows, depth) and (depth, columns); with
 * `turned` the left operand is the transpose of a matrix (depth, rows). Its rows are
 * `start_row` elements apart: 0 if there is one for all; without any it is zero. */
inline void packed_product(
        bool turned, const float *left, ptrdiff_t rows, ptrdiff_t depth,
        const float *right, ptrdiff_t columns, const float *start, ptrdiff_t start_row,
        float *out) {
    const Release release(rows * depth * columns >= LONG_PRODUCT);
    const Tiles &tiles = *find_tiles();
    const Panels<const float> a = {left, turned ? rows : depth, PANEL};
    const Panels<const float> b = {right, PANEL, packed_rows(depth) * PANEL};
    Panels<const float> from = {NO_START, 0, 0};
    if (start)
        from = {start, start_row, PANEL};
    const Panels<float> to = {out, columns, PANEL};
    const bool by_rows = rows > columns;
    const ptrdiff_t length = by_rows ? rows : columns;
    const double work = (double)(by_rows ? columns : rows) * PAIR * depth;
    parallel((length + PAIR - 1) / PAIR, (ptrdiff_t)(LEAST_WORK / work) + 1,
             [&](ptrdiff_t first, ptrdiff_t last) {
        const ptrdiff_t begin = first * PAIR, end = std::min(last * PAIR, length);
        if (by_rows)
            product_of_panels(
                tiles, turned, turned ? a.from(begin / PANEL) : a.below(begin),
                end - begin, depth, b, columns, from.below(begin), to.below(begin));
        else
            product_of_panels(
                tiles, turned, a, rows, depth, b.from(begin / PANEL), end - begin,
                from.from(begin / PANEL), to.from(begin / PANEL));
    });
}

}  // namespace
}  // namespace chainer_fast
