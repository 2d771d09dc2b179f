/* The loops of a NumPy function of one argument, called from C++.
 *
 * Exponentials and the like are NumPy's own, so that a compiled kernel gives the bits of
 * its reference; only the call of the ufunc is saved.
 */
#ifndef CHAINER_FAST_UNARY_HPP
#define CHAINER_FAST_UNARY_HPP

#include <stddef.h>

#include "numpy/npy_common.h"

#include "chainer_fast/backends/kernels/common/loops.hpp"

namespace chainer_fast {

struct UnaryLoop {
    typedef void (*Loop)(char **, npy_intp *, npy_intp *, void *);
    Loop loop = nullptr;
    void *data = nullptr;

    void run(const void *a, void *out, npy_intp n, npy_intp size) const {
        char *args[] = {(char *)a, (char *)out};
        npy_intp steps[] = {size, size};
        loop(args, &n, steps, data);
    }
};

struct Unary {
    UnaryLoop f;    // of single precision
    UnaryLoop d;    // of double precision

    void run(const float *a, float *out, ptrdiff_t n) const {
        f.run(a, out, n, sizeof(float));
    }

    void run(const double *a, double *out, ptrdiff_t n) const {
        d.run(a, out, n, sizeof(double));
    }

    /* By several threads, if that pays. */
    void run(char kind, const void *a, void *out, ptrdiff_t n) const {
        const UnaryLoop &loop = kind == 'f' ? f : d;
        const npy_intp size = kind == 'f' ? sizeof(float) : sizeof(double);
        parallel(n, GRAIN, [&](ptrdiff_t begin, ptrdiff_t end) {
            loop.run(from(a, begin * size), from(out, begin * size), end - begin, size);
        });
    }

    explicit operator bool() const { return f.loop != nullptr; }
};

}  // namespace chainer_fast

#endif
