/* Loops of local response normalization. */
#ifndef CHAINER_FAST_NORMALIZATION_RESPONSE_LOOPS_HPP
#define CHAINER_FAST_NORMALIZATION_RESPONSE_LOOPS_HPP

#include "chainer_fast/backends/kernels/normalization/pixel_loops.hpp"

namespace chainer_fast::normalization {
namespace {

/* Positions along the inner axis that are processed together. */
constexpr ptrdiff_t STRIP = 128;

/* Elements that are processed together: some pixels with contiguous channels, or some
 * positions in the planes of all channels. Contiguous elements form a line; channels
 * are `step` apart among the terms that windows sum. */
struct Strip {
    ptrdiff_t pixels;           /* each of which is a line */
    ptrdiff_t lines, apart;     /* of a pixel */
    ptrdiff_t width, step;
};

/* Sums the channels in a window. The terms have zeros on both sides, so that the
 * window is the same everywhere; adding zeros changes no bit. */
template <typename T>
CF_ELEMENT void window_sums(const T *terms, T *sums, ptrdiff_t n, ptrdiff_t half,
                            ptrdiff_t step) {
    typedef typename Lanes<T>::type V;
    constexpr ptrdiff_t N = Lanes<T>::COUNT;
    const ptrdiff_t end = (2 * half + 1) * step;
    ptrdiff_t j = 0;
    for (; j + N <= n; j += N) {
        V sum = V();
        for (ptrdiff_t d = 0; d < end; d += step)
            sum += lanes_at<V>(terms + d + j);
        put_lanes(sums + j, sum);
    }
    for (; j < n; ++j) {
        T sum = 0;
        for (ptrdiff_t d = 0; d < end; d += step)
            sum += terms[d + j];
        sums[j] = sum;
    }
}

template <typename T>
CF_ELEMENT void set_margins(T *terms, const Strip &s, ptrdiff_t half) {
    T *behind = terms + (half + s.lines - 1) * s.step + s.width;
    for (ptrdiff_t j = 0; j < half * s.step; ++j)
        terms[j] = behind[j] = 0;
}

/* Finishes a line, whose sums are in ``unit``. */
template <int QUARTERS, typename T>
CF_ELEMENT void apply_response(const T *CF_RESTRICT x, T *CF_RESTRICT y,
                               T *CF_RESTRICT unit, T *CF_RESTRICT scale, ptrdiff_t n,
                               T k, T alpha) {
    for (ptrdiff_t j = 0; j < n; ++j) {
        unit[j] = unit[j] * alpha + k;
        scale[j] = inverse_power<QUARTERS>(unit[j]);
        y[j] = x[j] * scale[j];
    }
}

/* The results or, with GRAD, the gradients ``y`` by ``x``. ``quarters`` is four times beta:
 * 2, 3 or 4. */
template <bool GRAD, typename T>
CF_CLONES void response_of_strip(const T *x, const T *g, T *CF_RESTRICT unit,
                                 T *CF_RESTRICT scale, T *CF_RESTRICT y,
                                 T *CF_RESTRICT terms, Strip s, ptrdiff_t half, T k,
                                 T alpha, int quarters) {
    set_margins(terms, s, half);
    for (ptrdiff_t n = 0; n < s.pixels; ++n, x += s.width, g += s.width, y += s.width,
         unit += s.width, scale += s.width) {
        /* Terms are computed right before the first window that contains them. */
        for (ptrdiff_t i = -half; i < s.lines; ++i) {
            const ptrdiff_t at = i * s.apart, seen = at + half * s.apart;
            for (ptrdiff_t j = 0; i + half < s.lines && j < s.width; ++j)
                terms[(2 * half + i) * s.step + j] = !GRAD ? x[seen + j] * x[seen + j]
                    : response_term(
                        x[seen + j], g[seen + j], unit[seen + j], scale[seen + j]);
            if (i < 0)
                continue;
            const T *p = x + at;
            T *out = y + at, *u = unit + at, *power = scale + at;
            window_sums(terms + i * s.step, GRAD ? out : u, s.width, half, s.step);
            if (GRAD)
                for (ptrdiff_t j = 0; j < s.width; ++j)
                    out[j] = response_grad(p[j], g[at + j], power[j], out[j], alpha);
            else if (quarters == 3)
                apply_response<3>(p, out, u, power, s.width, k, alpha);
            else if (quarters == 2)
                apply_response<2>(p, out, u, power, s.width, k, alpha);
            else
                apply_response<4>(p, out, u, power, s.width, k, alpha);
        }
    }
}

/* Calls f(offset in the arrays, strip, memory for its terms) on several threads. */
template <typename T, typename F>
void each_strip(Extent e, ptrdiff_t half, const F &f) {
    const bool side_by_side = e.inner == 1;
    const Pixels pixels(e);
    const ptrdiff_t size = (e.channels + 2 * half) * (side_by_side ? 1 : STRIP);
    const std::unique_ptr<T[]> room(
        new T[size * (side_by_side ? pixels.blocks : thread_limit())]);
    T *terms = room.get();
    if (side_by_side)
        return pixels.each([=](ptrdiff_t row, ptrdiff_t rows, ptrdiff_t i) {
            f(row * e.channels, Strip{rows, 1, 0, e.channels, 1}, terms + i * size);
        });
    const ptrdiff_t strips = (e.inner + STRIP - 1) / STRIP;
    parallel(e.outer * strips, GRAIN / 4 / (e.channels * STRIP) + 1,
             [=](ptrdiff_t i, ptrdiff_t end, int thread) {
        for (; i < end; ++i) {
            const ptrdiff_t at = i % strips * STRIP, width = std::min(STRIP, e.inner - at);
            f(i / strips * e.channels * e.inner + at,
              Strip{1, e.channels, e.inner, width, width}, terms + thread * size);
        }
    });
}

template <typename T>
void response_forward(const T *x, T *y, T *unit, T *scale, Extent e, ptrdiff_t half,
                      T k, T alpha, int quarters) {
    each_strip<T>(e, half, [=](ptrdiff_t at, Strip s, T *terms) {
        response_of_strip<false>(x + at, x + at, unit + at, scale + at, y + at, terms, s,
                                 half, k, alpha, quarters);
    });
}

template <typename T>
void response_backward(const T *x, const T *g, T *unit, T *scale, T *gx, Extent e,
                       ptrdiff_t half, T factor) {
    each_strip<T>(e, half, [=](ptrdiff_t at, Strip s, T *terms) {
        response_of_strip<true>(x + at, g + at, unit + at, scale + at, gx + at, terms, s,
                                half, T(), factor, 0);
    });
}

}  // namespace
}  // namespace chainer_fast::normalization

#endif
