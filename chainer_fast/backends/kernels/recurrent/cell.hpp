/* Loops of recurrent cells, as modules in Cython hold and call them. */
#pragma once

#include <fenv.h>

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/common/unary.hpp"

namespace chainer_fast::recurrent {
namespace {

/* The loop of a cell for both types. Its arguments are the arrays that it works on, the
 * inputs first; the number of samples and of the units of each; a number whose meaning
 * depends on the cell; and NumPy's hyperbolic tangent. */
struct Cell {
    void (*f)(float *const *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const Unary &);
    void (*d)(double *const *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const Unary &);

    /* Returns the flags raised. */
    int run(char kind, void **arrays, ptrdiff_t samples, ptrdiff_t units, ptrdiff_t more,
            const Unary &tanh) const {
        const Release release(samples * units >= LONG_LOOP / 4);
        feclearexcept(FLOAT_ERRORS);
        if (kind == 'f')
            f((float **)arrays, samples, units, more, tanh);
        else
            d((double **)arrays, samples, units, more, tanh);
        return fetestexcept(FLOAT_ERRORS);
    }
};

}  // namespace
}  // namespace chainer_fast::recurrent
