/* Loops of recurrent cells, as modules in Cython hold and call them. */
#ifndef CHAINER_FAST_RECURRENT_CELL_HPP
#define CHAINER_FAST_RECURRENT_CELL_HPP

#include <stddef.h>

#include "numpy/npy_common.h"

namespace chainer_fast {
namespace {

/* NumPy's loop of the hyperbolic tangent for one type. */
struct Tangent {
    void (*loop)(char **, npy_intp *, npy_intp *, void *);
    void *data;

    template <typename T>
    void operator()(const T *x, T *y, ptrdiff_t n) const {
        char *arrays[] = {(char *)x, (char *)y};
        npy_intp steps[] = {sizeof(T), sizeof(T)};
        npy_intp count = n;
        loop(arrays, &count, steps, data);
    }
};

/* The loop of a cell for both types. Its arguments are the arrays that it works on, the
 * inputs first; the number of samples and of the units of each; and a number whose
 * meaning depends on the cell. */
struct Cell {
    void (*f)(float *const *, ptrdiff_t, ptrdiff_t, ptrdiff_t, Tangent);
    void (*d)(double *const *, ptrdiff_t, ptrdiff_t, ptrdiff_t, Tangent);
};

}  // namespace
}  // namespace chainer_fast

#endif
