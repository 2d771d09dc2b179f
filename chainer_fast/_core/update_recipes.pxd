"""Recipes: the compiled form of update rules."""

cdef enum:
    MAX_HYPERPARAMS = 10
    MAX_ARRAYS = 5           # parameter, gradient and states
    MAX_COEFFICIENTS = 9


cdef class Recipe:
    cdef tuple hyperparams       # names, in the order of the values
    cdef tuple states            # names, in the order of the loop's arrays
    cdef type rule_class
    cdef tuple methods           # of the class, when it was registered
    cdef tuple states_for(self, const double *h)
    cdef bint prepare(
        self, dict fields, const double *h, long t, int typenum, double *c) except -1
    cdef void run(
        self, int typenum, void **a, Py_ssize_t n, const double *c) noexcept nogil


cdef bint to_double(object value, double *result) except -1
