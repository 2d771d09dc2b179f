/* Activations of several arrays of one shape, or with results of another shape. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include "chainer_fast/backends/kernels/activation/elements.hpp"
#include "chainer_fast/backends/kernels/declared/of_three.hpp"

namespace chainer_fast::activation {
namespace {

template <typename T>
CF_CLONES void both_parts(const T *x, T *above, T *below, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        CReLU::of(x[i], above[i], below[i]);
}

template <typename T>
void crelu(const Call &c) {
    const ptrdiff_t n = c.columns * c.inner;
    for (ptrdiff_t i = 0; i < c.rows; ++i)
        both_parts(c.at<T>(0, i), c.at<T>(1, i), c.at<T>(1, i) + n, n);
}

struct CReLUGrad {
    template <typename T>
    static CF_ELEMENT T of(T x, T above, T below) { return CReLU::grad(x, above, below); }
};

template <typename T>
void crelu_grad(const Call &c) {
    const ptrdiff_t n = c.columns * c.inner;
    for (ptrdiff_t i = 0; i < c.rows; ++i)
        over_three<CReLUGrad>(
            c.at<T>(0, i), c.at<T>(1, i), c.at<T>(1, i) + n, c.at<T>(2, i), n);
}

}  // namespace

const Declaration KERNELS[] = {
    {"bend", "x:E(*) signs:E(*) slopes:E(*) -> y:E(*)",
     of_three<Bend, float>, of_three<Bend, double>, 1, {}},
    {"crelu", "x:E(before;n;behind) axis:axis -> y:E(before;2n;behind)",
     crelu<float>, crelu<double>, 1, {}},
    {"crelu_grad",
     "x:E(before;n;behind) g:E(before;2n;behind) axis:axis -> gx:E(before;n;behind)",
     crelu_grad<float>, crelu_grad<double>, 1, {}},
    {}};

}  // namespace chainer_fast::activation
