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
    void shared_product "chainer_fast::shared_product"[T](
        Gemm multiply, Control control, char *, char *, int *, int *, int *, void *,
        void *, int *, void *, int *, void *, void *, int *) noexcept

cdef extern from "chainer_fast/_core/threads.hpp" namespace "chainer_fast" nogil:
    int get_threads() noexcept
    void set_threads(int n) noexcept

cdef extern from "chainer_fast/backends/kernels/common/tiled_product.hpp" nogil:
    cppclass Tiles "chainer_fast::Tiles":
        pass
    const Tiles *tiles_to_multiply "chainer_fast::tiles_to_multiply"() noexcept
    void tiled_sgemm "chainer_fast::tiled_sgemm"(
        const Tiles &, const char *, const char *, const int *, const int *,
        const int *, const void *, const int *, const void *, const int *, const void *,
        void *, const int *) noexcept

cdef Gemm _sgemm = NULL
cdef Gemm _dgemm = NULL
cdef Control _control


cdef void *_address(table, name) except NULL:
    capsule = table[name]
    return PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))


cdef void _shared_sgemm(
        char *ta, char *tb, int *m, int *n, int *k, void *alpha, void *a, int *lda,
        void *b, int *ldb, void *beta, void *c, int *ldc) noexcept nogil:
    shared_product[float](
        _sgemm, _control, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)


cdef void _shared_dgemm(
        char *ta, char *tb, int *m, int *n, int *k, void *alpha, void *a, int *lda,
        void *b, int *ldb, void *beta, void *c, int *ldc) noexcept nogil:
    shared_product[double](
        _dgemm, _control, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)


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
        _shared_sgemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
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
        _shared_sgemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)


cdef const Tiles *_tiles = tiles_to_multiply()


cdef void _sgemm_of_tiles(
        char *ta, char *tb, int *m, int *n, int *k, void *alpha, void *a, int *lda,
        void *b, int *ldb, void *beta, void *c, int *ldc) noexcept nogil:
    tiled_sgemm(_tiles[0], ta, tb, m, n, k, a, lda, b, ldb, beta, c, ldc)


cdef bint beats_numpy() except -1:
    return wanted() != 0 or _tiles is not NULL


cdef int find_gemm(char kind, Gemm *found) except -1:
    """Find the product of matrices of floats, kind 'f', or of doubles, kind 'd'."""
    global _sgemm, _dgemm, _control, _library
    if kind == b'f' and _tiles is not NULL and not wanted():
        found[0] = _sgemm_of_tiles
        return 0
    if _dgemm is NULL:
        from scipy.linalg import cython_blas
        table = cython_blas.__pyx_capi__
        _control = control_of_openblas()
        _sgemm = <Gemm>_address(table, 'sgemm')
        _dgemm = <Gemm>_address(table, 'dgemm')
    if kind != b'f':
        found[0] = _shared_dgemm
    elif wanted():
        _library = library()
        found[0] = _sgemm_of_library
    else:
        found[0] = _shared_sgemm
    return 0
