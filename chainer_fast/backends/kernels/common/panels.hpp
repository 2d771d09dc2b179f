/* Products of single-precision matrices in panels.
 *
 * A matrix in panels has 16 columns side by side, a line of the cache, row below row, and
 * the next 16 behind all rows. Both operands of a product can be read from there without
 * being copied again, however often they are used; one that BLAS has to repack for each
 * product of few rows is packed once. A row's result does not depend on the other rows, so
 * products may be cut between rows without changing a bit.
 *
 * Sums go over blocks of 256 terms, each of them from first to last in fused
 * multiply-adds, so that the bits are the same on every processor. There is code for
 * AVX-512, for AVX2 with FMA, and for NEON, which is compiled once (`panels.cc`) and linked
 * into each module that uses it.
 */
#pragma once

#include <stddef.h>

#include <algorithm>

#include "chainer_fast/_cpu/parallel.hpp"
#include "chainer_fast/_cpu/processor.hpp"
#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {

/* Columns of a panel. */
constexpr ptrdiff_t PANEL = 16;
/* Terms of a sum that are worked on at a time: two panels of them and some rows fit in
 * the first level of the cache. */
constexpr ptrdiff_t DEPTH = 256;
/* Rows that share two panels before the next two come. */
constexpr ptrdiff_t ROWS = 128;
/* Columns of a tile. */
constexpr ptrdiff_t PAIR = 2 * PANEL;
/* Threads that share a product get at least so many multiplications each: some 8
 * microseconds. Where that is too little, the pool learns to leave them to one. */
constexpr double LEAST_WORK = 4e5;

inline ptrdiff_t panels_of(ptrdiff_t columns) { return (columns + PANEL - 1) / PANEL; }

/* Calls f for parts of some rows or columns, which threads share: whole pairs of panels.
 * Each row or column takes so many multiplications. */
template <typename F>
void share_pairs(ptrdiff_t length, double multiplications, const F &f) {
    const ptrdiff_t grain = (ptrdiff_t)(LEAST_WORK / (multiplications * PAIR)) + 1;
    parallel((length + PAIR - 1) / PAIR, grain, [&](ptrdiff_t begin, ptrdiff_t end) {
        f(begin * PAIR, std::min(end * PAIR, length));
    });
}

/* Element (i, j) is data[i * row + j / 16 * panel + j % 16]: with a row of 16, a matrix in
 * panels; with panels 16 apart, one in C order; with a row of 0, one row for all. */
template <typename T>
struct Panels {
    T *data;
    ptrdiff_t row;
    ptrdiff_t panel;

    Panels below(ptrdiff_t rows) const { return {data + rows * row, row, panel}; }
    Panels from(ptrdiff_t panels) const { return {data + panels * panel, row, panel}; }
};

struct Tile;

typedef void (*TileLoop)(const Tile &, ptrdiff_t depth);

/* The loops of a kind of processor. */
struct Tiles {
    ptrdiff_t rows;                 /* of the largest tile */
    TileLoop loops[2][2][8];        /* plain or transposed; by panels and rows, less one */
};

/* The loops for this processor; null if there are none. */
const Tiles *find_tiles();

/* out[:, :columns] = start + left right for two panels or one, some rows and terms. A
 * last panel that is not full is computed beside the output, where there is room. Lines of
 * an output that is `far`, not in the second level of the cache, are fetched meanwhile. */
void product_of_tiles(
        const Tiles &tiles, bool transposed, Panels<const float> left, ptrdiff_t rows,
        ptrdiff_t depth, const float *const *right, ptrdiff_t right_row,
        ptrdiff_t columns, Panels<const float> start, Panels<float> out,
        bool is_far = false);

/* out = start + left right, of the shapes (rows, depth) and (depth, columns). Both operands
 * are matrices of panels with any distance of rows, the right one of whole panels. Or the
 * left one is `transposed`: the transpose of a matrix (depth, rows). */
void product_of_panels(
        const Tiles &tiles, bool transposed, Panels<const float> left, ptrdiff_t rows,
        ptrdiff_t depth, Panels<const float> right, ptrdiff_t columns,
        Panels<const float> start, Panels<float> out, bool is_far = false);

/* Copies rows of a matrix in C order into panels, with zeros behind the last column. */
void pack_rows(const float *a, ptrdiff_t ld, ptrdiff_t rows, ptrdiff_t columns,
               Panels<float> out);

/* Copies panels into rows of a matrix in C order. */
void unpack_rows(Panels<const float> a, ptrdiff_t rows, ptrdiff_t columns,
                 float *out, ptrdiff_t ld);

/* Transposes up to 16 rows of a matrix in C order into one panel, with zeros behind the
 * last of them, and for the terms after the last one up to a full panel. */
void pack_transposed(const float *a, ptrdiff_t ld, ptrdiff_t rows, ptrdiff_t columns,
                     float *out);

/* Packs a matrix of the shape (terms, columns), or with `transposed` the transpose of one
 * of the shape (columns, terms). */
inline void pack(bool transposed, const float *a, ptrdiff_t ld, ptrdiff_t terms,
                 ptrdiff_t columns, Panels<float> out) {
    if (!transposed) {
        pack_rows(a, ld, terms, columns, out);
        return;
    }
    for (ptrdiff_t j = 0; j < columns; j += PANEL)
        pack_transposed(a + j * ld, ld, std::min(PANEL, columns - j), terms,
                        out.from(j / PANEL).data);
}

}  // namespace chainer_fast
