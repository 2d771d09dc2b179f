/* Loops of elementwise functions over arrays with gaps, and such as are broadcast.
 *
 * A tile of each is gathered at a time, and so stays in the cache. */
#pragma once

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/common/element_loops.hpp"
#include "chainer_fast/backends/kernels/common/gather.hpp"

namespace chainer_fast {
namespace {

/* An array as an operand of a shape, which it may be broadcast to; axes are joined where
 * its strides allow it. */
struct Source {
    const char *data = nullptr;
    int ndim = 0;
    ptrdiff_t dims[MOST_AXES], strides[MOST_AXES];

    Source(PyObject *object, int n, const ptrdiff_t *shape) {
        PyArrayObject *array = (PyArrayObject *)object;
        if (object == Py_None)
            return;
        data = PyArray_BYTES(array);
        const int missing = n - PyArray_NDIM(array);
        for (int axis = 0; axis < n; ++axis) {
            const bool own = axis >= missing && PyArray_DIM(array, axis - missing) != 1;
            const ptrdiff_t stride = own ? PyArray_STRIDE(array, axis - missing) : 0;
            if (shape[axis] == 1)
                continue;
            if (ndim && strides[ndim - 1] == stride * shape[axis]) {
                dims[ndim - 1] *= shape[axis];
                strides[ndim - 1] = stride;
                continue;
            }
            dims[ndim] = shape[axis];
            strides[ndim++] = stride;
        }
    }

    /* Elements in C order from a number on: those of the array, or copies. */
    template <typename T>
    const T *at(ptrdiff_t begin, ptrdiff_t n, T *tile) const {
        if (!data || (ndim == 1 && strides[0] == sizeof(T)))
            return data ? (const T *)data + begin : nullptr;
        gather(Gathered{ndim, dims, strides}, data, begin, tile, n);
        return tile;
    }

    bool is_number() const { return ndim == 1 && strides[0] == 0; }
};

/* Calls f with pointers to the elements of the sources and results, part by part. */
template <typename T, typename F>
void for_parts(const Source *x, T *out, T *second, ptrdiff_t n, const F &f,
               const char *called) {
    parallel(n, GRAIN / 4, [=](ptrdiff_t begin, ptrdiff_t end) {
        T tiles[3][PART];
        for (; begin < end; begin += PART) {
            const ptrdiff_t m = part_at(begin, end);
            f(x[0].at(begin, m, tiles[0]), x[1].at(begin, m, tiles[1]),
              x[2].at(begin, m, tiles[2]), out + begin, second ? second + begin : nullptr,
              m);
        }
    }, called);
}

template <typename T>
void run_parts(LoopOver<T> loop, const Source *x, T *out, T *second, ptrdiff_t n, T p, T q,
               const Unary *ufuncs) {
    for_parts<T>(x, out, second, n, [=](const T *a, const T *b, const T *c, T *to,
                                        T *other, ptrdiff_t m) {
        loop(a, b, c, to, other, p, q, ufuncs, m);
    }, (const char *)loop);
}

inline void run_parts_of_halves(const AnyLoop &loop, const Source *x, uint16_t *out,
                                uint16_t *second, ptrdiff_t n, double p, double q) {
    typedef const uint16_t *Halves;
    const float first = AnyLoop::constant(p), other = AnyLoop::constant(q);
    for_parts<uint16_t>(x, out, second, n, [=](Halves a, Halves b, Halves c, uint16_t *to,
                                               uint16_t *also, ptrdiff_t m) {
        loop.run_halves({a, b, c}, {to, also}, 0, m, first, other);
    }, (const char *)loop.f);
}

/* Call a loop with arrays or None, of which the results are in C order and of a shape. */
inline void run_gathered(
        const AnyLoop &loop, char kind, int ndim, const ptrdiff_t *shape, PyObject *a,
        PyObject *b, PyObject *c, PyObject *out, PyObject *second, double p, double q) {
    const Source x[3] = {{a, ndim, shape}, {b, ndim, shape}, {c, ndim, shape}};
    const ptrdiff_t n = PyArray_SIZE((PyArrayObject *)out);
    void *to = PyArray_DATA((PyArrayObject *)out);
    void *other = second == Py_None ? nullptr : PyArray_DATA((PyArrayObject *)second);
    const Release release(n >= LONG_LOOP);
    if (kind == 'e')
        run_parts_of_halves(loop, x, (uint16_t *)to, (uint16_t *)other, n, p, q);
    else if (kind == 'f')
        run_parts<float>(loop.f, x, (float *)to, (float *)other, n, (float)p, (float)q,
                         loop.ufuncs);
    else
        run_parts<double>(loop.d, x, (double *)to, (double *)other, n, p, q, loop.ufuncs);
}

template <typename T>
void run_ufunc_parts(const UnaryLoop &f, const Source *x, T *out, ptrdiff_t n) {
    const T *number = x[1].is_number() ? (const T *)x[1].data : nullptr;
    const ptrdiff_t step = number ? 0 : sizeof(T);
    for_parts<T>(x, out, nullptr, n, [=](const T *a, const T *b, const T *, T *to, T *,
                                         ptrdiff_t m) {
        if (b)
            f.run_with(a, number ? number : b, step, to, m, sizeof(T));
        else
            f.run(a, to, m, sizeof(T));
    }, f.address());
}

/* Call a function of NumPy with an array, and another or None, likewise. */
inline void run_ufunc(const Unary &ufunc, char kind, int ndim, const ptrdiff_t *shape,
                      PyObject *a, PyObject *b, PyObject *out) {
    const Source x[3] = {{a, ndim, shape}, {b, ndim, shape}, {Py_None, ndim, shape}};
    const ptrdiff_t n = PyArray_SIZE((PyArrayObject *)out);
    void *to = PyArray_DATA((PyArrayObject *)out);
    const Release release(true);
    if (kind == 'f')
        run_ufunc_parts(ufunc.f, x, (float *)to, n);
    else
        run_ufunc_parts(ufunc.d, x, (double *)to, n);
}

}  // namespace
}  // namespace chainer_fast
