/* Memory for what a loop keeps on the way. */
#ifndef CHAINER_FAST_ROOM_HPP
#define CHAINER_FAST_ROOM_HPP

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <new>

namespace chainer_fast {
namespace {

/* Memory for n times `each` elements that is not filled; NULL if there is none. Of
 * numbers that no memory can have, `new` itself would throw, and the process end. */
template <typename T>
std::unique_ptr<T[]> room(ptrdiff_t n, ptrdiff_t each = 1) {
    const ptrdiff_t most = PTRDIFF_MAX / 2 / (ptrdiff_t)sizeof(T);
    if (n < 0 || each < 0 || (each > 0 && n > most / each))
        return nullptr;
    return std::unique_ptr<T[]>(new (std::nothrow) T[n * each]);
}

}  // namespace
}  // namespace chainer_fast

#endif
