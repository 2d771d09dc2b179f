"""Updates of parameters: recipes, the arrays of an update, and loops over them."""
from cpython.object cimport PyObject

from chainer_fast._core.graphs.graph cimport Methods

cdef enum:
    MAX_HYPERPARAMS = 10
    MAX_ARRAYS = 5           # parameter, gradient and states
    MAX_COEFFICIENTS = 9

# For each kind of floats, see dtypes.pxd.
ctypedef void (*Loop)(void **arrays, Py_ssize_t n, const double *c) noexcept nogil

cdef extern from "chainer_fast/_core/updates/rows.hpp" namespace "chainer_fast":
    # The effect of an update on a row whose gradient is zero.
    enum Unused:
        MOVES
        STAYS       # no change of any bit
        IS_LEFT     # no update: the rule is lazy

cdef struct Step:
    Loop loop
    double c[MAX_COEFFICIENTS]
    const char *name             # of the step on a GPU
    int n_coefficients


cdef class Recipe:
    cdef tuple hyperparams       # names, in the order of the values
    cdef tuple states            # names, in the order of the loop's arrays
    cdef str own_field           # attribute that only this rule has, or None
    cdef const Loop *loops       # one for each kind
    cdef const char *name        # of the step on a GPU, in many_arrays.hpp
    cdef int n_coefficients
    cdef Methods methods         # methods that the recipe replaces
    cdef tuple states_for(self, const double *h)
    cdef const Loop *loops_for(self, const double *h) noexcept
    cdef const char *name_for(self, const double *h) noexcept
    cdef Unused unused(self, const double *c, int kind) noexcept
    cdef bint prepare(
        self, dict fields, const double *h, long t, int kind, double *c) except -1
    cdef int count(self, dict fields, const double *h) except -1


cdef class HookRecipe:
    cdef tuple attributes        # names of numbers, in the order of the coefficients
    cdef bint scaled             # whether the first one grows with the loss scale
    cdef const Loop *loops       # NULL without any
    cdef const char *name        # of the step on a GPU
    cdef int n_coefficients
    cdef Methods methods         # of the class of hooks


cdef bint to_double(object value, double *result) except -1
cdef bint fits(const double *c, int kind) noexcept
cdef bint is_rate(double value) noexcept
cdef bint vanishes(double eps, int kind) noexcept


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
