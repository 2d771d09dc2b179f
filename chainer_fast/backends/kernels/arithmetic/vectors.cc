/* Arithmetic on more arrays than the loops of elements take. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include "chainer_fast/backends/kernels/arithmetic/elements.hpp"
#include "chainer_fast/backends/kernels/declared/of_three.hpp"

namespace chainer_fast::arithmetic {
namespace {

template <typename T>
CF_CLONES void interpolate_grads_each(const T *p, const T *x, const T *y, const T *g,
                                      T *gp, T *gx, T *gy, ptrdiff_t n) {
    CF_INDEPENDENT
    for (ptrdiff_t i = 0; i < n; ++i)
        Interpolation::grads(p[i], x[i], y[i], g[i], gp[i], gx[i], gy[i]);
}

template <typename T>
void interpolate_grads(const Call &c) {
    interpolate_grads_each(c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<T>(4),
                           c.at<T>(5), c.at<T>(6), c.columns);
}

}  // namespace

const Declaration VECTORS[] = {
    {"interpolate", "p:E(*) x:E(*) y:E(*) -> z:E(*)",
     of_three<Interpolation, float>, of_three<Interpolation, double>, 1, {}},
    {"interpolate_grads", "p:E(*) x:E(*) y:E(*) g:E(*) -> gp:E(*) gx:E(*) gy:E(*)",
     interpolate_grads<float>, interpolate_grads<double>, 2, {}},
    {}};

}  // namespace chainer_fast::arithmetic
