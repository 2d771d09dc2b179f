/* Memory for intermediate results of a loop. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>
#include <memory>
#include <new>

#include "chainer_fast/_cpu/parallel.hpp"

namespace chainer_fast {
namespace {

/* Uninitialized memory for n times `each` elements; throws if allocation fails. */
template <typename T>
std::unique_ptr<T[]> buffer(ptrdiff_t n, ptrdiff_t each = 1) {
    const ptrdiff_t most = PTRDIFF_MAX / 2 / (ptrdiff_t)sizeof(T);
    if (n < 0 || each < 0 || (each > 0 && n > most / each))
        throw std::bad_alloc();
    return std::unique_ptr<T[]>(new T[n * each]);
}

/* `parallel` of a function that needs memory: throws if any allocation fails. */
template <typename F>
void parallel_with_memory(ptrdiff_t n, ptrdiff_t grain, const F &f) {
    std::atomic<bool> failed(false);
    parallel(n, grain, [&](ptrdiff_t begin, ptrdiff_t end) {
        try {
            f(begin, end);
        }
        catch (const std::bad_alloc &) {
            failed = true;
        }
    });
    if (failed)
        throw std::bad_alloc();
}

}  // namespace
}  // namespace chainer_fast
