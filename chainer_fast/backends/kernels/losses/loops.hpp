/* Losses of pairs of arrays, and of scores with labels. */
#pragma once

#include <stdint.h>

#include <cmath>

#include "chainer_fast/backends/kernels/common/exponential.hpp"
#include "chainer_fast/backends/kernels/common/unary.hpp"
#include "chainer_fast/backends/kernels/losses/elements.hpp"
#include "chainer_fast/backends/kernels/reduction/loops.hpp"

namespace chainer_fast {
namespace {

template <typename T>
CF_CLONES void huber_of(const T *x, const T *t, T *out, ptrdiff_t n, T delta) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = huber(x[i], t[i], delta);
}

template <typename T>
void huber_each(const T *x, const T *t, T *out, ptrdiff_t n, T delta) {
    parallel(n, GRAIN, [=](ptrdiff_t i, ptrdiff_t end) {
        huber_of(x + i, t + i, out + i, end - i, delta);
    });
}

template <typename T>
CF_CLONES void huber_grad_of(
        const T *x, const T *t, const T *g, T *out, ptrdiff_t n, T delta) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = huber_grad(x[i], t[i], g[i], delta);
}

template <typename T>
CF_CLONES void huber_grad_of(
        const T *x, const T *t, T g, T *out, ptrdiff_t n, T delta) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = huber_grad(x[i], t[i], g, delta);
}

/* There is a gradient for each run of elements. */
template <typename T>
void huber_grads(const T *x, const T *t, const T *g, T *out, ptrdiff_t runs,
                 ptrdiff_t run, T delta) {
    if (run == 1) {
        parallel(runs, GRAIN, [=](ptrdiff_t i, ptrdiff_t end) {
            huber_grad_of(x + i, t + i, g + i, out + i, end - i, delta);
        });
        return;
    }
    parallel(runs, GRAIN / run + 1, [=](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i)
            huber_grad_of(x + i * run, t + i * run, g[i], out + i * run, run, delta);
    });
}

/* -- the cross entropy of a sigmoid and labels
 *
 * NumPy computes with floats and integers in double precision. */

template <typename Label>
CF_CLONES void convert(const Label *t, double *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = (double)t[i];
}

/* Integers of 32 bits, or of 64. */
struct Labels {
    const void *data;
    bool wide;

    void convert_from(ptrdiff_t at, double *out, ptrdiff_t n) const {
        if (wide)
            convert((const int64_t *)data + at, out, n);
        else
            convert((const int32_t *)data + at, out, n);
    }
};

/* What NumPy's functions compute for doubles; floats have exponentials of our own. */
struct SigmoidParts {
    Unary exp, log1p, tanh;
};

/* log(1 + exp(-|x|)) */
CF_CLONES void logs_of(const float *x, float *out, ptrdiff_t n, const SigmoidParts &) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = one_ulp::log1p_exp_of_negative(x[i]);
}

CF_CLONES void logs_of(
        const double *x, double *out, ptrdiff_t n, const SigmoidParts &parts) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = -std::fabs(x[i]);
    parts.exp.run(out, out, n);
    parts.log1p.run(out, out, n);
}

CF_CLONES void sigmoids_of(const float *x, float *out, ptrdiff_t n, const SigmoidParts &) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = one_ulp::sigmoid(x[i]);
}

CF_CLONES void sigmoids_of(
        const double *x, double *out, ptrdiff_t n, const SigmoidParts &parts) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = Sigmoid::inner(x[i]);
    parts.tanh.run(out, out, n);
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = Sigmoid::outer(x[i], out[i]);
}

template <typename T>
CF_CLONES void losses_of_logs(
        const T *x, const double *t, T *out, ptrdiff_t n, double ignored) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        const double loss = sigmoid_loss_of_log<double>(x[i], out[i], t[i]);
        out[i] = T(loss * (t[i] != ignored ? 1. : 0.));
    }
}

template <typename T>
CF_CLONES void gradients_of_sigmoids(
        const double *t, const T *g, bool g_single, T *out, ptrdiff_t n, double ignored,
        double number) {
    const ptrdiff_t step = g_single ? 0 : 1;
    for (ptrdiff_t i = 0; i < n; ++i) {
        const double gx = sigmoid_loss_grad<double>(out[i], t[i], g[i * step], number);
        out[i] = T(gx * (t[i] != ignored ? 1. : 0.));
    }
}

/* `body` with pieces that stay in the cache from one loop to the next, and the labels of
 * their elements. */
template <typename Body>
void in_parts(const Labels &t, ptrdiff_t n, const Body &body) {
    parallel(n, GRAIN / 4, [&](ptrdiff_t i, ptrdiff_t end) {
        double labels[PART];
        for (; i < end; i += PART) {
            const ptrdiff_t m = part_at(i, end);
            t.convert_from(i, labels, m);
            body(i, m, labels);
        }
    });
}

template <typename T>
void sigmoid_losses(const T *x, const void *t, bool wide, T *out, ptrdiff_t n,
                    double ignored, const SigmoidParts *parts) {
    in_parts({t, wide}, n, [=](ptrdiff_t i, ptrdiff_t m, const double *labels) {
        logs_of(x + i, out + i, m, *parts);
        losses_of_logs(x + i, labels, out + i, m, ignored);
    });
}

template <typename T>
void sigmoid_gradients(
        const T *x, const void *t, bool wide, const T *g, bool g_single, T *out,
        ptrdiff_t n, double ignored, double number, const SigmoidParts *parts) {
    in_parts({t, wide}, n, [=](ptrdiff_t i, ptrdiff_t m, const double *labels) {
        sigmoids_of(x + i, out + i, m, *parts);
        gradients_of_sigmoids(
            labels, g + (g_single ? 0 : i), g_single, out + i, m, ignored, number);
    });
}

/* -- hinge losses, one class against the rest */

template <typename T>
CF_CLONES void margins_of(const T *x, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = margin(x[i], false);
}

template <typename T>
CF_CLONES void square(T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] *= out[i];
}

template <typename T>
CF_CLONES void gradients_of_margins(
        const T *g, bool g_single, T *out, ptrdiff_t n, bool squared, T number) {
    const ptrdiff_t step = g_single ? 0 : 1;
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = hinge_grad(out[i], g[i * step], number, squared);
}

template <typename T>
void row_of_margins(const T *x, ptrdiff_t label, T *out, ptrdiff_t columns) {
    margins_of(x, out, columns);
    out[label] = margin(x[label], true);
}

template <typename T>
void hinge_each(const T *x, const ptrdiff_t *classes, T *out, ptrdiff_t rows,
                ptrdiff_t columns, bool squared) {
    parallel(rows, GRAIN / columns + 1, [=](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i) {
            T *row = out + i * columns;
            row_of_margins(x + i * columns, classes[i], row, columns);
            if (squared)
                square(row, columns);
        }
    });
}

template <typename T>
void hinge_grads(const T *x, const ptrdiff_t *classes, const T *g, bool g_single, T *out,
                 ptrdiff_t rows, ptrdiff_t columns, bool squared, T number) {
    parallel(rows, GRAIN / columns + 1, [=](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i) {
            T *row = out + i * columns;
            row_of_margins(x + i * columns, classes[i], row, columns);
            gradients_of_margins(g + (g_single ? 0 : i * columns), g_single, row,
                                 columns, squared, number);
            row[classes[i]] = -row[classes[i]];
        }
    });
}

constexpr Loop huber_loop = {huber_each<float>, huber_each<double>};
constexpr Loop huber_grad_loop = {huber_grads<float>, huber_grads<double>};
constexpr Loop sigmoid_losses_loop = {sigmoid_losses<float>, sigmoid_losses<double>};
constexpr Loop sigmoid_gradients_loop = {
    sigmoid_gradients<float>, sigmoid_gradients<double>};
constexpr Loop hinge_loop = {hinge_each<float>, hinge_each<double>};
constexpr Loop hinge_gradients_loop = {hinge_grads<float>, hinge_grads<double>};

}  // namespace
}  // namespace chainer_fast
