/* Running sums and products, gradients of products, and positions of extremes. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include "chainer_fast/backends/kernels/common/reduced_axes.hpp"

#include <fenv.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>

namespace chainer_fast::reduction {
namespace {

/* Lines along the middle axis, side by side in `width` columns that are `gap` elements
 * apart: they wait for their last elements alone. */
struct Lines {
    ptrdiff_t at, number;       // the first element, the number of the first line
    ptrdiff_t width, gap, n, step;
};

constexpr ptrdiff_t STRIP = 512, ROWS = 8;

/* Integers up to this are floats. */
constexpr ptrdiff_t MOST_EXACT = 1 << 24;

template <int WIDTH>
using Width = std::integral_constant<int, WIDTH>;

template <typename Work>
void for_each_line(const Call &c, const Work &work) {
    const ptrdiff_t n = c.columns, inner = c.inner;
    if (inner == 1) {
        parallel((c.rows + ROWS - 1) / ROWS, GRAIN / (ROWS * n) + 1,
                 [&](ptrdiff_t i, ptrdiff_t end) {
            end = std::min(end * ROWS, c.rows);
            for (i *= ROWS; end - i >= ROWS; i += ROWS)
                work(Lines{i * n, i, ROWS, n, n, 1}, Width<ROWS>());
            /* Tiles of arrays with gaps have few rows. */
            for (; end - i >= ROWS / 2; i += ROWS / 2)
                work(Lines{i * n, i, ROWS / 2, n, n, 1}, Width<ROWS / 2>());
            for (; i < end; ++i)
                work(Lines{i * n, i, 1, n, n, 1}, Width<1>());
        });
        return;
    }
    const ptrdiff_t strip = strip_of(STRIP, inner, c.rows);
    const ptrdiff_t strips = (inner + strip - 1) / strip;
    parallel(c.rows * strips, GRAIN / (std::min(inner, strip) * n) + 1,
             [&](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i) {
            const ptrdiff_t row = i / strips, j = i % strips * strip;
            work(Lines{row * n * inner + j, row * inner + j,
                       std::min(strip, inner - j), 1, n, inner}, Width<0>());
        }
    });
}

/* A function of each of some rows, or of columns if the width is negative: the compiler
 * knows how many. With zero it is any number of columns. */
template <int WIDTH, typename Step>
CF_ELEMENT void side_by_side(const Lines &l, Step step) {
    if (WIDTH < 0)
        for (ptrdiff_t j = 0; j < -WIDTH; ++j)
            step(j, j);
    else if (WIDTH)
        for (ptrdiff_t j = 0; j < WIDTH; ++j)
            step(j, j * l.gap);
    else
        for (ptrdiff_t j = 0; j < l.width; ++j)
            step(j, j);
}

/* What is known of each line. */
template <typename T, int WIDTH>
using Known = T[WIDTH < 0 ? -WIDTH : WIDTH ? WIDTH : STRIP];

struct Sum {
    template <typename T> T operator()(T a, T b) const { return a + b; }
};

struct Product {
    template <typename T> T operator()(T a, T b) const { return a * b; }
};

template <int WIDTH, typename T, typename Operation>
CF_CLONES void run_along(Lines l, const T *x, T *y, ptrdiff_t step, Operation operation) {
    Known<T, WIDTH> last;
    side_by_side<WIDTH>(l, [=, &last](ptrdiff_t j, ptrdiff_t at) {
        y[at] = last[j] = x[at];
    });
    for (ptrdiff_t k = 1; k < l.n; ++k) {
        x += step, y += step;
        side_by_side<WIDTH>(l, [=, &last](ptrdiff_t j, ptrdiff_t at) {
            y[at] = last[j] = operation(last[j], x[at]);
        });
    }
}

/* From the first element of the lines on, or from the last one if asked to. */
template <typename T>
void running_sums(const Call &c) {
    const bool from_the_end = c.numbers[0] != 0;
    for_each_line(c, [&](const Lines &l, auto width) {
        const ptrdiff_t first = l.at + (from_the_end ? (l.n - 1) * l.step : 0);
        run_along<width()>(l, c.at<T>(0) + first, c.at<T>(1) + first,
                           from_the_end ? -l.step : l.step, Sum());
    });
}

template <typename T>
void running_products(const Call &c) {
    for_each_line(c, [&](const Lines &l, auto width) {
        run_along<width()>(l, c.at<T>(0) + l.at, c.at<T>(1) + l.at, l.step, Product());
    });
}

template <int WIDTH, typename T>
CF_CLONES void add_up_products(Lines l, const T *x, const T *y, const T *g, T *gx) {
    Known<T, WIDTH> rest;
    side_by_side<WIDTH>(l, [=, &rest](ptrdiff_t j, ptrdiff_t at) { rest[j] = g[at]; });
    for (ptrdiff_t k = 1; k < l.n; ++k) {
        y -= l.step, g -= l.step;
        side_by_side<WIDTH>(l, [=, &rest](ptrdiff_t j, ptrdiff_t at) {
            gx[at] = y[at] * rest[j];
            rest[j] = g[at] + x[at] * rest[j];
        });
        x -= l.step, gx -= l.step;
    }
    side_by_side<WIDTH>(l, [=, &rest](ptrdiff_t j, ptrdiff_t at) { gx[at] = rest[j]; });
}

/* An element gets the product of those before it, times the sum over the products of
 * those behind it. */
template <typename T>
void running_product_grad(const Call &c) {
    for_each_line(c, [&](const Lines &l, auto width) {
        const ptrdiff_t end = l.at + (l.n - 1) * l.step;
        add_up_products<width()>(l, c.at<T>(0) + end, c.at<T>(1) + end,
                                 c.at<T>(2) + end, c.at<T>(3) + end);
    });
}

/* Whether a product may be wrong: `a` was too small for a number, though no factor was
 * zero, and `b` makes it larger. */
template <typename T>
CF_ELEMENT int is_lost(T a, T zeros, T b) {
    /* No jumps, so that the loop is vectorized. */
    return (int)(std::abs(a) < std::numeric_limits<T>::min()) & (int)(zeros == 0)
        & (int)(std::abs(b) > 1);
}

/* False if some product may be wrong. */
template <int WIDTH, typename T>
CF_CLONES bool multiply_others(Lines l, const T *x, const T *g, T *gx) {
    Known<T, WIDTH> product, zeros, zeros_behind, lost;
    side_by_side<WIDTH>(l, [&](ptrdiff_t j, ptrdiff_t) {
        product[j] = 1;
        zeros[j] = zeros_behind[j] = lost[j] = 0;
    });
    for (ptrdiff_t k = 0; k < l.n; ++k, x += l.step, gx += l.step)
        side_by_side<WIDTH>(l, [=, &product, &zeros](ptrdiff_t j, ptrdiff_t at) {
            gx[at] = product[j];
            product[j] *= x[at];
            zeros[j] += x[at] == 0;
        });
    side_by_side<WIDTH>(l, [&](ptrdiff_t j, ptrdiff_t) { product[j] = 1; });
    for (ptrdiff_t k = 0; k < l.n; ++k) {
        x -= l.step, gx -= l.step;
        side_by_side<WIDTH>(l, [=, &product, &zeros, &zeros_behind, &lost](
                ptrdiff_t j, ptrdiff_t at) {
            const T before = gx[at], behind = product[j], zero = x[at] == 0;
            zeros[j] -= zero;
            lost[j] += is_lost(before, zeros[j], behind)
                | is_lost(behind, zeros_behind[j], before);
            zeros_behind[j] += zero;
            gx[at] = g[j] * (before * behind);
            product[j] = behind * x[at];
        });
    }
    T all = 0;
    side_by_side<WIDTH>(l, [&](ptrdiff_t j, ptrdiff_t) { all += lost[j]; });
    return all == 0;
}

/* Rows from this length on are cut into columns, long ones into more. */
constexpr ptrdiff_t CUT_ROW = 96, LONG_ROW = 4096;

/* Products of columns side by side, the least on the way, and the largest factor. */
template <int COLUMNS, typename T>
CF_CLONES void multiply_columns(
        const T *x, T *products, ptrdiff_t rows, T &least, T &most) {
    T all[COLUMNS], leasts[COLUMNS], mosts[COLUMNS] = {};
    std::fill_n(all, COLUMNS, T(1));
    std::fill_n(leasts, COLUMNS, T(1));
    for (ptrdiff_t i = 0; i < rows; ++i, x += COLUMNS)
        for (ptrdiff_t j = 0; j < COLUMNS; ++j) {
            const T size = std::abs(x[j]), product = std::abs(all[j] *= x[j]);
            mosts[j] = size > mosts[j] ? size : mosts[j];
            leasts[j] = product < leasts[j] ? product : leasts[j];
        }
    std::copy_n(all, COLUMNS, products);
    least = *std::min_element(leasts, leasts + COLUMNS);
    most = *std::max_element(mosts, mosts + COLUMNS);
}

/* A single product would wait for itself: a long row is cut into columns. False if some
 * product may be wrong: some are small, and some factor makes others larger. */
template <int COLUMNS, typename T>
bool multiply_others_of_row(const T *x, T g, T *gx, ptrdiff_t n) {
    const ptrdiff_t rows = n / COLUMNS, whole = rows * COLUMNS, left = n - whole;
    T products[2 * COLUMNS], factors[2 * COLUMNS], least, most;
    multiply_columns<COLUMNS>(x, products, rows, least, most);
    for (ptrdiff_t i = whole; i < n; ++i)
        most = std::max(most, std::abs(products[COLUMNS + i - whole] = x[i]));
    if (!multiply_others<1>(Lines{0, 0, 1, 1, COLUMNS + left, 1}, products, &g, factors))
        return false;
    for (ptrdiff_t j = 0; j < COLUMNS + left; ++j)
        least = std::min(least, std::abs(factors[j]));
    /* Divided by a factor they are products of the others. */
    if (most > 1 && least < std::numeric_limits<T>::min() * most)
        return false;
    std::copy_n(factors + COLUMNS, left, gx + whole);
    return multiply_others<COLUMNS <= 16 ? -COLUMNS : 0>(
        Lines{0, 0, COLUMNS, 1, rows, COLUMNS}, x, factors, gx);
}

/* Products of all others: of those before an element, times of those behind it. They may
 * leave the range of numbers where their product does not: a flag has the reference
 * compute, which multiplies in another order. */
template <typename T>
void product_grad(const Call &c) {
    const auto multiply = [&](const Lines &l, auto width) {
        if (!multiply_others<width()>(l, c.at<T>(0) + l.at, c.at<T>(1) + l.number,
                             c.at<T>(2) + l.at))
            feraiseexcept(FE_INVALID);
    };
    const ptrdiff_t n = c.columns;
    if (c.inner != 1 || n < CUT_ROW) {
        for_each_line(c, multiply);
        return;
    }
    const auto by_columns =
        n < LONG_ROW ? multiply_others_of_row<16, T> : multiply_others_of_row<64, T>;
    /* Flags are cleared below, also those of the last part or tile of a thread. */
    constexpr int WRONG = FE_INVALID | FE_OVERFLOW;
    std::atomic<int> raised(fetestexcept(WRONG));
    parallel(c.rows, GRAIN / n + 1, [&](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end && !raised; ++i) {
            if (by_columns(c.at<T>(0) + i * n, c.at<T>(1)[i], c.at<T>(2) + i * n, n)
                    && !fetestexcept(WRONG))
                continue;
            feclearexcept(FE_ALL_EXCEPT);
            multiply(Lines{i * n, i, 1, n, n, 1}, Width<1>());
            raised |= fetestexcept(WRONG);
        }
    });
    feraiseexcept(raised);
}

/* Positions of the largest elements, the first of equal ones, as numbers; false if an
 * element is NaN. */
template <int WIDTH, typename T>
CF_CLONES bool find_largest(Lines l, const T *x, T *y, T sign) {
    Known<T, WIDTH> largest, places, nans;
    side_by_side<WIDTH>(l, [&](ptrdiff_t j, ptrdiff_t at) {
        largest[j] = sign * x[at];
        places[j] = 0;
        nans[j] = x[at] != x[at];
    });
    for (ptrdiff_t k = 1; k < l.n; ++k) {
        x += l.step;
        side_by_side<WIDTH>(l, [=, &largest, &places, &nans](ptrdiff_t j, ptrdiff_t at) {
            const T seen = sign * x[at];
            /* Conditional stores would be behind branches. */
            places[j] += (T)(seen > largest[j]) * ((T)k - places[j]);
            largest[j] = seen > largest[j] ? seen : largest[j];
            nans[j] += seen != seen;
        });
    }
    T all = 0;
    side_by_side<WIDTH>(l, [&](ptrdiff_t j, ptrdiff_t) {
        y[j] = places[j];
        all += nans[j];
    });
    return all == 0;
}

/* A flag has the reference look for the first NaN, and for positions that a float does
 * not have. */
template <typename T>
void positions(const Call &c) {
    const T sign = c.numbers[0] != 0 ? -1 : 1;
    for_each_line(c, [&](const Lines &l, auto width) {
        if (l.n > MOST_EXACT || !find_largest<width()>(
                l, c.at<T>(0) + l.at, c.at<T>(1) + l.number, sign))
            feraiseexcept(FE_INVALID);
    });
}

/* Gradients of a line: of those elements that equal the one selected from it, or from
 * the lines across. */
template <bool ACROSS, typename T>
CF_ELEMENT void select(const T *x, const T *y, const T *g, T *CF_RESTRICT gx,
                       ptrdiff_t n) {
    const T value = *y, gradient = *g;
    for (ptrdiff_t k = 0; k < n; ++k)
        gx[k] = (x[k] == (ACROSS ? y[k] : value) ? T(1) : T(0))
            * (ACROSS ? g[k] : gradient);
}

template <typename T>
CF_CLONES void select_from_lines(const Call &c, ptrdiff_t i, ptrdiff_t end) {
    const ptrdiff_t length = c.inner == 1 ? c.columns : c.inner;
    while (i < end) {
        const ptrdiff_t line = i / length, at = i % length;
        const ptrdiff_t n = std::min(end - i, length - at);
        const ptrdiff_t of = c.inner == 1 ? line : line / c.columns * length + at;
        (c.inner == 1 ? select<false, T> : select<true, T>)(
            c.at<T>(0) + i, c.at<T>(1) + of, c.at<T>(2) + of, c.at<T>(3) + i, n);
        i += n;
    }
}

template <typename T>
void selected_grad(const Call &c) {
    parallel(c.rows * c.columns * c.inner, GRAIN, [&](ptrdiff_t i, ptrdiff_t end) {
        select_from_lines<T>(c, i, end);
    });
}

}  // namespace

const Declaration KERNELS[] = {
    {"running_sum",
     "x:E(before;n;behind) axis:axis from_the_end:b -> y:E(before;n;behind)",
     running_sums<float>, running_sums<double>, BY_ITSELF, {}},
    {"running_product", "x:E(before;n;behind) axis:axis -> y:E(before;n;behind)",
     running_products<float>, running_products<double>, BY_ITSELF, {}},
    {"running_product_grad",
     "x:E(before;n;behind) y:E(before;n;behind) g:E(before;n;behind) axis:axis "
     "-> gx:E(before;n;behind)",
     running_product_grad<float>, running_product_grad<double>, BY_ITSELF, {}},
    {"product_grad",
     "x:E(before;n;behind) g:E(before;behind) axis:axes -> gx:E(before;n;behind)",
     product_grad<float>, product_grad<double>, BY_ITSELF, {}},
    {"positions", "x:F(before;n;behind) axis:axis of_smallest:b -> y:F(before;behind)",
     positions<float>, positions<double>, BY_ITSELF, {}},
    {"selected_grad",
     "x:E(before;n;behind) y:E(before;behind) g:E(before;behind) axis:axes "
     "-> gx:E(before;n;behind)",
     selected_grad<float>, selected_grad<double>, BY_ITSELF, {}},
    {}};

}  // namespace chainer_fast::reduction
