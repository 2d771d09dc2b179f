/* Softmax, its logarithm, and their gradients, along the middle axis of three. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include <fenv.h>

#include "chainer_fast/backends/kernels/softmax/loops.hpp"

namespace chainer_fast::softmax {
namespace {

Extent extent_of(const Call &c) { return {c.rows, c.columns, c.inner}; }

template <typename T>
void softmax(const Call &c) {
    for_each_block<T>(extent_of(c), [&](Block b) {
        T tops[BLOCK], totals[BLOCK];
        T *y = c.at<T>(1) + b.at;
        shift(b, c.at<T>(0) + b.at, tops, y);
        exponentiate(b, y, c.functions[0]);
        normalize(b, y, totals);
    });
}

template <typename T>
void log_softmax(const Call &c) {
    for_each_block<T>(extent_of(c), [&](Block b) {
        T tops[BLOCK], totals[BLOCK];
        const T *scores = c.at<T>(0) + b.at;
        T *y = c.at<T>(1) + b.at;
        shift(b, scores, tops, y);
        exponentiate(b, y, c.functions[0]);
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

/* Whether a number is positive. */
template <typename T>
CF_CLONES bool any_positive(const T *y, ptrdiff_t n) {
    int found = 0;
    for (ptrdiff_t i = 0; i < n; ++i)
        found |= y[i] > 0;
    return found != 0;
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
            if (any_positive(y + at, n))
                feraiseexcept(FE_INVALID);
            std::copy(y + at, y + at + n, gx + at);
        });
        exponentiate(b, gx, c.functions[0]);
        add_up(b, gy, totals);
        for_each_element(b, totals, [=](ptrdiff_t k, T total) {
            gx[k] = gy[k] - gx[k] * total;
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
    {}};

}  // namespace chainer_fast::softmax
