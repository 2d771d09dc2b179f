/* Derivatives of the digamma function, of positive numbers.
 *
 * A recurrence leads to an argument of eight and more, of which few terms of the series
 * of Euler and Maclaurin are enough. All is in double precision, and rounded once. A flag
 * has the reference compute other arguments. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include <fenv.h>

#include <algorithm>
#include <limits>

namespace chainer_fast::arithmetic {
namespace {

constexpr int STEPS = 8, TERMS = 8;
constexpr ptrdiff_t PIECE = 256;

/* The numbers of Bernoulli, from the second on, those that are not zero. */
constexpr double BERNOULLI[TERMS] = {
    1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510};

template <typename T>
CF_CLONES bool are_in_domain(const T *x, ptrdiff_t n) {
    int others = 0;
    for (ptrdiff_t i = 0; i < n; ++i)
        others |= !(x[i] > 0 && x[i] <= std::numeric_limits<T>::max());
    return !others;
}

/* Adds the inverses of x + 0, ..., x + 7, raised to a power. */
template <typename T>
CF_CLONES void add_inverses(const T *x, int power, double *sums, ptrdiff_t n) {
    double r[PIECE], product[PIECE];
    std::fill_n(sums, n, 0.);
    for (int k = 0; k < STEPS; ++k) {
        for (ptrdiff_t i = 0; i < n; ++i)
            product[i] = r[i] = 1 / (x[i] + (double)k);
        for (int times = 1; times < power; ++times)
            for (ptrdiff_t i = 0; i < n; ++i)
                product[i] *= r[i];
        for (ptrdiff_t i = 0; i < n; ++i)
            sums[i] += product[i];
    }
}

/* The terms of the series in r = 1 / (x + 8): of r with a power, and of r ** 2. */
template <typename T>
CF_CLONES void add_series(const T *x, int power, const double *terms, double *sums,
                          ptrdiff_t n) {
    double r[PIECE], product[PIECE];
    for (ptrdiff_t i = 0; i < n; ++i) {
        r[i] = 1 / (x[i] + (double)STEPS);
        product[i] = 1;
    }
    for (int times = 0; times < power; ++times)
        for (ptrdiff_t i = 0; i < n; ++i)
            product[i] *= r[i];
    for (ptrdiff_t i = 0; i < n; ++i) {
        double series = terms[TERMS - 1];
        for (int j = TERMS - 2; j >= 0; --j)
            series = series * (r[i] * r[i]) + terms[j];
        sums[i] += product[i] * (.5 + r[i] * series);
    }
}

template <typename T, typename Work>
void for_each_piece(const Call &c, const Work &work) {
    if (!are_in_domain(c.at<T>(0), c.columns)) {
        feraiseexcept(FE_INVALID);
        return;
    }
    for (ptrdiff_t i = 0; i < c.columns; i += PIECE)
        work(c.at<T>(0) + i, c.at<T>(1) + i, std::min(PIECE, c.columns - i));
}

template <typename T>
CF_CLONES void move_by_steps(const T *x, double *z, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        z[i] = x[i] + (double)STEPS;
}

/* An order n of derivatives: (-1)**(n + 1) n! zeta(n + 1, x). */
template <typename T>
void polygamma(const Call &c) {
    const int n = (int)c.numbers[0], s = n + 1;
    double factor = n % 2 ? 1 : -1, terms[TERMS], rising = s, factorial = 2;
    for (int k = 2; k <= n; ++k)
        factor *= k;
    for (int j = 0; j < TERMS; ++j) {
        terms[j] = BERNOULLI[j] * rising / factorial;
        rising *= (s + 2. * j + 1) * (s + 2. * j + 2);
        factorial *= (2. * j + 3) * (2. * j + 4);
    }
    for_each_piece<T>(c, [&](const T *x, T *y, ptrdiff_t m) {
        double z[PIECE], sums[PIECE];
        add_inverses(x, s, sums, m);
        add_series(x, s, terms, sums, m);
        move_by_steps(x, z, m);
        for (ptrdiff_t i = 0; i < m; ++i) {
            const double r = 1 / z[i];
            double integral = r;
            for (int k = 1; k < n; ++k)
                integral *= r;
            y[i] = (T)(factor * (sums[i] + integral / n));
        }
    });
}

}  // namespace

const Declaration KERNELS[] = {
    {"polygamma", "x:F(*) n:i>=1 -> y:F(*)",
     polygamma<float>, polygamma<double>, 60, {}},
    {}};

}  // namespace chainer_fast::arithmetic
