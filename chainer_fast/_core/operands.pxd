"""Arrays of one update, and the loops over them."""
from cpython.object cimport PyObject

from chainer_fast._core.recipe cimport MAX_ARRAYS, Step


cdef struct Operands:
    PyObject *arrays[MAX_ARRAYS]     # parameter, gradient and states, borrowed
    void *data[MAX_ARRAYS]
    int count
    int kind
    bint changes_grad
    int order                        # flags of the memory order they share, or 0
    Py_ssize_t size


cdef void extent(object array, const char **first, const char **last) noexcept
cdef bint overlaps_itself(object array) noexcept
cdef int kind_of_array(object array) noexcept
cdef bint gather(
    Operands *operands, object param, object grad, object states, tuple names,
    bint changes_grad) except -1
cdef int run(Operands *operands, Step *steps, int n_steps) except -1
cdef bint lie_alike(const Operands *a, const Operands *b) noexcept
cdef int run_in_floats(
    Operands *operands, Operands *halves, Step *steps, int n_steps) except -1
