"""Matrix products of SciPy's BLAS; tiles of this package if they are faster; or
oneDNN's if it is enabled.

The functions are looked up when they are first needed, not when this is imported:
SciPy's linear algebra takes longer to import than all of the rest.
"""
import os

from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer
from libcpp.string cimport string
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_STRIDE, ndarray

from chainer_fast.backends._onednn.library cimport SUCCESS, Library, library, wanted

cdef extern from "chainer_fast/backends/kernels/common/threaded_blas.hpp" nogil:
    ctypedef struct Control "chainer_fast::Control":
        void *set
    Control control_of_openblas "chainer_fast::control_of_openblas"() noexcept
    # BLAS's products, functions to set its number of threads, and shared products.
    Gemm sgemm "chainer_fast::gemm<float>"
    Gemm dgemm "chainer_fast::gemm<double>"
    Control control "chainer_fast::control"
    Gemm shared_sgemm "chainer_fast::shared_product<float>"
    Gemm shared_dgemm "chainer_fast::shared_product<double>"
    Control control_of_numpy "chainer_fast::control_of_numpy"() noexcept
    string core_of_openblas "chainer_fast::core_of_openblas"() except +
    cppclass OneThread "chainer_fast::OneThread":
        OneThread(Control &)

cdef extern from "chainer_fast/_cpu/threads.hpp" namespace "chainer_fast" nogil:
    int get_threads() noexcept
    void set_threads(int n) noexcept

cdef extern from "chainer_fast/backends/kernels/common/tiled_product.hpp" nogil:
    ctypedef struct Tiles "chainer_fast::Tiles":
        ptrdiff_t rows
    const Tiles *find_tiles "chainer_fast::find_tiles"() noexcept
    Gemm tiled_sgemm "chainer_fast::tiled_sgemm"
    ctypedef struct FloatMatrix "chainer_fast::Matrix<float>":
        const float *data
        ptrdiff_t ld
        bint transposed
    void product "chainer_fast::product"(
        Gemm, ptrdiff_t, ptrdiff_t, ptrdiff_t, FloatMatrix, FloatMatrix, bint, float *,
        ptrdiff_t) noexcept

cdef extern from "chainer_fast/backends/kernels/common/product_kinds.hpp" nogil:
    enum:
        PRODUCT_KINDS "chainer_fast::PRODUCT_KINDS"
    const ProductSizes *PRODUCT_EXAMPLES "chainer_fast::PRODUCT_EXAMPLES"
    int kind_of_product "chainer_fast::kind_of_product"(const ProductSizes &) noexcept
    double counted_gain "chainer_fast::counted_gain"(
        const ProductSizes &, double) noexcept
    double least_gain "chainer_fast::least_gain"(const ProductSizes &) noexcept


cdef void *_address(table, name) except NULL:
    capsule = table[name]
    return PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))


cdef enum:
    # Products of so many multiplications are faster with OpenBLAS.
    SMALL = 32 * 32 * 32
    # And these are slower when oneDNN shares them among threads.
    ALONE = 2000000

cdef const Library *_library = NULL
cdef Control _numpys = control_of_numpy()


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
        # It fails if there is not enough memory, before it has changed anything.
        shared_sgemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)


cdef const Tiles *_tiles = find_tiles()
# By kinds of products, and whether they are known.
cdef double[PRODUCT_KINDS] _gains
cdef bint _chosen = False


def forget():
    """Repeat the choice of what computes products, as in a new process."""
    global _chosen
    _chosen = False


cdef FloatMatrix _described(ndarray x):
    cdef FloatMatrix matrix
    matrix.data = <const float *>PyArray_DATA(x)
    matrix.transposed = PyArray_STRIDE(x, 1) != 4
    matrix.ld = PyArray_STRIDE(x, 1 if matrix.transposed else 0) // 4
    return matrix


def _by_tiles(ndarray left, ndarray right, ndarray out):
    """Write a product of matrices by tiles; each has one axis in order."""
    product(tiled_sgemm, PyArray_DIM(left, 0), PyArray_DIM(right, 1),
            PyArray_DIM(left, 1), _described(left), _described(right), False,
            <float *>PyArray_DATA(out), PyArray_DIM(right, 1))


cdef int _choose() except -1:
    """Find out which products tiles compute faster, in a file or by measurement."""
    global _chosen
    cdef OneThread *one = NULL
    cdef ProductSizes sizes
    cdef list examples = []
    cdef object module = os.stat(__file__)
    cdef tuple build = (module.st_size, module.st_mtime_ns, _tiles.rows,
                        <bytes>core_of_openblas())
    cdef object found
    cdef int i, threads = get_threads()
    from chainer_fast.backends.kernels.common import product_choice
    for i in range(PRODUCT_KINDS):
        sizes = PRODUCT_EXAMPLES[i]
        examples.append((sizes.rows, sizes.columns, sizes.depth, sizes.left_turned,
                         sizes.right_turned))
    one = new OneThread(_numpys)
    # One thread of each, however many threads the caller has.
    set_threads(1)
    try:
        found = product_choice.choose(examples, _by_tiles, build)
    finally:
        set_threads(threads)
        del one
    # Another thread may have been faster; two answers would differ by bits.
    if not _chosen:
        for i in range(PRODUCT_KINDS):
            _gains[i] = found[i]
        _chosen = True
    return 0


cdef double _gain(const ProductSizes &sizes) except -1:
    if _tiles is NULL:
        return 0
    if not _chosen:
        _choose()
    return counted_gain(sizes, _gains[kind_of_product(sizes)])


def gain(rows, columns, depth, left_turned=False, right_turned=False):
    """Return the time of BLAS for a product, in units of that of tiles.

    Tiles compute it from 1.05 on, or from 0.95 on if threads may share it and it is not
    huge, unless oneDNN is enabled.

    Parameters
    ----------
    rows, columns, depth : int
        The product is of the shapes ``(rows, depth)`` and ``(depth, columns)``.
    left_turned, right_turned : bool
        Whether operands are transposed matrices.

    Returns
    -------
    float
        Zero without tiles.
    """
    cdef ProductSizes sizes
    sizes.rows, sizes.columns, sizes.depth = rows, columns, depth
    sizes.left_turned, sizes.right_turned = left_turned, right_turned
    return _gain(sizes)


def gains():
    """Return the gains of all kinds of products, in their order; None without tiles."""
    cdef int i
    if _tiles is NULL:
        return None
    if not _chosen:
        _choose()
    return [_gains[i] for i in range(PRODUCT_KINDS)]


cdef bint tiles_are_faster(const ProductSizes &sizes) except -1:
    return _gain(sizes) >= least_gain(sizes)


cdef bint beats_numpy(const ProductSizes &sizes) except -1:
    return wanted() != 0 or tiles_are_faster(sizes)


cdef void _find_control() noexcept:
    """Find SciPy's BLAS, which may have been imported since the last time."""
    global control
    if control.set is NULL:
        control = control_of_openblas()


cdef int find_gemm(char kind, const ProductSizes &sizes, Gemm *found) except -1:
    """Find the product of matrices of floats, kind 'f', or of doubles, kind 'd'."""
    global sgemm, dgemm, _library
    if kind == b'f' and not wanted() and tiles_are_faster(sizes):
        found[0] = tiled_sgemm
        return 0
    if dgemm is NULL:
        from scipy.linalg import cython_blas
        table = cython_blas.__pyx_capi__
        _find_control()
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


def without_threads(function, *arguments):
    """Return the result of a function that calls LAPACK, which works with one thread.

    A factorization waits for the threads of OpenBLAS at the end of each of its many
    short parts, and they occupy the processors of the threads of our loops.
    """
    cdef OneThread *numpys = NULL
    cdef OneThread *scipys = NULL
    _find_control()
    try:
        numpys, scipys = new OneThread(_numpys), new OneThread(control)
        return function(*arguments)
    finally:
        del numpys
        del scipys
