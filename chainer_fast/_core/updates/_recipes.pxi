# Recipes: the part of a compiled update that is specific to a rule or hook. Part of
# update.pyx.
# A recipe lists hyperparameters and states, has a loop for each type of floats, and
# converts the values of hyperparameters to the coefficients of the loop. If a
# coefficient cannot be computed or does not fit in the type, it leaves the case to the
# rule itself, which raises or warns as NumPy does. The recipes themselves are in
# ``chainer_fast/backends/kernels/update_rules``.


cdef bint to_double(object value, double *result) except -1:
    """Read a plain number; False for anything else, such as arrays and None."""
    if PyFloat_Check(value):
        result[0] = PyFloat_AS_DOUBLE(value)
    elif PyBool_Check(value):
        result[0] = value is True
    elif PyLong_CheckExact(value):
        result[0] = value
    elif is_numpy_number(value):
        result[0] = value
    else:
        return False
    return True


cdef bint fits(const double *c, int kind) noexcept:
    """Return whether no finite coefficient becomes infinite in the type of the loop."""
    cdef int i
    if kind == DOUBLE:
        return True
    for i in range(MAX_COEFFICIENTS):
        if fabs(c[i]) >= FLT_MAX and isfinite(c[i]):
            return False
    return True


cdef bint vanishes(double eps, int kind) noexcept:
    """Return whether a small value becomes zero, for which the rule raises an error."""
    return eps != 0 and kind != DOUBLE and <float>eps == 0


cdef bint is_rate(double value) noexcept:
    """Return whether zeros multiplied by a value are zeros, none of them negative.

    Subtracting them changes no bit.
    """
    return isfinite(value) and not signbit(value)


cdef class Recipe:
    """Compiled form of a class of update rules, with a subclass for each formula.

    This class handles rules whose coefficients are the hyperparameters themselves.
    """

    cdef tuple states_for(self, const double *h):
        """Return the names of the states that the loop needs."""
        return self.states

    cdef const Loop *loops_for(self, const double *h) noexcept:
        return self.loops

    cdef const char *name_for(self, const double *h) noexcept:
        """Return the name of the step on a GPU."""
        return self.name

    cdef Unused unused(self, const double *c, int kind) noexcept:
        """Return the exact effect of the loop on a row whose gradient is zero."""
        return MOVES

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *c) except -1:
        """Convert hyperparameters to coefficients; False leaves the case to the rule.

        ``fields`` are the attributes of the rule, ``t`` its count of updates.
        """
        cdef Py_ssize_t i
        for i in range(len(self.hyperparams)):
            c[i] = h[i]
        return True

    cdef int count(self, dict fields, const double *h) except -1:
        """Update counters of the rule besides ``t`` after an update."""
        return 0


cdef class HookRecipe:
    """Compiled form of a class of hooks that change one gradient at a time."""
