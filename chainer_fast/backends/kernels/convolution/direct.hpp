/* Convolutions of images with channels last in memory, without any matrix of patches.
 *
 * A tile of the result, some pixels and filters, stays in registers while the loop runs
 * over the taps and channels. For each tap there is a list of the pixels that it meets,
 * which makes strides, dilation, padding and small images alike: what lies outside is a
 * pixel of zeros. Filters are packed so that those of a tile are vectors.
 */
#ifndef CHAINER_FAST_CONVOLUTION_DIRECT_HPP
#define CHAINER_FAST_CONVOLUTION_DIRECT_HPP

#include "chainer_fast/backends/kernels/convolution/packing.hpp"
#include "chainer_fast/backends/kernels/convolution/pixels.hpp"

namespace chainer_fast::convolution {
namespace {

/* The result of a convolution or of a transposed convolution. */
template <typename T>
struct Application {
    const Micro<T> &micro;
    const Packing<T> &packing;
    bool transposed;
    ptrdiff_t images, groups;
    ptrdiff_t depth, filters;    /* input and output channels of a group */
    ptrdiff_t taps;              /* of the window, unless those of a row are joined */
    const T *in;
    ptrdiff_t in_step;           /* from image to image */
    T *out;
    ptrdiff_t out_step;
    const T *bias;               /* or NULL */
    std::vector<Grid> grids;
    ptrdiff_t tap_columns;       /* taps along the last axis */

    /* Some positions of a grid. */
    struct Block {
        const Grid *grid;
        ptrdiff_t begin, end;
    };

    /* The pixels of the tiles of a block. */
    struct Table {
        Buffer<const T *> met;
        Buffer<ptrdiff_t> taps;
        Buffer<T *> out;
        /* A tile has `pixels`, and `count` taps from `first_tap` on. */
        struct Entry {
            ptrdiff_t pixels, count, first_tap, first_met, first_out;
        };
        Buffer<Entry> entries;
        ptrdiff_t count;

        Table(ptrdiff_t pixels, ptrdiff_t tiles, ptrdiff_t window)
            : met(pixels * window), taps(tiles * window), out(pixels), entries(tiles) {}
    };

    bool depthwise() const { return depth == 1 && filters == 1 && groups > 1; }
    ptrdiff_t places(const Grid &grid) const {
        return images * grid.rows.count() * grid.columns.count();
    }

    Table table_for(ptrdiff_t pixels) const {
        return {pixels, (pixels + micro.pixels - 1) / micro.pixels, taps};
    }

    /* Fills the table of a block. */
    void meet(Table &table, const Block &block, const T *zeros) const {
        const Line &rows = block.grid->rows, &columns = block.grid->columns;
        const ptrdiff_t size = block.end - block.begin;
        const ptrdiff_t tiles = (size + micro.pixels - 1) / micro.pixels;
        const ptrdiff_t nrows = rows.count(), ncolumns = columns.count();
        /* In small planes, one position of all images after the other, as they
         * have the same padding. */
        const bool images_last = nrows * ncolumns <= 64;
        const T **met = table.met.get();
        ptrdiff_t *tap = table.taps.get();
        T **out = table.out.get();
        ptrdiff_t n, r, c, p = block.begin;
        if (images_last) {
            n = p % images;
            c = p / images % ncolumns;
            r = p / images / ncolumns;
        } else {
            c = p % ncolumns;
            r = p / ncolumns % nrows;
            n = p / ncolumns / nrows;
        }
        for (ptrdiff_t k = 0; k < tiles; ++k) {
            const ptrdiff_t m = size * (k + 1) / tiles - size * k / tiles;
            const T *image[MOST_PIXELS];
            const ptrdiff_t *at_row[MOST_PIXELS], *at_column[MOST_PIXELS];
            typename Table::Entry &entry = table.entries.get()[k];
            entry = {m, 0, tap - table.taps.get(), met - table.met.get(),
                     out - table.out.get()};
            for (ptrdiff_t i = 0; i < m; ++i) {
                image[i] = in + n * in_step;
                at_row[i] = rows.in.data() + r * rows.taps();
                at_column[i] = columns.in.data() + c * columns.taps();
                *out++ = this->out + n * out_step + rows.out[r] + columns.out[c];
                if (images_last) {
                    if (++n == images) {
                        n = 0;
                        if (++c == ncolumns) {
                            c = 0;
                            ++r;
                        }
                    }
                } else if (++c == ncolumns) {
                    c = 0;
                    if (++r == nrows) {
                        r = 0;
                        ++n;
                    }
                }
            }
            for (ptrdiff_t a = 0; a < rows.taps(); ++a)
                for (ptrdiff_t b = 0; b < columns.taps(); ++b) {
                    bool any = false;
                    for (ptrdiff_t i = 0; i < m; ++i) {
                        const ptrdiff_t y = at_row[i][a], x = at_column[i][b];
                        const bool inside = (y | x) >= 0;
                        met[i] = inside ? image[i] + y + x : zeros;
                        any |= inside;
                    }
                    if (!any)
                        continue;
                    met += m;
                    *tap++ = rows.tap[a] * tap_columns + columns.tap[b];
                    ++entry.count;
                }
        }
        table.count = tiles;
    }

    void pack(const Panel &panel, T *to) const {
        if (depthwise())
            packing.depthwise(groups, to);
        else if (transposed)
            packing.by_channel(panel, to);
        else
            packing.by_filter(panel, to);
    }

    /* The tiles of a block for some filters. */
    void compute(const Table &table, const Panel &panel, const T *weights) const {
        const ptrdiff_t lanes = micro.lanes;
        T start[MOST_VECTORS * 16];
        Tile<T> tile;
        tile.depth = depth;
        tile.offset = panel.group * depth;
        tile.weights = weights;
        tile.out_offset = panel.group * filters + panel.first;
        tile.filters = panel.count;
        tile.bias = bias;
        if (bias && !depthwise()) {
            for (ptrdiff_t i = 0; i < panel.vectors * lanes; ++i)
                start[i] = i < panel.count ? bias[tile.out_offset + i] : 0;
            tile.bias = start;
        }
        for (ptrdiff_t k = 0; k < table.count; ++k) {
            const typename Table::Entry &entry = table.entries.get()[k];
            tile.in = table.met.get() + entry.first_met;
            tile.tap = table.taps.get() + entry.first_tap;
            tile.taps = entry.count;
            tile.out = table.out.get() + entry.first_out;
            if (depthwise())
                micro.by_channel[entry.pixels - 1](tile);
            else
                micro.tile[panel.vectors - 1][entry.pixels - 1](tile);
        }
    }

    /* Pixels of a block: their channels stay in the cache, and the number of
     * blocks suffices for many threads. */
    ptrdiff_t block_size(ptrdiff_t pixels) const {
        const ptrdiff_t most = 12 * micro.pixels, least = 4 * micro.pixels;
        const ptrdiff_t fit = 393216 / (ptrdiff_t)sizeof(T) / (groups * depth) + 1;
        ptrdiff_t size = std::min(most, std::max(least, fit));
        size = std::min(size, std::max<ptrdiff_t>(
            micro.pixels, pixels / pieces_wanted()));
        return (size + micro.pixels - 1) / micro.pixels * micro.pixels;
    }

    void run() const {
        ptrdiff_t pixels = 0;
        for (const Grid &grid : grids)
            pixels += places(grid);
        const ptrdiff_t size = block_size(pixels);
        std::vector<Block> blocks;
        for (const Grid &grid : grids)
            for (ptrdiff_t begin = 0; begin < places(grid); begin += size)
                blocks.push_back({&grid, begin, std::min(begin + size, places(grid))});
        const ptrdiff_t rows = taps * depth;   /* of packed weights */
        const std::vector<Panel> panels = depthwise()
            ? std::vector<Panel>{{0, 0, groups, 0, 0}}
            : panels_of(groups, filters, micro.lanes, rows);
        Buffer<T> zeros(groups * depth);
        memset(zeros.get(), 0, groups * depth * sizeof(T));
        if (pixels <= 640 && panels.size() >= 4)
            by_panel(blocks, panels, zeros.get(), rows, pixels);
        else
            by_block(blocks, panels, zeros.get(), rows, size);
    }

    /* Few pixels: filters are packed right before their use, by several threads if
     * there are more threads than panels. */
    void by_panel(const std::vector<Block> &blocks, const std::vector<Panel> &panels,
                  const T *zeros, ptrdiff_t rows, ptrdiff_t pixels) const {
        std::vector<Table> tables;
        for (const Block &block : blocks) {
            tables.push_back(table_for(block.end - block.begin));
            meet(tables.back(), block, zeros);
        }
        const ptrdiff_t width = MOST_VECTORS * micro.lanes;
        const ptrdiff_t all = (ptrdiff_t)tables.size(), count = (ptrdiff_t)panels.size();
        const ptrdiff_t parts = std::min(all, (thread_limit() + count - 1) / count);
        parallel_with_memory(count * parts, grain(pixels * rows * width / parts),
                             [&](ptrdiff_t begin, ptrdiff_t end) {
            const Buffer<T> packed(rows * width);
            for (ptrdiff_t i = begin; i < end; ++i) {
                const Panel &panel = panels[i / parts];
                if (i == begin || i % parts == 0)
                    pack(panel, packed.get());
                const ptrdiff_t last = all * (i % parts + 1) / parts;
                for (ptrdiff_t k = all * (i % parts) / parts; k < last; ++k)
                    compute(tables[k], panel, packed.get());
            }
        });
    }

    void by_block(const std::vector<Block> &blocks, const std::vector<Panel> &panels,
                  const T *zeros, ptrdiff_t rows, ptrdiff_t size) const {
        const Panel &last = panels.back();
        const ptrdiff_t width = MOST_VECTORS * micro.lanes;
        Buffer<T> packed(depthwise() ? groups * rows
                                     : last.offset + last.vectors * micro.lanes * rows);
        parallel((ptrdiff_t)panels.size(), GRAIN_COPIES / (rows * width) + 1,
                 [&](ptrdiff_t begin, ptrdiff_t end) {
            for (ptrdiff_t i = begin; i < end; ++i)
                pack(panels[i], packed.get() + panels[i].offset);
        });
        parallel_with_memory((ptrdiff_t)blocks.size(),
                             grain(size * rows * filters * groups),
                             [&](ptrdiff_t begin, ptrdiff_t end) {
            Table table = table_for(size);
            for (ptrdiff_t i = begin; i < end; ++i) {
                meet(table, blocks[i], zeros);
                for (const Panel &panel : panels)
                    compute(table, panel, packed.get() + panel.offset);
            }
        });
    }

    static ptrdiff_t grain(ptrdiff_t products) { return GRAIN_PRODUCTS / products + 1; }
};

}  // namespace
}  // namespace chainer_fast::convolution

#endif
