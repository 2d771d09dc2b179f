/* Transposed matrices. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/_cpu/parallel.hpp"

namespace chainer_fast {
namespace {

/* Rows and columns that are transposed at once, in separate memory: lines of the
 * matrices may be a power of two apart, and then evict each other from the cache. */
constexpr ptrdiff_t TILE = 16;
/* Elements that are worth a thread. */
constexpr ptrdiff_t TURNED_BY_THREAD = 1 << 16;

template <typename T>
CF_ELEMENT void transpose_tile(const T *from, ptrdiff_t from_step, T *to,
                               ptrdiff_t to_step, ptrdiff_t rows, ptrdiff_t columns) {
    T tile[TILE][TILE], transposed[TILE][TILE];
    for (ptrdiff_t i = 0; i < rows; ++i)
        memcpy(tile[i], from + i * from_step, columns * sizeof(T));
    for (ptrdiff_t j = 0; j < columns; ++j) {
        CF_UNROLL(16)
        for (ptrdiff_t i = 0; i < rows; ++i)
            transposed[j][i] = tile[i][j];
    }
    for (ptrdiff_t j = 0; j < columns; ++j)
        memcpy(to + j * to_step, transposed[j], rows * sizeof(T));
}

/* One matrix: the tiles from column ``begin`` on, before column ``end``. */
template <typename T>
CF_AVX2_CLONES void transpose_columns(const T *from, T *to, ptrdiff_t rows,
                                 ptrdiff_t columns, ptrdiff_t begin, ptrdiff_t end) {
    for (ptrdiff_t j = begin; j < end; j += TILE)
        for (ptrdiff_t i = 0; i < rows; i += TILE) {
            const T *source = from + i * columns + j;
            T *target = to + j * rows + i;
            if (columns - j >= TILE && rows - i >= TILE)
                transpose_tile(source, columns, target, rows, TILE, TILE);
            else
                transpose_tile(source, columns, target, rows,
                               rows - i < TILE ? rows - i : TILE,
                               columns - j < TILE ? columns - j : TILE);
        }
}

/* Several matrices of so many rows and columns, one after the other. */
template <typename T>
void transpose(const T *from, T *to, ptrdiff_t matrices, ptrdiff_t rows,
               ptrdiff_t columns) {
    const ptrdiff_t strips = (columns + TILE - 1) / TILE, size = rows * columns;
    parallel(matrices * strips, TURNED_BY_THREAD / (TILE * rows) + 1,
             [=](ptrdiff_t begin, ptrdiff_t end) {
        for (ptrdiff_t i; begin < end; begin = i) {
            const ptrdiff_t matrix = begin / strips, first = begin % strips;
            const ptrdiff_t last = first + end - begin < strips ? first + end - begin
                                                                : strips;
            transpose_columns(from + matrix * size, to + matrix * size, rows, columns,
                              first * TILE, last * TILE < columns ? last * TILE
                                                                  : columns);
            i = begin + last - first;
        }
    });
}

/* Elements of so many bytes; false if there is no loop for them. */
inline bool transpose(ptrdiff_t itemsize, const void *from, void *to,
                      ptrdiff_t matrices, ptrdiff_t rows, ptrdiff_t columns) {
    const auto elements = [=](auto like) {
        typedef decltype(like) T;
        transpose((const T *)from, (T *)to, matrices, rows, columns);
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
