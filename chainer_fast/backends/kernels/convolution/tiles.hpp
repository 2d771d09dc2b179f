/* Convolutions made of patches and matrix products.
 *
 * A convolution is the product of the filters with a matrix of patches. That matrix is
 * larger than the images by as much as the window has elements, so it is never made as
 * a whole: a tile of it, some of the places of the window, is filled while it is in the
 * cache and multiplied. Where an image has few places, a tile takes in several images.
 */
#ifndef CHAINER_FAST_CONVOLUTION_TILES_HPP
#define CHAINER_FAST_CONVOLUTION_TILES_HPP

#include <algorithm>

#include "chainer_fast/backends/kernels/common/blas.hpp"
#include "chainer_fast/_cpu/buffer.hpp"
#include "chainer_fast/backends/kernels/convolution/patches.hpp"

namespace chainer_fast::convolution {

/* Approximate number of elements of a tile of patches: two megabytes of floats do not
 * fit into the cache. And the number of columns from which a matrix product is
 * efficient. */
constexpr ptrdiff_t TILE_SIZE = 196608, TILE_COLUMNS = 256;

/* The array of a convolution that is computed from the other two: the results, the
 * images or the filters. */
enum Task { CONVOLVE, TRANSPOSE, CORRELATE };

struct Convolution {
    Window w;
    ptrdiff_t images;
    ptrdiff_t groups;
    ptrdiff_t channels;   /* of the images, in a group */
    ptrdiff_t filters;    /* in a group: channels of the results */
    ptrdiff_t columns;    /* positions of the window in an image */
    ptrdiff_t depth;      /* elements of a patch in a group */
    ptrdiff_t direct;     /* whether an image is its own matrix of patches */

    /* Whether images are used directly in the products. */
    bool whole() const {
        return direct && (columns >= TILE_COLUMNS || images == 1);
    }
};

namespace {

/* Sets the sizes that follow from those of the axes. */
inline void complete(Convolution &c) {
    Window &w = c.w;
    w.taps = w.plane = c.columns = 1;
    for (ptrdiff_t j = 0; j < w.nd; ++j) {
        w.taps *= w.ksize[j];
        w.plane *= w.length[j];
        c.columns *= w.outs[j];
    }
    w.width = w.outs[w.nd - 1];
    w.rows = c.columns / w.width;
    c.depth = c.channels * w.taps;
}

struct Tiles {
    ptrdiff_t images;     /* in a tile */
    ptrdiff_t rows;       /* of positions in a tile with a single image */
    ptrdiff_t columns;    /* of a tile */

    explicit Tiles(const Convolution &c)
            : images(1), rows(c.w.rows), columns(c.columns) {
        const ptrdiff_t wanted = std::max(TILE_SIZE / c.depth, TILE_COLUMNS);
        if (c.columns > wanted) {
            rows = std::min((wanted + c.w.width - 1) / c.w.width, c.w.rows);
            columns = rows * c.w.width;
        }
        else if (c.columns < TILE_COLUMNS) {
            images = std::min((TILE_COLUMNS + c.columns - 1) / c.columns, c.images);
            columns = images * c.columns;
        }
    }
};

template <typename T>
void copy_rows(const T *source, ptrdiff_t source_ld, T *target, ptrdiff_t target_ld,
               ptrdiff_t rows, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < rows; ++i)
        memcpy(target + i * target_ld, source + i * source_ld, n * sizeof(T));
}

/* Fills images with the bias, or with zeros. */
template <typename T>
void start(T *y, const T *bias, ptrdiff_t images, ptrdiff_t channels, ptrdiff_t plane) {
    if (!bias)
        memset(y, 0, images * channels * plane * sizeof(T));
    else
        for (ptrdiff_t i = 0; i < images; ++i)
            for (ptrdiff_t c = 0; c < channels; ++c, y += plane)
                fill(y, bias[c], plane);
}

template <typename T>
struct Runner {
    Task task;
    const Convolution &c;
    Gemm gemm;
    const T *bias;        /* of the result; may be NULL */

    /* The product of one group, for some columns of the matrix of patches. */
    void multiply(T *filters, T *col, ptrdiff_t col_ld, T *places, ptrdiff_t places_ld,
                  ptrdiff_t columns, bool add) const {
        const ptrdiff_t depth = c.depth;
        if (task == CONVOLVE)
            product<T>(gemm, c.filters, columns, depth, {filters, depth, false},
                       {col, col_ld, false}, add, places, places_ld);
        else if (task == TRANSPOSE)
            product<T>(gemm, depth, columns, c.filters, {filters, depth, true},
                       {places, places_ld, false}, add, col, col_ld);
        else
            product<T>(gemm, c.filters, depth, columns, {places, places_ld, false},
                       {col, col_ld, true}, add, filters, depth);
    }

    /* The same for images that are adjacent in the matrix, whose positions are `step`
     * apart. */
    void multiply_several(ptrdiff_t group, T *filters, T *col, T *places,
                          ptrdiff_t step, ptrdiff_t images, T *side, bool add) const {
        const ptrdiff_t columns = c.columns, ld = images * columns;
        if (task != CONVOLVE)
            for (ptrdiff_t i = 0; i < images; ++i)
                copy_rows(places + i * step, columns, side + i * columns, ld, c.filters,
                          columns);
        else if (add)
            for (ptrdiff_t f = 0; f < c.filters; ++f)
                fill(side + f * ld, bias[group * c.filters + f], ld);
        multiply(filters, col, ld, side, ld, ld, add);
        if (task == CONVOLVE)
            for (ptrdiff_t i = 0; i < images; ++i)
                copy_rows(side + i * columns, ld, places + i * step, columns, c.filters,
                          columns);
    }

    void run(T *images, T *filters, T *places) const {
        const Window &w = c.w;
        const ptrdiff_t columns = c.columns, groups = c.groups;
        const ptrdiff_t image_size = c.channels * w.plane;
        const ptrdiff_t places_size = c.filters * columns;
        const ptrdiff_t filters_size = c.filters * c.depth;
        const bool whole = c.whole();
        if (task == CONVOLVE && bias)
            start(places, bias, c.images, groups * c.filters, columns);
        if (task == TRANSPOSE && (bias || !whole))
            start(images, bias, c.images, groups * c.channels, w.plane);
        if (whole) {
            for (ptrdiff_t n = 0; n < c.images; ++n)
                for (ptrdiff_t g = 0; g < groups; ++g) {
                    const ptrdiff_t part = n * groups + g;
                    multiply(filters + g * filters_size, images + part * image_size,
                             columns, places + part * places_size, columns, columns,
                             task == CORRELATE ? n > 0 : bias != NULL);
                }
            return;
        }
        const Tiles tiles(c);
        const bool several = tiles.images > 1;
        const auto memory = buffer<T>(
            c.depth + (several ? c.filters : 0), tiles.columns);
        T *col = memory.get();
        for (ptrdiff_t n = 0; n < c.images; n += tiles.images)
            for (ptrdiff_t g = 0; g < groups; ++g) {
                const ptrdiff_t count = std::min(tiles.images, c.images - n);
                T *image = images + (n * groups + g) * image_size;
                T *place = places + (n * groups + g) * places_size;
                T *filter = filters + g * filters_size;
                for (ptrdiff_t row = 0; row < w.rows; row += tiles.rows) {
                    const Rows rows = {row, std::min(row + tiles.rows, w.rows)};
                    const ptrdiff_t part = (rows.end - row) * w.width;
                    const ptrdiff_t ld = count * part;
                    const bool add = task == CORRELATE ? n + row > 0
                        : task == CONVOLVE && bias;
                    if (task != TRANSPOSE)
                        for (ptrdiff_t i = 0; i < count; ++i)
                            gather(image + i * groups * image_size, col + i * part, w,
                                   c.channels, rows, ld, (T)0);
                    if (several)
                        multiply_several(g, filter, col, place, groups * places_size,
                                         count, col + c.depth * tiles.columns, add);
                    else
                        multiply(filter, col, ld, place + row * w.width, columns, ld,
                                 add);
                    if (task == TRANSPOSE)
                        for (ptrdiff_t i = 0; i < count; ++i)
                            scatter(col + i * part, image + i * groups * image_size, w,
                                    c.channels, rows, ld, true);
                }
            }
    }
};

}  // namespace
}  // namespace chainer_fast::convolution

#endif
