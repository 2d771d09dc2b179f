"""The calls of cuBLAS that the package makes itself, on host memory.

Matrices have their columns first, as in Fortran. Pointers to numbers are addresses on
the host, those to matrices addresses of the stand-in's arrays. What the stand-in cannot
know: that memory belongs to the device in use, which of the combinations of types a
library refuses on an old card, and how the real one rounds.
"""
import numpy

from tests.doubles.host_cupy import ledger, memory

# As in CuPy's enumerations.
CUBLAS_GEMM_DEFAULT = -1
CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_64F = 68, 77, 70

_TYPES = {0: numpy.dtype('f'), 1: numpy.dtype('d'), 2: numpy.dtype('e')}
# Types of the operands, of the result and of the sums.
_COMBINATIONS = [('e', 'e', 'f'), ('e', 'f', 'f'), ('f', 'f', 'f'), ('d', 'd', 'd')]
_COMPUTE = {CUBLAS_COMPUTE_32F: 'f', CUBLAS_COMPUTE_32F_FAST_TF32: 'f',
            CUBLAS_COMPUTE_64F: 'd'}


class CUBLASError(RuntimeError):
    """Error of the library."""


def _check(condition):
    if not condition:
        raise CUBLASError('CUBLAS_STATUS_INVALID_VALUE')


def gemmStridedBatchedEx(
        handle, transa, transb, m, n, k, alpha, A, Atype, lda, strideA,
        B, Btype, ldb, strideB, beta, C, Ctype, ldc, strideC, batchCount, computeType,
        algo):
    """Compute ``C[i] = alpha * A[i] @ B[i] + beta * C[i]``."""
    for size in (m, n, k, lda, ldb, ldc, batchCount):
        if not -1 << 31 <= size < 1 << 31:
            raise OverflowError('value too large to convert to int')
    _check(m > 0 and n > 0 and k > 0 and batchCount > 0)
    _check(transa in (0, 1) and transb in (0, 1))
    _check(lda >= (k if transa else m) and ldb >= (n if transb else k) and ldc >= m)
    _check(strideC >= ldc * (n - 1) + m or batchCount == 1)
    _check(Atype == Btype and (
        _TYPES[Atype].char, _TYPES[Ctype].char, _COMPUTE[computeType]) in _COMBINATIONS)
    compute = numpy.dtype(_COMPUTE[computeType])
    a, b = [
        memory.at(address, _TYPES[kind], (batchCount, rows, columns),
                (stride, ld, 1) if trans else (stride, 1, ld)).astype(compute)
        for address, kind, rows, columns, stride, ld, trans in (
            (A, Atype, m, k, strideA, lda, transa),
            (B, Btype, k, n, strideB, ldb, transb))]
    c = memory.at(C, _TYPES[Ctype], (batchCount, m, n), (strideC, 1, ldc))
    factor, kept = [memory.at(p, compute, (), ()) for p in (alpha, beta)]
    with numpy.errstate(over='ignore'):
        result = factor * numpy.matmul(a, b)
        c[...] = result + kept * c if kept else result
    ledger.launch('gemmStridedBatchedEx')
