/* Reductions over any axes, in the order in which NumPy adds: along the axes in memory,
 * rows pairwise, and from row to row one after the other. Rows with gaps between them that
 * go into one sum are copied, as many elements at a time as NumPy's buffers hold. */
#include "chainer_fast/backends/kernels/common/reduced_axes.hpp"

#include <vector>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/common/gather.hpp"

namespace chainer_fast {
namespace {

/* As NumPy begins a sum: the first term is added to zero. */
template <Reduction kind, typename T>
CF_ELEMENT T begun(T first) {
    return kind == Reduction::SUM ? first + T(0) : first;
}

/* What changes no number that it is joined to. */
template <Reduction kind, typename T>
constexpr T NOTHING = kind == Reduction::SUM ? -T(0) : kind == Reduction::PRODUCT ? T(1)
    : kind == Reduction::LARGEST ? -std::numeric_limits<T>::infinity()
    : std::numeric_limits<T>::infinity();

template <Reduction kind, typename T>
CF_ELEMENT T join(T a, T b) {
    if constexpr (kind == Reduction::SUM)
        return a + b;
    else if constexpr (kind == Reduction::PRODUCT)
        return a * b;
    /* The choice of the larger one is an instruction; a jump would be mispredicted. */
    const T chosen = (kind == Reduction::LARGEST ? b > a : b < a) ? b : a;
    return b != b ? b : chosen;
}

constexpr ptrdiff_t LEAF = ReducedAxes::LEAF;

template <Reduction kind, ptrdiff_t LANES, typename T>
CF_ELEMENT T reduce_lanes(const T *x, ptrdiff_t n) {
    T lanes[LANES], total = x[0];
    ptrdiff_t i = 1, j;
    if (n >= LANES) {
        for (j = 0; j < LANES; ++j)
            lanes[j] = NOTHING<kind, T>;
        for (i = 0; i + LANES <= n; i += LANES)
            for (j = 0; j < LANES; ++j)
                lanes[j] = join<kind>(lanes[j], x[i + j]);
        CF_UNROLL(5)
        for (ptrdiff_t half = LANES / 2; half; half /= 2)
            for (j = 0; j < half; ++j)
                lanes[j] = kind == Reduction::PRODUCT
                    ? join<kind>(lanes[2 * j], lanes[2 * j + 1])
                    : join<kind>(lanes[j], lanes[j + half]);
        total = lanes[0];
    }
    for (; i < n; ++i)
        total = join<kind>(total, x[i]);
    return total;
}

/* In 8 lanes, or in more if that is faster and makes no difference. */
template <Reduction kind, typename T>
CF_ELEMENT T reduce_leaf(const T *x, ptrdiff_t n) {
    if (kind == Reduction::SUM)
        return inlined_block_sum(x, n);
    return kind == Reduction::PRODUCT || n < 64 ? reduce_lanes<kind, 8>(x, n)
                                                : reduce_lanes<kind, 32>(x, n);
}

template <Reduction kind, typename T>
CF_CLONES T leaf_total(const T *x, ptrdiff_t n) {
    return begun<kind>(reduce_leaf<kind>(x, n));
}

/* Rows of a leaf at most, with strides in elements. */
template <Reduction kind, typename T>
CF_CLONES void reduce_short_rows(const T *x, ptrdiff_t row, ptrdiff_t column, T *out,
                                 ptrdiff_t rows, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < rows; ++i, x += row) {
        T part[LEAF];
        for (ptrdiff_t j = 0; column != 1 && j < n; ++j)
            part[j] = x[j * column];
        out[i] = begun<kind>(reduce_leaf<kind>(column == 1 ? x : part, n));
    }
}

template <Reduction kind, typename T>
T reduce_row(const T *x, ptrdiff_t column, ptrdiff_t n) {
    if (n <= LEAF || (kind >= Reduction::LARGEST && column == 1)) {
        if (column == 1)
            return leaf_total<kind>(x, n);
        T total;
        reduce_short_rows<kind>(x, 0, column, &total, 1, n);
        return total;
    }
    const ptrdiff_t half = n / 2 - n / 2 % 8;
    // In the order of memory, which a compiler may not keep between arguments.
    const T first = reduce_row<kind>(x, column, half);
    return join<kind>(first, reduce_row<kind>(x + half * column, column, n - half));
}

template <Reduction kind, typename T>
CF_CLONES void join_rows(const T *x, ptrdiff_t row, ptrdiff_t column, T *out,
                         ptrdiff_t rows, ptrdiff_t n, bool joins) {
    for (ptrdiff_t j = 0; !joins && j < n; ++j)
        out[j] = begun<kind>(x[j * column]);
    x += joins ? 0 : row;
    go_down(rows - !joins, n, out, [=](T total, ptrdiff_t i, ptrdiff_t j) {
        return join<kind>(total, x[i * row + j * column]);
    });
}

/* -- long rows, which NumPy cuts in halves of halves */

constexpr ptrdiff_t ROW_PIECE = 16384;

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

/* What a kind of reduction does. */
template <typename T>
struct Steps {
    T (*row)(const T *x, ptrdiff_t column, ptrdiff_t n);
    void (*short_rows)(const T *x, ptrdiff_t row, ptrdiff_t column, T *out, ptrdiff_t rows,
                       ptrdiff_t n);
    void (*join_rows)(const T *x, ptrdiff_t row, ptrdiff_t column, T *out,
                      ptrdiff_t rows, ptrdiff_t n, bool joins);
    T (*join)(T a, T b);
    T (*begun)(T first);
};

template <Reduction kind, typename T>
constexpr Steps<T> STEPS = {reduce_row<kind, T>, reduce_short_rows<kind, T>,
                            join_rows<kind, T>, join<kind, T>, begun<kind, T>};

template <typename T>
T total_of_pieces(const Steps<T> &steps, ptrdiff_t n, const RowPiece<T> **next) {
    if (n <= ROW_PIECE)
        return (*next)++->total;
    const ptrdiff_t half = n / 2 - n / 2 % 8;
    const T total = total_of_pieces(steps, half, next);
    return steps.join(total, total_of_pieces(steps, n - half, next));
}

/* Most columns that rows are joined in, which stay in the cache. */
constexpr ptrdiff_t STRIP = 2048;

template <typename T>
void reduce(const Steps<T> &steps, const ReducedAxes &axes, const T *x, T *out) {
    const ReducedAxes::Axis &last = axes.each[axes.n - 1];
    const ptrdiff_t results = last.reduced ? axes.results : axes.results / last.length;
    const ptrdiff_t rows = axes.size / axes.row / results;      // that one result is of
    if (!last.reduced) {
        const ptrdiff_t strip = strip_of(STRIP, last.length, results);
        const ptrdiff_t strips = (last.length + strip - 1) / strip;
        const ptrdiff_t work = rows * std::min(last.length, strip);
        int nearest = axes.n - 2;
        while (nearest >= 0 && !axes.each[nearest].reduced)
            --nearest;
        const ReducedAxes::Axis down =
            nearest < 0 ? ReducedAxes::Axis{1, 0, true} : axes.each[nearest];
        parallel(results * strips, GRAIN / work + 1, [&](ptrdiff_t i, ptrdiff_t end) {
            for (; i < end; ++i) {
                const ptrdiff_t at = i % strips * strip, row = i / strips;
                const T *from = x + axes.offset(row, false) + at * last.stride;
                for (ptrdiff_t k = 0; k < rows; k += down.length)
                    steps.join_rows(
                        from + axes.offset(k, true), down.stride, last.stride,
                        out + row * last.length + at, down.length,
                        std::min(strip, last.length - at), k);
            }
        });
        return;
    }
    if (rows == 1 && axes.inner == 1 && last.length <= LEAF && axes.n < 3) {
        const ptrdiff_t step = axes.n == 2 ? axes.each[0].stride : 0;
        parallel(results, GRAIN / last.length, [&](ptrdiff_t i, ptrdiff_t end) {
            steps.short_rows(x + i * step, step, last.stride, out + i, end - i,
                             last.length);
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
            return steps.row(from, last.stride, n);
        T copy[BUFFER];
        gather(Gathered{axes.inner, axes.lengths, axes.strides}, from, k % parts * part,
               copy, n);
        return steps.row(copy, 1, n);
    };
    if (results >= 16 || axes.size < 2 * GRAIN) {
        parallel(results, GRAIN / (terms * part) + 1, [&](ptrdiff_t i, ptrdiff_t end) {
            for (; i < end; ++i)
                for (ptrdiff_t k = 0; k < terms; ++k) {
                    const T some = total(first(i, k), k, length(k));
                    out[i] = k ? steps.join(out[i], some) : steps.begun(some);
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
        const T some = total_of_pieces(steps, length(i % terms), &next);
        T &to = out[i / terms];
        to = i % terms ? steps.join(to, some) : steps.begun(some);
    }
}

template <typename T>
void reduce_kind(Reduction kind, const ReducedAxes &axes, const void *x, void *out) {
    static constexpr const Steps<T> *KINDS[] = {
        &STEPS<Reduction::SUM, T>, &STEPS<Reduction::PRODUCT, T>,
        &STEPS<Reduction::LARGEST, T>, &STEPS<Reduction::SMALLEST, T>};
    reduce(*KINDS[(int)kind], axes, (const T *)x, (T *)out);
}

}  // namespace

bool reduce(Reduction kind, bool single, const ReducedAxes &axes, const void *x,
            void *out) {
    feclearexcept(FLOAT_ERRORS);
    (single ? reduce_kind<float> : reduce_kind<double>)(kind, axes, x, out);
    if (kind >= Reduction::LARGEST)
        feclearexcept(FE_INVALID);
    return fetestexcept(FLOAT_ERRORS);
}

}  // namespace chainer_fast
