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
    ptrdiff_t first, end;                 /* channels to go through */
};

/* A loop whose channels are shared among threads: regions may overlap. Each of them may
 * have all pixels. */
template <auto LOOP>
struct Shared;

template <typename... Arguments, bool (*LOOP)(Task, Grid, Arguments...)>
struct Shared<LOOP> {
    static bool run(Task task, Grid g, Arguments... arguments) {
        const ptrdiff_t met = g.regions * (g.rows * g.columns + g.height * g.width);
        std::atomic<bool> good(true);
        parallel_with_memory(g.channels, GRAIN / (met + 1) + 1,
                             [&](ptrdiff_t first, ptrdiff_t end) {
            if (!LOOP(task, {g.regions, g.channels, g.height, g.width, g.rows,
                             g.columns, first, end}, arguments...))
                good = false;
        });
        return good;
    }
};

/* Calls `one(plane, bin, i, j)` with a plane of the image and the index of the bin, for
 * each bin in each channel. */
template <typename T, typename One>
CF_ELEMENT void each_bin(const Grid &g, T *x, One one) {
    const ptrdiff_t end = g.end, rows = g.rows, columns = g.columns;
    const ptrdiff_t size = g.height * g.width;
    ptrdiff_t bin = g.first * rows * columns;
    x += g.first * size;
    for (ptrdiff_t c = g.first; c < end; ++c, x += size)
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
    for (ptrdiff_t r = 0; r < g.regions; ++r)
        for (ptrdiff_t c = g.first; c < g.end; ++c) {
            T *gx = images + (numbers[r] * g.channels + c) * size;
            const ptrdiff_t first = (r * g.channels + c) * count;
            for (ptrdiff_t bin = first; bin < first + count; ++bin) {
                if (found[bin] >= size)
                    return false;
                if (found[bin] >= 0)
                    gx[found[bin]] += bins[bin];
            }
        }
    return true;
}

/* `empty` is for MAX alone, `found` for MAX and PUT, which needs no boxes. */
template <typename T>
bool all_cells(Task task, Grid g, const int64_t *numbers, const double *box, int extra,
               double empty, T *images, T *y, int32_t *found) {
    if (task == PUT)
        return cell_put(g, numbers, images, y, found);
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
        /* A loop for each task: one for all of them takes half as long again. */
        if (task == MAX)
            each_bin(g, x, [=](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
                of_bin[bin] = cell_max(plane, width, ys[i], xs[j], (T)empty,
                                       found + r * count + bin);
            });
        else if (task == MEAN)
            each_bin(g, x, [=](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
                of_bin[bin] = cell_mean(plane, width, ys[i], xs[j]);
            });
        else
            each_bin(g, x, [=](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
                cell_spread(of_bin[bin], width, ys[i], xs[j], [=](ptrdiff_t at, T v) {
                    plane[at] += v;
                });
            });
    }
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
    bool good = true;
    for (ptrdiff_t r = 0; good && r < g.regions; ++r, box += 4) {
        const Samples ys(box[0], box[2], g.rows, ratio_y, g.height);
        const Samples xs(box[1], box[3], g.columns, ratio_x, g.width);
        const double points = (double)ys.points * (double)xs.points;
        T *x = images + numbers[r] * g.channels * g.height * g.width;
        each_bin(g, x, [&](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
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
                sample_spread((double)y[bin], width, points, rows, columns, v, u, add);
            else if (found[bin] >= rows.length() * columns.length())
                good = false;
            else if (good && found[bin] >= 0)
                sample_put((double)y[bin], width, v.here[found[bin] / columns.length()],
                           u.here[found[bin] % columns.length()], add);
        });
    }
    return good;
}

constexpr Loop cells_loop = {Shared<all_cells<float>>::run,
                             Shared<all_cells<double>>::run};
constexpr Loop samples_loop = {Shared<all_samples<float>>::run,
                               Shared<all_samples<double>>::run};

}  // namespace
}  // namespace chainer_fast::roi
