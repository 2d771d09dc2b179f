"""Gradients of matrices of which only some rows are used."""
from numpy cimport npy_intp

from chainer_fast._core.operands cimport Operands
from chainer_fast._core.recipe cimport Step, Unused


cdef class RowGradient:
    cdef object ids              # of the rows, no two alike
    cdef object values           # the gradients of these rows
    cdef npy_intp rows           # of the matrix


cdef bint few_rows(npy_intp n, npy_intp rows, npy_intp columns) noexcept
cdef RowGradient new_rows(object ids, npy_intp rows, npy_intp columns, int typenum)
cdef object dense(RowGradient sparse)
cdef bint has_shape_of(RowGradient gradient, object array) noexcept
cdef object add_rows(RowGradient a, RowGradient b)
cdef int run_on_rows(
    Operands *operands, RowGradient gradient, Step *step, Unused unused) except -1
