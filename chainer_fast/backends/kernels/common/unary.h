/* A loop of a ufunc of one argument, run over plain memory where it is. */
#ifndef CF_UNARY_H
#define CF_UNARY_H

#include "chainer_fast/backends/kernels/common/unary.hpp"

typedef chainer_fast::UnaryLoop cf_unary;

static void cf_in_place(cf_unary f, void *p, ptrdiff_t n, ptrdiff_t size) {
    char *args[2];
    npy_intp steps[2], count = n;
    args[0] = args[1] = (char *)p;
    steps[0] = steps[1] = size;
    f.loop(args, &count, steps, f.data);
}

#endif
