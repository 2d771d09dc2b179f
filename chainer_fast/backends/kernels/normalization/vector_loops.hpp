/* Loops that divide by the length of a vector, and by the response of neighbours. */
#ifndef CHAINER_FAST_NORMALIZATION_VECTOR_LOOPS_HPP
#define CHAINER_FAST_NORMALIZATION_VECTOR_LOOPS_HPP

#include "chainer_fast/backends/kernels/normalization/batch_loops.hpp"

namespace chainer_fast {
namespace {

/* Positions along the inner axis that are worked on at once. */
constexpr ptrdiff_t STRIP = 128;

/* -- vectors along the middle axis */

/* Inner products of the vectors at some positions. */
template <typename T>
CF_ELEMENT void dot(const T *a, const T *b, Extent e, ptrdiff_t width, double *sum) {
    for (ptrdiff_t j = 0; j < width; ++j)
        sum[j] = 0;
    for (ptrdiff_t i = 0; i < e.channels * e.inner; i += e.inner)
        for (ptrdiff_t j = 0; j < width; ++j)
            sum[j] += (double)a[i + j] * (double)b[i + j];
}

template <typename T>
CF_CLONES void length_forward(const T *x, T *y, Extent e, T eps) {
    const ptrdiff_t size = e.channels * e.inner;
    ptrdiff_t width;
    for (ptrdiff_t k = 0; k < e.outer; ++k, x += size, y += size) {
        if (e.inner == 1) {
            const T norm = (T)sqrt(run_sums<Squares>(x, x, size, 0).first) + eps;
            for (ptrdiff_t i = 0; i < size; ++i)
                y[i] = x[i] / norm;
            continue;
        }
        for (ptrdiff_t at = 0; at < e.inner; at += width) {
            double squares[STRIP];
            T norm[STRIP];
            width = e.inner - at < STRIP ? e.inner - at : STRIP;
            dot(x + at, x + at, e, width, squares);
            for (ptrdiff_t j = 0; j < width; ++j)
                norm[j] = (T)sqrt(squares[j]) + eps;
            for (ptrdiff_t i = at; i < at + size; i += e.inner)
                for (ptrdiff_t j = 0; j < width; ++j)
                    y[i + j] = x[i + j] / norm[j];
        }
    }
}

/* The gradient is (g - x slope) / norm with the norm r + eps of a vector of length r,
 * and the slope <g, x> / (r norm). */
template <typename T>
CF_ELEMENT void set_slope(double squares, double product, T eps, T &norm, T &slope) {
    const double r = sqrt(squares);
    norm = (T)r + eps;
    slope = r > 0 ? (T)(product / (r * (double)norm)) : 0;
}

template <typename T>
CF_CLONES void length_backward(const T *x, const T *g, T *gx, Extent e, T eps) {
    const ptrdiff_t size = e.channels * e.inner;
    ptrdiff_t width;
    for (ptrdiff_t k = 0; k < e.outer; ++k, x += size, g += size, gx += size) {
        if (e.inner == 1) {
            const Pair<double> sums = run_sums<Squares>(x, g, size, 0);
            T norm, slope;
            set_slope(sums.first, sums.second, eps, norm, slope);
            for (ptrdiff_t i = 0; i < size; ++i)
                gx[i] = (g[i] - x[i] * slope) / norm;
            continue;
        }
        for (ptrdiff_t at = 0; at < e.inner; at += width) {
            double squares[STRIP], products[STRIP];
            T norm[STRIP], slope[STRIP];
            width = e.inner - at < STRIP ? e.inner - at : STRIP;
            dot(x + at, x + at, e, width, squares);
            dot(g + at, x + at, e, width, products);
            for (ptrdiff_t j = 0; j < width; ++j)
                set_slope(squares[j], products[j], eps, norm[j], slope[j]);
            for (ptrdiff_t i = at; i < at + size; i += e.inner)
                for (ptrdiff_t j = 0; j < width; ++j)
                    gx[i + j] = (g[i + j] - x[i + j] * slope[j]) / norm[j];
        }
    }
}

/* -- local response normalization */

/* Add up a window of rows around row c, ``stride`` apart. */
template <typename Term, typename T>
CF_ELEMENT void window_sum(const T *rows, ptrdiff_t stride, ptrdiff_t c,
                           ptrdiff_t channels, ptrdiff_t half, ptrdiff_t width,
                           T *sum) {
    const ptrdiff_t low = c - half > 0 ? c - half : 0;
    const ptrdiff_t high = c + half < channels ? c + half + 1 : channels;
    for (ptrdiff_t j = 0; j < width; ++j)
        sum[j] = 0;
    for (ptrdiff_t d = low; d < high; ++d)
        for (ptrdiff_t j = 0; j < width; ++j)
            sum[j] += Term::of(rows[d * stride + j]);
}

struct Itself {
    template <typename T>
    CF_ELEMENT static T of(T x) { return x; }
};

struct Square {
    template <typename T>
    CF_ELEMENT static T of(T x) { return x * x; }
};

template <int QUARTERS, typename T>
CF_ELEMENT void inverse_powers(const T *u, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = inverse_power<QUARTERS>(u[i]);
}

/* ``quarters`` is four times beta: 2, 3 or 4. */
template <typename T>
CF_CLONES void response_forward(const T *x, T *y, T *unit, T *scale, Extent e,
                                ptrdiff_t half, T k, T alpha, int quarters) {
    ptrdiff_t width;
    for (ptrdiff_t n = 0; n < e.outer; ++n)
        for (ptrdiff_t i = 0; i < e.inner; i += width) {
            const ptrdiff_t first = n * e.channels * e.inner + i;
            width = e.inner - i < STRIP ? e.inner - i : STRIP;
            for (ptrdiff_t c = 0; c < e.channels; ++c) {
                const ptrdiff_t at = first + c * e.inner;
                T sum[STRIP];
                window_sum<Square>(x + first, e.inner, c, e.channels, half, width, sum);
                for (ptrdiff_t j = 0; j < width; ++j)
                    unit[at + j] = sum[j] * alpha + k;
                if (quarters == 3)
                    inverse_powers<3>(unit + at, scale + at, width);
                else if (quarters == 2)
                    inverse_powers<2>(unit + at, scale + at, width);
                else
                    inverse_powers<4>(unit + at, scale + at, width);
                for (ptrdiff_t j = 0; j < width; ++j)
                    y[at + j] = x[at + j] * scale[at + j];
            }
        }
}

/* ``terms`` has room for a strip of all channels. */
template <typename T>
CF_CLONES void response_backward(const T *x, const T *g, const T *unit, const T *scale,
                                 T *gx, T *terms, Extent e, ptrdiff_t half,
                                 T factor) {
    ptrdiff_t width;
    for (ptrdiff_t n = 0; n < e.outer; ++n)
        for (ptrdiff_t i = 0; i < e.inner; i += width) {
            const ptrdiff_t first = n * e.channels * e.inner + i;
            width = e.inner - i < STRIP ? e.inner - i : STRIP;
            for (ptrdiff_t c = 0; c < e.channels; ++c)
                for (ptrdiff_t j = 0; j < width; ++j) {
                    const ptrdiff_t at = first + c * e.inner + j;
                    terms[c * STRIP + j] = response_term(
                        x[at], g[at], unit[at], scale[at]);
                }
            for (ptrdiff_t c = 0; c < e.channels; ++c) {
                T sum[STRIP];
                window_sum<Itself>(terms, STRIP, c, e.channels, half, width, sum);
                for (ptrdiff_t j = 0; j < width; ++j) {
                    const ptrdiff_t at = first + c * e.inner + j;
                    gx[at] = response_grad(x[at], g[at], scale[at], sum[j], factor);
                }
            }
        }
}

constexpr Loop length_forward_loop = {length_forward<float>, length_forward<double>};
constexpr Loop length_backward_loop = {length_backward<float>, length_backward<double>};
constexpr Loop response_forward_loop = {
    response_forward<float>, response_forward<double>};
constexpr Loop response_backward_loop = {
    response_backward<float>, response_backward<double>};

}  // namespace
}  // namespace chainer_fast

#endif
