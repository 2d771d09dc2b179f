/* Two sums at once of terms of each element, which are doubles.
 *
 * Runs are added up in vectors of the compiler, which would not make vectors of sums by
 * itself: it must keep their order.
 */
#ifndef CHAINER_FAST_NORMALIZATION_SUMS_HPP
#define CHAINER_FAST_NORMALIZATION_SUMS_HPP

#include "chainer_fast/_cpu/lanes.hpp"
#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/normalization/elements.hpp"

namespace chainer_fast::normalization {
namespace {

/* -- several numbers at once, as many as doubles in a vector */

typedef Lanes<double>::type Wide;
constexpr ptrdiff_t WIDTH = Lanes<double>::COUNT;

template <typename T>
CF_ELEMENT auto load(const T *p) { return lanes_at<typename Lanes<double, T>::type>(p); }

template <typename T>
CF_ELEMENT Wide wide(const T *p) { return lanes_at<Wide>(p); }

/* -- sums over runs of elements */

struct Sums {
    Pair<Wide> even, odd;
    Pair<double> rest;

    CF_ELEMENT Pair<double> total() const {
        return {added_up(even.first, odd.first, rest.first),
                added_up(even.second, odd.second, rest.second)};
    }

private:
    CF_ELEMENT static double added_up(const Wide &even, const Wide &odd, double rest) {
        double each[2 * WIDTH];
        put_lanes(each, even);
        put_lanes(each + WIDTH, odd);
        for (int i = 0; i < 2 * WIDTH; ++i)
            rest += each[i];
        return rest;
    }
};

template <typename Terms, typename T>
CF_ELEMENT void add_run(const T *x, const T *g, ptrdiff_t n, double centre, Sums &s) {
    Pair<Wide> even = s.even, odd = s.odd;
    ptrdiff_t i = 0;
    for (; i + 2 * WIDTH <= n; i += 2 * WIDTH) {
        const ptrdiff_t k = i + WIDTH;
        even = even + Terms::of(wide(x + i), wide(g + i), centre);
        odd = odd + Terms::of(wide(x + k), wide(g + k), centre);
    }
    for (; i + WIDTH <= n; i += WIDTH)
        even = even + Terms::of(wide(x + i), wide(g + i), centre);
    s.even = even;
    s.odd = odd;
    for (; i < n; ++i)
        s.rest = s.rest + Terms::of((double)x[i], (double)g[i], centre);
}

template <typename Terms, typename T>
CF_ELEMENT Pair<double> run_sums(const T *x, const T *g, ptrdiff_t n, double centre) {
    Sums s = Sums();
    add_run<Terms>(x, g, n, centre, s);
    return s.total();
}

/* Mean and variance from the sums of ``Moments``. */
template <typename T>
CF_ELEMENT void set_moments(Pair<double> sums, double count, double centre, T &mean,
                            T &var) {
    const double by_centre = sums.first / count;
    const double v = sums.second / count - by_centre * by_centre;
    mean = (T)(centre + by_centre);
    var = (T)(v > 0 || v != v ? v : 0);
}

/* -- sums over the columns of a matrix, each with its own centre */

/* The terms of a few rows of a column, summed in pairs. */
template <typename Terms, int ROWS, typename T>
CF_ELEMENT Pair<double> of_rows(const T *x, const T *g, ptrdiff_t stride,
                                double centre) {
    if constexpr (ROWS == 1)
        return Terms::of((double)*x, (double)*g, centre);
    else {
        const ptrdiff_t half = ROWS / 2 * stride;
        return of_rows<Terms, ROWS / 2>(x, g, stride, centre)
            + of_rows<Terms, ROWS / 2>(x + half, g + half, stride, centre);
    }
}

template <typename Terms, int ROWS, typename T>
CF_ELEMENT void add_to_columns(const T *x, const T *g, ptrdiff_t stride,
                               ptrdiff_t width, const T *centre, double *a, double *b) {
    for (ptrdiff_t j = 0; j < width; ++j) {
        const Pair<double> terms = of_rows<Terms, ROWS>(
            x + j, g + j, stride, (double)centre[j]);
        a[j] += terms.first;
        b[j] += terms.second;
    }
}

template <typename Terms, typename T>
CF_ELEMENT void add_columns(const T *x, const T *g, ptrdiff_t rows, ptrdiff_t stride,
                            ptrdiff_t width, const T *centre, double *a, double *b) {
    constexpr int ROWS = Terms::ROWS;
    ptrdiff_t n = 0;
    for (; n + ROWS <= rows; n += ROWS)
        add_to_columns<Terms, ROWS>(
            x + n * stride, g + n * stride, stride, width, centre, a, b);
    for (; n < rows; ++n)
        add_to_columns<Terms, 1>(
            x + n * stride, g + n * stride, stride, width, centre, a, b);
}

}  // namespace
}  // namespace chainer_fast::normalization

#endif
