"""The oneDNN library, and whether to use it."""

cdef extern from "chainer_fast/backends/_onednn/library.hpp" \
        namespace "chainer_fast::onednn" nogil:
    ctypedef long long Dim "chainer_fast::onednn::Dim"
    cdef struct Version:
        int major, minor, patch
    cdef struct Library:
        const Version *(*version)() noexcept
        int (*sgemm)(
            char, char, Dim, Dim, Dim, float, const float *, Dim, const float *, Dim,
            float, float *, Dim) noexcept nogil
    enum:
        SUCCESS "chainer_fast::onednn::SUCCESS"
        UNIMPLEMENTED "chainer_fast::onednn::UNIMPLEMENTED"
    const char *status_name(int status) noexcept

cdef enum Level:
    NEVER = 0
    AUTO = 1
    ALWAYS = 2

# Whether the running thread uses oneDNN; NEVER if it is not installed.
cdef int wanted() except -1
# The library; an error if there is none.
cdef const Library *library() except NULL
cdef int failed(str what, int status) except -1
