# Memory that is kept for reuse. Part of shared.pyx.

cdef extern from "chainer_fast/_cpu/freed_memory.hpp" namespace "chainer_fast":
    void keep_freed_memory() noexcept

keep_freed_memory()

# Memory for intermediate results, which is reused.
# A training step allocates the same amounts as the previous one. The C library returns
# large blocks to the system as soon as they are free, and the next step pays for each
# first access to a page of its new ones: an eighth of the time of a recurrent network.
# Unused blocks wait here instead, up to a limit.

cdef extern from "chainer_fast/_cpu/aligned.hpp" namespace "chainer_fast" nogil:
    void free_aligned(void *data) noexcept

cdef extern from *:
    """
    #ifdef __linux__
    #include <sys/mman.h>
    #endif
    #define CF_HUGE_PAGE ((size_t)1 << 21)
    /* Large blocks are made of large pages where the system has them. */
    static void *cf_allocate(size_t size) {
        void *data = chainer_fast::take_aligned(
            size < CF_HUGE_PAGE ? 64 : CF_HUGE_PAGE, size);
    #ifdef MADV_HUGEPAGE
        if (data && size >= CF_HUGE_PAGE)
            madvise(data, size, MADV_HUGEPAGE);
    #endif
        return data;
    }
    """
    void *cf_allocate(size_t) nogil

cdef enum:
    # Maximum number of waiting blocks, and their total bytes.
    COUNT = 16
    LIMIT = 1 << 26

cdef struct Block:
    void *data
    size_t size

cdef vector[Block] _waiting
cdef size_t _total = 0


cdef Block _remove(size_t i) noexcept:
    """Remove a block from those that wait."""
    global _total
    cdef Block block = _waiting[i]
    _total -= block.size
    _waiting.erase(_waiting.begin() + i)
    return block


cdef class Scratch:
    """A block of memory, which is kept for reuse when this object is deleted."""

    def __dealloc__(self):
        global _total
        if self.data is NULL:
            return
        if self.size > LIMIT:
            free_aligned(self.data)
            return
        # The blocks that have waited longest are freed.
        while _waiting.size() == COUNT or _total + self.size > LIMIT:
            free_aligned(_remove(0).data)
        _waiting.push_back(Block(self.data, self.size))
        _total += self.size


cdef Scratch take(size_t size):
    """Return uninitialized memory of at least some bytes, aligned to 64 bytes."""
    cdef Scratch scratch = Scratch.__new__(Scratch)
    cdef int i, best = -1
    cdef size_t grain = 4096
    # Coarse sizes, so that sequences of nearly the same length share blocks.
    while grain * 8 < size:
        grain *= 2
    size = (size + grain - 1) // grain * grain
    for i in range(<int>_waiting.size()):
        if size <= _waiting[i].size <= 2 * size and (
                best < 0 or _waiting[i].size < _waiting[best].size):
            best = i
    if best >= 0:
        scratch.size = _waiting[best].size
        scratch.data = _remove(best).data
        return scratch
    scratch.data = cf_allocate(size)
    if scratch.data is NULL:
        raise MemoryError('no memory for an intermediate result of %d bytes' % size)
    scratch.size = size
    return scratch
