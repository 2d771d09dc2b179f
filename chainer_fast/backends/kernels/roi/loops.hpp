/* Regions of interest: the bins of one region, in all channels of its image. */
#ifndef CHAINER_FAST_ROI_LOOPS_HPP
#define CHAINER_FAST_ROI_LOOPS_HPP

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <memory>

#include "chainer_fast/backends/kernels/common/room.hpp"
#include "chainer_fast/backends/kernels/roi/elements.hpp"

namespace chainer_fast {
namespace {

/* The tasks for the bins of a region. */
enum Task { MAX, PUT, MEAN, SPREAD };

/* The outcome of a task. */
enum Done { NO_SUCH_SAMPLE, DONE, NO_MEMORY };

struct Grid {
    ptrdiff_t channels, height, width;
    ptrdiff_t rows, columns;              /* bins */
};

/* Calls `one(plane, bin, i, j)` with a plane of the image and the index of the bin, for
 * each bin in each channel. */
template <typename T, typename One>
CF_ELEMENT void each_bin(const Grid &g, T *x, One one) {
    const ptrdiff_t channels = g.channels, rows = g.rows, columns = g.columns;
    const ptrdiff_t size = g.height * g.width;
    ptrdiff_t bin = 0;
    for (ptrdiff_t c = 0; c < channels; ++c, x += size)
        for (ptrdiff_t i = 0; i < rows; ++i)
            for (ptrdiff_t j = 0; j < columns; ++j)
                one(x, bin++, i, j);
}

/* -- pixels */

template <typename T>
void on_cells(Task task, const Grid &g, const Cell *ys, const Cell *xs, T empty, T *x,
              T *y, int32_t *found) {
    const ptrdiff_t width = g.width;
    if (task == MAX)
        each_bin(g, x, [=](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
            y[bin] = cell_max(plane, width, ys[i], xs[j], empty, found + bin);
        });
    else if (task == MEAN)
        each_bin(g, x, [=](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
            y[bin] = cell_mean(plane, width, ys[i], xs[j]);
        });
    else
        each_bin(g, x, [=](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
            cell_spread(y[bin], width, ys[i], xs[j], [=](ptrdiff_t at, T value) {
                plane[at] += value;
            });
        });
}

/* `empty` is for MAX alone, and so is `found`. */
template <typename T>
Done all_cells(Task task, const Grid &g, ptrdiff_t regions, const int64_t *numbers,
               const double *box, int extra, double empty, T *images, T *bins,
               int32_t *found) {
    const ptrdiff_t size = g.channels * g.height * g.width;
    const ptrdiff_t count = g.channels * g.rows * g.columns;
    const auto ys = room<Cell>(g.rows + g.columns);
    Cell *xs = ys.get() + g.rows;
    if (!ys)
        return NO_MEMORY;
    for (ptrdiff_t r = 0; r < regions; ++r, box += 4) {
        for (ptrdiff_t i = 0; i < g.rows; ++i)
            ys[i] = cell_at(box[0], box[2], extra, i, g.rows, g.height);
        for (ptrdiff_t j = 0; j < g.columns; ++j)
            xs[j] = cell_at(box[1], box[3], extra, j, g.columns, g.width);
        on_cells(task, g, ys.get(), xs, (T)empty, images + numbers[r] * size,
                 bins + r * count, found ? found + r * count : found);
    }
    return DONE;
}

/* The gradient of MAX. */
template <typename T>
Done cell_put(const Grid &g, ptrdiff_t regions, const int64_t *numbers, T *images,
              const T *bins, const int32_t *found) {
    const ptrdiff_t size = g.height * g.width, count = g.rows * g.columns;
    for (ptrdiff_t r = 0; r < regions; ++r) {
        T *gx = images + numbers[r] * g.channels * size;
        for (ptrdiff_t c = 0; c < g.channels; ++c, gx += size)
            for (ptrdiff_t i = 0; i < count; ++i, ++found, ++bins) {
                if (*found >= size)
                    return NO_SUCH_SAMPLE;
                if (*found >= 0)
                    gx[*found] += *bins;
            }
    }
    return DONE;
}

/* -- samples */

/* Samples of all bins along an axis. */
struct Samples {
    ptrdiff_t points;         /* in each bin */
    ptrdiff_t pitch;          /* from the samples of a bin to those of the next */
    std::unique_ptr<Span[]> in_use;
    std::unique_ptr<Sample[]> all;

    /* Returns whether there was memory. */
    bool find(double low, double high, ptrdiff_t bins, ptrdiff_t ratio,
              ptrdiff_t size) {
        const double step = bin_step(low, high, bins);
        points = points_in_bin(step, ratio);
        pitch = 0;
        in_use = room<Span>(bins);
        if (!in_use)
            return false;
        for (ptrdiff_t i = 0; i < bins; ++i) {
            in_use[i] = samples_in_use(low, step, i, points, size);
            pitch = std::max(pitch, in_use[i].length());
        }
        all = room<Sample>(bins, pitch);
        if (!all)
            return false;
        for (ptrdiff_t i = 0; i < bins; ++i) {
            const Span some = in_use[i];
            for (ptrdiff_t s = some.first; s < some.end; ++s)
                all[i * pitch + s - some.first] =
                    sample_at(low, step, i, s, points, size);
        }
        return true;
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

/* Returns whether all samples exist that are asked for. */
template <typename T>
bool on_samples(Task task, const Grid &g, const Samples &ys, const Samples &xs, T *x,
                T *y, int32_t *found) {
    const double points = (double)ys.points * (double)xs.points;
    const ptrdiff_t width = g.width;
    bool good = true;
    const auto adder = [](T *plane) {
        return [=](ptrdiff_t at, double value) {
            plane[at] = (T)((double)plane[at] + value);
        };
    };
    if (task == MAX)
        each_bin(g, x, [&](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
            y[bin] = sample_max(plane, width, ys.in_use[i], xs.in_use[j],
                                SamplesOfBin(ys, i), SamplesOfBin(xs, j), found + bin);
        });
    else if (task == MEAN)
        each_bin(g, x, [&](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
            y[bin] = sample_mean(plane, width, points, ys.in_use[i], xs.in_use[j],
                                 SamplesOfBin(ys, i), SamplesOfBin(xs, j));
        });
    else if (task == SPREAD)
        each_bin(g, x, [&](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
            sample_spread((double)y[bin], width, points, ys.in_use[i], xs.in_use[j],
                          SamplesOfBin(ys, i), SamplesOfBin(xs, j), adder(plane));
        });
    else
        each_bin(g, x, [&](T *plane, ptrdiff_t bin, ptrdiff_t i, ptrdiff_t j) {
            const ptrdiff_t at = found[bin], columns = xs.in_use[j].length();
            if (at >= ys.in_use[i].length() * columns)
                good = false;
            else if (good && at >= 0)
                sample_put((double)y[bin], width,
                           SamplesOfBin(ys, i).here[at / columns],
                           SamplesOfBin(xs, j).here[at % columns], adder(plane));
        });
    return good;
}

/* `found` is for MAX and PUT alone. */
template <typename T>
Done all_samples(Task task, const Grid &g, ptrdiff_t regions, const int64_t *numbers,
                 const double *box, ptrdiff_t ratio_y, ptrdiff_t ratio_x, T *images,
                 T *bins, int32_t *found) {
    const ptrdiff_t size = g.channels * g.height * g.width;
    const ptrdiff_t count = g.channels * g.rows * g.columns;
    Samples ys, xs;
    for (ptrdiff_t r = 0; r < regions; ++r, box += 4) {
        if (!ys.find(box[0], box[2], g.rows, ratio_y, g.height)
                || !xs.find(box[1], box[3], g.columns, ratio_x, g.width))
            return NO_MEMORY;
        if (!on_samples(task, g, ys, xs, images + numbers[r] * size, bins + r * count,
                        found ? found + r * count : found))
            return NO_SUCH_SAMPLE;
    }
    return DONE;
}

}  // namespace
}  // namespace chainer_fast

#endif
