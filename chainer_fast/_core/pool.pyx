"""The threads that share the loops of all modules; see ``pool.hpp``."""
from cpython.pycapsule cimport PyCapsule_New

cdef extern from *:
    """
    #ifdef _OPENMP
    #include "chainer_fast/_core/pool.hpp"
    #else
    namespace chainer_fast {
    inline void share_task(...) {}
    inline void renew_pool_after_fork() {}
    }
    #endif
    """

cdef extern from * namespace "chainer_fast" nogil:
    void share_task() noexcept
    void renew_pool_after_fork() noexcept

renew_pool_after_fork()

share = PyCapsule_New(<void *>share_task, 'chainer_fast._core.pool.share', NULL)
