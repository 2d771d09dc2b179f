"""Calls of the loops of recurrent cells."""
from libc.stddef cimport ptrdiff_t

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast.backends.kernels.common.loops cimport Unary


cdef extern from "chainer_fast/backends/kernels/recurrent/cell.hpp" \
        namespace "chainer_fast":
    cdef cppclass Cell:
        void run(char, void **, ptrdiff_t, ptrdiff_t, ptrdiff_t, const Unary &) noexcept


cdef inline int run(const Cell &cell, char kind, void **arrays, ptrdiff_t samples,
                    ptrdiff_t n, ptrdiff_t more, const Unary &tanh) noexcept:
    """Call a loop and return the flags that it has raised."""
    clear_float_errors()
    cell.run(kind, arrays, samples, n, more, tanh)
    return float_errors()
