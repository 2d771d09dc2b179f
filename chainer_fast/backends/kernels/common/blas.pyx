"""Matrix products of SciPy's BLAS; our own where it has no code for the processor; or
oneDNN's where it is wanted.

The functions are looked up when they are first needed, not when this is imported:
SciPy's linear algebra takes longer to import than all of the rest.
"""
from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer

from chainer_fast.backends._onednn.library cimport SUCCESS, Library, library, wanted

cdef extern from "chainer_fast/backends/kernels/common/threaded_blas.hpp" nogil:
    ctypedef struct Control "chainer_fast::Control":
        pass
    Control control_of_openblas "chainer_fast::control_of_openblas"() noexcept
    # BLAS's products, the way to tell it its number of threads, and shared products.
    Gemm sgemm "chainer_fast::gemm<float>"
    Gemm dgemm "chainer_fast::gemm<double>"
    Control control "chainer_fast::control"
    Gemm shared_sgemm "chainer_fast::shared_product<float>"
    Gemm shared_dgemm "chainer_fast::shared_product<double>"

cdef extern from "chainer_fast/_core/threads.hpp" namespace "chainer_fast" nogil:
    int get_threads() noexcept
    void set_threads(int n) noexcept

cdef extern from "chainer_fast/backends/kernels/common/tiled_product.hpp" nogil:
    bint tiles_beat_openblas "chainer_fast::tiles_beat_openblas"() noexcept
    Gemm tiled_sgemm "chainer_fast::tiled_sgemm"


cdef void *_address(table, name) except NULL:
    capsule = table[name]
    return PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))


cdef enum:
    # Products of so many multiplications take OpenBLAS less time.
    SMALL = 32 * 32 * 32
    # And these take longer when oneDNN shares them among threads.
    ALONE = 2000000

cdef const Library *_library = NULL


cdef void _sgemm_of_library(
        char *ta, char *tb, int *m, int *n, int *k, void *alpha, void *a, int *lda,
        void *b, int *ldb, void *beta, void *c, int *ldc) noexcept nogil:
    # oneDNN has matrices in C order, which are the transposed ones in Fortran's.
    cdef double work = <double>m[0] * n[0] * k[0]
    cdef int threads = get_threads() if SMALL < work <= ALONE else 1
    cdef int status
    if work <= SMALL:
        shared_sgemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        return
    if threads > 1:
        set_threads(1)
    status = _library.sgemm(
        tb[0], ta[0], n[0], m[0], k[0], (<float *>alpha)[0], <float *>b, ldb[0],
        <float *>a, lda[0], (<float *>beta)[0], <float *>c, ldc[0])
    if threads > 1:
        set_threads(threads)
    if status != SUCCESS:
        # It fails when memory is short, before it has changed anything.
        shared_sgemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)


cdef bint _has_tiles = tiles_beat_openblas()


cdef bint beats_numpy() except -1:
    return wanted() != 0 or _has_tiles


cdef int find_gemm(char kind, Gemm *found) except -1:
    """Find the product of matrices of floats, kind 'f', or of doubles, kind 'd'."""
    global sgemm, dgemm, control, _library
    if kind == b'f' and _has_tiles and not wanted():
        found[0] = tiled_sgemm
        return 0
    if dgemm is NULL:
        from scipy.linalg import cython_blas
        table = cython_blas.__pyx_capi__
        control = control_of_openblas()
        sgemm = <Gemm>_address(table, 'sgemm')
        dgemm = <Gemm>_address(table, 'dgemm')
    if kind != b'f':
        found[0] = shared_dgemm
    elif wanted():
        _library = library()
        found[0] = _sgemm_of_library
    else:
        found[0] = shared_sgemm
    return 0
