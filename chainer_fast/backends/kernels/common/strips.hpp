/* Columns that a loop goes through side by side. */
#pragma once

#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {
namespace {

/* The width of strips of the columns of some matrices: at most the given one, which is best
 * for one thread. Several threads get as many strips each, unless these were too narrow:
 * memory is read along the rows of a strip. */
inline ptrdiff_t strip_of(ptrdiff_t most, ptrdiff_t columns, ptrdiff_t matrices) {
    constexpr ptrdiff_t LEAST = 64, LINE = 16;
    const ptrdiff_t threads = thread_limit(), enough = 4 * threads / matrices;
    ptrdiff_t strips = std::min(columns / LEAST, enough);
    strips -= strips > threads ? strips % threads : 0;
    if (threads == 1 || strips < 2)
        return most;
    return std::min(most, ((columns + strips - 1) / strips + LINE - 1) / LINE * LINE);
}

}  // namespace
}  // namespace chainer_fast
