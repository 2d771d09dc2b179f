"""Loops that a tape can run, and their arguments."""
from libc.stddef cimport ptrdiff_t

from chainer_fast.backends.kernels.common.loops cimport Unary


cdef extern from "chainer_fast/backends/kernels/tape/tape.hpp" \
        namespace "chainer_fast" nogil:
    cdef enum Form:
        COPY, BINARY, CONSTANT, UNARY, ACTIVATION, ACTIVATION_GRAD, PAIR

    cdef struct Place:
        char *data
        ptrdiff_t piece

    cdef struct Instruction:
        int form
        const void *loop
        const Unary *ufuncs
        double p
        double q
        int inputs[3]
        int outputs[2]

    void run_chain(const Instruction *, const Instruction *, char, const Place *,
                   ptrdiff_t, ptrdiff_t) noexcept


cdef class Loop:
    cdef int form
    cdef const void *loop
    cdef const Unary *ufuncs
