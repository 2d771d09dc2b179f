"""Matrix products of SciPy's BLAS, for matrices in C order."""


cdef int load() except -1
cdef void product_f(
    bint transpose_a, bint transpose_b, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k,
    const float *a, Py_ssize_t lda, const float *b, Py_ssize_t ldb, float beta,
    float *c, Py_ssize_t ldc) noexcept nogil
cdef void product_d(
    bint transpose_a, bint transpose_b, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k,
    const double *a, Py_ssize_t lda, const double *b, Py_ssize_t ldb, double beta,
    double *c, Py_ssize_t ldc) noexcept nogil
