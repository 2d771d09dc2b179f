"""Calls of the loops of recurrent cells."""
from libc.stddef cimport ptrdiff_t

from chainer_fast.backends.kernels.common.ufuncs cimport Unary

cdef inline tuple plain_sizes(tuple sizes):
    """Return the sizes of steps as integers, which have no code of the user's."""
    cdef Py_ssize_t size
    cdef list plain = []
    for size in sizes:
        plain.append(size)
    return tuple(plain)


cdef extern from "chainer_fast/backends/kernels/recurrent/cell.hpp" \
        namespace "chainer_fast::recurrent":
    cdef cppclass Cell:
        int run(char, void **, ptrdiff_t samples, ptrdiff_t units, ptrdiff_t more,
                const Unary &tanh) noexcept
