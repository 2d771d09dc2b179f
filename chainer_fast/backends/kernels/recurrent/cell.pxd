"""Calls of the loops of recurrent cells."""
from libc.stddef cimport ptrdiff_t

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast.backends.kernels.common.loops cimport InnerLoop, LONG_LOOP, UfuncLoop


cdef extern from "chainer_fast/backends/kernels/recurrent/cell.hpp" nogil:
    ctypedef struct Tangent "chainer_fast::Tangent":
        InnerLoop loop
        void *data
    ctypedef struct Cell "chainer_fast::Cell":
        void (*f)(float **, ptrdiff_t, ptrdiff_t, ptrdiff_t, Tangent) noexcept nogil
        void (*d)(double **, ptrdiff_t, ptrdiff_t, ptrdiff_t, Tangent) noexcept nogil


cdef inline void call(Cell cell, char kind, void **arrays, ptrdiff_t samples,
                      ptrdiff_t n, ptrdiff_t more, UfuncLoop tanh) noexcept nogil:
    if kind == b'f':
        cell.f(<float **>arrays, samples, n, more, Tangent(tanh.loop_f, tanh.data_f))
    else:
        cell.d(<double **>arrays, samples, n, more, Tangent(tanh.loop_d, tanh.data_d))


cdef inline int run(Cell cell, char kind, void **arrays, ptrdiff_t samples,
                    ptrdiff_t n, ptrdiff_t more, UfuncLoop tanh) noexcept:
    """Call a loop and return the flags that it has raised."""
    clear_float_errors()
    if samples * n < LONG_LOOP // 4:
        call(cell, kind, arrays, samples, n, more, tanh)
    else:
        with nogil:
            call(cell, kind, arrays, samples, n, more, tanh)
    return float_errors()
