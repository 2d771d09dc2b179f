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

    /* Elements in C order from a number on, as many as its line has: null if there are to be
     * copies. To copy a short line takes less time than to find out where it is. */
    template <typename T>
    const T *line(ptrdiff_t begin, ptrdiff_t *n) const {
        if (!ndim || strides[ndim - 1] != sizeof(T) || dims[ndim - 1] < 128)
            return nullptr;
        if (ndim == 1)
            return (const T *)data + begin;
        ptrdiff_t index[MOST_AXES];
        const char *found = place(Gathered{ndim, dims, strides}, data, begin, index);
        *n = std::min(*n, dims[ndim - 1] - index[ndim - 1]);
        return (const T *)found;
    }

    bool is_number() const { return ndim == 1 && strides[0] == 0; }
};

/* Calls f with pointers to the elements of the sources and results, part by part. */
template <typename T, typename F>
void for_parts(const Source *x, T *out, T *second, ptrdiff_t n, const F &f,
               const char *called) {
    parallel(n, GRAIN / 4, [=](ptrdiff_t begin, ptrdiff_t end) {
        T tiles[3][PART];
        for (ptrdiff_t m; begin < end; begin += m) {
            const T *from[3];
            m = part_at(begin, end);
            for (int k = 0; k < 3; ++k)
                from[k] = x[k].template line<T>(begin, &m);
            for (int k = 0; k < 3; ++k)
                if (x[k].data && !from[k]) {
                    gather(Gathered{x[k].ndim, x[k].dims, x[k].strides}, x[k].data, begin,
                           tiles[k], m);
                    from[k] = tiles[k];
                }
            f(from[0], from[1], from[2], out + begin, second ? second + begin : nullptr, m);
        }
    }, called);
}

template <typename T>
void run_parts(const AnyLoop &loop, const Source *x, void *out, void *second, ptrdiff_t n,
               double p, double q) {
    for_parts<T>(x, (T *)out, (T *)second, n, [=](const T *a, const T *b, const T *c, T *to,
                                                  T *other, ptrdiff_t m) {
        if constexpr (sizeof(T) == sizeof(uint16_t))
            loop.run_halves({a, b, c}, {to, other}, 0, m, p, q);
        else
            loop.of<T>()(a, b, c, to, other, p, q, loop.ufuncs, m);
    }, (const char *)loop.f + sizeof(T));
}

/* Call a loop with arrays or None, of which the results are in C order and of a shape. */
inline void run_gathered(
        const AnyLoop &loop, char kind, int ndim, const ptrdiff_t *shape, PyObject *a,
        PyObject *b, PyObject *c, PyObject *out, PyObject *second, double p, double q) {
    const Source x[3] = {{a, ndim, shape}, {b, ndim, shape}, {c, ndim, shape}};
    const ptrdiff_t n = PyArray_SIZE((PyArrayObject *)out);
    const Release release(n >= LONG_LOOP);
    if (kind == 'e')
        p = AnyLoop::constant(p), q = AnyLoop::constant(q);
    const auto run = kind == 'e' ? run_parts<uint16_t>
        : kind == 'f' ? run_parts<float> : run_parts<double>;
    run(loop, x, argument(out), argument(second), n, p, q);
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
