/* Elements of arrays with gaps, and of such as are broadcast, gathered for loops. */
#pragma once

#include <stddef.h>
#include <string.h>

#include <algorithm>

#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {
namespace {

constexpr int MOST_AXES = 64;

/* An array that goes through tiles; its strides are in bytes. */
struct Gathered {
    int ndim;
    const ptrdiff_t *dims, *strides;
};

/* With a step that the compiler knows, vectors are loaded and their elements permuted. */
template <int STEP, typename Element>
CF_ELEMENT void gather_steps(const Element *from, Element *to, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        to[i] = from[STEP * i];
}

/* memcpy of other memory: its call takes longer than it copies a short line. */
CF_ELEMENT void copy_line(const char *from, char *to, ptrdiff_t bytes) {
    constexpr ptrdiff_t PART = 32;
    if (bytes < PART || bytes > 16 * PART) {
        memcpy(to, from, bytes);
        return;
    }
    for (ptrdiff_t i = 0; i < bytes - PART; i += PART)
        memcpy(to + i, from + i, PART);
    memcpy(to + bytes - PART, from + bytes - PART, PART);
}

template <typename Element>
CF_ELEMENT void gather_line(const char *line, ptrdiff_t stride, Element *to, ptrdiff_t n) {
    if (stride == sizeof(Element))
        copy_line(line, (char *)to, n * sizeof(Element));
    else if (stride == 0)
        std::fill(to, to + n, *(const Element *)line);
    else if (stride == 2 * (ptrdiff_t)sizeof(Element))
        gather_steps<2>((const Element *)line, to, n);
    else if (stride == -(ptrdiff_t)sizeof(Element))
        gather_steps<-1>((const Element *)line, to, n);
    else
        for (ptrdiff_t i = 0; i < n; ++i)
            to[i] = *(const Element *)(line + i * stride);
}

/* Where the element with a number is, and its index along each axis. */
CF_ELEMENT const char *place(const Gathered &array, const void *data, ptrdiff_t at,
                             ptrdiff_t *index) {
    const char *found = (const char *)data;
    for (int axis = array.ndim - 1; axis >= 0; --axis) {
        index[axis] = at % array.dims[axis];
        at /= array.dims[axis];
        found += index[axis] * array.strides[axis];
    }
    return found;
}

/* Copies ``n`` elements in C order, from the element with the number ``at`` on. */
template <typename Element>
CF_CLONES void gather(const Gathered &array, const void *data, ptrdiff_t at, Element *to,
            ptrdiff_t n) {
    const int last = array.ndim - 1;
    if (last < 0) {
        *to = *(const Element *)data;
        return;
    }
    ptrdiff_t index[MOST_AXES];
    const char *line = place(array, data, at, index);
    const ptrdiff_t length = array.dims[last], stride = array.strides[last];
    for (;;) {
        const ptrdiff_t m = std::min(n, length - index[last]);
        gather_line(line, stride, to, m);
        to += m;
        n -= m;
        if (n == 0)
            return;
        line -= index[last] * stride;
        index[last] = 0;
        for (int axis = last - 1; axis >= 0; --axis) {
            line += array.strides[axis];
            if (++index[axis] < array.dims[axis])
                break;
            line -= array.dims[axis] * array.strides[axis];
            index[axis] = 0;
        }
    }
}

}  // namespace
}  // namespace chainer_fast
