/* Positions of window elements in images, axis by axis. */
#ifndef CHAINER_FAST_CONVOLUTION_LINES_HPP
#define CHAINER_FAST_CONVOLUTION_LINES_HPP

#include <algorithm>
#include <vector>

#include "chainer_fast/backends/kernels/convolution/patches.hpp"

namespace chainer_fast::convolution {
namespace {

/* The padding around images. */
constexpr ptrdiff_t OUTSIDE = -1;

/* Positions of a result along an axis, or along several joined axes, and the taps
 * (elements of the window) that are inside an image there. */
struct Line {
    std::vector<ptrdiff_t> out;  /* of each position: its offset in the result */
    std::vector<ptrdiff_t> tap;  /* numbers of the taps */
    std::vector<ptrdiff_t> in;   /* of each position and tap: the offset in the image */

    ptrdiff_t count() const { return (ptrdiff_t)out.size(); }
    ptrdiff_t taps() const { return (ptrdiff_t)tap.size(); }
};

/* Some positions of all images; the last axis is separate. */
struct Grid {
    Line rows, columns;
};

/* No axis at all. */
inline Line point() { return {{0}, {0}, {0}}; }

/* Both axes joined; the second has so many elements of the window. */
inline Line join(const Line &a, const Line &b, ptrdiff_t ksize) {
    Line line;
    for (ptrdiff_t s : a.tap)
        for (ptrdiff_t t : b.tap)
            line.tap.push_back(s * ksize + t);
    for (ptrdiff_t i = 0; i < a.count(); ++i)
        for (ptrdiff_t j = 0; j < b.count(); ++j) {
            line.out.push_back(a.out[i] + b.out[j]);
            for (ptrdiff_t s = 0; s < a.taps(); ++s)
                for (ptrdiff_t t = 0; t < b.taps(); ++t) {
                    const ptrdiff_t x = a.in[i * a.taps() + s];
                    const ptrdiff_t y = b.in[j * b.taps() + t];
                    line.in.push_back(x < 0 || y < 0 ? OUTSIDE : x + y);
                }
        }
    return line;
}

/* An axis of a convolution, with the distances of neighbours in the image and in the
 * result. */
inline Line convolved_line(const Window &w, ptrdiff_t axis, ptrdiff_t in, ptrdiff_t out) {
    Line line;
    for (ptrdiff_t k = 0; k < w.ksize[axis]; ++k)
        line.tap.push_back(k);
    for (ptrdiff_t i = 0; i < w.outs[axis]; ++i) {
        line.out.push_back(i * out);
        for (ptrdiff_t k = 0; k < w.ksize[axis]; ++k) {
            const ptrdiff_t x = i * w.stride[axis] + k * w.dilate[axis] - w.pad[axis];
            line.in.push_back(x < 0 || x >= w.length[axis] ? OUTSIDE : x * in);
        }
    }
    return line;
}

/* An axis of a transposed convolution: one of the parts of its result with the same
 * taps, whose number is the stride. */
inline Line transposed_line(const Window &w, ptrdiff_t axis, ptrdiff_t part, ptrdiff_t in,
                            ptrdiff_t out) {
    const ptrdiff_t stride = w.stride[axis];
    Line line;
    for (ptrdiff_t k = 0; k < w.ksize[axis]; ++k)
        if (k * w.dilate[axis] % stride == part)
            line.tap.push_back(k);
    for (ptrdiff_t i = 0; i < w.length[axis]; ++i) {
        const ptrdiff_t at = i + w.pad[axis];
        if (at % stride != part)
            continue;
        line.out.push_back(i * out);
        for (ptrdiff_t k : line.tap) {
            const ptrdiff_t x = at - k * w.dilate[axis];
            line.in.push_back(
                x < 0 || x / stride >= w.outs[axis] ? OUTSIDE : x / stride * in);
        }
    }
    return line;
}

/* Distances of neighbours in images with channels last, in elements. */
struct Steps {
    ptrdiff_t image;
    ptrdiff_t axis[MAX_AXES];
};

inline Grid convolved_grid(const Window &w, const Steps &in, const Steps &out) {
    const ptrdiff_t last = w.nd - 1;
    Line rows = point();
    for (ptrdiff_t j = 0; j < last; ++j)
        rows = join(rows, convolved_line(w, j, in.axis[j], out.axis[j]), w.ksize[j]);
    return {rows, convolved_line(w, last, in.axis[last], out.axis[last])};
}

/* Number of parts of an axis of a transposed convolution that may not be empty. */
inline ptrdiff_t parts_of(const Window &w, ptrdiff_t axis) {
    return std::min(w.stride[axis], w.length[axis] + w.pad[axis]);
}

/* The parts of the result of a transposed convolution. */
inline std::vector<Grid> transposed_grids(const Window &w, const Steps &in,
                                          const Steps &out) {
    const ptrdiff_t last = w.nd - 1;
    std::vector<Line> parts = {point()};
    for (ptrdiff_t j = 0; j < last; ++j) {
        std::vector<Line> longer;
        for (const Line &line : parts)
            for (ptrdiff_t part = 0; part < parts_of(w, j); ++part)
                longer.push_back(join(
                    line, transposed_line(w, j, part, in.axis[j], out.axis[j]),
                    w.ksize[j]));
        parts = longer;
    }
    std::vector<Grid> grids;
    for (const Line &rows : parts)
        for (ptrdiff_t part = 0; part < parts_of(w, last); ++part) {
            Grid grid = {rows, transposed_line(w, last, part, in.axis[last],
                                               out.axis[last])};
            if (grid.rows.count() && grid.columns.count())
                grids.push_back(grid);
        }
    return grids;
}

}  // namespace
}  // namespace chainer_fast::convolution

#endif
