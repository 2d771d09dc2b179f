/* Rows of elements of floats, copied from one place to another with conversion. */
#pragma once

#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "chainer_fast/_cpu/half.hpp"
#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast::packing {
namespace {

/* -- elements; halves are their bits */

CF_ELEMENT float value_of(uint16_t x) { return float_from_half(x); }
CF_ELEMENT float value_of(float x) { return x; }
CF_ELEMENT double value_of(double x) { return x; }

template <typename To, typename Value>
CF_ELEMENT To rounded(Value x) { return (To)x; }

template <> CF_ELEMENT uint16_t rounded<uint16_t>(float x) {
    return half_from_rounded(rounded_to_half(x));
}

/* From 65520 on numbers become infinite, as floats of them do. */
template <> CF_ELEMENT uint16_t rounded<uint16_t>(double x) {
    return half_from_rounded(
        std::fabs(x) < 65520. ? rounded_to_half(x) : rounded_to_half((float)x));
}

/* The type in which an element is scaled. */
template <typename From, typename To>
using Wider = std::conditional_t<
    std::is_same_v<From, double> || std::is_same_v<To, double>, double, float>;

template <bool scaled, typename From, typename To>
CF_ELEMENT To converted(From x, double scale) {
    typedef Wider<From, To> Value;
    if constexpr (scaled)
        return rounded<To>((Value)value_of(x) * (Value)scale);
    else if constexpr (std::is_same_v<From, To>)
        return x;
    else
        return rounded<To>(value_of(x));
}

/* -- rows */

template <bool scaled, typename From, typename To>
CF_AVX2_CLONES void copy_dense(const From *from, To *to, ptrdiff_t n, double scale) {
    for (ptrdiff_t i = 0; i < n; ++i)
        to[i] = converted<scaled, From, To>(from[i], scale);
}

template <typename T>
T *at(T *array, ptrdiff_t bytes) {
    typedef std::conditional_t<std::is_const_v<T>, const char, char> Byte;
    return (T *)((Byte *)array + bytes);
}

/* How rows of elements lie in memory; steps are in bytes. */
struct Rows {
    char *data;
    ptrdiff_t row_step, step;
};

/* -- rows that are dense in one place, while in the other one columns are: an element of
      all rows. So it is with filters that have the channels last. */

/* Fewer rows are not worth turning. */
constexpr ptrdiff_t FEW_ROWS = 32;
/* Rows that are turned at once, and the elements of each if they are long; what is turned
   stays in the nearest cache. */
constexpr ptrdiff_t TURNED_ROWS = 64, TURNED_ELEMENTS = 16;
/* Bytes of rows, side by side, that are turned where they lie. */
constexpr ptrdiff_t TURNED_BYTES = 16384;

/* A column: conversions go over dense memory, so that they are vectorized. */
template <bool scaled, typename From, typename To>
void turn_column(const From *from, ptrdiff_t from_step, To *to, ptrdiff_t to_step,
                 ptrdiff_t n, double scale) {
    if constexpr (!scaled && std::is_same_v<From, To>) {
        if (from_step == sizeof(From))
            for (ptrdiff_t i = 0; i < n; ++i)
                *at(to, i * to_step) = from[i];
        else
            for (ptrdiff_t i = 0; i < n; ++i)
                to[i] = *at(from, i * from_step);
        return;
    }
    for (ptrdiff_t i = 0; i < n; i += TURNED_ROWS) {
        const ptrdiff_t part = std::min(TURNED_ROWS, n - i);
        if (from_step == sizeof(From)) {
            To line[TURNED_ROWS];
            copy_dense<scaled>(from + i, line, part, scale);
            for (ptrdiff_t k = 0; k < part; ++k)
                *at(to, (i + k) * to_step) = line[k];
        } else {
            From line[TURNED_ROWS];
            for (ptrdiff_t k = 0; k < part; ++k)
                line[k] = *at(from, (i + k) * from_step);
            copy_dense<scaled>(line, to + i, part, scale);
        }
    }
}

template <bool scaled, typename From, typename To>
void turn_columns(Rows from, Rows to, ptrdiff_t rows, ptrdiff_t n, double scale) {
    for (ptrdiff_t i = 0; i < n; ++i)
        turn_column<scaled>((const From *)(from.data + i * from.step), from.row_step,
                            (To *)(to.data + i * to.step), to.row_step, rows, scale);
}

/* The beginnings of rows from one place to another. */
template <typename T>
void copy_beginnings(const char *from, ptrdiff_t from_step, char *to, ptrdiff_t to_step,
                     ptrdiff_t rows, ptrdiff_t n) {
    if (n == TURNED_ELEMENTS)       /* so many that no function is called */
        for (ptrdiff_t row = 0; row < rows; ++row)
            memcpy(to + row * to_step, from + row * from_step,
                   TURNED_ELEMENTS * sizeof(T));
    else
        for (ptrdiff_t row = 0; row < rows; ++row)
            memcpy(to + row * to_step, from + row * from_step, n * sizeof(T));
}

/* Long rows: a few elements of a few of them at once, and those in separate memory, as
   rows may be a power of two apart, and then drive each other out of the cache. */
template <bool scaled, typename From, typename To>
void turn_tile(Rows from, Rows to, ptrdiff_t rows, ptrdiff_t n, double scale) {
    if (to.step == sizeof(To)) {
        To tile[TURNED_ROWS][TURNED_ELEMENTS];
        const Rows turned = {(char *)tile, sizeof(tile[0]), sizeof(To)};
        turn_columns<scaled, From, To>(from, turned, rows, n, scale);
        copy_beginnings<To>(turned.data, turned.row_step, to.data, to.row_step, rows, n);
    } else {
        From tile[TURNED_ROWS][TURNED_ELEMENTS];
        const Rows copy = {(char *)tile, sizeof(tile[0]), sizeof(From)};
        copy_beginnings<From>(from.data, from.row_step, copy.data, copy.row_step, rows, n);
        turn_columns<scaled, From, To>(copy, to, rows, n, scale);
    }
}

inline Rows moved(const Rows &rows, ptrdiff_t row, ptrdiff_t element) {
    return {rows.data + row * rows.row_step + element * rows.step, rows.row_step,
            rows.step};
}

template <bool scaled, typename From, typename To>
void turn_rows(Rows from, Rows to, ptrdiff_t rows, ptrdiff_t n, double scale) {
    const Rows &dense = to.step == sizeof(To) ? to : from;
    ptrdiff_t height = TURNED_BYTES / std::abs(dense.row_step);
    const bool in_place = height >= TURNED_ROWS;
    height = in_place ? height : TURNED_ROWS;
    for (ptrdiff_t row = 0; row < rows; row += height) {
        const ptrdiff_t part = std::min(height, rows - row);
        if (in_place)
            turn_columns<scaled, From, To>(moved(from, row, 0), moved(to, row, 0), part,
                                           n, scale);
        else
            for (ptrdiff_t i = 0; i < n; i += TURNED_ELEMENTS)
                turn_tile<scaled, From, To>(moved(from, row, i), moved(to, row, i), part,
                                            std::min(TURNED_ELEMENTS, n - i), scale);
    }
}

/* -- rows of n elements each from one place to another */

template <bool scaled, typename From, typename To>
void copy_rows(Rows from, Rows to, ptrdiff_t rows, ptrdiff_t n, double scale) {
    const bool along_from = from.step == sizeof(From), along_to = to.step == sizeof(To);
    if (rows >= FEW_ROWS && along_from != along_to
            && (along_to ? from.row_step == sizeof(From) : to.row_step == sizeof(To)))
        return turn_rows<scaled, From, To>(from, to, rows, n, scale);
    for (ptrdiff_t row = 0; row < rows; ++row) {
        const From *source = (const From *)(from.data + row * from.row_step);
        To *target = (To *)(to.data + row * to.row_step);
        if (!along_from || !along_to) {
            for (ptrdiff_t i = 0; i < n; ++i)
                *at(target, i * to.step) =
                    converted<scaled, From, To>(*at(source, i * from.step), scale);
        } else if constexpr (!scaled && std::is_same_v<From, To>) {
            memcpy(target, source, n * sizeof(To));
        } else {
            copy_dense<scaled>(source, target, n, scale);
        }
    }
}

typedef void (*Copy)(Rows, Rows, ptrdiff_t, ptrdiff_t, double);

template <bool scaled, typename From>
Copy copy_to(char kind) {
    return kind == 'e' ? copy_rows<scaled, From, uint16_t>
        : kind == 'f' ? copy_rows<scaled, From, float> : copy_rows<scaled, From, double>;
}

template <bool scaled>
Copy copy_between(char from, char to) {
    return from == 'e' ? copy_to<scaled, uint16_t>(to)
        : from == 'f' ? copy_to<scaled, float>(to) : copy_to<scaled, double>(to);
}

}  // namespace
}  // namespace chainer_fast::packing
