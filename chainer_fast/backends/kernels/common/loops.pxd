"""Loops over plain arrays that elementwise shortcuts share."""
cimport numpy as np
from libc.stddef cimport ptrdiff_t

from chainer_fast._core.graph cimport Shortcut

ctypedef void (*Loop2f)(
    const float *, const float *, float *, ptrdiff_t) noexcept nogil
ctypedef void (*Loop2d)(
    const double *, const double *, double *, ptrdiff_t) noexcept nogil
ctypedef void (*Loop1f)(const float *, float, float *, ptrdiff_t) noexcept nogil
ctypedef void (*Loop1d)(const double *, double, double *, ptrdiff_t) noexcept nogil
ctypedef void (*InnerLoop)(
    char **, np.npy_intp *, np.npy_intp *, void *) noexcept nogil

# Loops over more elements than this let other threads run.
cdef enum:
    LONG_LOOP = 16384


cdef struct Pair2:
    Loop2f f
    Loop2d d

cdef struct Pair1:
    Loop1f f
    Loop1d d


cdef class UfuncLoop:
    cdef InnerLoop loop_f
    cdef InnerLoop loop_d
    cdef void *data_f
    cdef void *data_d

    cdef void _loop(self, char kind, void *a, void *out, np.npy_intp n) noexcept nogil
    cdef object run(self, char kind, object a)
    cdef int run_in_place(
        self, char kind, void *data, np.npy_intp n) noexcept nogil


cdef object run2(Pair2 loops, char kind, object a, object b)
cdef object run1(Pair1 loops, char kind, object a, double c)


cdef class BinaryShortcut(Shortcut):
    cdef Pair2 loops


cdef class UnaryShortcut(Shortcut):
    cdef UfuncLoop ufunc
    cdef Pair2 grad
