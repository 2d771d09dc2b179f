# The threads that share the loops of all modules; see pool.hpp. Part of shared.pyx.

cdef extern from *:
    """
    #ifdef _OPENMP
    #include "chainer_fast/_cpu/pool.hpp"
    #else
    #include <stddef.h>
    #include <stdint.h>
    #include <vector>
    namespace chainer_fast {
    struct Noted { int threads; ptrdiff_t pieces; int64_t took; };
    inline void share_task(...) {}
    inline void renew_pool_after_fork() {}
    inline std::vector<Noted> *&notes() {
        static std::vector<Noted> *noted = nullptr;
        return noted;
    }
    }
    #endif
    """

cdef extern from * namespace "chainer_fast" nogil:
    struct Noted:
        int threads
        ptrdiff_t pieces
        int64_t took
    void share_task() noexcept
    void renew_pool_after_fork() noexcept
    vector[Noted] *&notes() noexcept

renew_pool_after_fork()

share = PyCapsule_New(<void *>share_task, 'chainer_fast._cpu.shared.share', NULL)

cdef vector[Noted] _noted


def note_loops(bint on):
    """Make the calling thread run all loops alone and record them, or stop that.

    Only one Python thread may compute meanwhile.
    """
    _noted.clear()
    (&notes())[0] = &_noted if on else NULL


def noted_loops():
    """Return the loops recorded since the last call.

    Returns
    -------
    list of (int, int, int)
        Threads that would have shared the loop, its pieces, and nanoseconds.
    """
    found = [(each.threads, each.pieces, each.took) for each in _noted]
    _noted.clear()
    return found
