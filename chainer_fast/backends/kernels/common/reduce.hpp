/* Reductions over any axes, in the order in which NumPy adds: along the axes in memory,
 * rows pairwise, and from row to row one after the other. Rows with gaps between them that
 * go into one sum are copied, as many elements at a time as NumPy's buffers hold. */
#pragma once

#include <Python.h>
#include <numpy/arrayobject.h>

#include <vector>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/common/gather.hpp"

namespace chainer_fast {
namespace {

enum class Reduction { SUM, PRODUCT, LARGEST, SMALLEST };

/* As NumPy begins a sum: the first term is added to zero. */
template <Reduction kind, typename T>
CF_ELEMENT T begun(T first) {
    return kind == Reduction::SUM ? first + T(0) : first;
}

template <Reduction kind, typename T>
CF_ELEMENT T join(T a, T b) {
    if constexpr (kind == Reduction::SUM)
        return a + b;
    else if constexpr (kind == Reduction::PRODUCT)
        return a * b;
    else if constexpr (kind == Reduction::LARGEST)
        return ((b > a) | (b != b)) ? b : a;
    else
        return ((b < a) | (b != b)) ? b : a;
}

/* Elements of a row that are reduced in lanes, as those of NumPy's sums are. */
constexpr ptrdiff_t LEAF = 128;

template <Reduction kind, typename T>
CF_ELEMENT T reduce_leaf(const T *x, ptrdiff_t n) {
    if (kind == Reduction::SUM)
        return inlined_block_sum(x, n);
    T lanes[8], total = x[0];
    ptrdiff_t i = 1, j;
    if (n >= 8) {
        for (j = 0; j < 8; ++j)
            lanes[j] = x[j];
        for (i = 8; i + 8 <= n; i += 8)
            for (j = 0; j < 8; ++j)
                lanes[j] = join<kind>(lanes[j], x[i + j]);
        const auto two = [&](ptrdiff_t k) { return join<kind>(lanes[k], lanes[k + 1]); };
        total = join<kind>(join<kind>(two(0), two(2)), join<kind>(two(4), two(6)));
    }
    for (; i < n; ++i)
        total = join<kind>(total, x[i]);
    return total;
}

template <Reduction kind, typename T>
CF_CLONES T leaf_total(const T *x, ptrdiff_t n) { return begun<kind>(reduce_leaf<kind>(x, n)); }

/* Rows of a leaf at most, with strides in elements. */
template <Reduction kind, typename T>
CF_CLONES void reduce_short_rows(const T *x, ptrdiff_t row, ptrdiff_t column, T *out,
                                 ptrdiff_t rows, ptrdiff_t n, bool joins) {
    for (ptrdiff_t i = 0; i < rows; ++i, x += row) {
        T part[LEAF];
        for (ptrdiff_t j = 0; column != 1 && j < n; ++j)
            part[j] = x[j * column];
        const T total = reduce_leaf<kind>(column == 1 ? x : part, n);
        out[i] = joins ? join<kind>(out[i], total) : begun<kind>(total);
    }
}

template <Reduction kind, typename T>
T reduce_row(const T *x, ptrdiff_t column, ptrdiff_t n) {
    if (n <= LEAF) {
        if (column == 1)
            return leaf_total<kind>(x, n);
        T total;
        reduce_short_rows<kind>(x, 0, column, &total, 1, n, false);
        return total;
    }
    const ptrdiff_t half = n / 2 - n / 2 % 8;
    // In the order of memory, which a compiler may not keep between arguments.
    const T first = reduce_row<kind>(x, column, half);
    return join<kind>(first, reduce_row<kind>(x + half * column, column, n - half));
}

template <Reduction kind, typename T>
CF_CLONES void join_rows(const T *x, ptrdiff_t column, T *out, ptrdiff_t n, bool joins) {
    if (joins)
        for (ptrdiff_t j = 0; j < n; ++j)
            out[j] = join<kind>(out[j], x[j * column]);
    else
        for (ptrdiff_t j = 0; j < n; ++j)
            out[j] = begun<kind>(x[j * column]);
}

/* Elements of a buffer of NumPy's. */
constexpr ptrdiff_t BUFFER = 8192;

/* Axes of an array from the outermost in memory on, joined where that is possible. */
struct ReducedAxes {
    static constexpr int MOST = 16;
    struct Axis { ptrdiff_t length, stride; bool reduced; } each[MOST];
    int n = 0, inner = 1;           // axes; those at the end that are all reduced
    ptrdiff_t size = 1, results = 1, row = 1;       // elements of the inner axes
    ptrdiff_t lengths[MOST], strides[MOST];         // of the inner axes, in bytes

    /* False if results would not come in C order, as NumPy makes them. */
    bool read(PyArrayObject *array, const int *reduced, ptrdiff_t itemsize) {
        if (PyArray_NDIM(array) > MOST)
            return false;
        int places[MOST];
        for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
            const Axis one = {
                PyArray_DIM(array, axis), PyArray_STRIDE(array, axis) / itemsize,
                reduced[axis] != 0};
            if (one.length == 1)
                continue;
            if (one.length == 0 || one.stride <= 0
                    || PyArray_STRIDE(array, axis) % itemsize)
                return false;
            int at = n++;
            for (; at && each[at - 1].stride < one.stride; --at) {
                each[at] = each[at - 1];
                places[at] = places[at - 1];
                if (!one.reduced && !each[at].reduced)
                    return false;
            }
            each[at] = one;
            size *= one.length;
            results *= one.reduced ? 1 : one.length;
        }
        int last = 0;
        for (int i = 1; i < n; ++i)
            if (each[last].reduced == each[i].reduced
                    && each[last].stride == each[i].stride * each[i].length)
                each[last] = {each[last].length * each[i].length, each[i].stride,
                              each[i].reduced};
            else
                each[++last] = each[i];
        n = n ? last + 1 : 0;
        if (!n)
            each[n++] = {1, 1, true};
        while (inner < n && each[n - 1].length < BUFFER && each[n - 1].reduced
                && each[n - 1 - inner].reduced)
            ++inner;
        for (int i = 0; i < inner; ++i) {
            lengths[i] = each[n - inner + i].length;
            strides[i] = each[n - inner + i].stride * itemsize;
            row *= lengths[i];
        }
        return true;
    }

    /* Elements up to that of a number among those of the outer axes that are reduced, or
     * that are kept. */
    ptrdiff_t offset(ptrdiff_t number, bool reduced) const {
        ptrdiff_t found = 0;
        for (int i = n - 1 - inner; i >= 0; --i)
            if (each[i].reduced == reduced) {
                found += number % each[i].length * each[i].stride;
                number /= each[i].length;
            }
        return found;
    }
};

/* -- long rows, which NumPy cuts in halves of halves */

constexpr ptrdiff_t ROW_PIECE = GRAIN / 4;

template <typename T>
struct RowPiece {
    const T *x;
    ptrdiff_t term, n;
    T total;
};

template <typename T>
void cut_in_pieces(const T *x, ptrdiff_t term, ptrdiff_t column, ptrdiff_t n,
                   std::vector<RowPiece<T>> *pieces) {
    if (n <= ROW_PIECE) {
        pieces->push_back({x, term, n, T(0)});
        return;
    }
    const ptrdiff_t half = n / 2 - n / 2 % 8;
    cut_in_pieces(x, term, column, half, pieces);
    cut_in_pieces(x + half * column, term, column, n - half, pieces);
}

template <Reduction kind, typename T>
T total_of_pieces(ptrdiff_t n, const RowPiece<T> **next) {
    if (n <= ROW_PIECE)
        return (*next)++->total;
    const ptrdiff_t half = n / 2 - n / 2 % 8;
    const T total = total_of_pieces<kind>(half, next);
    return join<kind>(total, total_of_pieces<kind>(n - half, next));
}

/* Columns that rows are joined in, which stay in the cache. */
constexpr ptrdiff_t STRIP = 2048;

template <Reduction kind, typename T>
void reduce(const ReducedAxes &axes, const T *x, T *out) {
    const ReducedAxes::Axis &last = axes.each[axes.n - 1];
    const ptrdiff_t results = last.reduced ? axes.results : axes.results / last.length;
    const ptrdiff_t rows = axes.size / axes.row / results;      // that one result is of
    if (!last.reduced) {
        const ptrdiff_t strips = (last.length + STRIP - 1) / STRIP;
        const ptrdiff_t work = rows * std::min(last.length, STRIP);
        parallel(results * strips, GRAIN / work + 1, [&](ptrdiff_t i, ptrdiff_t end) {
            for (; i < end; ++i) {
                const ptrdiff_t at = i % strips * STRIP, row = i / strips;
                const T *from = x + axes.offset(row, false) + at * last.stride;
                for (ptrdiff_t k = 0; k < rows; ++k)
                    join_rows<kind>(
                        from + axes.offset(k, true), last.stride,
                        out + row * last.length + at, std::min(STRIP, last.length - at), k);
            }
        });
        return;
    }
    if (rows == 1 && axes.inner == 1 && last.length <= LEAF && axes.n < 3) {
        const ptrdiff_t step = axes.n == 2 ? axes.each[0].stride : 0;
        parallel(results, GRAIN / last.length, [&](ptrdiff_t i, ptrdiff_t end) {
            reduce_short_rows<kind>(x + i * step, step, last.stride, out + i, end - i,
                                    last.length, false);
        });
        return;
    }
    const ptrdiff_t part = axes.inner == 1 ? axes.row : std::min(axes.row, BUFFER);
    const ptrdiff_t parts = (axes.row + part - 1) / part;   // of a row
    const ptrdiff_t terms = rows * parts;
    const auto length = [=, &axes](ptrdiff_t k) {
        return std::min(part, axes.row - k % parts * part);
    };
    const auto first = [=, &axes](ptrdiff_t i, ptrdiff_t k) {
        return x + axes.offset(i, false) + axes.offset(k / parts, true);
    };
    const auto total = [=, &axes](const T *from, ptrdiff_t k, ptrdiff_t n) {
        if (axes.inner == 1)
            return reduce_row<kind>(from, last.stride, n);
        T copy[BUFFER];
        gather(Gathered{axes.inner, axes.lengths, axes.strides}, from, k % parts * part,
               copy, n);
        return reduce_row<kind>(copy, 1, n);
    };
    if (results >= 16 || axes.size < 2 * GRAIN) {
        parallel(results, GRAIN / (terms * part) + 1, [&](ptrdiff_t i, ptrdiff_t end) {
            for (; i < end; ++i)
                for (ptrdiff_t k = 0; k < terms; ++k) {
                    const T some = total(first(i, k), k, length(k));
                    out[i] = k ? join<kind>(out[i], some) : begun<kind>(some);
                }
        });
        return;
    }
    std::vector<RowPiece<T>> pieces;
    for (ptrdiff_t i = 0; i < results * terms; ++i)
        cut_in_pieces(first(i / terms, i % terms), i % terms, last.stride,
                      length(i % terms), &pieces);
    parallel(pieces.size(), GRAIN / std::min(part, ROW_PIECE) + 1,
             [&](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i)
            pieces[i].total = total(pieces[i].x, pieces[i].term, pieces[i].n);
    });
    const RowPiece<T> *next = pieces.data();
    for (ptrdiff_t i = 0; i < results * terms; ++i) {
        const T some = total_of_pieces<kind>(length(i % terms), &next);
        T &to = out[i / terms];
        to = i % terms ? join<kind>(to, some) : begun<kind>(some);
    }
}

/* Return the reduction of an array; or None, if there is no loop for it, or one has raised
 * a flag of which NumPy would warn. */
inline PyObject *reduced(int kind, PyObject *object, const int *flags, bool keepdims) {
    PyArrayObject *array = (PyArrayObject *)object;
    ReducedAxes axes;
    if (!PyArray_CheckExact(object) || !PyArray_ISBEHAVED_RO(array)
        || (PyArray_TYPE(array) != NPY_FLOAT && PyArray_TYPE(array) != NPY_DOUBLE)
        || !axes.read(array, flags, PyArray_ITEMSIZE(array)))
        Py_RETURN_NONE;
    /* NumPy's own loops for the largest of a row are faster. */
    const ReducedAxes::Axis &last = axes.each[axes.n - 1];
    if (kind >= (int)Reduction::LARGEST && last.reduced && last.stride == 1)
        Py_RETURN_NONE;
    const bool single = PyArray_TYPE(array) == NPY_FLOAT;
    npy_intp dims[ReducedAxes::MOST];
    int ndim = 0;
    for (int axis = 0; axis < PyArray_NDIM(array); ++axis)
        if (keepdims || !flags[axis])
            dims[ndim++] = flags[axis] ? 1 : PyArray_DIM(array, axis);
    PyObject *out = PyArray_EMPTY(ndim, dims, PyArray_TYPE(array), 0);
    if (!out)
        return nullptr;
    const void *x = PyArray_DATA(array);
    void *to = PyArray_DATA((PyArrayObject *)out);
    PyThreadState *state = axes.size >= LONG_LOOP ? PyEval_SaveThread() : nullptr;
    feclearexcept(FLOAT_ERRORS);
    const auto run = [&](auto of_floats, auto of_doubles) {
        if (single)
            of_floats(axes, (const float *)x, (float *)to);
        else
            of_doubles(axes, (const double *)x, (double *)to);
    };
    switch ((Reduction)kind) {
    case Reduction::SUM:
        run(reduce<Reduction::SUM, float>, reduce<Reduction::SUM, double>);
        break;
    case Reduction::PRODUCT:
        run(reduce<Reduction::PRODUCT, float>, reduce<Reduction::PRODUCT, double>);
        break;
    case Reduction::LARGEST:
        run(reduce<Reduction::LARGEST, float>, reduce<Reduction::LARGEST, double>);
        feclearexcept(FE_INVALID);
        break;
    case Reduction::SMALLEST:
        run(reduce<Reduction::SMALLEST, float>, reduce<Reduction::SMALLEST, double>);
        feclearexcept(FE_INVALID);
        break;
    }
    const bool warns = fetestexcept(FLOAT_ERRORS);
    if (state)
        PyEval_RestoreThread(state);
    if (!warns)
        return out;
    Py_DECREF(out);
    Py_RETURN_NONE;
}

}  // namespace
}  // namespace chainer_fast
