/* Products of single-precision matrices in C order, whose right operand is packed once.
 *
 * A plan packs a weight once for all functions that use it. */
#pragma once

#include <stddef.h>

#include <algorithm>
#include <vector>

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/common/panels.hpp"
#include "chainer_fast/_cpu/parallel.hpp"

namespace chainer_fast::plan {
namespace {

/* Products with at least so many multiplications release the interpreter lock. */
constexpr ptrdiff_t LONG_PRODUCT = 200000;

constexpr float NO_START[PANEL] = {};

/* Rows of a packed operand: the terms of the sums, rounded up to panels. */
inline ptrdiff_t packed_rows(ptrdiff_t depth) { return panels_of(depth) * PANEL; }

/* Floats of a packed operand. */
inline ptrdiff_t packed_size(ptrdiff_t depth, ptrdiff_t columns) {
    return packed_rows(depth) * packed_rows(columns);
}

/* A matrix of the shape (depth, columns), or with `transposed` the transpose of one of the
 * shape (columns, depth). */
inline void pack(bool transposed, const float *a, ptrdiff_t depth, ptrdiff_t columns,
                 float *out) {
    chainer_fast::pack(transposed, a, transposed ? depth : columns, depth, columns,
         {out, PANEL, packed_rows(depth) * PANEL});
}

/* out = start + left right, of the shapes (rows, depth) and (depth, columns); with
 * `transposed` the left operand is the transpose of a matrix (depth, rows). */
inline void shared_product(
        bool transposed, const Panels<const float> &left, ptrdiff_t rows, ptrdiff_t depth,
        const Panels<const float> &right, ptrdiff_t columns,
        const Panels<const float> &start, const Panels<float> &out) {
    const Release release(rows * depth * columns >= LONG_PRODUCT);
    const Tiles &tiles = *find_tiles();
    const bool by_rows = rows > columns;
    share_pairs(by_rows ? rows : columns, (double)(by_rows ? columns : rows) * depth,
                [&](ptrdiff_t begin, ptrdiff_t end) {
        if (by_rows)
            product_of_panels(
                tiles, transposed, transposed ? left.from(begin / PANEL) : left.below(begin),
                end - begin, depth, right, columns, start.below(begin),
                out.below(begin));
        else
            product_of_panels(
                tiles, transposed, left, rows, depth, right.from(begin / PANEL),
                end - begin, start.from(begin / PANEL), out.from(begin / PANEL));
    });
}

/* The product of a matrix, or with `transposed` its transpose, and a packed operand.
 * Initial rows are `start_row` elements apart: 0 for a single one; without any they are
 * zero. */
inline void packed_product(
        bool transposed, const float *left, ptrdiff_t rows, ptrdiff_t depth,
        const float *right, ptrdiff_t columns, const float *start, ptrdiff_t start_row,
        float *out) {
    Panels<const float> from = {NO_START, 0, 0};
    if (start)
        from = {start, start_row, PANEL};
    shared_product(
        transposed, {left, transposed ? rows : depth, PANEL}, rows, depth,
        {right, PANEL, packed_rows(depth) * PANEL}, columns, from,
        {out, columns, PANEL});
}

/* Panels with room for so many rows, with one more row between them: equal rows of
 * panels at distances of powers of two would share a few cache lines. */
template <typename T>
Panels<T> panels_with_room(T *data, ptrdiff_t room) {
    return {data, PANEL, (room + 1) * PANEL};
}

/* Floats of such panels. */
inline ptrdiff_t size_with_room(ptrdiff_t room, ptrdiff_t columns) {
    return panels_of(columns) * (room + 1) * PANEL;
}

/* Copies a matrix into rows of such panels. */
inline void pack_below(ptrdiff_t first, const float *a, ptrdiff_t rows,
                       ptrdiff_t columns, ptrdiff_t room, float *out) {
    pack_rows(a, columns, rows, columns, panels_with_room(out, room).below(first));
}

/* out += left right, where the left operand is the transpose of the contents of such
 * panels, and the right operand is in other panels. */
inline void add_product_of_rows(
        const float *left, ptrdiff_t rows, ptrdiff_t depth, const float *right,
        ptrdiff_t columns, ptrdiff_t room, float *out) {
    const Panels<float> to = {out, columns, PANEL};
    shared_product(
        true, panels_with_room(left, room), rows, depth, panels_with_room(right, room),
        columns, {to.data, to.row, to.panel}, to);
}

/* `packed_product` for several left operands of few rows each, which are not
 * transposed, and at most one initial row. The data of a pair of panels stays in the
 * cache for all of them. */
inline void packed_products(
        const std::vector<const float *> &lefts, ptrdiff_t rows, ptrdiff_t depth,
        const float *right, ptrdiff_t columns, const float *start,
        const std::vector<float *> &outs) {
    const ptrdiff_t count = lefts.size(), pairs = (columns + PAIR - 1) / PAIR;
    const Release release(count * rows * depth * columns >= LONG_PRODUCT);
    const Tiles &tiles = *find_tiles();
    const Panels<const float> b = {right, PANEL, packed_rows(depth) * PANEL};
    Panels<const float> from = {NO_START, 0, 0};
    if (start)
        from = {start, 0, PANEL};
    const double work = (double)rows * PAIR * depth;
    parallel(pairs * count, (ptrdiff_t)(LEAST_WORK / work) + 1,
             [&](ptrdiff_t first, ptrdiff_t last) {
        for (ptrdiff_t i = first; i < last; ++i) {
            const ptrdiff_t pair = i / count, panel = 2 * pair;
            product_of_panels(
                tiles, false, {lefts[i % count], depth, PANEL}, rows, depth,
                b.from(panel), std::min(PAIR, columns - pair * PAIR), from.from(panel),
                Panels<float>{outs[i % count], columns, PANEL}.from(panel));
        }
    });
}

}  // namespace
}  // namespace chainer_fast::plan
