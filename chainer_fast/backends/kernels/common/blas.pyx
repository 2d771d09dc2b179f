"""Matrix products of SciPy's BLAS.

The functions are looked up when they are first needed, not when this is imported:
SciPy's linear algebra takes longer to import than all of the rest.
"""
from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer

cdef extern from "chainer_fast/backends/kernels/common/threaded_blas.hpp" nogil:
    ctypedef struct Control "chainer_fast::Control":
        pass
    Control control_of_openblas "chainer_fast::control_of_openblas"() noexcept
    void shared_product "chainer_fast::shared_product"[T](
        Gemm multiply, Control control, char *, char *, int *, int *, int *, void *,
        void *, int *, void *, int *, void *, void *, int *) noexcept

cdef Gemm _sgemm = NULL
cdef Gemm _dgemm = NULL
cdef Control _control


cdef Gemm _address(table, name) except NULL:
    capsule = table[name]
    return <Gemm>PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))


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


cdef Gemm gemm(char kind) except NULL:
    """Return the product of matrices of floats, kind 'f', or of doubles, kind 'd'."""
    global _sgemm, _dgemm, _control
    if _dgemm is NULL:
        from scipy.linalg import cython_blas
        table = cython_blas.__pyx_capi__
        _control = control_of_openblas()
        _sgemm = _address(table, 'sgemm')
        _dgemm = _address(table, 'dgemm')
    return _shared_sgemm if kind == b'f' else _shared_dgemm
