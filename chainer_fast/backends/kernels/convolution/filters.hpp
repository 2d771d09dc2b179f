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

/* Runs a job for a number of channels, in tiles. */
template <typename T>
void correlate(const Micro<T> &micro, const Correlation<T> &job, ptrdiff_t vectors,
               ptrdiff_t channels) {
    const ptrdiff_t tiles = (channels + micro.channels - 1) / micro.channels;
    for (ptrdiff_t k = 0; k < tiles; ++k) {
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
            const ptrdiff_t first = rows[i].first, n = rows[i].last - first;
            if (packed) {
                memcpy(to, rows[i].place + line.out[first] + channel,
                       n * width * sizeof(T));
                to += n * width;
                continue;
            }
            for (ptrdiff_t c = first; c < first + n; ++c, to += width) {
                const T *from = rows[i].place + line.out[c] + channel;
                memcpy(to, from, panel.count * sizeof(T));
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

    /* Some of the channels of a panel. */
    struct Part {
        const Panel &panel;
        ptrdiff_t first, end;
    };

    /* The gradients of a part for taps from `tap` to before `last`. */
    void compute(const Part &part, ptrdiff_t tap, ptrdiff_t last, const Workspace &work,
                 const std::vector<Inside> &inside, T *sums) const {
        const Panel &panel = part.panel;
        const ptrdiff_t width = panel.vectors * micro.lanes, some = part.end - part.first;
        const ptrdiff_t all = images * grid.rows.count() * grid.columns.count();
        const ptrdiff_t column_taps = grid.columns.taps();
        for (ptrdiff_t begin = 0; begin < all; begin += BLOCK_PLACES) {
            const ptrdiff_t rows = cut(work.rows.get(), begin,
                                       std::min(begin + BLOCK_PLACES, all));
            pack(work.rows.get(), rows, panel, work.gradients.get());
            for (ptrdiff_t t = tap; t < last; ++t) {
                const ptrdiff_t b = t % column_taps;
                Correlation<T> job;
                job.pixels = work.met.get();
                job.count = meet(work.rows.get(), rows, t / column_taps, b, inside[b],
                                 false, work.met.get());
                if (!job.count && begin)
                    continue;
                job.offset = panel.group * depth + part.first;
                job.gradients = work.gradients.get();
                job.sums = sums + t * some * width;
                job.add = begin > 0;
                correlate(micro, job, panel.vectors, some);
            }
        }
    }

    void unpack(const Part &part, const T *sums) const {
        const ptrdiff_t end = depth == channels ? part.end : channels;
        unpack_filters(micro, part.panel, filters, channels, taps, part.first, end, sums,
                       out);
    }

    /* The number of parts into which threads divide the taps of one of so many parts. */
    static ptrdiff_t parts_by_taps(ptrdiff_t count, ptrdiff_t met) {
        const ptrdiff_t wanted = thread_limit() > 1 ? 2 * thread_limit() : 1;
        return std::min(met, (wanted + count - 1) / count);
    }

    /* Threads share the panels, the parts of their channels, and the taps if there are
     * too few of these. */
    void run() const {
        if (depth == 1 && filters == 1 && groups > 1) {
            run_by_channel();
            return;
        }
        const std::vector<Inside> found = inside();
        const std::vector<Panel> panels = panels_of(groups, filters, micro.lanes, 1);
        const ptrdiff_t n = parts((ptrdiff_t)panels.size());
        const ptrdiff_t count = (ptrdiff_t)panels.size() * n;
        const ptrdiff_t met = grid.rows.taps() * grid.columns.taps();
        const ptrdiff_t m = parts_by_taps(count, met);
        const ptrdiff_t width = MOST_VECTORS * micro.lanes;
        const ptrdiff_t all = images * grid.rows.count() * grid.columns.count();
        const ptrdiff_t size = (channels / n + 1) * taps * width;
        const Buffer<T> joined(m > 1 ? count * size : 0);
        const auto part = [&](ptrdiff_t i) {
            return Part{panels[i / n], depth * (i % n) / n, depth * (i % n + 1) / n};
        };
        parallel_with_memory(count * m,
                             GRAIN_PRODUCTS / (all * size / m + 1) + 1,
                             [&](ptrdiff_t begin, ptrdiff_t end) {
            const Workspace work(width, m > 1 ? 0 : size);
            for (ptrdiff_t i = begin; i < end; ++i) {
                const ptrdiff_t k = i / m;
                T *sums = m > 1 ? joined.get() + k * size : work.sums.get();
                compute(part(k), met * (i % m) / m, met * (i % m + 1) / m, work, found,
                        sums);
                if (m == 1)
                    unpack(part(k), sums);
            }
        });
        if (m > 1)
            parallel(count, GRAIN_COPIES / size + 1, [&](ptrdiff_t k, ptrdiff_t end) {
                for (; k < end; ++k)
                    unpack(part(k), joined.get() + k * size);
            });
    }

    /* Each channel has its own filter. */
    void run_by_channel() const {
        const std::vector<Inside> found = inside();
        const ptrdiff_t most = MOST_CHANNEL_VECTORS * micro.lanes;
        const ptrdiff_t all = images * grid.rows.count() * grid.columns.count();
        const ptrdiff_t column_taps = grid.columns.taps();
        const ptrdiff_t parts = (groups + most - 1) / most, m = parts_by_taps(parts, taps);
        parallel_with_memory(parts * m, GRAIN_PRODUCTS / (all * taps * most / m + 1) + 1,
                             [&](ptrdiff_t i, ptrdiff_t stop) {
            const Workspace work(0, taps * most);
            T *sums = work.sums.get();
            for (; i < stop; ++i) {
                const ptrdiff_t part = i / m, n = std::min(most, groups - part * most);
                const ptrdiff_t first = taps * (i % m) / m, last = taps * (i % m + 1) / m;
                const ptrdiff_t vectors = (n + micro.lanes - 1) / micro.lanes;
                for (ptrdiff_t begin = 0; begin < all; begin += BLOCK_PLACES) {
                    const ptrdiff_t rows = cut(work.rows.get(), begin,
                                               std::min(begin + BLOCK_PLACES, all));
                    for (ptrdiff_t t = first; t < last; ++t) {
                        Correlation<T> job;
                        job.pixels = work.met.get();
                        job.count = meet(
                            work.rows.get(), rows, t / column_taps, t % column_taps,
                            found[t % column_taps], true, work.met.get());
                        job.offset = part * most;
                        job.gradients = places;
                        job.sums = sums + t * most;
                        job.add = begin > 0;
                        micro.correlate_by_channel[vectors - 1](job, n);
                    }
                }
                for (ptrdiff_t c = 0; c < n; ++c)
                    for (ptrdiff_t t = first; t < last; ++t)
                        out[(part * most + c) * taps + t] = sums[t * most + c];
            }
        });
    }
};

}  // namespace
}  // namespace chainer_fast::convolution

#endif
