/* Memory of large arrays, which waits for its next use.
 *
 * The C library maps arrays from 32 MiB on one by one and gives them back when they are
 * freed, so that each result of a large loop pays for new pages, which takes longer
 * than most loops. NumPy has a protocol for the memory of arrays (NEP 49): here blocks
 * that are freed wait, in large pages where the system has them. The system may take
 * the pages of waiting blocks when it is short of memory, and blocks beyond a limit are
 * given back.
 *
 * Smaller arrays stay with the previous handler, and so do large ones of zeros, whose pages
 * the system makes when they are touched. Several threads fill arrays of zeros that are
 * neither large nor small. */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <mutex>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <numpy/arrayobject.h>

#include "chainer_fast/_cpu/aligned.hpp"
#include "chainer_fast/_cpu/freed_memory.hpp"
#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {

class LargeMemory {
public:
    static constexpr size_t HUGE_PAGE = (size_t)2 << 20;
    static constexpr size_t MOST_WAITING = (size_t)1 << 30;

    struct Block {
        void *data;
        size_t size;
    };

    explicit LargeMemory(const PyDataMemAllocator &before):
            before(before), limit(limit_of_system()) {}

    void *take(size_t size) {
        if (size < MAPPED)
            return before.malloc(before.ctx, size);
        const size_t rounded = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
        if (rounded < size)
            return nullptr;
        const std::lock_guard<std::mutex> lock(mutex);
        Block block = reuse(rounded);
        if (!block.data)
            block = {allocate(rounded), rounded};
        if (!block.data) {
            give_back(0);
            block.data = allocate(rounded);
        }
        if (block.data)
            used.push_back(block);
        return block.data;
    }

    void *take_zeros(size_t count, size_t size) {
        constexpr size_t LEAST = 4 * GRAIN;
        if (count > MAPPED / std::max<size_t>(size, 1) || count * size < 2 * LEAST
                || thread_limit() == 1)
            return before.calloc(before.ctx, count, size);
        char *data = (char *)take(count * size);
        if (data)
            parallel(count * size, LEAST, [data](ptrdiff_t begin, ptrdiff_t end) {
                memset(data + begin, 0, end - begin);
            });
        return data;
    }

    void free(void *data, size_t size) {
        if (!may_be_large(data))
            return before.free(before.ctx, data, size);
        const std::lock_guard<std::mutex> lock(mutex);
        const auto found = place_of(data);
        if (found == used.end())
            return before.free(before.ctx, data, size);
        const Block block = *found;
        used.erase(found);
        if (block.size > limit)
            return free_aligned(block.data);
        give_back(limit - block.size);
#ifdef MADV_FREE
        madvise(block.data, block.size, MADV_FREE);
#endif
        waiting.push_back(block);
        total += block.size;
    }

    void *resize(void *data, size_t size) {
        const size_t size_before = size_of(data);
        if (size_before == 0)
            return before.realloc(before.ctx, data, size);
        void *moved = take(size);
        if (moved) {
            memcpy(moved, data, std::min(size, size_before));
            free(data, size_before);
        }
        return moved;
    }

    size_t waiting_bytes() {
        const std::lock_guard<std::mutex> lock(mutex);
        return total;
    }

    const PyDataMemAllocator before;

private:
    const size_t limit;
    std::mutex mutex;
    std::vector<Block> used, waiting;       /* those that have waited longest come
                                             * first */
    size_t total = 0;                       /* bytes that wait */

    /* A sixteenth of the memory of the machine, or of the limit of the process. */
    static size_t limit_of_system() {
        size_t most = 16 * MOST_WAITING;
#if defined(__linux__)
        const long pages = sysconf(_SC_PHYS_PAGES);
        if (pages > 0)
            most = std::min(most, (size_t)pages * (size_t)sysconf(_SC_PAGESIZE));
        rlimit space;
        if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY)
            most = std::min(most, (size_t)space.rlim_cur);
#endif
        return most / 16;
    }

    static void *allocate(size_t size) {
        void *data = take_aligned(HUGE_PAGE, size);
#ifdef MADV_HUGEPAGE
        if (data)
            madvise(data, size, MADV_HUGEPAGE);
#endif
        return data;
    }

    /* The most recent waiting block that is at most a quarter too large. */
    Block reuse(size_t size) {
        for (size_t i = waiting.size(); i-- > 0;)
            if (size <= waiting[i].size && waiting[i].size <= size + size / 4) {
                const Block block = waiting[i];
                waiting.erase(waiting.begin() + i);
                total -= block.size;
                return block;
            }
        return {nullptr, 0};
    }

    /* Frees the blocks that have waited longest, until at most so many bytes wait. */
    void give_back(size_t most) {
        size_t count = 0;
        for (; total > most; ++count) {
            free_aligned(waiting[count].data);
            total -= waiting[count].size;
        }
        waiting.erase(waiting.begin(), waiting.begin() + count);
    }

    /* Other blocks begin after a few bytes of the C library. */
    static bool may_be_large(void *data) { return (size_t)data % HUGE_PAGE == 0; }

    std::vector<Block>::iterator place_of(void *data) {
        return std::find_if(used.begin(), used.end(), [data](const Block &each) {
            return each.data == data;
        });
    }

    /* The bytes of a large array; 0 for other arrays. */
    size_t size_of(void *data) {
        if (!may_be_large(data))
            return 0;
        const std::lock_guard<std::mutex> lock(mutex);
        const auto found = place_of(data);
        return found == used.end() ? 0 : found->size;
    }
};

/* The handler of the process, which outlives all threads; null without one. */
inline LargeMemory *large_memory = nullptr;

inline PyDataMem_Handler large_handler = {
    "chainer_fast", 1, {
        nullptr,
        [](void *, size_t size) { return large_memory->take(size); },
        [](void *, size_t count, size_t size) {
            return large_memory->take_zeros(count, size);
        },
        [](void *, void *data, size_t size) { return large_memory->resize(data, size); },
        [](void *, void *data, size_t size) { large_memory->free(data, size); },
    }};

inline size_t waiting_bytes() { return large_memory ? large_memory->waiting_bytes() : 0; }

/* Makes large arrays that the running thread creates from now on wait when they are
 * freed. A handler set by other code is kept. Returns -1 after an exception. */
inline int keep_large_arrays() {
#if defined(__linux__)
    const char *const NAME = "mem_handler";     /* NumPy's for such capsules */
    static PyObject *ours = nullptr;
    PyObject *current = PyDataMem_GetHandler();
    if (!current)
        return -1;
    const bool is_default = current == PyDataMem_DefaultHandler;
    Py_DECREF(current);
    if (!is_default || user_sets_memory())
        return 0;
    if (!ours) {
        PyDataMem_Handler *handler =
            (PyDataMem_Handler *)PyCapsule_GetPointer(PyDataMem_DefaultHandler, NAME);
        if (!handler)
            return -1;
        if (!large_memory)
            large_memory = new LargeMemory(handler->allocator);
        ours = PyCapsule_New(&large_handler, NAME, nullptr);
        if (!ours)
            return -1;
    }
    PyObject *old = PyDataMem_SetHandler(ours);
    if (!old)
        return -1;
    Py_DECREF(old);
#endif
    return 0;
}

}  // namespace chainer_fast
