/* Losses of pairs of arrays, and of scores with labels. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include <stdint.h>

#include <cmath>

#include "chainer_fast/backends/kernels/common/exponential.hpp"
#include "chainer_fast/backends/kernels/losses/elements.hpp"
#include "chainer_fast/backends/kernels/reduction/sums.hpp"

namespace chainer_fast::losses {
namespace {

using activation::Sigmoid;
using reduction::shared_row_sum;

/* -- Huber's loss */

template <typename T>
CF_CLONES void huber_of(const T *x, const T *t, T *out, ptrdiff_t n, T delta) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = huber(x[i], t[i], delta);
}

template <typename T>
void huber_losses(const Call &c) {
    huber_of(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.columns, T(c.numbers[0]));
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

template <typename T>
void huber_grads(const Call &c) {
    const T delta = T(c.numbers[0]);
    for (ptrdiff_t i = 0; i < c.rows; ++i) {
        const T *x = c.at<T>(0, i), *t = c.at<T>(1, i), *g = c.at<T>(2, i);
        if (c.varies(2))
            huber_grad_of(x, t, g, c.at<T>(3, i), c.columns, delta);
        else
            huber_grad_of(x, t, *g, c.at<T>(3, i), c.columns, delta);
    }
}

/* -- losses of differences */

/* (x - y) g number, rounded at every step; g of a row, or of all elements. */
template <typename T>
CF_CLONES void scaled_differences(const Call &c) {
    const T number = T(c.numbers[0]);
    const ptrdiff_t rows = c.rows, n = c.columns;
    for (ptrdiff_t i = 0; i < rows; ++i) {
        const T *x = c.at<T>(0, i), *y = c.at<T>(1, i), g = *c.at<T>(2, i);
        T *out = c.at<T>(3, i);
        CF_INDEPENDENT for (ptrdiff_t j = 0; j < n; ++j)
            out[j] = (x[j] - y[j]) * g * number;
    }
}

/* g times the sign of x times a slope. */
template <typename T>
CF_CLONES void scaled_signs(const Call &c) {
    const T slope = T(c.numbers[0]), g = *c.at<T>(1), *x = c.at<T>(0);
    const ptrdiff_t n = c.columns;
    T *out = c.at<T>(2);
    CF_INDEPENDENT for (ptrdiff_t i = 0; i < n; ++i) {
        const T sign = (x[i] > 0 ? T(1) : T(0)) - (x[i] < 0 ? T(1) : T(0));
        out[i] = g * ((x[i] == x[i] ? sign : x[i]) * slope);
    }
}

/* By how much x is further from y than from z, element by element, in squares. */
template <typename T>
CF_CLONES void excesses(const Call &c) {
    const T *x = c.at<T>(0), *y = c.at<T>(1), *z = c.at<T>(2);
    const ptrdiff_t n = c.columns;
    T *out = c.at<T>(3);
    CF_INDEPENDENT for (ptrdiff_t i = 0; i < n; ++i) {
        const T near = x[i] - y[i], far = x[i] - z[i];
        out[i] = near * near - far * far;
    }
}

/* -- the cross entropy of a sigmoid and labels
 *
 * NumPy computes with floats and integers in double precision. */

template <typename Label>
CF_CLONES void convert(const Label *t, double *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = (double)t[i];
}

/* log(1 + exp(-|x|)); functions of doubles are NumPy's. */
CF_CLONES void logs_of(const float *x, float *out, ptrdiff_t n, const Unary *) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = one_ulp::log1p_exp_of_negative(x[i]);
}

CF_CLONES void logs_of(
        const double *x, double *out, ptrdiff_t n, const Unary *functions) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = -std::fabs(x[i]);
    functions[0].run(out, out, n);
    functions[1].run(out, out, n);
}

CF_CLONES void sigmoids_of(const float *x, float *out, ptrdiff_t n, const Unary *) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = one_ulp::sigmoid(x[i]);
}

CF_CLONES void sigmoids_of(
        const double *x, double *out, ptrdiff_t n, const Unary *functions) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = Sigmoid::inner(x[i]);
    functions[0].run(out, out, n);
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
        const double *t, const T *g, ptrdiff_t step, T *out, ptrdiff_t n, double ignored,
        double number) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        const double gx = sigmoid_loss_grad<double>(out[i], t[i], g[i * step], number);
        out[i] = T(gx * (t[i] != ignored ? 1. : 0.));
    }
}

/* `body` with pieces that stay in the cache from one loop to the next, and the labels of
 * their elements. */
template <typename Body>
void in_parts(const Call &c, const Body &body) {
    double labels[PART];
    for (ptrdiff_t i = 0; i < c.columns; i += PART) {
        const ptrdiff_t m = part_at(i, c.columns);
        if (c.operands[1].wide)
            convert(c.at<int64_t>(1) + i, labels, m);
        else
            convert(c.at<int32_t>(1) + i, labels, m);
        body(i, m, labels);
    }
}

template <typename T>
void sigmoid_losses(const Call &c) {
    const T *x = c.at<T>(0);
    T *out = c.at<T>(2);
    in_parts(c, [&](ptrdiff_t i, ptrdiff_t m, const double *labels) {
        logs_of(x + i, out + i, m, c.functions);
        losses_of_logs(x + i, labels, out + i, m, c.numbers[0]);
    });
}

template <typename T>
void sigmoid_gradients(const Call &c) {
    const T *x = c.at<T>(0), *g = c.at<T>(2);
    const ptrdiff_t step = c.operands[2].column;
    T *out = c.at<T>(3);
    in_parts(c, [&](ptrdiff_t i, ptrdiff_t m, const double *labels) {
        sigmoids_of(x + i, out + i, m, c.functions);
        gradients_of_sigmoids(
            labels, g + i * step, step, out + i, m, c.numbers[0], c.numbers[1]);
    });
}

/* The sum of all losses, which `sigmoid_mean` divides. */
template <typename T>
void sum_of_losses(const Call &c) {
    *c.at<T>(1) = shared_row_sum(c.at<T>(0), c.columns);
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
        const T *g, ptrdiff_t step, T *out, ptrdiff_t n, bool squared, T number) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = hinge_grad(out[i], g[i * step], number, squared);
}

template <typename T>
void row_of_margins(const T *x, ptrdiff_t label, T *out, ptrdiff_t columns) {
    margins_of(x, out, columns);
    out[label] = margin(x[label], true);
}

template <typename T>
void hinge_losses(const Call &c) {
    for (ptrdiff_t i = 0; i < c.rows; ++i) {
        T *row = c.at<T>(2, i);
        row_of_margins(c.at<T>(0, i), *c.at<ptrdiff_t>(1, i), row, c.columns);
        if (c.numbers[0] != 0)
            square(row, c.columns);
    }
}

template <typename T>
void hinge_grads(const Call &c) {
    for (ptrdiff_t i = 0; i < c.rows; ++i) {
        const ptrdiff_t label = *c.at<ptrdiff_t>(1, i);
        T *row = c.at<T>(3, i);
        row_of_margins(c.at<T>(0, i), label, row, c.columns);
        gradients_of_margins(c.at<T>(2, i), c.operands[2].column, row, c.columns,
                             c.numbers[0] != 0, T(c.numbers[1]));
        row[label] = -row[label];
    }
}

}  // namespace

const Declaration KERNELS[] = {
    {"huber_losses", "x:F(*) t:F(*) delta:c -> y:F(*)",
     huber_losses<float>, huber_losses<double>, 1, {}},
    {"huber_grad", "x:E(*,m) t:E(*,m) g:E(*,m)|E(*,1) delta:c>0 -> gx:E(*,m)",
     huber_grads<float>, huber_grads<double>, 1, {}},
    {"scaled_difference", "x:E(*) y:E(*) g:E() number:c -> gx:E(*)",
     scaled_differences<float>, scaled_differences<double>, 1, {}},
    {"scaled_row_difference", "x:E(n;m) y:E(n;m) g:E(n) number:c -> gx:E(n;m)",
     scaled_differences<float>, scaled_differences<double>, 1, {}},
    {"scaled_sign", "x:E(*) g:E() slope:c -> gx:E(*)",
     scaled_signs<float>, scaled_signs<double>, 1, {}},
    {"excess", "x:F(*) y:F(*) z:F(*) -> excess:F(*)",
     excesses<float>, excesses<double>, 1, {}},
    {"sigmoid_losses", "x:F(*) t:label(*) ignored:i -> y:F(*)",
     sigmoid_losses<float>, sigmoid_losses<double>, 4, {"exp", "log1p"}},
    {"sigmoid_gradient",
     "x:E(*) t:label(*) g:E(*)|E() ignored:i number:c -> gx:E(*)",
     sigmoid_gradients<float>, sigmoid_gradients<double>, 4, {"tanh"}},
    {"sum_of_losses", "x:F(*) -> total:F()",
     sum_of_losses<float>, sum_of_losses<double>, 1, {}},
    {"hinge_losses", "x:F(n;m) t:class(n) squared:b -> y:F(n;m)",
     hinge_losses<float>, hinge_losses<double>, 1, {}},
    {"hinge_gradient",
     "x:E(n;m) t:class(n) g:E(n;m)|E() squared:b number:c -> gx:E(n;m)",
     hinge_grads<float>, hinge_grads<double>, 1, {}},
    {}};

}  // namespace chainer_fast::losses
