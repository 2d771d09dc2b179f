/* Regions of interest: the bins of one region, in all channels of its image. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <memory>

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/_cpu/buffer.hpp"
#include "chainer_fast/backends/kernels/roi/elements.hpp"

namespace chainer_fast::roi {
namespace {

/* The tasks for the bins of a region. */
enum Task { MAX, PUT, MEAN, SPREAD };

struct Grid {
    ptrdiff_t regions, channels, height, width;
    ptrdiff_t rows, columns;              /* bins */
};

/* Calls f(first, end) for parts of the channels: regions may overlap. Each of them may
 * have all pixels. */
template <typename F>
void share_channels(const Grid &g, const F &f) {
    const ptrdiff_t met = g.regions * (g.rows * g.columns + g.height * g.width);
    parallel_with_memory(g.channels, GRAIN / (met + 1) + 1, f);
}

/* Calls `one(plane, bin, i, j)` with a plane of the image and the index of the bin, for
 * each bin in each channel from `c` to before `end`. */
template <typename T, typename One>
CF_ELEMENT void each_bin(const Grid &g, ptrdiff_t c, ptrdiff_t end, T *x, One one) {
    const ptrdiff_t rows = g.rows, columns = g.columns;
    const ptrdiff_t size = g.height * g.width;
    ptrdiff_t bin = c * rows * columns;
    for (x += c * size; c < end; ++c, x += size)
        for (ptrdiff_t i = 0; i < rows; ++i)
            for (ptrdiff_t j = 0; j < columns; ++j)
                one(x, bin++, i, j);
}

/* -- pixels */

/* The gradient of MAX. Loops return false if PUT gets the number of a missing
 * sample. */
template <typename T>
bool cell_put(const Grid &g, const int64_t *numbers, T *images, const T *bins,
              const int32_t *found) {
    const ptrdiff_t size = g.height * g.width, count = g.rows * g.columns;
    std::atomic<bool> good(true);
    share_channels(g, [&](ptrdiff_t first, ptrdiff_t end) {
        for (ptrdiff_t r = 0; r < g.regions; ++r)
            for (ptrdiff_t c = first; c < end; ++c) {
                T *gx = images + (numbers[r] * g.channels + c) * size;
                ptrdiff_t bin = (r * g.channels + c) * count;
                for (const ptrdiff_t last = bin + count; bin < last; ++bin)
                    if (found[bin] >= size)
                        good = false;
                    else if (found[bin] >= 0)
                        gx[found[bin]] += bins[bin];
            }
    });
    return good;
}

/* The channels from `begin` to before `end`. `empty` and `found` are for MAX alone. */
template <typename T>
void some_cells(Task task, const Grid &g, const int64_t *numbers, const double *box,
                int extra, double empty, T *images, T *y, int32_t *found,
                ptrdiff_t begin, ptrdiff_t end) {
    const ptrdiff_t width = g.width, count = g.channels * g.rows * g.columns;
    const auto cells = buffer<Span>(g.rows + g.columns);
    Span *ys = cells.get(), *xs = ys + g.rows;
    for (ptrdiff_t r = 0; r < g.regions; ++r, box += 4) {
        for (ptrdiff_t i = 0; i < g.rows; ++i)
            ys[i] = cell_at(box[0], box[2], extra, i, g.rows, g.height);
        for (ptrdiff_t j = 0; j < g.columns; ++j)
            xs[j] = cell_at(box[1], box[3], extra, j, g.columns, g.width);
        T *x = images + numbers[r] * g.channels * g.height * g.width;
        T *of_bin = y + r * count;
        const auto each = [&](auto one) { each_bin(g, begin, end, x, one); };
        /* A loop for each task: one for all of them takes half as long again. */
        if (task == MAX)
            each([=](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
                of_bin[bin] = cell_max(plane, width, ys[i], xs[j], (T)empty,
                                       found + r * count + bin);
            });
        else if (task == MEAN)
            each([=](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
                of_bin[bin] = cell_mean(plane, width, ys[i], xs[j]);
            });
        else
            each([=](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
                cell_spread(of_bin[bin], width, ys[i], xs[j], [=](ptrdiff_t at, T v) {
                    plane[at] += v;
                });
            });
    }
}

/* PUT needs no boxes. */
template <typename T>
bool all_cells(Task task, Grid g, const int64_t *numbers, const double *box, int extra,
               double empty, T *images, T *y, int32_t *found) {
    if (task == PUT)
        return cell_put(g, numbers, images, y, found);
    share_channels(g, [&](ptrdiff_t begin, ptrdiff_t end) {
        some_cells(task, g, numbers, box, extra, empty, images, y, found, begin, end);
    });
    return true;
}

/* -- samples */

/* Samples of all bins along an axis. */
struct Samples {
    ptrdiff_t points;         /* in each bin */
    ptrdiff_t pitch;          /* from the samples of a bin to those of the next */
    std::unique_ptr<Span[]> in_use;
    std::unique_ptr<Sample[]> all;

    Samples(double low, double high, ptrdiff_t bins, ptrdiff_t ratio, ptrdiff_t size) {
        const double step = bin_step(low, high, bins);
        points = points_in_bin(step, ratio);
        pitch = 0;
        in_use = buffer<Span>(bins);
        for (ptrdiff_t i = 0; i < bins; ++i) {
            in_use[i] = samples_in_use(low, step, i, points, size);
            pitch = std::max(pitch, in_use[i].length());
        }
        all = buffer<Sample>(bins, pitch);
        for (ptrdiff_t i = 0; i < bins; ++i) {
            const Span some = in_use[i];
            for (ptrdiff_t s = some.first; s < some.end; ++s)
                all[i * pitch + s - some.first] =
                    sample_at(low, step, i, s, points, size);
        }
    }
};

/* The samples of a bin, by number. */
struct SamplesOfBin {
    const Sample *here;
    ptrdiff_t first;

    SamplesOfBin(const Samples &samples, ptrdiff_t bin)
        : here(samples.all.get() + bin * samples.pitch),
          first(samples.in_use[bin].first) {}

    const Sample &operator()(ptrdiff_t s) const {
        return here[s - first];
    }
};

/* `found` is for MAX and PUT alone. */
template <typename T>
bool all_samples(Task task, Grid g, const int64_t *numbers, const double *box,
                 ptrdiff_t ratio_y, ptrdiff_t ratio_x, T *images, T *y,
                 int32_t *found) {
    const ptrdiff_t width = g.width, count = g.channels * g.rows * g.columns;
    std::atomic<bool> all_good(true);
    share_channels(g, [&](ptrdiff_t begin, ptrdiff_t end) {
        bool good = true;
        const double *corners = box;
        for (ptrdiff_t r = 0; r < g.regions; ++r, corners += 4) {
            const Samples ys(corners[0], corners[2], g.rows, ratio_y, g.height);
            const Samples xs(corners[1], corners[3], g.columns, ratio_x, g.width);
            const double points = (double)ys.points * (double)xs.points;
            T *x = images + numbers[r] * g.channels * g.height * g.width;
            each_bin(g, begin, end, x, [&](T *plane, ptrdiff_t bin, ptrdiff_t i,
                                           ptrdiff_t j) {
                const Span rows = ys.in_use[i], columns = xs.in_use[j];
                const SamplesOfBin v(ys, i), u(xs, j);
                const auto add = [=](ptrdiff_t at, double value) {
                    plane[at] = (T)((double)plane[at] + value);
                };
                bin += r * count;
                if (task == MAX)
                    y[bin] = sample_max(plane, width, rows, columns, v, u, found + bin);
                else if (task == MEAN)
                    y[bin] = sample_mean(plane, width, points, rows, columns, v, u);
                else if (task == SPREAD)
                    sample_spread((double)y[bin], width, points, rows, columns, v, u,
                                  add);
                else if (found[bin] >= rows.length() * columns.length())
                    good = false;
                else if (found[bin] >= 0)
                    sample_put((double)y[bin], width,
                               v.here[found[bin] / columns.length()],
                               u.here[found[bin] % columns.length()], add);
            });
        }
        if (!good)
            all_good = false;
    });
    return all_good;
}

constexpr Loop cells_loop = {all_cells<float>, all_cells<double>};
constexpr Loop samples_loop = {all_samples<float>, all_samples<double>};

}  // namespace
}  // namespace chainer_fast::roi
