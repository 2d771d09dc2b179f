/* Loops of exponentials as NumPy calls those of its functions, and over plain arrays. */
#pragma once

#include <fenv.h>

#include <algorithm>

#include "numpy/npy_common.h"

#include "chainer_fast/backends/kernels/common/exponential.hpp"

namespace chainer_fast {
namespace {

/* Both may be the same array. */
template <float (*function)(float)>
CF_CLONES void fill_exponentials(const float *x, float *out, ptrdiff_t n) {
    CF_INDEPENDENT
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = function(x[i]);
}

/* As NumPy's functions for floats, these do not report underflow. */
inline void forget_underflow() {
    if (fetestexcept(FE_UNDERFLOW))
        feclearexcept(FE_UNDERFLOW);
}

/* The loop of a function of one argument, for elements any number of bytes apart. */
template <float (*function)(float)>
void ufunc_loop(char **args, const npy_intp *dims, const npy_intp *steps, void *) {
    constexpr npy_intp size = sizeof(float), PART = 256;
    const npy_intp n = dims[0];
    float part[PART];
    if (steps[0] == size && steps[1] == size)
        fill_exponentials<function>((const float *)args[0], (float *)args[1], n);
    else
        for (npy_intp done = 0; done < n; done += PART) {
            const npy_intp m = std::min(PART, n - done);
            for (npy_intp i = 0; i < m; ++i)
                part[i] = *(const float *)(args[0] + (done + i) * steps[0]);
            fill_exponentials<function>(part, part, m);
            for (npy_intp i = 0; i < m; ++i)
                *(float *)(args[1] + (done + i) * steps[1]) = part[i];
        }
    forget_underflow();
}

}  // namespace
}  // namespace chainer_fast
