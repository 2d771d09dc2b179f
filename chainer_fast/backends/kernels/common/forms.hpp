/* The loops of elementwise functions, in the few forms that there are, called alike. */
#ifndef CHAINER_FAST_FORMS_HPP
#define CHAINER_FAST_FORMS_HPP

#include <string.h>

#include "chainer_fast/backends/kernels/common/loops.hpp"
#include "chainer_fast/backends/kernels/common/unary.hpp"

namespace chainer_fast {
namespace {

/* The loops of an activation with up to two parameters, p and q, and of its gradient. */
struct Activation {
    template <typename T>
    using Loop = void (*)(const T *, const T *, T *, T, T, const Unary *, ptrdiff_t);

    Loop<float> f;
    Loop<double> d;
    Loop<float> grad_f;
    Loop<double> grad_d;

    /* The gradient if ``g`` is not null. */
    void run(char kind, const void *x, const void *g, void *out, ptrdiff_t n, double p,
             double q, const Unary *ufuncs) const {
        shared_by_type(
            kind, g ? grad_f : f, g ? grad_d : d, n, x, g, out, p, q, ufuncs);
    }
};

enum Form { COPY, BINARY, CONSTANT, UNARY, ACTIVATION, ACTIVATION_GRAD, PAIR };

/* A loop of any form. ``loops`` is a Binary, a WithConstant, a Unary, an Activation or a
 * BinaryGrads; ``ufuncs`` are an activation's. */
struct AnyLoop {
    int form;
    const void *loops;
    const Unary *ufuncs;

    /* Forms with fewer inputs, outputs or parameters leave the rest alone. */
    void run(char kind, const void *a, const void *b, const void *c, void *out,
             void *second, ptrdiff_t n, double p, double q) const {
        switch (form) {
        case COPY:
            memcpy(out, a, n * (kind == 'f' ? sizeof(float) : sizeof(double)));
            break;
        case BINARY:
            ((const Binary *)loops)->run(kind, a, b, out, n);
            break;
        case CONSTANT:
            ((const WithConstant *)loops)->run(kind, a, p, out, n);
            break;
        case UNARY:
            ((const Unary *)loops)->run(kind, a, out, n);
            break;
        case ACTIVATION:
            ((const Activation *)loops)->run(kind, a, nullptr, out, n, p, q, ufuncs);
            break;
        case ACTIVATION_GRAD:
            ((const Activation *)loops)->run(kind, a, b, out, n, p, q, ufuncs);
            break;
        case PAIR:
            ((const BinaryGrads *)loops)->run(kind, a, b, c, out, second, n);
            break;
        }
    }
};

}  // namespace
}  // namespace chainer_fast

#endif
