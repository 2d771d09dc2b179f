/* The loops of a NumPy function of one argument, called from C++.
 *
 * Exponentials and the like are NumPy's own, so that a compiled kernel gives the bits of
 * its reference; what is spared is the way through the ufunc.
 */
#ifndef CHAINER_FAST_UNARY_HPP
#define CHAINER_FAST_UNARY_HPP

#include <stddef.h>

#include "numpy/npy_common.h"

namespace chainer_fast {
namespace {

struct Unary {
    typedef void (*Loop)(char **, const npy_intp *, const npy_intp *, void *);
    Loop f = nullptr, d = nullptr;
    void *data_f = nullptr, *data_d = nullptr;

    void run(const float *a, float *out, ptrdiff_t n) const {
        call(f, data_f, a, out, n, sizeof(float));
    }

    void run(const double *a, double *out, ptrdiff_t n) const {
        call(d, data_d, a, out, n, sizeof(double));
    }

    void run(char kind, const void *a, void *out, ptrdiff_t n) const {
        if (kind == 'f')
            run((const float *)a, (float *)out, n);
        else
            run((const double *)a, (double *)out, n);
    }

private:
    static void call(Loop loop, void *data, const void *a, void *out, npy_intp n,
                     npy_intp size) {
        char *args[] = {(char *)a, (char *)out};
        const npy_intp steps[] = {size, size};
        loop(args, &n, steps, data);
    }
};

}  // namespace
}  // namespace chainer_fast

#endif
