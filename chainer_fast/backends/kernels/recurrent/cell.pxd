"""Calls of the loops of recurrent cells."""
from libc.stddef cimport ptrdiff_t

from chainer_fast.backends.kernels.common.loops cimport Unary

cdef extern from "chainer_fast/backends/kernels/recurrent/cell.hpp" \
        namespace "chainer_fast":
    cdef cppclass Cell:
        int run(char, void **, ptrdiff_t samples, ptrdiff_t units, ptrdiff_t more,
                const Unary &tanh) noexcept
