/* Vectors along the middle axis of three, divided by their lengths. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include <algorithm>

#include "chainer_fast/_cpu/parallel.hpp"
#include "chainer_fast/backends/kernels/normalization/sums.hpp"

namespace chainer_fast::normalization {
namespace {

/* Positions along the inner axis that are processed together. */
constexpr ptrdiff_t STRIP = 128;

/* Calls f(first strip, end) on several threads, for strips of one row after the other. */
template <typename F>
void each_strip(const Call &e, const F &f) {
    const ptrdiff_t strips = (e.inner + STRIP - 1) / STRIP;
    parallel(e.rows * strips, GRAIN / 2 / (e.columns * std::min(e.inner, STRIP)) + 1, f);
}

/* The elements of a strip. */
struct Strip {
    ptrdiff_t at, width;
    CF_ELEMENT Strip(const Call &e, ptrdiff_t i) {
        const ptrdiff_t strips = (e.inner + STRIP - 1) / STRIP, left = i % strips * STRIP;
        at = i / strips * e.columns * e.inner + left;
        width = e.inner - left < STRIP ? e.inner - left : STRIP;
    }
};

/* Inner products of the vectors along the middle axis, at some positions. */
template <typename T>
CF_ELEMENT void dot(const T *a, const T *b, const Call &e, ptrdiff_t width, double *sum) {
    for (ptrdiff_t j = 0; j < width; ++j)
        sum[j] = 0;
    for (ptrdiff_t i = 0; i < e.columns * e.inner; i += e.inner)
        for (ptrdiff_t j = 0; j < width; ++j)
            sum[j] += (double)a[i + j] * (double)b[i + j];
}

template <typename T>
CF_CLONES void lengths(const Call &e, ptrdiff_t i, ptrdiff_t end) {
    const ptrdiff_t size = e.columns * e.inner;
    const T eps = T(e.numbers[0]);
    for (; e.inner == 1 && i < end; ++i) {
        const T *x = e.at<T>(0) + i * size;
        T *y = e.at<T>(1) + i * size;
        const T norm = (T)sqrt(run_sums<Squares>(x, x, size, 0).first) + eps;
        for (ptrdiff_t k = 0; k < size; ++k)
            y[k] = x[k] / norm;
    }
    for (; i < end; ++i) {
        const Strip s(e, i);
        const T *x = e.at<T>(0) + s.at;
        T *y = e.at<T>(1) + s.at;
        double squares[STRIP];
        T norm[STRIP];
        dot(x, x, e, s.width, squares);
        for (ptrdiff_t j = 0; j < s.width; ++j)
            norm[j] = (T)sqrt(squares[j]) + eps;
        for (ptrdiff_t k = 0; k < size; k += e.inner)
            for (ptrdiff_t j = 0; j < s.width; ++j)
                y[k + j] = x[k + j] / norm[j];
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
CF_CLONES void length_grads(const Call &e, ptrdiff_t i, ptrdiff_t end) {
    const ptrdiff_t size = e.columns * e.inner;
    const T eps = T(e.numbers[0]);
    for (; e.inner == 1 && i < end; ++i) {
        const T *x = e.at<T>(0) + i * size, *g = e.at<T>(1) + i * size;
        T *gx = e.at<T>(2) + i * size;
        const Pair<double> sums = run_sums<Squares>(x, g, size, 0);
        T norm, slope;
        set_slope(sums.first, sums.second, eps, norm, slope);
        for (ptrdiff_t k = 0; k < size; ++k)
            gx[k] = (g[k] - x[k] * slope) / norm;
    }
    for (; i < end; ++i) {
        const Strip s(e, i);
        const T *x = e.at<T>(0) + s.at, *g = e.at<T>(1) + s.at;
        T *gx = e.at<T>(2) + s.at;
        double squares[STRIP], products[STRIP];
        T norm[STRIP], slope[STRIP];
        dot(x, x, e, s.width, squares);
        dot(g, x, e, s.width, products);
        for (ptrdiff_t j = 0; j < s.width; ++j)
            set_slope(squares[j], products[j], eps, norm[j], slope[j]);
        for (ptrdiff_t k = 0; k < size; k += e.inner)
            for (ptrdiff_t j = 0; j < s.width; ++j)
                gx[k + j] = (g[k + j] - x[k + j] * slope[j]) / norm[j];
    }
}

template <typename T>
void length(const Call &e) {
    each_strip(e, [&](ptrdiff_t i, ptrdiff_t end) { lengths<T>(e, i, end); });
}

template <typename T>
void length_grad(const Call &e) {
    each_strip(e, [&](ptrdiff_t i, ptrdiff_t end) { length_grads<T>(e, i, end); });
}

}  // namespace

const Declaration VECTORS[] = {
    {"length", "x:F(before;n;behind) axis:axes eps:c -> y:F(before;n;behind)",
     length<float>, length<double>, BY_ITSELF, {}},
    {"length_grad",
     "x:F(before;n;behind) g:F(before;n;behind) axis:axes eps:c "
     "-> gx:F(before;n;behind)",
     length_grad<float>, length_grad<double>, BY_ITSELF, {}},
    {}};

}  // namespace chainer_fast::normalization
