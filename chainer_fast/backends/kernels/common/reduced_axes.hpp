/* Axes of an array that is reduced over some of them. */
#pragma once

#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {

enum class Reduction { SUM, PRODUCT, LARGEST, SMALLEST };

/* Elements of a buffer of NumPy's. */
constexpr ptrdiff_t BUFFER = 8192;

/* Axes of an array from the outermost in memory on, joined where that is possible. */
struct ReducedAxes {
    static constexpr int MOST = 16;
    /* Elements of a row that are reduced in lanes, as those of NumPy's sums are. */
    static constexpr ptrdiff_t LEAF = 128;
    struct Axis { ptrdiff_t length, stride; bool reduced; } each[MOST];
    int n = 0, inner = 1;           // axes; those at the end that are all reduced
    ptrdiff_t size = 1, results = 1, row = 1;       // elements of the inner axes
    ptrdiff_t lengths[MOST], strides[MOST];         // of the inner axes, in bytes

    /* False if there is no loop for such strides. */
    bool read(int ndim, const ptrdiff_t *dims, const ptrdiff_t *steps, const int *reduced,
              ptrdiff_t itemsize) {
        if (ndim > MOST)
            return false;
        for (int axis = 0; axis < ndim; ++axis) {
            const Axis one = {dims[axis], steps[axis] / itemsize, reduced[axis] != 0};
            if (one.length == 1)
                continue;
            if (one.length == 0 || one.stride <= 0 || steps[axis] % itemsize)
                return false;
            int at = n++;
            for (; at && each[at - 1].stride < one.stride; --at)
                each[at] = each[at - 1];
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

/* The width of strips of the columns of some matrices: at most the given one, which is
 * best for one thread. Several threads get as many strips each, unless these were too
 * narrow: memory is read along the rows of a strip. */
inline ptrdiff_t strip_of(ptrdiff_t most, ptrdiff_t columns, ptrdiff_t matrices) {
    constexpr ptrdiff_t LEAST = 64, LINE = 16;
    const ptrdiff_t threads = thread_limit();
    ptrdiff_t strips = std::min(columns / LEAST, 4 * threads / matrices);
    strips -= strips > threads ? strips % threads : 0;
    if (threads == 1 || strips < 2)
        return most;
    return std::min(most, ((columns - 1) / strips / LINE + 1) * LINE);
}

/* Goes down columns side by side, some rows at once: what is known of a column is not
 * loaded and stored for each. A step takes that, the row and the column. */
template <typename T, typename Step>
CF_ELEMENT void go_down(ptrdiff_t rows, ptrdiff_t columns, T *known, Step step) {
    constexpr ptrdiff_t SOME = 4;
    ptrdiff_t i = 0;
    for (; i + SOME <= rows; i += SOME)
        CF_INDEPENDENT
        for (ptrdiff_t j = 0; j < columns; ++j) {
            T so_far = known[j];
            CF_UNROLL(4)
            for (ptrdiff_t k = i; k < i + SOME; ++k)
                so_far = step(so_far, k, j);
            known[j] = so_far;
        }
    for (; i < rows; ++i)
        CF_INDEPENDENT
        for (ptrdiff_t j = 0; j < columns; ++j)
            known[j] = step(known[j], i, j);
}

/* Reduces floats, or doubles unless `single`. Returns whether NumPy would warn. */
bool reduce(Reduction kind, bool single, const ReducedAxes &axes, const void *x, void *out);

}  // namespace chainer_fast
