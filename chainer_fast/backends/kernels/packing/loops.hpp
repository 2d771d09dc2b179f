/* Copies between arrays of any layout and one flat buffer, with conversion of floats.
 *
 * The buffer has the elements of the first array in C order, then those of the second one,
 * and so on. All threads together go over it once.
 */
#pragma once

#include <stddef.h>

#include <algorithm>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/packing/rows.hpp"

namespace chainer_fast::packing {
namespace {

/* Axes of an array, after neighbours that lie in memory like one have been joined. */
constexpr int MAX_AXES = 6;

struct Axis { ptrdiff_t size, step; };      /* the step is in bytes */

/* An array, and where its elements stand in the buffer. */
struct Member {
    char *data;
    char kind;                              /* as in dtypes: e, f or d */
    int n_axes;                             /* one at least */
    Axis axes[MAX_AXES];
    ptrdiff_t begin, end;
};

/* Appends an axis inside of all others; false if there are too many. */
inline bool add_axis(Member &member, ptrdiff_t size, ptrdiff_t step) {
    Axis *last = member.axes + member.n_axes - 1;
    if (size == 1)
        return true;
    if (last->size == 1) {
        *last = {size, step};
        return true;
    }
    if (last->step == size * step) {
        *last = {last->size * size, step};
        return true;
    }
    if (member.n_axes == MAX_AXES)
        return false;
    member.axes[member.n_axes++] = {size, step};
    return true;
}

/* -- arrays */

/* Calls f(rows, place, number, n) for rows of n elements of a member, which together are
   the elements from ``begin`` to ``end`` of the buffer. They are in the member. */
template <typename F>
void for_rows(const Member &member, ptrdiff_t begin, ptrdiff_t end, const F &f) {
    const int inner = member.n_axes - 1;
    const Axis &row = member.axes[inner];
    const Axis &outer = inner ? member.axes[inner - 1] : Axis{1, 0};
    while (begin < end) {
        ptrdiff_t index[MAX_AXES], rest = begin - member.begin;
        Rows rows = {member.data, outer.step, row.step};
        for (int axis = inner; axis >= 0; --axis) {
            index[axis] = rest % member.axes[axis].size;
            rest /= member.axes[axis].size;
            rows.data += index[axis] * member.axes[axis].step;
        }
        /* What is left of a row, or whole ones. */
        ptrdiff_t n = std::min(end - begin, row.size - index[inner]), number = 1;
        if (inner && n == row.size)
            number = std::min((end - begin) / n, outer.size - index[inner - 1]);
        f(rows, begin, number, n);
        begin += number * n;
    }
}

inline ptrdiff_t size_of(char kind) { return kind == 'e' ? 2 : kind == 'f' ? 4 : 8; }

/* Copies all elements from the members to the buffer, or back, and multiplied by a
   number. The members stand one after the other, none of them empty. */
inline void copy_members(bool packs, const Member *members, size_t n_members, char kind,
                         void *buffer, double scale) {
    if (n_members == 0)
        return;
    const Member *last = members + n_members;
    parallel(last[-1].end, GRAIN, [=](ptrdiff_t begin, ptrdiff_t end) {
        const ptrdiff_t step = size_of(kind);
        const Member *member = std::upper_bound(
            members, last, begin,
            [](ptrdiff_t place, const Member &m) { return place < m.end; });
        for (; member != last && member->begin < end; ++member) {
            const char from = packs ? member->kind : kind;
            const char to = packs ? kind : member->kind;
            const Copy copy = scale == 1 ? copy_between<false>(from, to)
                                         : copy_between<true>(from, to);
            for_rows(*member, std::max(begin, member->begin),
                     std::min(end, member->end),
                     [=](Rows rows, ptrdiff_t place, ptrdiff_t number, ptrdiff_t n) {
                const Rows flat = {(char *)buffer + place * step, n * step, step};
                copy(packs ? rows : flat, packs ? flat : rows, number, n, scale);
            });
        }
    });
}

/* -- memory */

struct Extent { const char *first, *last; };

/* Whether any two of them have memory in common; sorts them. */
inline bool overlap(Extent *extents, size_t n) {
    std::sort(extents, extents + n,
              [](const Extent &a, const Extent &b) { return a.first < b.first; });
    for (size_t i = 1; i < n; ++i)
        if (extents[i].first < extents[i - 1].last)
            return true;
    return false;
}

}  // namespace
}  // namespace chainer_fast::packing
