/* Memory that is freed stays with the process.
 *
 * The C library gives the end of its heap back to the system when some megabytes of it are
 * free, as they are after each step of a training, and the next step takes a page fault for
 * every 4 KiB of it: a tenth of the time of a step of recurrent layers.
 */
#ifndef CHAINER_FAST_CORE_MEMORY_HPP
#define CHAINER_FAST_CORE_MEMORY_HPP

#include <stdlib.h>

#include <initializer_list>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace chainer_fast {
namespace {

/* Up to 256 MiB are kept. Larger arrays than 32 MiB, the most that the library allows, are
   mapped one by one and given back. Settings of the user stay. */
inline void keep_freed_memory() {
#if defined(__GLIBC__)
    for (const char *name : {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_",
                             "MALLOC_TOP_PAD_", "GLIBC_TUNABLES"})
        if (getenv(name))
            return;
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

}  // namespace
}  // namespace chainer_fast

#endif
