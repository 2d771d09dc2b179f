/* Loops of one of NumPy's functions of one argument, run over plain memory in place. */
#ifndef CHAINER_FAST_UNARY_HPP
#define CHAINER_FAST_UNARY_HPP

#include <stddef.h>
#include "numpy/npy_common.h"

namespace chainer_fast {

struct UnaryLoop {
    void (*loop)(char **, npy_intp *, npy_intp *, void *);
    void *data;
};

struct Unary {
    UnaryLoop f;    // of single precision
    UnaryLoop d;    // of double precision

    void in_place(float *p, ptrdiff_t n) const { run(f, p, n, sizeof(float)); }
    void in_place(double *p, ptrdiff_t n) const { run(d, p, n, sizeof(double)); }

private:
    static void run(const UnaryLoop &f, void *p, npy_intp count, npy_intp step) {
        char *args[2] = {static_cast<char *>(p), static_cast<char *>(p)};
        npy_intp steps[2] = {step, step};
        f.loop(args, &count, steps, f.data);
    }
};

}  // namespace chainer_fast

#endif
