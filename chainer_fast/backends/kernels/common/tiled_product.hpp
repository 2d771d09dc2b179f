/* A product of single-precision matrices that takes the place of BLAS's.
 *
 * OpenBLAS packs both operands, which costs more than the product itself where there are
 * few rows; and it has no code for the widest vectors of some processors. Here the left
 * operand is read where it is, or packed some rows at a time if it is transposed. The right one
 * is packed in panels, a block that stays in the second level of the cache at a time,
 * unless there are few rows, and its own have their elements side by side and are not far
 * from each other: then it is read where it is, too.
 * See `panels.hpp` for the order of the sums, which does not depend on the blocks or on
 * the number of threads.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "chainer_fast/backends/kernels/common/blas.hpp"
#include "chainer_fast/backends/kernels/common/panels.hpp"
#include "chainer_fast/backends/kernels/common/threaded_blas.hpp"
#include "chainer_fast/_cpu/parallel.hpp"

namespace chainer_fast {
namespace {

/* Panels that are packed at a time, each of DEPTH terms: half a mebibyte. */
constexpr ptrdiff_t BLOCK_PANELS = 32;
/* From one packed panel to the next: a power of two would put the same rows of all of
 * them in the same few lines of the cache. */
constexpr ptrdiff_t NEXT = PANEL * (DEPTH + 1);
/* A right operand of so many rows' product is not packed: it would not be read often
 * enough to make up for that. Of so many rows' if its own are far from each other: then
 * lines push each other out of the cache, and each of its rows is in another page. */
constexpr ptrdiff_t FEW_ROWS = 64, VERY_FEW_ROWS = 16, FAR = 2048;

/* So many columns make up for packing a transposed left operand. Lines of it that are a power
 * of two apart would push each other out of the cache. */
constexpr ptrdiff_t LEAST_COLUMNS = 64;

/* The memory of a thread for packed panels: of the right operand, and of some rows of the
 * left one behind it. */
struct Packed {
    static constexpr size_t LINE = 64;
    std::unique_ptr<char[]> memory{
        new char[(BLOCK_PANELS + ROWS / PANEL) * NEXT * sizeof(float) + LINE]};
    uint64_t block = 0;     /* the number of the block in memory */

    /* From the start of a line of the cache. */
    Panels<float> panels() const {
        const size_t place = (size_t)memory.get();
        return {(float *)(memory.get() + (LINE - place % LINE)), PANEL, NEXT};
    }
};

inline Packed &packed_panels() {
    static thread_local Packed packed;
    return packed;
}

/* From so many elements on, the lines of a result are fetched before they are written. */
constexpr ptrdiff_t FAR_RESULT = 1 << 19;

/* Some columns and terms of a product. */
struct Block {
    Matrix<float> right;
    ptrdiff_t column, columns, term, terms;
    uint64_t number;

    Block(const Matrix<float> &right, ptrdiff_t column, ptrdiff_t columns, ptrdiff_t term,
          ptrdiff_t terms):
            right(right), column(column), columns(columns), term(term), terms(terms) {
        static std::atomic<uint64_t> blocks(0);
        number = blocks.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    /* The right operand, which the calling thread packs unless it has just done so. */
    Panels<float> packed() const {
        Packed &memory = packed_panels();
        if (memory.block != number) {
            memory.block = number;
            pack(right.transposed, right.data + (
                     right.transposed ? column * right.ld + term
                     : term * right.ld + column),
                 right.ld, terms, columns, memory.panels());
        }
        return memory.panels();
    }
};

/* Adds the terms of a block to some rows, or starts with them. */
inline void rows_of_block(
        const Tiles &tiles, const Block &block, ptrdiff_t rows, const Matrix<float> &left,
        bool add, Panels<float> out, bool is_far) {
    static const float zeros[BLOCK_PANELS * PANEL] = {};
    const ptrdiff_t k = block.term, terms = block.terms, columns = block.columns;
    const Panels<float> packed = block.packed();
    const Panels<const float> right = {packed.data, packed.row, packed.panel};
    const Panels<float> to = {out.data + block.column, out.row, PANEL};
    Panels<const float> start = {zeros, 0, PANEL};
    if (add || k)
        start = {to.data, to.row, to.panel};
    if (!left.transposed || columns < LEAST_COLUMNS) {
        const Panels<const float> from = {
            left.data + (left.transposed ? k * left.ld : k), left.ld, PANEL};
        product_of_panels(
            tiles, left.transposed, from, rows, terms, right, columns, start, to,
            is_far);
        return;
    }
    const Panels<float> rows_of_left = packed.from(BLOCK_PANELS);
    for (ptrdiff_t i = 0; i < rows; i += ROWS) {
        const ptrdiff_t m = std::min(ROWS, rows - i);
        pack_rows(left.data + k * left.ld + i, left.ld, terms, m, rows_of_left);
        product_of_panels(
            tiles, true, {rows_of_left.data, PANEL, NEXT}, m, terms, right, columns,
            start.below(i), to.below(i), is_far);
    }
}

/* Calls f with each block of some columns. */
template <typename F>
void for_blocks(const Matrix<float> &right, ptrdiff_t begin, ptrdiff_t end,
                ptrdiff_t depth, const F &f) {
    for (ptrdiff_t j = begin; j < end; j += BLOCK_PANELS * PANEL)
        for (ptrdiff_t k = 0; k < depth; k += DEPTH)
            f(Block(right, j, std::min(BLOCK_PANELS * PANEL, end - j), k,
                    std::min(DEPTH, depth - k)));
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

/* out = left right, or out += left right, of the shapes (rows, depth) and
 * (depth, columns). Threads share the columns, or the rows if these are more. */
inline void tiled_product(
        const Tiles &tiles, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t depth,
        Matrix<float> left, const Matrix<float> &right, bool add, float *out,
        ptrdiff_t ld) {
    if (rows == 0 || depth == 0) {
        for (ptrdiff_t i = 0; i < rows && !add; ++i)
            memset(out + i * ld, 0, columns * sizeof(float));
        return;
    }
    const Panels<float> to = {out, ld, PANEL};
    const bool is_far = rows * columns >= FAR_RESULT;
    if (rows > columns && rows > FEW_ROWS) {
        for_blocks(right, 0, columns, depth, [&](const Block &block) {
            const double work = (double)block.columns * block.terms;
            share_pairs(rows, work, [&](ptrdiff_t begin, ptrdiff_t end) {
                Matrix<float> part = left;
                part.data += left.transposed ? begin : begin * left.ld;
                rows_of_block(tiles, block, end - begin, part, add, to.below(begin),
                              is_far);
            });
        });
        return;
    }
    const bool is_read_in_place =
        !right.transposed && rows <= (right.ld < FAR ? FEW_ROWS : VERY_FEW_ROWS);
    share_pairs(columns, (double)rows * depth, [&](ptrdiff_t begin, ptrdiff_t end) {
        if (is_read_in_place) {
            /* What is beside the last whole panel cannot be read. */
            const ptrdiff_t whole = end - (end - begin) % PANEL;
            unpacked_columns(
                tiles, rows, begin, whole, depth, left, right, add, out, ld);
            begin = whole;
        }
        for_blocks(right, begin, end, depth, [&](const Block &block) {
            rows_of_block(tiles, block, rows, left, add, to, is_far);
        });
    });
}

/* `sgemm`, without the factor of the product, which no caller uses. Matrices in
 * Fortran's order are transposed ones in C order. */
inline void tiled_sgemm(
        char *ta, char *tb, int *m, int *n, int *k, void *, void *a, int *lda, void *b,
        int *ldb, void *beta, void *c, int *ldc) {
    tiled_product(*find_tiles(), *n, *m, *k, {(const float *)b, *ldb, *tb == 't'},
                  {(const float *)a, *lda, *ta == 't'}, *(const float *)beta != 0,
                  (float *)c, *ldc);
}

}  // namespace
}  // namespace chainer_fast
