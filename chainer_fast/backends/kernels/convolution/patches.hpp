/* Patches of images: copied out of images, and added up into images.
 *
 * The rows of a matrix of patches are the elements of the window in every channel, its
 * columns are the places of the window: `rows` times `width` of them, as the last axis
 * is run through row by row. A function here handles some of the rows of places, so
 * that the operand of the next matrix product stays in the cache. */
#ifndef CHAINER_FAST_CONVOLUTION_PATCHES_HPP
#define CHAINER_FAST_CONVOLUTION_PATCHES_HPP

#include <string.h>

#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast::convolution {

constexpr int MAX_AXES = 6;

struct Window {
    ptrdiff_t nd;    /* axes of an image */
    ptrdiff_t taps;  /* elements of the window */
    ptrdiff_t plane; /* elements of an image in a channel */
    ptrdiff_t rows;  /* positions of the window along all axes but the last */
    ptrdiff_t width; /* positions along the last axis */
    ptrdiff_t length[MAX_AXES];
    ptrdiff_t ksize[MAX_AXES];
    ptrdiff_t outs[MAX_AXES];
    ptrdiff_t stride[MAX_AXES];
    ptrdiff_t pad[MAX_AXES];
    ptrdiff_t dilate[MAX_AXES];
};

namespace {

/* Rows of positions, from `begin` to before `end`. */
struct Rows {
    ptrdiff_t begin, end;
};

/* An element of the window, with respect to the last axis. */
struct Tap {
    ptrdiff_t at[MAX_AXES];
    ptrdiff_t shift; /* index of the first position in the image, possibly outside */
    ptrdiff_t first; /* the positions from here ... */
    ptrdiff_t last;  /* ... to before here are inside the image */
};

inline Tap find_tap(const Window &w, ptrdiff_t index) {
    Tap tap;
    for (ptrdiff_t j = w.nd - 1; j >= 0; --j) {
        tap.at[j] = index % w.ksize[j];
        index /= w.ksize[j];
    }
    const ptrdiff_t j = w.nd - 1, s = w.stride[j], n = w.length[j];
    tap.shift = tap.at[j] * w.dilate[j] - w.pad[j];
    tap.first = tap.shift >= 0 ? 0 : (s - 1 - tap.shift) / s;
    tap.last = tap.shift >= n ? 0 : (n - 1 - tap.shift) / s + 1;
    if (tap.last > w.width)
        tap.last = w.width;
    if (tap.first > tap.last)
        tap.first = tap.last = 0;
    return tap;
}

/* Index of a row of positions in the image, before the last axis; -1 if outside. */
inline ptrdiff_t row_offset(const Window &w, const Tap &tap, ptrdiff_t row) {
    ptrdiff_t offset = 0, step = w.length[w.nd - 1];
    for (ptrdiff_t j = w.nd - 2; j >= 0; --j) {
        ptrdiff_t place = row;
        if (j > 0) {
            place = row % w.outs[j];
            row /= w.outs[j];
        }
        const ptrdiff_t x = place * w.stride[j] + tap.at[j] * w.dilate[j] - w.pad[j];
        if (x < 0 || x >= w.length[j])
            return -1;
        offset += x * step;
        step *= w.length[j];
    }
    return offset;
}

/* Whether the rows of positions are adjacent in the image as in a row of the matrix:
 * then many of them form one run of elements, except for the padding. */
inline bool rows_follow(const Window &w) {
    return w.nd == 2 && w.stride[0] == 1 && w.stride[1] == 1 && w.width == w.length[1];
}

/* The rows of positions inside the image. */
inline Rows rows_inside(const Window &w, const Tap &tap, Rows rows) {
    const ptrdiff_t shift = tap.at[0] * w.dilate[0] - w.pad[0];
    const Rows in = {rows.begin + shift < 0 ? -shift : rows.begin,
                     rows.end + shift > w.length[0] ? w.length[0] - shift : rows.end};
    if (in.begin > rows.end || in.end < rows.begin || in.begin >= in.end
            || tap.first >= tap.last)
        return {rows.begin, rows.begin};
    return in;
}

template <typename T>
CF_ELEMENT void fill(T *out, T value, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = value;
}

/* Fills the part of a row of positions outside the image. */
template <typename T>
CF_ELEMENT void fill_sides(T *out, T value, const Tap &tap, ptrdiff_t width) {
    for (ptrdiff_t i = 0; i < tap.first; ++i)
        out[i] = value;
    for (ptrdiff_t i = tap.last; i < width; ++i)
        out[i] = value;
}

/* One channel and one element of the window. */
template <typename T>
CF_ELEMENT void gather_tap(const T *img, T *out, const Window &w, const Tap &tap,
                           Rows rows, T pval) {
    const ptrdiff_t s = w.stride[w.nd - 1], width = w.width;
    const ptrdiff_t first = tap.first, last = tap.last;
    if (rows_follow(w)) {
        const Rows in = rows_inside(w, tap, rows);
        fill(out, pval, (in.begin - rows.begin) * width);
        fill(out + (in.end - rows.begin) * width, pval, (rows.end - in.end) * width);
        if (in.begin == in.end)
            return;
        out += (in.begin - rows.begin) * width;
        img += (in.begin + tap.at[0] * w.dilate[0] - w.pad[0]) * width + tap.shift;
        memcpy(out + first, img + first,
               ((in.end - in.begin) * width - first - (width - last)) * sizeof(T));
        if (first > 0 || last < width)
            for (ptrdiff_t row = in.begin; row < in.end; ++row, out += width)
                fill_sides(out, pval, tap, width);
        return;
    }
    for (ptrdiff_t row = rows.begin; row < rows.end; ++row, out += width) {
        const ptrdiff_t offset = row_offset(w, tap, row);
        const T *source = img + offset + tap.shift;
        if (offset < 0 || first >= last) {
            fill(out, pval, width);
            continue;
        }
        fill_sides(out, pval, tap, width);
        if (s == 1)
            memcpy(out + first, source + first, (last - first) * sizeof(T));
        else if (s == 2)
            for (ptrdiff_t i = first; i < last; ++i)
                out[i] = source[2 * i];
        else
            for (ptrdiff_t i = first; i < last; ++i)
                out[i] = source[s * i];
    }
}

/* A matrix whose rows are ld elements apart. */
template <typename T>
CF_AVX2_CLONES void gather(const T *img, T *col, const Window &w, ptrdiff_t channels,
                      Rows rows, ptrdiff_t ld, T pval) {
    for (ptrdiff_t index = 0; index < w.taps; ++index) {
        const Tap tap = find_tap(w, index);
        for (ptrdiff_t c = 0; c < channels; ++c)
            gather_tap(img + c * w.plane, col + (c * w.taps + index) * ld, w, tap, rows,
                       pval);
    }
}

/* The inverse direction. `spoil` allows it to overwrite the patches, which is
 * faster. */
template <typename T>
CF_ELEMENT void scatter_tap(T *col, T *img, const Window &w, const Tap &tap, Rows rows,
                            bool spoil) {
    const ptrdiff_t s = w.stride[w.nd - 1], width = w.width;
    const ptrdiff_t first = tap.first, last = tap.last;
    if (spoil && rows_follow(w)) {
        const Rows in = rows_inside(w, tap, rows);
        if (in.begin == in.end)
            return;
        col += (in.begin - rows.begin) * width;
        if (first > 0 || last < width)
            for (ptrdiff_t row = 0; row < in.end - in.begin; ++row)
                fill_sides(col + row * width, (T)0, tap, width);
        img += tap.shift + (in.begin + tap.at[0] * w.dilate[0] - w.pad[0]) * width;
        const ptrdiff_t n = (in.end - in.begin) * width - (width - last);
        for (ptrdiff_t i = first; i < n; ++i)
            img[i] += col[i];
        return;
    }
    for (ptrdiff_t row = rows.begin; row < rows.end; ++row, col += width) {
        const ptrdiff_t offset = row_offset(w, tap, row);
        T *target = img + offset + tap.shift;
        if (offset < 0)
            continue;
        if (s == 1)
            for (ptrdiff_t i = first; i < last; ++i)
                target[i] += col[i];
        else if (s == 2)
            for (ptrdiff_t i = first; i < last; ++i)
                target[2 * i] += col[i];
        else
            for (ptrdiff_t i = first; i < last; ++i)
                target[s * i] += col[i];
    }
}

template <typename T>
CF_AVX2_CLONES void scatter(T *col, T *img, const Window &w, ptrdiff_t channels, Rows rows,
                       ptrdiff_t ld, bool spoil) {
    for (ptrdiff_t index = 0; index < w.taps; ++index) {
        const Tap tap = find_tap(w, index);
        for (ptrdiff_t c = 0; c < channels; ++c)
            scatter_tap(col + (c * w.taps + index) * ld, img + c * w.plane, w, tap,
                        rows, spoil);
    }
}

/* All patches of images with so many planes, in C order. */
template <typename T>
void gather_all(const void *img, void *col, const Window &w, ptrdiff_t planes,
                const void *pval) {
    const ptrdiff_t places = w.rows * w.width;
    parallel(planes, GRAIN / (w.taps * places) + 1, [&](ptrdiff_t i, ptrdiff_t end) {
        gather((const T *)img + i * w.plane, (T *)col + i * w.taps * places, w, end - i,
               {0, w.rows}, places, *(const T *)pval);
    });
}

template <typename T>
void scatter_all(const void *col, void *img, const Window &w, ptrdiff_t planes) {
    const ptrdiff_t places = w.rows * w.width;
    parallel(planes, GRAIN / (w.taps * places) + 1, [&](ptrdiff_t i, ptrdiff_t end) {
        T *some = (T *)img + i * w.plane;
        memset(some, 0, (end - i) * w.plane * sizeof(T));
        scatter((T *)col + i * w.taps * places, some, w, end - i, {0, w.rows}, places,
                false);
    });
}

}  // namespace
}  // namespace chainer_fast::convolution

#endif
