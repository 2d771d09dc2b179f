"""Loops over plain arrays that elementwise shortcuts share."""
from libc.stddef cimport ptrdiff_t
from numpy cimport npy_intp

from chainer_fast._core.graph cimport Shortcut

# A module names the loops of an operation by an instance of the templates:
#     cdef extern from "chainer_fast/backends/kernels/arithmetic/elements.hpp" nogil:
#         const Binary ADD "chainer_fast::binary<chainer_fast::Add>"
cdef extern from "chainer_fast/backends/kernels/common/loops.hpp" \
        namespace "chainer_fast" nogil:
    # Loops over this many elements let other threads run.
    enum: LONG_LOOP

    cdef cppclass Binary:
        void run(char, const void *, const void *, void *, ptrdiff_t) noexcept

    cdef cppclass WithConstant:
        void run(char, const void *, double, void *, ptrdiff_t) noexcept

    cdef cppclass BinaryGrads:
        void run(char, const void *, const void *, const void *, void *, void *,
                 ptrdiff_t) noexcept


ctypedef void (*InnerLoop)(
    char **, npy_intp *, npy_intp *, void *) noexcept nogil

cdef extern from "chainer_fast/backends/kernels/common/unary.hpp" \
        namespace "chainer_fast" nogil:
    cdef cppclass UnaryLoop:
        InnerLoop loop
        void *data

    cdef cppclass Unary:
        UnaryLoop f
        UnaryLoop d
        void run(char, const void *, void *, ptrdiff_t) noexcept


cdef Unary unary_of(ufunc) except *

cdef object run2(const Binary &loops, char kind, object a, object b)
cdef object run1(const WithConstant &loops, char kind, object a, double c)
cdef object run_unary(const Unary &loops, char kind, object a)


cdef class BinaryShortcut(Shortcut):
    cdef Binary loops


cdef class PairShortcut(BinaryShortcut):
    cdef BinaryGrads grads


cdef class UnaryShortcut(Shortcut):
    cdef Unary ufunc
    cdef Binary grad


# Goes when no module uses it any more: ``Unary`` does the same.
cdef class UfuncLoop:
    cdef Unary loops
    cdef InnerLoop loop_f
    cdef InnerLoop loop_d
    cdef void *data_f
    cdef void *data_d

    cdef void _loop(self, char kind, void *a, void *out, npy_intp n) noexcept nogil
    cdef object run(self, char kind, object a)
    cdef int run_in_place(self, char kind, void *data, npy_intp n) noexcept nogil
