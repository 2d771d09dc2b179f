/* Softmax, its logarithm, and their gradients, along the middle axis of three. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include <fenv.h>

#include <vector>

#include "chainer_fast/backends/kernels/softmax/loops.hpp"

namespace chainer_fast::softmax {
namespace {

Extent extent_of(const Call &c) { return {c.rows, c.columns, c.inner}; }

template <typename T>
void softmax(const Call &c) {
    for_each_block<T>(extent_of(c), [&](Block b) {
        T tops[BLOCK], totals[BLOCK];
        T *y = c.at<T>(1) + b.at;
        exponentiate(b, c.at<T>(0) + b.at, tops, y, c.functions[0]);
        normalize(b, y, totals);
    });
}

template <typename T>
void log_softmax(const Call &c) {
    for_each_block<T>(extent_of(c), [&](Block b) {
        T tops[BLOCK], totals[BLOCK];
        const T *scores = c.at<T>(0) + b.at;
        T *y = c.at<T>(1) + b.at;
        exponentiate(b, scores, tops, y, c.functions[0]);
        add_up(b, y, totals);
        c.functions[1].run(totals, totals, b.columns);
        for (ptrdiff_t j = 0; j < b.columns; ++j)
            totals[j] += tops[j];
        subtract(b, scores, totals, y);
    });
}

template <typename T>
CF_CLONES void multiply(const T *a, const T *b, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = a[i] * b[i];
}

template <typename T>
void softmax_grad(const Call &c) {
    for_each_block<T>(extent_of(c), [&](Block b) {
        T totals[BLOCK];
        const T *y = c.at<T>(0) + b.at, *gy = c.at<T>(1) + b.at;
        T *gx = c.at<T>(2) + b.at;
        for_each_stretch(b, [=](ptrdiff_t at, ptrdiff_t n) {
            multiply(y + at, gy + at, gx + at, n);
        });
        add_up(b, gx, totals);
        for_each_element(b, totals, [=](ptrdiff_t k, T total) {
            gx[k] -= y[k] * total;
        });
    });
}

/* Logarithms that are positive, as a user may have put them there, are no cases for this
 * loop, whose exponentials do not look at the sign: a flag has the reference compute. */
template <typename T>
void log_softmax_grad(const Call &c) {
    for_each_block<T>(extent_of(c), [&](Block b) {
        T totals[BLOCK];
        const T *y = c.at<T>(0) + b.at, *gy = c.at<T>(1) + b.at;
        T *gx = c.at<T>(2) + b.at;
        for_each_stretch(b, [&](ptrdiff_t at, ptrdiff_t n) {
            if (exponentials_below(y + at, T(0), gx + at, n, c.functions[0], gy + at))
                feraiseexcept(FE_INVALID);
        });
        add_up(b, gy, totals);
        for_each_element(b, totals, [=](ptrdiff_t k, T total) {
            gx[k] = gy[k] - gx[k] * total;
        });
    });
}

template <typename T>
CF_CLONES void differences(const T *x, const T *tops, T *out, ptrdiff_t n) {
    for (ptrdiff_t j = 0; j < n; ++j)
        out[j] = x[j] - tops[j];
}

/* Sums of the exponentials of columns side by side, relative to their tops. */
template <typename T>
void add_exponentials(Block b, const T *x, const T *tops, T *totals, const Unary &exp) {
    T terms[PART<T>];
    const ptrdiff_t rows = PART<T> / b.columns;
    std::fill_n(totals, b.columns, T(0));
    for (ptrdiff_t i = 0; i < b.n; i += rows) {
        const Block some = {0, 0, b.columns, std::min(rows, b.n - i), b.columns};
        for (ptrdiff_t k = 0; k < some.n; ++k)
            differences(x + (i + k) * b.stride, tops, terms + k * b.columns, b.columns);
        fill_exponentials(terms, some.n * b.columns, exp);
        for (ptrdiff_t k = 0; k < some.n; ++k)
            add_times(terms + k * b.columns, T(1), totals, b.columns);
    }
}

/* If a column is cut into parts, each part has a separate top. */
template <typename T>
void logsumexp(const Call &c) {
    const Extent e = extent_of(c);
    const ptrdiff_t parts = parts_of<T>(e);
    std::vector<T> some(parts > 1 ? 2 * e.outer * parts : 0);
    T *const tops_of_parts = some.data(), *const sums = tops_of_parts + e.outer * parts;
    const auto finish = [&](const T *tops, T *totals, T *y, ptrdiff_t n) {
        c.functions[1].run(totals, totals, n);
        for (ptrdiff_t j = 0; j < n; ++j)
            y[j] = totals[j] + tops[j];
    };
    for_each_part<T>(e, [&](Block b, ptrdiff_t part) {
        T tops[BLOCK], totals[BLOCK], terms[PART<T>];
        const T *x = c.at<T>(0) + b.at;
        if (b.stride == 1) {
            exponentiate(b, x, tops, terms, c.functions[0]);
            add_up(b, terms, totals);
        }
        else {
            find_tops(b, x, tops);
            add_exponentials(b, x, tops, totals, c.functions[0]);
        }
        if (parts == 1)
            return finish(tops, totals, c.at<T>(1) + b.first, b.columns);
        tops_of_parts[part] = tops[0];
        sums[part] = totals[0];
    });
    for (ptrdiff_t i = 0; parts > 1 && i < e.outer; ++i) {
        T *tops = tops_of_parts + i * parts, *of_parts = sums + i * parts;
        const T top = largest_of(tops, parts);
        T total = 0;
        for (ptrdiff_t k = 0; k < parts; ++k) {
            T share = tops[k] - top;
            fill_exponentials(&share, 1, c.functions[0]);
            total += share * of_parts[k];
        }
        finish(&top, &total, c.at<T>(1) + i, 1);
    }
}

/* Results that were rounded may be less than a term. */
CF_CLONES void fill_any_exponentials(float *x, ptrdiff_t n, const Unary &) {
    for (ptrdiff_t i = 0; i < n; ++i)
        x[i] = one_ulp::exp(x[i]);
}

void fill_any_exponentials(double *x, ptrdiff_t n, const Unary &exp) { exp.run(x, x, n); }

template <typename T>
void logsumexp_grad(const Call &c) {
    for_each_part<T>(extent_of(c), [&](Block b, ptrdiff_t) {
        T *gx = c.at<T>(3) + b.at;
        subtract(b, c.at<T>(0) + b.at, c.at<T>(1) + b.first, gx);
        for_each_stretch(b, [&](ptrdiff_t at, ptrdiff_t n) {
            fill_any_exponentials(gx + at, n, c.functions[0]);
        });
        for_each_element(b, c.at<T>(2) + b.first, [=](ptrdiff_t k, T g) {
            gx[k] *= g;
        });
    });
}

}  // namespace

const Declaration KERNELS[] = {
    {"softmax", "x:E(before;n;behind) axis:axis -> y:E(before;n;behind)",
     softmax<float>, softmax<double>, BY_ITSELF, {"exp"}},
    {"log_softmax", "x:E(before;n;behind) axis:axis -> y:E(before;n;behind)",
     log_softmax<float>, log_softmax<double>, BY_ITSELF, {"exp", "log"}},
    {"softmax_grad",
     "y:E(before;n;behind) g:E(before;n;behind) axis:axis -> gx:E(before;n;behind)",
     softmax_grad<float>, softmax_grad<double>, BY_ITSELF, {}},
    {"log_softmax_grad",
     "y:E(before;n;behind) g:E(before;n;behind) axis:axis -> gx:E(before;n;behind)",
     log_softmax_grad<float>, log_softmax_grad<double>, BY_ITSELF, {"exp"}},
    {"logsumexp", "x:E(before;n;behind) axis:axes -> y:E(before;behind)",
     logsumexp<float>, logsumexp<double>, BY_ITSELF, {"exp", "log"}},
    {"logsumexp_grad",
     "x:E(before;n;behind) y:E(before;behind) g:E(before;behind) axis:axes "
     "-> gx:E(before;n;behind)",
     logsumexp_grad<float>, logsumexp_grad<double>, BY_ITSELF, {"exp"}},
    {}};

}  // namespace chainer_fast::softmax
