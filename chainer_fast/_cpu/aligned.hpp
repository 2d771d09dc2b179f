/* Memory aligned to a power of two, on every system. */
#ifndef CHAINER_FAST_CORE_ALIGNED_HPP
#define CHAINER_FAST_CORE_ALIGNED_HPP

#include <stddef.h>
#include <stdlib.h>
#if defined(_WIN32)
#include <malloc.h>
#endif

namespace chainer_fast {
namespace {

/* NULL if allocation fails. */
inline void *take_aligned(size_t alignment, size_t size) {
#if defined(_WIN32)
    return _aligned_malloc(size, alignment);
#else
    void *data = nullptr;
    return posix_memalign(&data, alignment, size) ? nullptr : data;
#endif
}

inline void free_aligned(void *data) {
#if defined(_WIN32)
    _aligned_free(data);
#else
    free(data);
#endif
}

}  // namespace
}  // namespace chainer_fast

#endif
