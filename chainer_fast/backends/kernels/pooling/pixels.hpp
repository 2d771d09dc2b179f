/* Windows that pass over images that lie channels last: vectors of channels.
 *
 * What a place of the window meets, or a pixel is met by, is listed once for all
 * channels. Elements are visited in the order of the other loops, so results have the
 * same bits. Rows are shared among threads; none writes to what another one does.
 */
#ifndef CHAINER_FAST_POOLING_PIXELS_HPP
#define CHAINER_FAST_POOLING_PIXELS_HPP

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/_cpu/lanes.hpp"
#include "chainer_fast/backends/kernels/pooling/indexes.hpp"

namespace chainer_fast::pooling {
namespace {

/* A pixel on the other side, and the index in the window of the element that meets it. */
struct Met {
    ptrdiff_t pixel, index;
};

/* Lists the pixels of an image that place ``t`` of a row of results meets. */
inline ptrdiff_t met_by_place(const Window &w, const Plan &plan, ptrdiff_t row,
                              ptrdiff_t t, Met *met) {
    const int j = w.nd - 1;
    const ptrdiff_t start = t * w.s[j] - w.p[j];
    ptrdiff_t count = 0;
    for (ptrdiff_t i = plan.begin[row]; i < plan.begin[row + 1]; ++i)
        for (ptrdiff_t k = start < 0 ? -start : 0;
             k < w.k[j] && start + k < w.n[j]; ++k)
            met[count++] = {plan.partner[i].offset + start + k,
                            plan.partner[i].first + k};
    return count;
}

/* Lists the places that meet pixel ``x`` of a row of an image. */
inline ptrdiff_t places_of_pixel(const Window &w, const Plan &plan, ptrdiff_t row,
                                 ptrdiff_t x, Met *met) {
    const int j = w.nd - 1;
    const ptrdiff_t first = (x + w.p[j]) % w.s[j], last = (x + w.p[j]) / w.s[j];
    ptrdiff_t count = 0;
    for (ptrdiff_t i = plan.begin[row]; i < plan.begin[row + 1]; ++i)
        for (ptrdiff_t k = first, t = last; k < w.k[j] && t >= 0; k += w.s[j], --t)
            if (t < w.out[j])
                met[count++] = {plan.partner[i].offset + t, plan.partner[i].first + k};
    return count;
}

/* One pixel of results, from channel c on; ``x`` is the first pixel of the image. */
template <typename T>
CF_ELEMENT void max_of_any(const T *x, const Met *met, ptrdiff_t count,
                           ptrdiff_t channels, ptrdiff_t c, T *y, int64_t *indexes) {
    for (; c < channels; ++c) {
        y[c] = (T)-infinity();
        indexes[c] = 0;
        for (ptrdiff_t i = 0; i < count; ++i) {
            const T seen = x[met[i].pixel * channels + c];
            if (exceeds(seen, y[c])) {
                y[c] = seen;
                indexes[c] = met[i].index;
            }
        }
    }
}

/* The same for all channels, if no element of whole vectors is NaN, so that one
 * comparison will do. Returns whether there is a NaN after all. */
template <typename T>
CF_CLONES bool max_of_numbers(const T *x, const Met *met, ptrdiff_t count,
                              ptrdiff_t channels, T *y, int64_t *indexes) {
    typedef typename Lanes<T>::type V;
    typedef typename Lanes<T, Index<T>>::type At;
    constexpr ptrdiff_t N = Lanes<T>::COUNT;
    At none = At();
    ptrdiff_t c = 0;
    for (; c + N <= channels; c += N) {
        V best = V() - (T)infinity();
        At at = At();
        for (ptrdiff_t i = 0; i < count; ++i) {
            const V seen = lanes_at<V>(x + met[i].pixel * channels + c);
            const auto more = seen > best;
            best = chosen(more, seen, best);
            at = chosen(more, (Index<T>)met[i].index, at);
            none |= seen != seen;
        }
        put_lanes(y + c, best);
        put_lanes(indexes + c, at);
    }
    Index<T> each[N], found = 0;
    put_lanes(each, none);
    for (ptrdiff_t i = 0; i < N; ++i)
        found |= each[i];
    max_of_any(x, met, count, channels, c, y, indexes);
    return found != 0;
}

/* Sums of so many vectors side by side, from channel c on. */
template <int VECTORS, typename T>
CF_ELEMENT void sum_of_vectors(const T *x, const Met *met, ptrdiff_t count,
                               ptrdiff_t channels, ptrdiff_t c, T *y, T divisor) {
    typedef typename Lanes<T>::type V;
    constexpr ptrdiff_t N = Lanes<T>::COUNT;
    V sums[VECTORS] = {};
    for (ptrdiff_t i = 0; i < count; ++i) {
        const T *seen = x + met[i].pixel * channels + c;
        CF_UNROLL(4) for (int v = 0; v < VECTORS; ++v)
            sums[v] += lanes_at<V>(seen + v * N);
    }
    CF_UNROLL(4) for (int v = 0; v < VECTORS; ++v)
        put_lanes(y + c + v * N, divisor != 1 ? sums[v] / divisor : sums[v]);
}

template <typename T>
CF_CLONES void sum_of_pixels(const T *x, const Met *met, ptrdiff_t count,
                             ptrdiff_t channels, T *y, T divisor) {
    constexpr ptrdiff_t N = Lanes<T>::COUNT;
    ptrdiff_t c = 0;
    for (; c + 4 * N <= channels; c += 4 * N)
        sum_of_vectors<4>(x, met, count, channels, c, y, divisor);
    for (; c + N <= channels; c += N)
        sum_of_vectors<1>(x, met, count, channels, c, y, divisor);
    for (; c < channels; ++c) {
        T sum = 0;
        for (ptrdiff_t i = 0; i < count; ++i)
            sum += x[met[i].pixel * channels + c];
        y[c] = divisor != 1 ? sum / divisor : sum;
    }
}

template <typename T>
CF_CLONES void put_on_pixel(const T *gy, const int64_t *indexes, const Met *met,
                            ptrdiff_t count, ptrdiff_t channels, T *gx) {
    typedef typename Lanes<T>::type V;
    typedef typename Lanes<T, Index<T>>::type At;
    ptrdiff_t c = 0;
    for (; c + Lanes<T>::COUNT <= channels; c += Lanes<T>::COUNT) {
        V sum = V();
        for (ptrdiff_t i = 0; i < count; ++i) {
            const ptrdiff_t from = met[i].pixel * channels + c;
            sum += chosen(lanes_at<At>(indexes + from) == (Index<T>)met[i].index,
                          lanes_at<V>(gy + from), V());
        }
        put_lanes(gx + c, sum);
    }
    for (; c < channels; ++c) {
        T sum = 0;
        for (ptrdiff_t i = 0; i < count; ++i) {
            const ptrdiff_t from = met[i].pixel * channels + c;
            sum += indexes[from] == met[i].index ? gy[from] : 0;
        }
        gx[c] = sum;
    }
}

/* Calls f(image, pixel, list, its length) for each pixel of the results, or of the images
 * with ``of_images``; the list contains what it meets. */
template <typename F>
void each_pixel(const Window &w, bool of_images, const F &f) {
    const int j = w.nd - 1;
    const ptrdiff_t width = of_images ? w.n[j] : w.out[j], size = product(w.k, w.nd);
    const Plan plan(w, of_images);
    const ptrdiff_t in_row =
        w.channels * (width + size * product(w.out, w.nd) / plan.rows);
    parallel_with_memory(w.images * plan.rows, GRAIN / in_row + 1,
                         [&](ptrdiff_t begin, ptrdiff_t end) {
        const auto met = buffer<Met>(size);
        for (ptrdiff_t i = begin; i < end; ++i) {
            const ptrdiff_t image = i / plan.rows, row = i % plan.rows;
            for (ptrdiff_t t = 0; t < width; ++t) {
                const ptrdiff_t count = of_images
                    ? places_of_pixel(w, plan, row, t, met.get())
                    : met_by_place(w, plan, row, t, met.get());
                f(image, row * width + t, met.get(), count);
            }
        }
    });
}

/* Whether all of n numbers are indexes of ``count`` elements. */
CF_CLONES inline bool are_indexes(const int64_t *indexes, ptrdiff_t n, int64_t count) {
    int64_t bad = 0;
    for (ptrdiff_t i = 0; i < n; ++i)
        bad |= (indexes[i] < 0) | (indexes[i] >= count);
    return bad == 0;
}

/* -- images in either order, of either type */

template <typename T>
void any_max_pool(const Window *w, const T *x, T *y, int64_t *indexes) {
    if (!w->last)
        return max_pool(*w, x, y, indexes);
    const ptrdiff_t length = product(w->n, w->nd), size = product(w->out, w->nd);
    const ptrdiff_t channels = w->channels;
    each_pixel(*w, false, [=](
            ptrdiff_t image, ptrdiff_t pixel, const Met *met, ptrdiff_t count) {
        const ptrdiff_t to = (image * size + pixel) * channels;
        const T *first = x + image * length * channels;
        if (max_of_numbers(first, met, count, channels, y + to, indexes + to))
            max_of_any(first, met, count, channels, 0, y + to, indexes + to);
    });
}

/* Sums over windows, or with ``of_images`` their adjoint. */
template <typename T>
void any_sum_pool(const Window *w, bool of_images, const T *x, T *y, double divisor) {
    if (!w->last)
        return sum_pool(*w, of_images, x, y, divisor);
    ptrdiff_t length = product(w->n, w->nd), size = product(w->out, w->nd);
    const ptrdiff_t channels = w->channels;
    if (of_images)
        std::swap(length, size);
    each_pixel(*w, of_images, [=](
            ptrdiff_t image, ptrdiff_t pixel, const Met *met, ptrdiff_t count) {
        sum_of_pixels(x + image * length * channels, met, count, channels,
                      y + (image * size + pixel) * channels, (T)divisor);
    });
}

/* Returns whether all are indexes of a window's elements. */
template <typename T>
bool any_put(const Window *w, const T *gy, const int64_t *indexes, T *gx) {
    if (!w->last)
        return put(*w, gy, indexes, gx);
    const ptrdiff_t length = product(w->n, w->nd), channels = w->channels;
    const ptrdiff_t given = product(w->out, w->nd) * channels;     /* of an image */
    if (!are_indexes(indexes, w->images * given, product(w->k, w->nd)))
        return false;
    each_pixel(*w, true, [=](
            ptrdiff_t image, ptrdiff_t pixel, const Met *met, ptrdiff_t count) {
        put_on_pixel(gy + image * given, indexes + image * given, met, count, channels,
                     gx + (image * length + pixel) * channels);
    });
    return true;
}

constexpr Loop max_pool_loop = {any_max_pool<float>, any_max_pool<double>};
constexpr Loop sum_pool_loop = {any_sum_pool<float>, any_sum_pool<double>};
constexpr Loop put_loop = {any_put<float>, any_put<double>};
constexpr Loop pick_loop = {pick<float>, pick<double>};

}  // namespace
}  // namespace chainer_fast::pooling

#endif
