"""Matrix products of SciPy's BLAS, for matrices in C order.

The functions are looked up when they are first needed, not when this is imported:
SciPy's linear algebra takes longer to import than all of the rest.
"""
from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer

ctypedef void (*Product)(
    char *, char *, int *, int *, int *, void *, void *, int *, void *, int *, void *,
    void *, int *) noexcept nogil

cdef Product _sgemm = NULL
cdef Product _dgemm = NULL


cdef Product _address(table, name) except NULL:
    capsule = table[name]
    return <Product>PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))


cdef int load() except -1:
    """Look the functions up; to be called before any of the products."""
    global _sgemm, _dgemm
    if _dgemm is NULL:
        from scipy.linalg import cython_blas
        table = cython_blas.__pyx_capi__
        _sgemm = _address(table, 'sgemm')
        _dgemm = _address(table, 'dgemm')
    return 0


# What is in C order is the transpose of what Fortran sees: c^T = op(b)^T op(a)^T.

cdef void product_f(
        bint transpose_a, bint transpose_b, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k,
        const float *a, Py_ssize_t lda, const float *b, Py_ssize_t ldb, float beta,
        float *c, Py_ssize_t ldc) noexcept nogil:
    """Compute ``c = op(a) op(b) + beta c``, of shapes (m, k), (k, n) and (m, n)."""
    cdef float one = 1
    cdef char ta = c't' if transpose_a else c'n'
    cdef char tb = c't' if transpose_b else c'n'
    cdef int m_ = <int>m, n_ = <int>n, k_ = <int>k
    cdef int lda_ = <int>lda, ldb_ = <int>ldb, ldc_ = <int>ldc
    _sgemm(&tb, &ta, &n_, &m_, &k_, &one, <void *>b, &ldb_, <void *>a, &lda_, &beta, c,
           &ldc_)


cdef void product_d(
        bint transpose_a, bint transpose_b, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k,
        const double *a, Py_ssize_t lda, const double *b, Py_ssize_t ldb, double beta,
        double *c, Py_ssize_t ldc) noexcept nogil:
    """Compute ``c = op(a) op(b) + beta c``, of shapes (m, k), (k, n) and (m, n)."""
    cdef double one = 1
    cdef char ta = c't' if transpose_a else c'n'
    cdef char tb = c't' if transpose_b else c'n'
    cdef int m_ = <int>m, n_ = <int>n, k_ = <int>k
    cdef int lda_ = <int>lda, ldb_ = <int>ldb, ldc_ = <int>ldc
    _dgemm(&tb, &ta, &n_, &m_, &k_, &one, <void *>b, &ldb_, <void *>a, &lda_, &beta, c,
           &ldc_)
