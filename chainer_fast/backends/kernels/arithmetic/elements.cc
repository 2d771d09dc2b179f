/* The loops of arithmetic, powers and exponentials. */
#define CF_WITHOUT_PYTHON

#include "chainer_fast/backends/kernels/common/element_table.hpp"

#include "chainer_fast/backends/kernels/arithmetic/elements.hpp"

namespace chainer_fast {
namespace {

/* -- powers by the function of NumPy, whose second argument is a constant */

template <typename T>
CF_CLONES void multiply(T value, const T *g, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = value * out[i] * g[i];
}

template <typename T>
void power(const T *x, const T *, const T *c, T *out, T *, T value, T,
           const Unary *ufuncs, ptrdiff_t n) {
    ufuncs->of<T>().run_with(x, &value, 0, out, n, sizeof(T));
    add_if_given(c, out, n);
}

template <typename T>
void power_grad(const T *x, const T *g, const T *c, T *out, T *, T value, T less,
                const Unary *ufuncs, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i += PART) {
        const ptrdiff_t m = part_at(i, n);
        ufuncs->of<T>().run_with(x + i, &less, 0, out + i, m, sizeof(T));
        multiply(value, g + i, out + i, m);
    }
    add_if_given(c, out, n);
}

const bool has_loops_of_powers = (
    table.push_back({"Pow", "of", 1, 2, {power<float>, power<double>}, {"power"}}),
    table.push_back(
        {"Pow", "grad", 2, 2, {power_grad<float>, power_grad<double>}, {"power"}}), true);

}  // namespace

const std::vector<ElementLoop> &ARITHMETIC_LOOPS = table;

}  // namespace chainer_fast
