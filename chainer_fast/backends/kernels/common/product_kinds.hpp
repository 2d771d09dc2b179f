/* Kinds of products of single-precision matrices: in each, either BLAS or our own tiles are
 * the faster code. Which one is measured, with an example of the kind. */
#pragma once

#include <stddef.h>

namespace chainer_fast {
namespace {

/* A product of the shapes (rows, depth) and (depth, columns), in C order; operands that
 * are transposed ones are `transposed`. */
struct ProductSizes {
    ptrdiff_t rows, columns, depth;
    bool left_turned, right_turned;
};

inline double work_of(const ProductSizes &sizes) {
    return (double)sizes.rows * sizes.columns * sizes.depth;
}

/* The order of the examples. Behind each kind comes the one with a transposed right operand,
 * or for transposed left operands, the gradients of weights, the one with longer sums. */
enum ProductKind {
    SMALL_PRODUCT = 0, FEW_ROWS_PRODUCT = 2, LARGE_PRODUCT = 4, TURNED_PRODUCT = 6,
    NARROW_PRODUCT = 8, PRODUCT_KINDS
};

constexpr ProductSizes PRODUCT_EXAMPLES[PRODUCT_KINDS] = {
    {80, 80, 80, false, false}, {80, 80, 80, false, true},
    {20, 512, 128, false, false}, {20, 512, 128, false, true},
    {128, 192, 192, false, false}, {128, 192, 192, false, true},
    {512, 128, 20, true, false}, {128, 192, 192, true, false},
    {100, 10, 512, false, true},
};

/* The number of the kind of a product, which no number of threads may have a say in: the
 * kinds differ by bits. */
inline int kind_of_product(const ProductSizes &sizes) {
    /* Fewer columns than two panels of `panels.hpp`. */
    constexpr ptrdiff_t NARROW = 32;
    constexpr ptrdiff_t SHORT_SUMS = 64, FEW_ROWS = 64;
    /* OpenBLAS has code for these that packs nothing. */
    constexpr double SMALL = 1e6;
    if (sizes.columns < NARROW)
        return NARROW_PRODUCT;
    if (work_of(sizes) <= SMALL)
        return SMALL_PRODUCT + sizes.right_turned;
    if (sizes.left_turned)
        return TURNED_PRODUCT + (sizes.depth > SHORT_SUMS);
    return (sizes.rows <= FEW_ROWS ? FEW_ROWS_PRODUCT : LARGE_PRODUCT)
        + sizes.right_turned;
}

/* Of so many multiplications: operands leave the second level of a cache. */
constexpr double HUGE_PRODUCT = 1 << 29;

/* The gain of a kind that counts for a product: the time of BLAS in units of that of
 * the tiles. Examples are too small to represent huge products: there the gain has to
 * be clear. */
inline double counted_gain(const ProductSizes &sizes, double gain) {
    constexpr double CLEAR = 1.25;
    return work_of(sizes) > HUGE_PRODUCT ? gain / CLEAR : gain;
}

/* From this gain on tiles compute a product. Less than a twentieth may be noise. Then what
 * one thread computes is BLAS's, but what threads may share is for tiles: they pack an
 * operand once for all threads, and BLAS packs it for each part. */
inline double least_gain(const ProductSizes &sizes) {
    const int kind = kind_of_product(sizes);
    const bool is_shared = kind >= FEW_ROWS_PRODUCT && kind != NARROW_PRODUCT;
    return is_shared && work_of(sizes) <= HUGE_PRODUCT ? .95 : 1.05;
}

}  // namespace
}  // namespace chainer_fast
