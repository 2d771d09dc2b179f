/* Convolutions of images in C order in which each channel has its own filters.
 *
 * A plane is copied with its padding. The pixels under an element of the window are then
 * a run of the copy, also from row to row, so that vectors run over planes of any width;
 * results between the rows are dropped. With a stride, pixels whose indices have the same
 * remainder are a part of the copy. */
#ifndef CHAINER_FAST_CONVOLUTION_PLANES_HPP
#define CHAINER_FAST_CONVOLUTION_PLANES_HPP

#include <cmath>

#include "chainer_fast/backends/kernels/convolution/pixels.hpp"
#include "chainer_fast/backends/kernels/convolution/tiles.hpp"

namespace chainer_fast::convolution {
namespace {

/* Approximate number of elements that are copied together. */
constexpr ptrdiff_t BATCH_SIZE = 2048;

/* Whether channels have their own filters, fewer than fill vectors. Small planes with
 * one filter are faster with channels last. */
inline bool has_own_filters(const Convolution &c) {
    return c.groups > 1 && c.channels == 1 && c.filters <= 16
        && (c.filters > 1 || c.w.plane >= 128);
}

/* Rows of a plane (`in`) and of its copy (`out`), with pixels that are `stride` apart
 * in the plane. */
struct Copied {
    struct Run { ptrdiff_t first, at, count; };
    Line rows = point();
    std::vector<Run> runs;
    ptrdiff_t stride = 1;
};

template <typename T>
struct Planes {
    const Micro<T> &micro;
    const Convolution &c;
    ptrdiff_t batch;                /* planes that are copied together */
    Copied pixels, places;
    std::vector<ptrdiff_t> taps;    /* offsets in the copy */
    ptrdiff_t size = 1;             /* elements of a plane in a part */
    ptrdiff_t part, parts = 1;      /* elements of a part, and their number */
    ptrdiff_t run = 1;              /* from the first place of a plane to the last */
    ptrdiff_t margin = 0;           /* the largest offset in a part */
    ptrdiff_t begin = 0, end = 1;   /* of the pixels of a plane in a part */

    /* Planes are some elements apart in images and in results. */
    Planes(const Micro<T> &micro, const Convolution &c, ptrdiff_t planes,
           ptrdiff_t images_step, ptrdiff_t results_step)
            : micro(micro), c(c) {
        const Window &w = c.w;
        const ptrdiff_t last = w.nd - 1;
        ptrdiff_t pitch[MAX_AXES], step[MAX_AXES], all = 1;
        for (ptrdiff_t j = last; j >= 0; --j) {
            const ptrdiff_t reach = (w.ksize[j] - 1) * w.dilate[j];
            pitch[j] = w.outs[j] + reach / w.stride[j];
            step[j] = size;
            size *= pitch[j];
            all *= std::min(w.stride[j], reach + 1);
        }
        batch = std::min(planes, BATCH_SIZE / (size * all) + 1);
        part = batch * size + micro.lanes;
        pixels.rows = line(batch, size, images_step);
        places.rows = line(batch, size, results_step);
        Line window = point();
        ptrdiff_t plane = w.plane, positions = c.columns;
        for (ptrdiff_t j = 0; j <= last; ++j) {
            const ptrdiff_t stride = w.stride[j], apart = parts * part;
            const ptrdiff_t reach = (w.ksize[j] - 1) * w.dilate[j];
            const auto offset = [&](ptrdiff_t x) {
                return x % stride * apart + x / stride * step[j];
            };
            Line elements = line(w.ksize[j], 0, 0), image = line(0, 0, 0);
            for (ptrdiff_t k = 0; k < w.ksize[j]; ++k)
                elements.out[k] = offset(k * w.dilate[j]);
            window = join(window, elements, 1);
            run += (w.outs[j] - 1) * step[j];
            margin += reach / stride * step[j];
            parts *= std::min(stride, reach + 1);
            plane /= w.length[j];
            positions /= w.outs[j];
            const ptrdiff_t first = w.pad[j];
            const ptrdiff_t stop = std::min(first + w.length[j], pitch[j] * stride);
            begin += first / stride * step[j];
            end += (stop - 1) / stride * step[j];
            if (j == last) {
                for (ptrdiff_t x = first; x < std::min(stop, first + stride); ++x)
                    if (x % stride <= reach)
                        pixels.runs.push_back(
                            {x - first, offset(x), (stop - 1 - x) / stride + 1});
                break;
            }
            for (ptrdiff_t x = first; x < stop; ++x)
                if (x % stride <= reach) {
                    image.out.push_back(offset(x));
                    image.in.push_back((x - first) * plane);
                }
            pixels.rows = join(pixels.rows, image, 1);
            places.rows = join(places.rows, line(w.outs[j], step[j], positions), 1);
        }
        taps = window.out;
        pixels.stride = w.stride[last];
        places.runs = {{0, 0, w.width}};
    }

    static Line line(ptrdiff_t n, ptrdiff_t out, ptrdiff_t in) {
        Line line = {{}, {0}, {}};
        for (ptrdiff_t i = 0; i < n; ++i) {
            line.out.push_back(i * out);
            line.in.push_back(i * in);
        }
        return line;
    }

    /* Memory for copies of planes, with zeros; vectors may exceed it. */
    Buffer<T> zeros(ptrdiff_t n) const {
        const ptrdiff_t size = n + MOST_CHANNEL_VECTORS * micro.lanes;
        Buffer<T> memory(size);
        memset(memory.get(), 0, size * sizeof(T));
        return memory;
    }

    void copy_in(const Copied &how, const T *planes, ptrdiff_t n, T *copy) const {
        for (const Copied::Run &run : how.runs)
            micro.copy_rows(planes + run.first, how.rows.in.data(), how.stride,
                            copy + run.at, how.rows.out.data(), 1,
                            how.rows.count() / batch * n, run.count);
    }

    void copy_out(const Copied &how, const T *copy, ptrdiff_t n, T *planes) const {
        for (const Copied::Run &run : how.runs)
            micro.copy_rows(copy + run.at, how.rows.out.data(), 1, planes + run.first,
                            how.rows.in.data(), how.stride,
                            how.rows.count() / batch * n, run.count);
    }

    ptrdiff_t grain() const {
        return GRAIN_PRODUCTS / (c.filters * c.w.taps * size) + 1;
    }

    void convolve(const T *images, const T *filters, T *results,
                  const T *bias) const {
        const ptrdiff_t count = c.w.taps;
        parallel_with_memory(c.images * c.groups, grain(),
                             [&](ptrdiff_t i, ptrdiff_t stop) {
            const Buffer<T> image = zeros(part * parts), sums = zeros(part);
            for (ptrdiff_t n; i < stop; i += n) {
                n = std::min(batch, stop - i);
                copy_in(pixels, images + i * c.w.plane, n, image.get());
                for (ptrdiff_t f = 0; f < c.filters; ++f) {
                    for (ptrdiff_t k = 0; k < n; ++k) {
                        const ptrdiff_t filter = (i + k) % c.groups * c.filters + f;
                        micro.sum_runs(image.get() + k * size, taps.data(),
                                       filters + filter * count, count,
                                       bias ? bias[filter] : 0,
                                       sums.get() + k * size, run);
                    }
                    copy_out(places, sums.get(), n,
                             results + (i * c.filters + f) * c.columns);
                }
            }
        });
    }

    /* Each part of an image has its own elements of the window. With a stride, images are
     * assembled in the cache. */
    void transpose(T *images, const T *filters, const T *results,
                   const T *bias) const {
        const ptrdiff_t count = c.filters * c.w.taps, copied = margin + part;
        ptrdiff_t seen = 0;
        for (const Copied::Run &run : pixels.runs)
            seen += pixels.rows.count() / batch * run.count;
        std::vector<ptrdiff_t> offsets, numbers, starts = {0};
        for (ptrdiff_t p = 0; p < parts; ++p) {
            for (ptrdiff_t t = 0; t < c.w.taps; ++t)
                for (ptrdiff_t f = 0; f < c.filters && taps[t] / part == p; ++f) {
                    offsets.push_back(f * copied + margin - taps[t] % part);
                    numbers.push_back(f * c.w.taps + t);
                }
            starts.push_back((ptrdiff_t)offsets.size());
        }
        parallel_with_memory(c.images * c.groups, grain(),
                             [&](ptrdiff_t i, ptrdiff_t stop) {
            const Buffer<T> gradients = zeros(c.filters * copied);
            const Buffer<T> sums = zeros(part * parts);
            const Buffer<T> weights(count), side(batch * c.w.plane);
            for (ptrdiff_t n; i < stop; i += n) {
                n = std::min(batch, stop - i);
                T *image = images + i * c.w.plane;
                T *to = pixels.stride > 1 ? side.get() : image;
                for (ptrdiff_t f = 0; f < c.filters; ++f)
                    copy_in(places, results + (i * c.filters + f) * c.columns, n,
                            gradients.get() + f * copied + margin);
                for (ptrdiff_t k = 0; k < n; ++k) {
                    const ptrdiff_t group = (i + k) % c.groups;
                    for (ptrdiff_t t = 0; t < count; ++t)
                        weights.get()[t] = filters[group * count + numbers[t]];
                    const T start = bias ? bias[group] : 0;
                    for (ptrdiff_t p = 0; p < parts; ++p)
                        micro.sum_runs(gradients.get() + k * size + begin,
                                       &offsets[starts[p]], weights.get() + starts[p],
                                       starts[p + 1] - starts[p], start,
                                       sums.get() + p * part + k * size + begin,
                                       end - begin);
                    if (seen < c.w.plane)
                        fill(to + k * c.w.plane, start, c.w.plane);
                }
                copy_out(pixels, sums.get(), n, to);
                if (to != image)
                    memcpy(image, to, n * c.w.plane * sizeof(T));
            }
        });
    }

    /* Returns whether all numbers are finite: zeros between the rows of gradients are
     * multiplied by pixels that do not meet them. */
    bool correlate(const T *images, const T *results, T *filters) const {
        const ptrdiff_t width = MOST_CHANNEL_VECTORS * micro.lanes;
        const ptrdiff_t blocks = (batch * size + width - 1) / width;
        const ptrdiff_t count = c.filters * c.w.taps;
        std::atomic<bool> finite(true);
        parallel_with_memory(c.groups, grain() / c.images + 1,
                             [&](ptrdiff_t group, ptrdiff_t stop) {
            const Buffer<T> image = zeros(part * parts);
            const Buffer<T> gradients = zeros(batch * size);
            const Buffer<T> sums(count * width);
            std::vector<Meeting<T>> met;
            for (ptrdiff_t offset : taps)
                for (ptrdiff_t k = 0; k < blocks; ++k)
                    met.push_back({image.get() + offset + k * width, k * width});
            for (; group < stop; ++group) {
                for (ptrdiff_t i = 0, n; i < c.images; i += n) {
                    n = std::min(batch, c.images - i);
                    const ptrdiff_t plane = i * c.groups + group;
                    copy_in(pixels, images + plane * c.w.plane, n, image.get());
                    memset(gradients.get() + n * size, 0,
                           (batch - n) * size * sizeof(T));
                    for (ptrdiff_t f = 0; f < c.filters; ++f) {
                        copy_in(places, results + (plane * c.filters + f) * c.columns, n,
                                gradients.get());
                        for (ptrdiff_t t = 0; t < c.w.taps; ++t)
                            micro.correlate_by_channel[MOST_CHANNEL_VECTORS - 1](
                                {&met[t * blocks], blocks, 0, gradients.get(),
                                 sums.get() + (f * c.w.taps + t) * width, i > 0}, width);
                    }
                }
                for (ptrdiff_t k = 0; k < count; ++k) {
                    const T sum = filters[group * count + k] =
                        row_sum(sums.get() + k * width, width);
                    if (!std::isfinite(sum))
                        finite = false;
                }
            }
        });
        return finite;
    }
};

/* Computes one of three arrays from the others; returns whether that was possible. */
template <typename T>
bool run_by_planes(Task task, const Convolution &c, T *images, T *filters, T *results,
                   const T *bias) {
    const ptrdiff_t apart = task == CORRELATE ? c.groups : 1;
    const Planes<T> planes(*find_micro<T>(), c, c.images * c.groups / apart,
                           apart * c.w.plane, apart * c.filters * c.columns);
    if (task == CORRELATE)
        return planes.correlate(images, results, filters);
    if (task == CONVOLVE)
        planes.convolve(images, filters, results, bias);
    else
        planes.transpose(images, filters, results, bias);
    return true;
}

}  // namespace
}  // namespace chainer_fast::convolution

#endif
