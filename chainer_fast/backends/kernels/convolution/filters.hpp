/* Gradients of convolutions with respect to the filters, with channels last in memory.
 *
 * The gradient of one tap is a matrix product, of the channels of the pixels that the
 * tap meets with the gradients of the places where it does. Lists of these pixels leave
 * out the padding. A block of gradients is packed, as those of some filters would share
 * few sets of the cache where their distance is a power of two.
 */
#ifndef CHAINER_FAST_CONVOLUTION_FILTERS_HPP
#define CHAINER_FAST_CONVOLUTION_FILTERS_HPP

#include "chainer_fast/backends/kernels/convolution/direct.hpp"

namespace chainer_fast::convolution {
namespace {

/* Positions of a block; the same on every processor. */
constexpr ptrdiff_t BLOCK_PLACES = 160;

/* Runs a job for a number of channels: tiles from `k` to before `end` of so many. */
template <typename T>
void correlate(const Micro<T> &micro, const Correlation<T> &job, ptrdiff_t vectors,
               ptrdiff_t channels, ptrdiff_t tiles, ptrdiff_t k, ptrdiff_t end) {
    for (; k < end; ++k) {
        const ptrdiff_t first = channels * k / tiles;
        const ptrdiff_t m = channels * (k + 1) / tiles - first;
        Correlation<T> part = job;
        part.offset += first;
        part.sums += first * vectors * micro.lanes;
        micro.correlate[vectors - 1][m - 1](part);
    }
}

template <typename T>
struct FilterGradient {
    const Micro<T> &micro;
    ptrdiff_t images, groups;
    ptrdiff_t depth, filters;        /* input and output channels of a group */
    ptrdiff_t channels, taps;        /* of the filters, without joined taps */
    const T *in, *places;
    ptrdiff_t in_step, places_step;  /* from image to image */
    T *out;                          /* of shape (groups * filters, channels, taps) */
    Grid grid;                       /* of positions, without joined taps */

    /* The columns of a tap inside the image: from `first` to before `last`. */
    struct Inside {
        ptrdiff_t first, last;
    };

    /* Rows of positions, clipped to a block. */
    struct Row {
        const T *image, *place;
        ptrdiff_t row, first, last;
        ptrdiff_t index;             /* of the first position in the block */
    };

    std::vector<Inside> inside() const {
        const Line &line = grid.columns;
        std::vector<Inside> found;
        for (ptrdiff_t t = 0; t < line.taps(); ++t) {
            ptrdiff_t first = 0, last = line.count();
            while (first < last && line.in[first * line.taps() + t] < 0)
                ++first;
            while (last > first && line.in[(last - 1) * line.taps() + t] < 0)
                --last;
            found.push_back({first, last});
        }
        return found;
    }

    ptrdiff_t cut(Row *rows, ptrdiff_t begin, ptrdiff_t end) const {
        const ptrdiff_t width = grid.columns.count(), height = grid.rows.count();
        ptrdiff_t n = 0, index = 0;
        for (ptrdiff_t p = begin; p < end; ++n) {
            const ptrdiff_t line = p / width, first = p % width;
            const ptrdiff_t last = std::min(first + end - p, width);
            const ptrdiff_t image = line / height, row = line % height;
            rows[n] = {in + image * in_step,
                       places + image * places_step + grid.rows.out[row],
                       row, first, last, index};
            p += last - first;
            index += last - first;
        }
        return n;
    }

    /* Lists the pixels of a tap, in row `a` and column `b` of the window. Positions
     * are counted in the block, or with `offsets` are those of their gradients. */
    ptrdiff_t meet(const Row *rows, ptrdiff_t count, ptrdiff_t a, ptrdiff_t b,
                   const Inside &inside, bool offsets, Meeting<T> *met) const {
        const Line &line = grid.columns;
        const ptrdiff_t taps = line.taps();
        const ptrdiff_t apart = line.count() > 1 ? line.out[1] - line.out[0] : 0;
        Meeting<T> *next = met;
        for (ptrdiff_t i = 0; i < count; ++i) {
            const Row &row = rows[i];
            const ptrdiff_t y = grid.rows.in[row.row * grid.rows.taps() + a];
            const ptrdiff_t first = std::max(row.first, inside.first);
            const ptrdiff_t last = std::min(row.last, inside.last);
            if (y < 0 || first >= last)
                continue;
            const T *x = row.image + y + line.in[first * taps + b];
            const ptrdiff_t step = first + 1 < last
                ? line.in[(first + 1) * taps + b] - line.in[first * taps + b] : 0;
            ptrdiff_t place = row.index + first - row.first, forth = 1;
            if (offsets) {
                place = row.place - places + first * apart;
                forth = apart;
            }
            for (ptrdiff_t c = first; c < last; ++c, x += step, place += forth)
                *next++ = {x, place};
        }
        return next - met;
    }

    /* Packs the gradients of a block. */
    void pack(const Row *rows, ptrdiff_t count, const Panel &panel, T *to) const {
        const ptrdiff_t width = panel.vectors * micro.lanes;
        const ptrdiff_t channel = panel.group * filters + panel.first;
        const Line &line = grid.columns;
        const bool packed = panel.count == width && line.count() > 1
            && line.out[1] == width;
        for (ptrdiff_t i = 0; i < count; ++i) {
            const ptrdiff_t last = rows[i].last, n = packed ? last - rows[i].first : 1;
            for (ptrdiff_t c = rows[i].first; c < last; c += n, to += n * width) {
                const T *from = rows[i].place + line.out[c] + channel;
                memcpy(to, from, n * panel.count * sizeof(T));
                for (ptrdiff_t j = panel.count; j < width; ++j)
                    to[j] = 0;
            }
        }
    }

    /* Memory of a thread. */
    struct Workspace {
        Buffer<Row> rows;
        Buffer<Meeting<T>> met;
        Buffer<T> gradients, sums;

        Workspace(ptrdiff_t width, ptrdiff_t size)
            : rows(BLOCK_PLACES), met(BLOCK_PLACES), gradients(BLOCK_PLACES * width),
              sums(size) {}
    };

    /* The channels of a group are divided into parts, for threads and for the cache. */
    ptrdiff_t parts(ptrdiff_t panels) const {
        if (depth != channels)    /* joined taps */
            return 1;
        const ptrdiff_t fit = 131072 / (MOST_VECTORS * micro.lanes * taps) + 1;
        ptrdiff_t parts = (depth + fit - 1) / fit;
        while (parts * panels < pieces_wanted() && depth / (parts + 1) >= 4 * micro.channels)
            ++parts;
        return parts;
    }

    /* The gradients of some filters with respect to channels from `c` to before `end`:
     * tiles from `first` to before `last`, of which each tap has so many. */
    void compute(const Panel &panel, ptrdiff_t c, ptrdiff_t end, ptrdiff_t tiles,
                 ptrdiff_t first, ptrdiff_t last, const Workspace &work,
                 const std::vector<Inside> &inside, T *sums) const {
        const ptrdiff_t width = panel.vectors * micro.lanes, some = end - c;
        const ptrdiff_t all = images * grid.rows.count() * grid.columns.count();
        const ptrdiff_t column_taps = grid.columns.taps();
        for (ptrdiff_t begin = 0; begin < all; begin += BLOCK_PLACES) {
            const ptrdiff_t rows = cut(work.rows.get(), begin,
                                       std::min(begin + BLOCK_PLACES, all));
            if (!by_channel())
                pack(work.rows.get(), rows, panel, work.gradients.get());
            for (ptrdiff_t i = first / tiles; i * tiles < last; ++i) {
                const ptrdiff_t a = i / column_taps, b = i % column_taps;
                Correlation<T> job;
                job.pixels = work.met.get();
                job.count = meet(work.rows.get(), rows, a, b, inside[b], by_channel(),
                                 work.met.get());
                if (!job.count && begin)
                    continue;
                job.offset = panel.group * depth + c;
                job.gradients = by_channel() ? places : work.gradients.get();
                job.sums = sums + i * some * width;
                job.add = begin > 0;
                if (by_channel())
                    micro.correlate_by_channel[panel.vectors - 1](job, panel.count);
                else
                    correlate(micro, job, panel.vectors, some, tiles,
                              std::max<ptrdiff_t>(first - i * tiles, 0),
                              std::min(last - i * tiles, tiles));
            }
        }
    }

    /* Whether each channel has its own filter: many of them are a panel then. */
    bool by_channel() const { return depth == 1 && filters == 1 && groups > 1; }

    /* Threads share the panels, the parts of their channels, and the tiles of all taps
     * if there are too few of these. */
    void run() const {
        const std::vector<Inside> found = inside();
        const ptrdiff_t width =
            (by_channel() ? MOST_CHANNEL_VECTORS : MOST_VECTORS) * micro.lanes;
        std::vector<Panel> panels;
        if (!by_channel())
            panels = panels_of(groups, filters, micro.lanes, 1);
        for (ptrdiff_t g = 0; by_channel() && g < groups; g += width) {
            const ptrdiff_t some = std::min(width, groups - g);
            panels.push_back({g, 0, some, (some + micro.lanes - 1) / micro.lanes, 0});
        }
        const ptrdiff_t n = parts((ptrdiff_t)panels.size());
        const ptrdiff_t count = (ptrdiff_t)panels.size() * n;
        const ptrdiff_t met = grid.rows.taps() * grid.columns.taps();
        const ptrdiff_t wanted = thread_limit() > 1 ? 2 * thread_limit() : 1;
        const ptrdiff_t tiles = std::max(
            ((depth - 1) / n + micro.channels) / micro.channels,
            std::min(depth / n, (wanted - 1) / (count * met) + 1));
        const ptrdiff_t m = std::min(met * tiles, (wanted + count - 1) / count);
        const ptrdiff_t all = images * grid.rows.count() * grid.columns.count();
        const ptrdiff_t size = (channels / n + 1) * taps * width;
        const Buffer<T> shared(m > 1 ? count * size : 0);
        const auto unpack = [&](ptrdiff_t k, T *sums) {
            const ptrdiff_t first = depth * (k % n) / n, end = depth * (k % n + 1) / n;
            copy_filters(micro, panels[k / n], filters, channels, taps, first,
                         std::min(end, channels), out, sums, true);
        };
        parallel_with_memory(count * m, GRAIN_PRODUCTS / (all * size / m + 1) + 1,
                             [&](ptrdiff_t begin, ptrdiff_t end) {
            const Workspace work(width, m > 1 ? 0 : size);
            for (ptrdiff_t i = begin, stop; i < end; i = stop) {
                const ptrdiff_t k = i / m, units = met * tiles;
                stop = std::min(end, (k + 1) * m);
                T *sums = m > 1 ? shared.get() + k * size : work.sums.get();
                compute(panels[k / n], depth * (k % n) / n, depth * (k % n + 1) / n,
                        tiles, units * (i - k * m) / m, units * (stop - k * m) / m,
                        work, found, sums);
                if (m == 1)
                    unpack(k, sums);
            }
        });
        for (ptrdiff_t k = 0; m > 1 && k < count; ++k)
            unpack(k, shared.get() + k * size);
    }
};

}  // namespace
}  // namespace chainer_fast::convolution

#endif
