/* Rows of a matrix by their ids. */
#ifndef CHAINER_FAST_CORE_GRAPHS_ROWS_HPP
#define CHAINER_FAST_CORE_GRAPHS_ROWS_HPP

#include <stddef.h>
#include <stdint.h>

namespace chainer_fast {
namespace {

/* Stores each id once in `distinct`, in the order in which they come, and replaces each
 * id with its number there; returns how many there are. Negative ids stay as they are.
 * The first `count` of `distinct` are set before. `table` finds them; it has `capacity`
 * places, a power of two and at least twice as many as there are ids, with -1 in those
 * that are free. */
inline ptrdiff_t number_ids(
        ptrdiff_t *ids, ptrdiff_t n, ptrdiff_t *distinct, ptrdiff_t count,
        int32_t *table, ptrdiff_t capacity) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        const ptrdiff_t id = ids[i];
        if (id < 0)
            continue;
        /* The high bits of the product depend on all bits of the id. */
        size_t at = ((uint64_t)id * 0x9E3779B97F4A7C15u >> 32) & (capacity - 1);
        while (table[at] >= 0 && distinct[table[at]] != id)
            at = (at + 1) & (capacity - 1);
        if (table[at] < 0) {
            table[at] = (int32_t)count;
            distinct[count++] = id;
        }
        ids[i] = table[at];
    }
    return count;
}

}  // namespace
}  // namespace chainer_fast

#endif
