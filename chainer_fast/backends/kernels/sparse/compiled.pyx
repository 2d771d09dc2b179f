"""Products with sparse matrices: one pass over the elements.

All functions return ``NotImplemented`` for arrays that are not of single or double
precision. Arrays that are not contiguous are copied.
"""
cimport numpy as np
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_NDIM, \
    npy_intp

import numpy

from chainer_fast._core.plain cimport cf_float_kind

np.import_array()

cdef extern from "chainer_fast/backends/kernels/sparse/loops.hpp" nogil:
    void c_product "chainer_fast::product"[T](
        const T *data, const npy_intp *row, const npy_intp *col, const T *dense, T *y,
        npy_intp batches, npy_intp nnz, npy_intp height, npy_intp k,
        npy_intp n) noexcept
    void c_sampled_product "chainer_fast::sampled_product"[T](
        T *values, const npy_intp *row, const npy_intp *col, const T *a, const T *b,
        npy_intp batches, npy_intp nnz, npy_intp m, npy_intp n, npy_intp k) noexcept


cdef np.ndarray _coordinates(x):
    return numpy.ascontiguousarray(x, numpy.intp)


cdef int _check(npy_intp *at, npy_intp n, npy_intp length, name) except -1:
    cdef npy_intp i
    for i in range(n):
        if at[i] >= length:
            raise ValueError(
                '%s index %d exceeds the matrix, which has %d'
                % (name, at[i], length))
    return 0


cdef bint _alike(np.ndarray x, y):
    return (PyArray_CheckExact(y) and cf_float_kind(x) != 0
            and cf_float_kind(<np.ndarray>y) == cf_float_kind(x))


def product(np.ndarray data, row, col, height, dense):
    cdef np.ndarray rows, columns, values, matrix, y
    cdef npy_intp batches, n, nnz, m, k
    cdef npy_intp *r
    cdef npy_intp *c
    cdef void *v
    cdef void *x
    cdef void *z
    cdef int last
    if not _alike(data, dense):
        return NotImplemented
    rows, columns = _coordinates(row), _coordinates(col)
    values = np.PyArray_GETCONTIGUOUS(data)
    matrix = np.PyArray_GETCONTIGUOUS(<np.ndarray>dense)
    last = PyArray_NDIM(values) - 1
    nnz = PyArray_DIM(values, last)
    batches = PyArray_DIM(values, 0) if last else 1
    m, k, n = height, PyArray_DIM(matrix, last), PyArray_DIM(matrix, last + 1)
    r, c = <npy_intp *>PyArray_DATA(rows), <npy_intp *>PyArray_DATA(columns)
    _check(r, batches * nnz, m, 'row')
    _check(c, batches * nnz, k, 'column')
    y = numpy.zeros((batches, m, n), data.dtype)
    v, x, z = PyArray_DATA(values), PyArray_DATA(matrix), PyArray_DATA(y)
    if cf_float_kind(data) == c'f':
        with nogil:
            c_product(<float *>v, r, c, <float *>x, <float *>z, batches, nnz, m, k, n)
    else:
        with nogil:
            c_product(
                <double *>v, r, c, <double *>x, <double *>z, batches, nnz, m, k, n)
    return y if last else y.reshape(m, n)


def sampled_product(np.ndarray a, row, col, b):
    cdef np.ndarray rows, columns, left, right, values
    cdef npy_intp batches, nnz, m, n, k
    cdef npy_intp *r
    cdef npy_intp *c
    cdef void *v
    cdef void *x
    cdef void *y
    cdef int last
    if not _alike(a, b):
        return NotImplemented
    rows, columns = _coordinates(row), _coordinates(col)
    left, right = np.PyArray_GETCONTIGUOUS(a), np.PyArray_GETCONTIGUOUS(<np.ndarray>b)
    last = PyArray_NDIM(rows) - 1
    nnz = PyArray_DIM(rows, last)
    batches = PyArray_DIM(rows, 0) if last else 1
    m, k, n = (PyArray_DIM(left, last), PyArray_DIM(left, last + 1),
               PyArray_DIM(right, last))
    r, c = <npy_intp *>PyArray_DATA(rows), <npy_intp *>PyArray_DATA(columns)
    _check(r, batches * nnz, m, 'row')
    _check(c, batches * nnz, n, 'column')
    values = numpy.zeros(row.shape, a.dtype)
    v, x, y = PyArray_DATA(values), PyArray_DATA(left), PyArray_DATA(right)
    if cf_float_kind(a) == c'f':
        with nogil:
            c_sampled_product(
                <float *>v, r, c, <float *>x, <float *>y, batches, nnz, m, n, k)
    else:
        with nogil:
            c_sampled_product(
                <double *>v, r, c, <double *>x, <double *>y, batches, nnz, m, n, k)
    return values
