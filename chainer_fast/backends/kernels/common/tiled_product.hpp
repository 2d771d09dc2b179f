/* A product of single-precision matrices that takes the place of BLAS's.
 *
 * OpenBLAS packs both operands, which costs more than the product itself where there are
 * few rows; and it has no code for the widest vectors of some processors. Here the left
 * operand is read where it is, or packed some rows at a time if it is turned. The right one
 * is packed in panels, a block that stays in the second level of the cache at a time,
 * unless there are few rows, and its own have their elements side by side: then it is read
 * where it is, too.
 * See `panels.hpp` for the order of the sums, which does not depend on the blocks or on
 * the number of threads.
 */
#pragma once

#include <stddef.h>
#include <string.h>

#include <algorithm>
#include <memory>

#include "chainer_fast/backends/kernels/common/blas.hpp"
#include "chainer_fast/backends/kernels/common/panels.hpp"
#include "chainer_fast/backends/kernels/common/threaded_blas.hpp"
#include "chainer_fast/_core/parallel.hpp"

namespace chainer_fast {
namespace {

/* Panels that are packed at a time, each of DEPTH terms: half a mebibyte. */
constexpr ptrdiff_t BLOCK = 32;
/* From one packed panel to the next: a power of two would put the same rows of all of
 * them in the same few lines of the cache. */
constexpr ptrdiff_t NEXT = PANEL * (DEPTH + 1);
/* A right operand of so many rows' product is not packed: it would not be read often
 * enough to make up for that. */
constexpr ptrdiff_t FEW_ROWS = 64;

/* So many columns make up for packing a turned left operand. Lines of it that are a power
 * of two apart would push each other out of the cache. */
constexpr ptrdiff_t LEAST_COLUMNS = 64;

/* The memory of a thread for packed panels, from the start of a line of the cache: of the
 * right operand, and of some rows of the left one behind it. */
inline float *packed_panels() {
    constexpr size_t LINE = 64;
    static thread_local std::unique_ptr<char[]> memory(
        new char[(BLOCK + ROWS / PANEL) * NEXT * sizeof(float) + LINE]);
    const size_t place = (size_t)memory.get();
    return (float *)(memory.get() + (LINE - place % LINE));
}

/* Some columns of `tiled_product` with few rows, whole panels of them, by one thread. The
 * right operand is read where it is. */
inline void unpacked_columns(
        const Tiles &tiles, ptrdiff_t rows, ptrdiff_t begin, ptrdiff_t end,
        ptrdiff_t depth, const Matrix<float> &left, const Matrix<float> &right,
        bool add, float *out, ptrdiff_t ld) {
    static const float zeros[2 * PANEL] = {};
    const Panels<float> to = {out + begin, ld, PANEL};
    const Panels<const float> from = {add ? to.data : zeros, add ? ld : 0, PANEL};
    for (ptrdiff_t j = 0; j < (end - begin) / PANEL; j += 2)
        product_of_panels(
            tiles, left.transposed, {left.data, left.ld, PANEL}, rows, depth,
            {right.data + begin + j * PANEL, right.ld, PANEL},
            std::min(2 * PANEL, end - begin - j * PANEL),
            add ? from.from(j) : from, to.from(j));
}

/* Some columns of `tiled_product`, by one thread. */
inline void tiled_columns(
        const Tiles &tiles, ptrdiff_t rows, ptrdiff_t begin, ptrdiff_t end,
        ptrdiff_t depth, const Matrix<float> &left, const Matrix<float> &right,
        bool add, float *out, ptrdiff_t ld) {
    static const float zeros[BLOCK * PANEL] = {};
    const Panels<float> packed = {packed_panels(), PANEL, NEXT};
    const Panels<const float> from_left = {left.data, left.ld, PANEL};
    if (!right.transposed && rows <= FEW_ROWS && depth) {
        /* What is beside the last whole panel cannot be read. */
        const ptrdiff_t whole = end - (end - begin) % PANEL;
        unpacked_columns(tiles, rows, begin, whole, depth, left, right, add, out, ld);
        begin = whole;
    }
    for (ptrdiff_t j = begin; j < end; j += BLOCK * PANEL) {
        const ptrdiff_t columns = std::min(BLOCK * PANEL, end - j);
        const Panels<float> to = {out + j, ld, PANEL};
        if (depth == 0 && !add)
            for (ptrdiff_t i = 0; i < rows; ++i)
                memset(to.below(i).data, 0, columns * sizeof(float));
        for (ptrdiff_t k = 0; k < depth; k += DEPTH) {
            const ptrdiff_t terms = std::min(DEPTH, depth - k);
            pack(right.transposed,
                 right.data + (right.transposed ? j * right.ld + k : k * right.ld + j),
                 right.ld, terms, columns, packed);
            const Panels<const float> from_right = {
                packed.data, packed.row, packed.panel};
            Panels<const float> start = {zeros, 0, PANEL};
            if (add || k)
                start = {to.data, to.row, to.panel};
            if (!left.transposed || columns < LEAST_COLUMNS) {
                product_of_panels(
                    tiles, left.transposed,
                    left.transposed ? from_left.below(k) : from_left.from(k / PANEL),
                    rows, terms, from_right, columns, start, to);
                continue;
            }
            const Panels<float> rows_of_left = packed.from(BLOCK);
            for (ptrdiff_t i = 0; i < rows; i += ROWS) {
                const ptrdiff_t m = std::min(ROWS, rows - i);
                pack_rows(left.data + k * left.ld + i, left.ld, terms, m, rows_of_left);
                product_of_panels(
                    tiles, true, {rows_of_left.data, PANEL, NEXT}, m, terms, from_right,
                    columns, start.below(i), to.below(i));
            }
        }
    }
}

/* out = left right, or out += left right, of the shapes (rows, depth) and
 * (depth, columns). Threads share the columns, or the rows if these are more. */
inline void tiled_product(
        const Tiles &tiles, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t depth,
        Matrix<float> left, const Matrix<float> &right, bool add, float *out,
        ptrdiff_t ld) {
    const bool by_rows = rows > columns;
    const ptrdiff_t length = by_rows ? rows : columns;
    const ptrdiff_t units = (length + PAIR - 1) / PAIR;
    const double work = (double)(by_rows ? columns : rows) * PAIR * depth;
    parallel(units, (ptrdiff_t)(LEAST_WORK / work) + 1, [&](ptrdiff_t b, ptrdiff_t e) {
        const ptrdiff_t begin = b * PAIR, end = std::min(e * PAIR, length);
        if (!by_rows) {
            tiled_columns(tiles, rows, begin, end, depth, left, right, add, out, ld);
            return;
        }
        Matrix<float> part = left;
        part.data += left.transposed ? begin : begin * left.ld;
        tiled_columns(tiles, end - begin, 0, columns, depth, part, right, add,
                      out + begin * ld, ld);
    });
}

/* `sgemm`, without the factor of the product, which nobody uses. Matrices in Fortran's
 * order are transposed ones in C order. */
inline void tiled_sgemm(
        char *ta, char *tb, int *m, int *n, int *k, void *, void *a, int *lda, void *b,
        int *ldb, void *beta, void *c, int *ldc) {
    tiled_product(*find_tiles(), *n, *m, *k, {(const float *)b, *ldb, *tb == 't'},
                  {(const float *)a, *lda, *ta == 't'}, *(const float *)beta != 0,
                  (float *)c, *ldc);
}

}  // namespace
}  // namespace chainer_fast
