/* Copies of arrays in other orders of memory.
 *
 * A copy goes along two axes at a time: the one along which elements of the copy are
 * nearest to each other, and that of the original. */
#pragma once

#include <stdint.h>
#include <string.h>

#include <cstdlib>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/common/gather.hpp"

namespace chainer_fast {
namespace {

/* Rows and columns that are transposed at once, in separate memory: lines of the
 * matrices may be a power of two apart, and then evict each other from the cache. Of
 * doubles there are half as many, which are lines of the cache. */
constexpr ptrdiff_t TILE = 16;
/* Elements of a piece, or rows of tiles; elements of a line, which memcpy copies. */
constexpr ptrdiff_t MOST_COPIED = 2048, MOST_OF_LINE = 65536;

/* Rows of so many bytes, each a step from the one before. */
template <int BYTES>
CF_ELEMENT void copy_short_rows(const char *from, ptrdiff_t from_step, char *to,
                                ptrdiff_t to_step, ptrdiff_t rows) {
    for (ptrdiff_t i = 0; i < rows; ++i)
        memcpy(to + i * to_step, from + i * from_step, BYTES);
}

/* Threads have different rows, or parts of one. */
inline void copy_rows(const void *from, ptrdiff_t from_step, void *to,
                      ptrdiff_t to_step, ptrdiff_t bytes, ptrdiff_t rows) {
    constexpr ptrdiff_t LEAST = 4 * GRAIN;
    parallel(rows, LEAST / (bytes + 1) + 1, [=](ptrdiff_t begin, ptrdiff_t end) {
        const char *source = (const char *)from + begin * from_step;
        char *target = (char *)to + begin * to_step;
        const ptrdiff_t n = end - begin;
        switch (bytes) {
        case 2: return copy_short_rows<2>(source, from_step, target, to_step, n);
        case 4: return copy_short_rows<4>(source, from_step, target, to_step, n);
        case 8: return copy_short_rows<8>(source, from_step, target, to_step, n);
        }
        for (; begin < end; ++begin, source += from_step, target += to_step)
            parallel(bytes, LEAST, [=](ptrdiff_t first, ptrdiff_t last) {
                copy_line(source + first, target + first, last - first);
            });
    });
}

/* An axis of both arrays; strides are in bytes. */
struct Axis {
    ptrdiff_t length, from, to;

    Axis part(ptrdiff_t index, ptrdiff_t piece) const {
        return {std::min(piece, length - index * piece), from, to};
    }
    Axis of_pieces(ptrdiff_t piece) const {
        return {(length + piece - 1) / piece, from * piece, to * piece};
    }
};

template <ptrdiff_t SIDE, typename T>
CF_ELEMENT void transpose_tile(const char *from, char *to, Axis a, Axis b) {
    T tile[SIDE][SIDE], transposed[SIDE][SIDE];
    for (ptrdiff_t i = 0; i < a.length; ++i)
        memcpy(tile[i], from + i * a.from, b.length * sizeof(T));
    for (ptrdiff_t j = 0; j < b.length; ++j) {
        CF_UNROLL(16)
        for (ptrdiff_t i = 0; i < a.length; ++i)
            transposed[j][i] = tile[i][j];
    }
    for (ptrdiff_t j = 0; j < b.length; ++j)
        memcpy(to + j * b.to, transposed[j], a.length * sizeof(T));
}

template <typename T>
CF_ELEMENT void copy_elements(const char *from, char *to, Axis a, Axis b) {
    for (ptrdiff_t i = 0; i < a.length; ++i)
        for (ptrdiff_t j = 0; j < b.length; ++j)
            *(T *)(to + i * a.to + j * b.to) =
                *(const T *)(from + i * a.from + j * b.from);
}

/* With a constant number of rows the compiler permutes vectors. */
template <int ROWS, typename T>
CF_ELEMENT void interleave(const char *from, char *to, Axis a, Axis b) {
    T *CF_RESTRICT columns = (T *)to;
    for (ptrdiff_t j = 0; j < b.length; ++j)
        CF_UNROLL(4)
        for (int i = 0; i < ROWS; ++i)
            columns[j * ROWS + i] = ((const T *)(from + i * a.from))[j];
}

/* A matrix, where elements of the copy are nearest to each other along `a`. */
template <typename T>
CF_ELEMENT void copy_matrix(const char *from, char *to, Axis a, Axis b, bool turned) {
    constexpr ptrdiff_t SIZE = sizeof(T), SIDE = std::min<ptrdiff_t>(TILE, 64 / SIZE);
    if (a.to != SIZE && a.length > 1)
        return copy_elements<T>(from, to, b, a);
    if (!turned || b.length < TILE) {
        for (ptrdiff_t j = 0; j < b.length; ++j)
            gather_line(from + j * b.from, a.from, (T *)(to + j * b.to), a.length);
        return;
    }
    if (a.length < TILE) {
        if (b.from != SIZE || b.to != a.length * SIZE)
            copy_elements<T>(from, to, a, b);
        else if (a.length == 2)
            interleave<2, T>(from, to, a, b);
        else if (a.length == 3)
            interleave<3, T>(from, to, a, b);
        else
            copy_elements<T>(from, to, a, b);
        return;
    }
    const Axis down = a.of_pieces(SIDE), across = b.of_pieces(SIDE);
    for (ptrdiff_t j = 0; j < across.length; ++j)
        for (ptrdiff_t i = 0; i < down.length; ++i) {
            const Axis rows = a.part(i, SIDE), columns = b.part(j, SIDE);
            const char *source = from + i * down.from + j * across.from;
            char *target = to + i * down.to + j * across.to;
            if (b.from != SIZE)
                copy_elements<T>(source, target, rows, columns);
            else if (rows.length == SIDE && columns.length == SIDE)
                transpose_tile<SIDE, T>(source, target, {SIDE, a.from, a.to},
                                        {SIDE, b.from, b.to});
            else
                transpose_tile<SIDE, T>(source, target, rows, columns);
        }
}

template <typename T>
CF_CLONES void copy_matrices(const char *from, char *to, Axis a, Axis b, Axis c,
                             bool turned) {
    for (ptrdiff_t k = 0; k < c.length; ++k)
        copy_matrix<T>(from + k * c.from, to + k * c.to, a, b, turned);
}

/* The matrices of a copy, in pieces; the last three axes are of the pieces. */
class Copy {
public:
    /* Elements of the copy do not overlap. */
    Copy(ptrdiff_t itemsize, int ndim, const ptrdiff_t *dims, const ptrdiff_t *from,
         const ptrdiff_t *to) {
        for (int axis = 0; axis < ndim; ++axis)
            if (dims[axis] != 1)
                insert(forward({dims[axis], from[axis], to[axis]}));
        join();
        a = take(n - 1);
        int nearest = -1;
        /* An element that is repeated a few times is far from the next one. */
        ptrdiff_t least = a.from || a.length >= TILE ? std::abs(a.from) : PTRDIFF_MAX;
        for (int k = n - 1; k >= 0 && least > itemsize; --k)
            if (axes[k].from && std::abs(axes[k].from) < least) {
                nearest = k;
                least = std::abs(axes[k].from);
            }
        /* Short lines are read along the other axis if this writes next to them. */
        turned = nearest >= 0 && (a.length >= TILE
                                  || axes[nearest].to == a.length * a.to);
        b = take(turned ? nearest : n - 1);
        const bool by_tiles = turned && a.length >= TILE && b.length >= TILE;
        /* Elements that repeat one are only written. */
        const ptrdiff_t most = a.from ? MOST_COPIED : 8 * MOST_COPIED;
        piece_a = std::min(a.length, a.from == itemsize ? MOST_OF_LINE : most);
        piece_b = by_tiles ? TILE : std::max<ptrdiff_t>(most / piece_a, 1);
        /* Many matrices are small. */
        c = take(n > 1 && axes[n - 2].length > axes[n - 1].length ? n - 2 : n - 1);
        const ptrdiff_t matrix = piece_a * std::min(b.length, piece_b);
        piece_c = std::max<ptrdiff_t>(most / matrix, 1);
        axes[n++] = c.of_pieces(piece_c);
        axes[n++] = b.of_pieces(piece_b);
        axes[n++] = a.of_pieces(piece_a);
    }

    template <typename T>
    void run(const char *from, char *to) const {
        constexpr ptrdiff_t SIZE = sizeof(T);
        from += first_from;
        to += first_to;
        if (n == 3 && b.length == 1 && c.length == 1 && a.from == SIZE && a.to == SIZE)
            return copy_rows(from, 0, to, 0, a.length * SIZE, 1);
        ptrdiff_t pieces = 1;
        for (int k = 0; k < n; ++k)
            pieces *= axes[k].length;
        const ptrdiff_t size = piece_a * std::min(b.length, piece_b)
            * std::min(c.length, piece_c);
        parallel(pieces, GRAIN / size + 1, [=](ptrdiff_t begin, ptrdiff_t end) {
            run_pieces<T>(from, to, begin, end);
        });
    }

private:
    Axis axes[MOST_AXES + 3], a, b, c;
    int n = 0;
    bool turned;
    ptrdiff_t piece_a, piece_b, piece_c, first_from = 0, first_to = 0;

    /* Return an axis that is written forward: a reversed one begins at its end. */
    Axis forward(Axis one) {
        if (one.to >= 0)
            return one;
        first_from += (one.length - 1) * one.from;
        first_to += (one.length - 1) * one.to;
        return {one.length, -one.from, -one.to};
    }

    /* Strides of the copy fall from axis to axis. */
    void insert(Axis one) {
        int k = n++;
        for (; k > 0 && axes[k - 1].to < one.to; --k)
            axes[k] = axes[k - 1];
        axes[k] = one;
    }

    /* Make one axis of each two that are one in both arrays. */
    void join() {
        int kept = 0;
        for (int k = 1; k < n; ++k) {
            Axis &last = axes[kept];
            if (last.from == axes[k].from * axes[k].length
                    && last.to == axes[k].to * axes[k].length)
                last = {last.length * axes[k].length, axes[k].from, axes[k].to};
            else
                axes[++kept] = axes[k];
        }
        n = n ? kept + 1 : 0;
    }

    Axis take(int k) {
        if (k < 0)
            return {1, 0, 0};
        const Axis one = axes[k];
        std::copy(axes + k + 1, axes + n--, axes + k);
        return one;
    }

    template <typename T>
    void run_pieces(const char *from, char *to, ptrdiff_t begin, ptrdiff_t end) const {
        ptrdiff_t index[MOST_AXES + 3], at = begin;
        for (int k = n - 1; k >= 0; --k) {
            index[k] = at % axes[k].length;
            at /= axes[k].length;
            from += index[k] * axes[k].from;
            to += index[k] * axes[k].to;
        }
        for (;;) {
            copy_matrices<T>(from, to, a.part(index[n - 1], piece_a),
                             b.part(index[n - 2], piece_b),
                             c.part(index[n - 3], piece_c), turned);
            if (++begin == end)
                return;
            for (int k = n - 1;; --k) {
                from += axes[k].from;
                to += axes[k].to;
                if (++index[k] < axes[k].length)
                    break;
                from -= axes[k].length * axes[k].from;
                to -= axes[k].length * axes[k].to;
                index[k] = 0;
            }
        }
    }
};

/* Elements of so many bytes; false if there is no loop for them. */
inline bool copy(ptrdiff_t itemsize, int ndim, const ptrdiff_t *dims, const void *from,
                 const ptrdiff_t *from_strides, void *to, const ptrdiff_t *to_strides) {
    const Copy copy(itemsize, ndim, dims, from_strides, to_strides);
    const auto elements = [&](auto like) {
        copy.run<decltype(like)>((const char *)from, (char *)to);
        return true;
    };
    switch (itemsize) {
    case 1: return elements(uint8_t());
    case 2: return elements(uint16_t());
    case 4: return elements(uint32_t());
    case 8: return elements(uint64_t());
    }
    return false;
}

}  // namespace
}  // namespace chainer_fast
