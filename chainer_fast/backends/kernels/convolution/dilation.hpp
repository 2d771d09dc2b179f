/* Dilated convolutions as several that are not dilated.
 *
 * A position of a window that is dilated by d meets pixels whose places have the same
 * remainder by d. Without a stride, positions of the same remainder and the pixels that
 * they meet are separate images, whose pixels are d times as far apart. */
#ifndef CHAINER_FAST_CONVOLUTION_DILATION_HPP
#define CHAINER_FAST_CONVOLUTION_DILATION_HPP

#include "chainer_fast/backends/kernels/convolution/few_filters.hpp"

namespace chainer_fast::convolution {
namespace {

/* Positions of all images that are worth a part. */
constexpr ptrdiff_t LEAST_PLACES = 512;

/* One of the parts of a convolution, by the remainders of its positions along the axes
 * from `axis` on. */
template <typename T>
struct Part {
    Convolution c;
    Images<T> images, places;

    Part(const Convolution &whole, ptrdiff_t axis, ptrdiff_t number,
         const Images<T> &all_images, const Images<T> &all_places)
            : c(whole), images(all_images), places(all_places) {
        Window &w = c.w;
        for (ptrdiff_t j = axis; j < w.nd; ++j) {
            const ptrdiff_t d = w.dilate[j], r = number % d, pixel = r - w.pad[j];
            const ptrdiff_t first = (pixel % d + d) % d;
            number /= d;
            images.data += first * images.steps.axis[j];
            places.data += r * places.steps.axis[j];
            images.steps.axis[j] *= d;
            places.steps.axis[j] *= d;
            w.pad[j] = (first - pixel) / d;
            w.length[j] = (w.length[j] - first + d - 1) / d;
            w.outs[j] = (w.outs[j] - r + d - 1) / d;
            w.dilate[j] = 1;
        }
        complete(c);
    }
};

/* The number of parts by all axes from this one on, 1 if these are of no use. */
inline ptrdiff_t parts_from(const Convolution &c, ptrdiff_t axis) {
    const Window &w = c.w;
    ptrdiff_t parts = 1;
    for (; axis < w.nd; ++axis) {
        const ptrdiff_t d = w.dilate[axis];
        if (d > std::min(w.length[axis], w.outs[axis]) || (d > 1 && w.stride[axis] > 1))
            return 1;
        parts *= d;
    }
    return c.images * c.columns >= LEAST_PLACES * parts ? parts : 1;
}

/* Computes one of three arrays from the others, if that is faster in parts: where the
 * window of a part has its own code. */
template <typename T>
bool run_by_parts(Task task, const Convolution &c, const Images<T> &images, T *filters,
                  const Images<T> &places, const T *bias) {
    const ptrdiff_t last = c.w.nd - 1;
    const bool joined = parts_from(c, last) > 1 && c.channels <= FEW_CHANNELS
        && joins_taps(Part<T>(c, last, 0, images, places).c.w, c.groups, c.channels);
    const ptrdiff_t axis = joined ? last : 0, parts = parts_from(c, axis);
    if (parts == 1)
        return false;
    if (!joined) {
        const Convolution first = Part<T>(c, axis, 0, images, places).c;
        if (!has_few_filters(first) && !uses_winograd<T>(
                first, task == TRANSPOSE ? first.w.length : first.w.outs))
            return false;
    }
    const ptrdiff_t size = c.groups * c.filters * c.depth;
    const Buffer<T> side(task == CORRELATE ? size : 0);
    for (ptrdiff_t i = 0; i < parts; ++i) {
        const Part<T> part(c, axis, i, images, places);
        T *own = i && task == CORRELATE ? side.get() : filters;
        run_channels_last(task, part.c, part.images, own, part.places, bias);
        for (ptrdiff_t k = 0; own != filters && k < size; ++k)
            filters[k] += own[k];
    }
    return true;
}

}  // namespace
}  // namespace chainer_fast::convolution

#endif
