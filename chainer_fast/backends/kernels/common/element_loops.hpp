/* The loops of elementwise functions, by the names of their elements; all are called
 * alike. */
#pragma once

#include <string.h>

#include "chainer_fast/backends/kernels/common/unary.hpp"

namespace chainer_fast {

/* A loop over up to three arrays, with up to two constants and two results. Those with
 * fewer leave the rest alone; ``ufuncs`` are functions of NumPy that it calls. */
template <typename T>
using LoopOver = void (*)(const T *a, const T *b, const T *c, T *out, T *second, T p, T q,
                          const Unary *ufuncs, ptrdiff_t n);

/* Names of functions of NumPy that a loop calls. */
struct Ufuncs {
    const char *names[2];
};

/* A line of a family's table. */
struct ElementLoop {
    const char *element;        // such as "ReLU"; or the name of a ufunc
    const char *function;       // of the element, such as "of"; or nothing
    int arrays, constants;      // that it takes
    LoopOver<float> f;
    LoopOver<double> d;
    Ufuncs ufuncs;
};

namespace {

/* What a static chain and the graph engine call. */
struct AnyLoop {
    LoopOver<float> f;
    LoopOver<double> d;
    const Unary *ufuncs;

    void run(char kind, const void *a, const void *b, const void *c, void *out,
             void *second, ptrdiff_t n, double p, double q) const {
        const ptrdiff_t size = kind == 'f' ? sizeof(float) : sizeof(double);
        parallel(n, *ufuncs ? FUNCTION_GRAIN : GRAIN, [=](ptrdiff_t i, ptrdiff_t end) {
            by_type(kind, f, d, from(a, i * size), from(b, i * size), from(c, i * size),
                    from(out, i * size), from(second, i * size), p, q, ufuncs, end - i);
        });
    }
};

template <typename T>
void copied(const T *a, const T *, const T *, T *out, T *, T, T, const Unary *,
            ptrdiff_t n) {
    memcpy(out, a, n * sizeof(T));
}

constexpr ElementLoop COPY = {
    "copy", nullptr, 1, 0, copied<float>, copied<double>, {}};

}  // namespace
}  // namespace chainer_fast
