/* Vectors along the middle axis of three, divided by their lengths. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include "chainer_fast/backends/kernels/normalization/sums.hpp"

namespace chainer_fast::normalization {
namespace {

/* Positions along the inner axis that are processed together. */
constexpr ptrdiff_t STRIP = 128;

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
CF_CLONES void length(const Call &e) {
    const ptrdiff_t size = e.columns * e.inner;
    const T eps = T(e.numbers[0]), *x = e.at<T>(0);
    T *y = e.at<T>(1);
    ptrdiff_t width;
    for (ptrdiff_t k = 0; k < e.rows; ++k, x += size, y += size) {
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
CF_CLONES void length_grad(const Call &e) {
    const ptrdiff_t size = e.columns * e.inner;
    const T eps = T(e.numbers[0]), *x = e.at<T>(0), *g = e.at<T>(1);
    T *gx = e.at<T>(2);
    ptrdiff_t width;
    for (ptrdiff_t k = 0; k < e.rows; ++k, x += size, g += size, gx += size) {
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

}  // namespace

const Declaration VECTORS[] = {
    {"length", "x:F(before;n;behind) axis:axes eps:c -> y:F(before;n;behind)",
     length<float>, length<double>, 2, {}},
    {"length_grad",
     "x:F(before;n;behind) g:F(before;n;behind) axis:axes eps:c "
     "-> gx:F(before;n;behind)",
     length_grad<float>, length_grad<double>, 4, {}},
    {}};

}  // namespace chainer_fast::normalization
