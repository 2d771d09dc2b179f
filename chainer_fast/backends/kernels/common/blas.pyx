"""Matrix products of SciPy's BLAS.

The functions are looked up when they are first needed, not when this is imported:
SciPy's linear algebra takes longer to import than all of the rest.
"""
from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer

cdef Gemm _sgemm = NULL
cdef Gemm _dgemm = NULL


cdef Gemm _address(table, name) except NULL:
    capsule = table[name]
    return <Gemm>PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))


cdef Gemm gemm(char kind) except NULL:
    """Return the product of matrices of floats, kind 'f', or of doubles, kind 'd'."""
    global _sgemm, _dgemm
    if _dgemm is NULL:
        from scipy.linalg import cython_blas
        table = cython_blas.__pyx_capi__
        _sgemm = _address(table, 'sgemm')
        _dgemm = _address(table, 'dgemm')
    return _sgemm if kind == b'f' else _dgemm
