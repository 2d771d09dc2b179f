# Matrix products: large float32 ones by ``common.blas``, if that is faster.
# It also computes those that are shared among threads, for which NumPy would use its
# own pool, and all batches of large ones. NumPy computes all others.
#
# Part of compiled.pyx.
cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_EMPTY, \
    PyArray_MatrixProduct, PyArray_NDIM, npy_intp

import numpy

from chainer_fast._core.arrays.plain cimport cf_float_kind, is_half
from chainer_fast._core.graphs.graph cimport (
    as_floats, clear_float_errors, float_errors, rounded)
from chainer_fast.backends.kernels.common.blas cimport (
    Gemm, ProductSizes, beats_numpy, find_gemm)
from chainer_fast.backends.kernels.matmul.batches cimport (
    MAX_BATCH_AXES, AnyMatrix, Batch, is_thin, multiply_any)

cdef extern from "chainer_fast/backends/kernels/common/threaded_blas.hpp" \
        namespace "chainer_fast" nogil:
    const double ONE_THREAD, SHARED
    int thread_limit() noexcept
    ctypedef struct Control:
        void *set
    Control control_of_numpy() noexcept
    cppclass OneThread:
        OneThread(Control &)

cdef enum:
    # From this many multiplications on, other products are faster than NumPy's.
    LARGE = 40 * 40 * 40
    MAX_INT = 2147483647
    # OpenBLAS uses threads for a matrix and a vector from this many multiplications on.
    # They are faster from the other number on.
    THREADED_VECTOR = 9216
    LONG_VECTOR = 16000000

cdef Control _numpys = control_of_numpy()


cdef bint _read(object array, char kind, AnyMatrix *out) noexcept:
    """Describe the matrices in the last two axes; return whether BLAS supports them."""
    cdef int n = PyArray_NDIM(array), size = 4 if kind == b'f' else 8
    cdef npy_intp rows = PyArray_DIM(array, n - 2), columns = PyArray_DIM(array, n - 1)
    cdef npy_intp row = np.PyArray_STRIDE(array, n - 2)
    cdef npy_intp column = np.PyArray_STRIDE(array, n - 1)
    if kind == 0 or cf_float_kind(<np.ndarray>array) != kind or (
            not np.PyArray_ISALIGNED(<np.ndarray>array)):
        return False
    out.data = PyArray_DATA(<np.ndarray>array)
    out.transposed = not ((column == size or columns == 1) and row >= size * columns)
    if out.transposed and not (
            (row == size or rows == 1) and column >= size * rows):
        return False
    out.ld = (column if out.transposed else row) // size
    return out.ld <= MAX_INT


cdef bint _is_ours(char kind, const ProductSizes &sizes, ptrdiff_t count) except -1:
    """Return whether a number of products of these sizes is not left to NumPy."""
    cdef ptrdiff_t m = sizes.rows, n = sizes.columns, k = sizes.depth
    cdef double work = <double>m * n * k
    # Products with a vector only read the matrix once.
    if work < LARGE or max(m, n, k) > MAX_INT or min(m, n) == 1:
        return False
    if kind == b'd':
        return count > 1
    return beats_numpy(sizes) or work * count > ONE_THREAD and thread_limit() > 1


cdef object _by_numpy(a, b, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, bint batches):
    """Return the product, or products, with one thread if more are not faster.

    After its wake-up, a thread of OpenBLAS spins for a while, and takes a processor
    from the threads of our loops.
    """
    cdef OneThread *one = NULL
    cdef double work = <double>m * n * k
    cdef bint is_short = work < (LONG_VECTOR if min(m, n) == 1 else SHARED)
    if work >= THREADED_VECTOR and _numpys.set is not NULL and (
            is_short or thread_limit() == 1):
        one = new OneThread(_numpys)
    try:
        return numpy.matmul(a, b) if batches else PyArray_MatrixProduct(a, b)
    finally:
        del one


cpdef object dot(a, b):
    """Return ``a.dot(b)`` of arrays of any kind."""
    if not PyArray_CheckExact(a) or not PyArray_CheckExact(b):
        return a.dot(b)
    if is_half(a) and is_half(b):
        product = rounded(dot(as_floats(a), as_floats(b)))
        # NumPy warns of overflow.
        return a.dot(b) if product is None else product
    if PyArray_NDIM(a) != 2 or PyArray_NDIM(b) != 2:
        if PyArray_NDIM(a) > 2 and PyArray_NDIM(b) == 2 and (
                np.PyArray_IS_C_CONTIGUOUS(<np.ndarray>a)
                and PyArray_DIM(a, PyArray_NDIM(a) - 1) > 0
                and cf_float_kind(<np.ndarray>a) != 0):
            # One product of all rows.
            rows = a.reshape((-1, a.shape[a.ndim - 1]))
            return dot(rows, b).reshape(a.shape[:a.ndim - 1] + (b.shape[1],))
        return a.dot(b)
    return _product(a, b, False)


cpdef object matmul(a, b):
    """Return ``numpy.matmul(a, b)`` of NumPy arrays."""
    if not PyArray_CheckExact(a) or not PyArray_CheckExact(b) or (
            min(PyArray_NDIM(a), PyArray_NDIM(b)) < 2
            or max(PyArray_NDIM(a), PyArray_NDIM(b)) > MAX_BATCH_AXES + 2):
        return numpy.matmul(a, b)
    if is_half(a) and is_half(b):
        product = rounded(matmul(as_floats(a), as_floats(b)))
        return numpy.matmul(a, b) if product is None else product
    return _product(a, b, True)


cdef object _product(a, b, bint batches):
    """Return the product of two matrices, or those of two batches of them."""
    cdef Batch batch
    cdef ProductSizes sizes
    cdef AnyMatrix left, right
    cdef Gemm by = NULL
    cdef char kind = cf_float_kind(<np.ndarray>a)
    cdef void *out
    cdef npy_intp shape[MAX_BATCH_AXES + 2]
    cdef int nd = max(PyArray_NDIM(a), PyArray_NDIM(b)), j
    cdef bint thin
    batch.m = PyArray_DIM(a, PyArray_NDIM(a) - 2)
    batch.k = PyArray_DIM(a, PyArray_NDIM(a) - 1)
    batch.n = PyArray_DIM(b, PyArray_NDIM(b) - 1)
    batch.axes, batch.count = nd - 2, 1
    # Products with a vector only read the matrix once, by NumPy as well.
    thin = is_thin(batch.m, batch.n, batch.k) and (nd > 2 or batch.k == 1)
    if not thin and <double>batch.m * batch.n * batch.k < LARGE or (
            PyArray_DIM(b, PyArray_NDIM(b) - 2) != batch.k
            or not _read(a, kind, &left) or not _read(b, kind, &right)):
        return _by_numpy(a, b, batch.m, batch.n, batch.k, batches)
    for j in range(batch.axes):
        batch.length[j] = 1
        if not _step(a, kind, j - nd, &batch.length[j], &batch.a_step[j]) or (
                not _step(b, kind, j - nd, &batch.length[j], &batch.b_step[j])):
            return numpy.matmul(a, b)
        shape[j] = batch.length[j]
        batch.count *= batch.length[j]
    sizes.rows, sizes.columns, sizes.depth = batch.m, batch.n, batch.k
    sizes.left_turned, sizes.right_turned = left.transposed, right.transposed
    if not (batch.count > 1 or batch.k == 1 if thin else _is_ours(
            kind, sizes, batch.count)):
        return _by_numpy(a, b, batch.m, batch.n, batch.k, batches)
    shape[nd - 2], shape[nd - 1] = batch.m, batch.n
    c = PyArray_EMPTY(nd, shape, np.PyArray_TYPE(<np.ndarray>a), 0)
    out = PyArray_DATA(<np.ndarray>c)
    if not thin:
        find_gemm(kind, sizes, &by)
    clear_float_errors()
    with nogil:
        multiply_any(kind, by, batch, left, right, out)
    # NumPy warns of them, but in products of single matrices.
    return numpy.matmul(a, b) if batches and float_errors() else c


cdef bint _step(object array, char kind, int axis, ptrdiff_t *length,
                ptrdiff_t *step) noexcept:
    """Set the step of an axis, counted from the end; return whether BLAS supports it.

    ``length`` is the length of the axis in the other operand, and is set to the common
    one.
    """
    cdef npy_intp n, size = 4 if kind == b'f' else 8
    axis += PyArray_NDIM(array)
    step[0] = 0
    if axis < 0:
        return True
    n = PyArray_DIM(array, axis)
    if n == 1:
        return True
    if length[0] != 1 and length[0] != n:
        return False
    if np.PyArray_STRIDE(array, axis) % size:
        return False
    length[0] = n
    step[0] = np.PyArray_STRIDE(array, axis) // size
    return True
