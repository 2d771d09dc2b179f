/* Memory that is freed stays with the process.
 *
 * The C library gives the end of its heap back to the system when some megabytes of it are
 * free, as they are after each step of a training, and the next step takes a page fault for
 * every 4 KiB of it: a tenth of the time of a step of recurrent layers.
 *
 * Up to 256 MiB are kept. Larger blocks than 32 MiB, the most that the library allows, are
 * mapped one by one and given back, but for arrays: see `_core/arrays/large.hpp`.
 */
#pragma once

#include <stdlib.h>

#include <initializer_list>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace chainer_fast {

/* From this size on, blocks are mapped individually. */
constexpr size_t MAPPED = (size_t)32 << 20;

/* Whether the user has set parameters of the C library, which are kept. */
inline bool user_sets_memory() {
    for (const char *name : {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_",
                             "MALLOC_TOP_PAD_", "GLIBC_TUNABLES"})
        if (getenv(name))
            return true;
    return false;
}

inline void keep_freed_memory() {
#if defined(__GLIBC__)
    if (user_sets_memory())
        return;
    mallopt(M_MMAP_THRESHOLD, MAPPED);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

}  // namespace chainer_fast
