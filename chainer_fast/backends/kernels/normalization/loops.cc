/* Batch normalization, and local response normalization. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include <fenv.h>

#include "chainer_fast/backends/kernels/normalization/response_loops.hpp"

namespace chainer_fast::normalization {
namespace {

Extent extent_of(const Call &c, bool by_rows) {
    return {c.rows, c.columns, c.inner, by_rows};
}

template <typename T>
void moments(const Call &c) {
    any_forward<T>(c.at<T>(0), nullptr, nullptr, nullptr, c.at<T>(1), c.at<T>(2),
                   nullptr, extent_of(c, c.sums_go_by_rows(0)), 0);
}

template <typename T>
void apply_moments(const Call &c) {
    any_forward<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(5), c.at<T>(3), nullptr,
                   c.at<T>(4), extent_of(c, c.sums_go_by_rows(0)), 0);
}

template <typename T>
void normalize_batch(const Call &c) {
    any_forward<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<T>(4),
                   c.at<T>(5), c.at<T>(6), extent_of(c, c.sums_go_by_rows(0)),
                   c.numbers[0]);
}

/* Gradients of images are in C order in Chainer, whatever the order of the images. */
template <typename T>
void normalize_batch_grads(const Call &c) {
    const bool by_rows =
        c.sums_go_by_rows(0) && !c.reordered && c.sums_go_by_rows(2);
    any_backward<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<T>(4),
                    c.at<T>(5), c.at<T>(6), c.at<T>(7), extent_of(c, by_rows),
                    c.numbers[0] != 0);
}

template <typename T>
void inverses(const Call &c) {
    inverses(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.columns, T(c.numbers[0]));
}

template <typename T>
void statistics_grads(const Call &c) {
    statistics_backward(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<T>(4),
                        c.at<T>(5), c.at<T>(6), c.columns);
}

/* -- local response; wider windows contain at most all channels */

ptrdiff_t half_window(const Call &c) {
    return std::min((ptrdiff_t)c.numbers[0], c.columns);
}

/* Only roots have fast loops; for other powers, a flag makes the reference compute. */
template <typename T>
void response(const Call &c) {
    const double quarters = c.numbers[3] * 4;
    if (quarters != 2 && quarters != 3 && quarters != 4)
        feraiseexcept(FE_INVALID);
    else
        response_forward<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3),
                            extent_of(c, false), half_window(c), T(c.numbers[1]),
                            T(c.numbers[2]), (int)quarters);
}

template <typename T>
void response_grad(const Call &c) {
    response_backward<T>(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<T>(4),
                         extent_of(c, false), half_window(c),
                         T(-2 * c.numbers[1] * c.numbers[2]));
}

}  // namespace

#define CF_IMAGES(name) #name ":F(before;n;behind) "

const Declaration KERNELS[] = {
    {"moments", CF_IMAGES(x) "axis:others -> mean:F(n) var:F(n)",
     moments<float>, moments<double>, BY_ITSELF, {}},
    {"batch_apply",
     CF_IMAGES(x) "gamma:F(n) beta:F(n) mean:F(n) inv_std:F(n) axis:others -> "
     CF_IMAGES(y),
     apply_moments<float>, apply_moments<double>, BY_ITSELF, {}},
    {"batch_forward",
     CF_IMAGES(x) "gamma:F(n) beta:F(n) axis:others eps:c -> "
     CF_IMAGES(y) "mean:F(n) var:F(n) inv_std:F(n)",
     normalize_batch<float>, normalize_batch<double>, BY_ITSELF, {}},
    {"batch_backward",
     CF_IMAGES(x) "gamma:F(n) " CF_IMAGES(gy) "mean:F(n) inv_std:F(n) axis:others "
     "fixed:b -> " CF_IMAGES(gx) "ggamma:F(n) gbeta:F(n)",
     normalize_batch_grads<float>, normalize_batch_grads<double>, BY_ITSELF, {}},
    {"inverses", "var:F(*) eps:c -> inv_std:F(*) inv_var:F(*)",
     inverses<float>, inverses<double>, 8, {}},
    {"statistics_backward",
     "gamma:F(*) inv_std:F(*) inv_var:F(*) ggamma:F(*) gbeta:F(*) "
     "-> gmean:F(*) gvar:F(*)",
     statistics_grads<float>, statistics_grads<double>, 1, {}},
    {"response_forward",
     CF_IMAGES(x) "axis=1 half:i>=0 k:c alpha:c beta:c -> "
     CF_IMAGES(y) CF_IMAGES(unit) CF_IMAGES(scale),
     response<float>, response<double>, BY_ITSELF, {}},
    {"response_backward",
     CF_IMAGES(x) CF_IMAGES(gy) CF_IMAGES(unit) CF_IMAGES(scale)
     "axis=1 half:i>=0 alpha:c beta:c -> " CF_IMAGES(gx),
     response_grad<float>, response_grad<double>, BY_ITSELF, {}},
    {}};

}  // namespace chainer_fast::normalization
