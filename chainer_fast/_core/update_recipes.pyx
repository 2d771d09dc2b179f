"""What is particular to each update rule, apart from the loops of ``update_loops.h``.

A recipe names hyperparameters and states, and turns the values of hyperparameters into
the coefficients of its loop.  It leaves a case to the rule itself, which raises or
warns as NumPy does, wherever a coefficient cannot be had or does not fit in the type.
"""
import numpy

cimport numpy as np
from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_GetItemWithError
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from libc.float cimport FLT_MAX
from libc.math cimport INFINITY, fabs, isfinite, pow, sqrt

np.import_array()

cdef extern from "chainer_fast/_core/update_loops.h" nogil:
    const Loop *cf_sgd
    const Loop *cf_momentum_sgd
    const Loop *cf_corrected_momentum_sgd
    const Loop *cf_nesterov_ag
    const Loop *cf_rmsprop
    const Loop *cf_rmsprop_inside
    const Loop *cf_rmsprop_graves
    const Loop *cf_ada_grad
    const Loop *cf_ada_delta
    const Loop cf_smorms3[N_KINDS]
    const Loop *cf_msvag
    const Loop *cf_adam
    const Loop *cf_amsgrad
    const Loop *cf_adabound
    const Loop *cf_amsbound
    const Loop *cf_weight_decay
    const Loop *cf_lasso
    const Loop *cf_hard_clipping
    const Loop *cf_scale
    const Loop *cf_unscale
    void cf_widen(const unsigned short *, float *, Py_ssize_t) noexcept
    void cf_narrow(const float *, unsigned short *, Py_ssize_t) noexcept
    bint cf_finite_h(const void *, Py_ssize_t) noexcept
    bint cf_finite_f(const void *, Py_ssize_t) noexcept
    bint cf_finite_d(const void *, Py_ssize_t) noexcept

cdef enum:
    ALL = 0x1ff              # a bit for each of MAX_COEFFICIENTS

# What is halfway from the largest finite float16 to the next, which rounds to infinity;
# and what still rounds to zero.
cdef double _HALF_LIMIT = 65520.
cdef double _HALF_NOTHING = 2. ** -25


cdef const Loop *scale_loops() noexcept nogil:
    return cf_scale


cdef const Loop *unscale_loops() noexcept nogil:
    return cf_unscale


cdef void floats_from_halves(
        const void *halves, float *floats, Py_ssize_t n) noexcept nogil:
    cf_widen(<const unsigned short *>halves, floats, n)


cdef void halves_from_floats(
        const float *floats, void *halves, Py_ssize_t n) noexcept nogil:
    cf_narrow(floats, <unsigned short *>halves, n)


cdef bint all_finite(int kind, const void *array, Py_ssize_t n) noexcept nogil:
    """Whether no element of a contiguous array is infinite or NaN."""
    if kind == HALF:
        return cf_finite_h(array, n)
    return cf_finite_f(array, n) if kind == SINGLE else cf_finite_d(array, n)


cdef bint to_double(object value, double *result) except -1:
    """Read a plain number; False for anything else, such as arrays and None."""
    if PyFloat_Check(value):
        result[0] = PyFloat_AS_DOUBLE(value)
    elif PyBool_Check(value):
        result[0] = value is True
    elif PyLong_CheckExact(value):
        result[0] = value
    elif isinstance(value, (numpy.float32, numpy.float16, numpy.integer, numpy.bool_)):
        result[0] = value.item()
    else:
        return False
    return True


cdef bint fits(const double *c, int kind, unsigned int narrow) noexcept:
    """Whether no finite coefficient becomes infinite in the type of the loop."""
    cdef int i
    cdef double limit
    if kind == DOUBLE:
        return True
    for i in range(MAX_COEFFICIENTS):
        limit = _HALF_LIMIT if kind == HALF and narrow >> i & 1 else FLT_MAX
        if fabs(c[i]) >= limit and isfinite(c[i]):
            return False
    return True


cdef bint _vanishes(double eps, int kind) noexcept:
    """Whether a small value becomes zero, which is an error that the rule raises."""
    if kind == HALF:
        return eps != 0 and fabs(eps) <= _HALF_NOTHING
    return eps != 0 and kind == SINGLE and <float>eps == 0


cdef class Recipe:
    """Compiled form of a class of update rules; a subclass for each formula.

    Here, for those whose coefficients are the hyperparameters as they are.
    """

    def __cinit__(self):
        self.narrow = ALL

    cdef tuple states_for(self, const double *h):
        """Return the names of the states that the loop needs."""
        return self.states

    cdef const Loop *loops_for(self, const double *h) noexcept:
        return self.loops

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *c) except -1:
        """Turn hyperparameters into coefficients; False where the rule must decide.

        ``fields`` are the attributes of the rule, ``t`` its count of updates.
        """
        cdef Py_ssize_t i
        for i in range(len(self.hyperparams)):
            c[i] = h[i]
        return True


cdef class SGDRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr',)
        self.states = ()
        self.loops = cf_sgd


cdef class MomentumSGDRecipe(Recipe):

    def __cinit__(self, *, bint corrected=False):
        self.hyperparams = ('lr', 'momentum')
        self.states = ('v',)
        self.loops = cf_corrected_momentum_sgd if corrected else cf_momentum_sgd


cdef class NesterovAGRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'momentum')
        self.states = ('v',)
        self.loops = cf_nesterov_ag

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *c) except -1:
        c[0] = h[0]
        c[1] = h[1]
        c[2] = h[1] * h[1]
        c[3] = (1. + h[1]) * h[0]
        return True


cdef class RMSpropRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'alpha', 'eps', 'eps_inside_sqrt')
        self.states = ('ms',)

    cdef const Loop *loops_for(self, const double *h) noexcept:
        return cf_rmsprop_inside if h[3] != 0 else cf_rmsprop

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *c) except -1:
        c[0] = h[0]
        c[1] = h[1]
        c[2] = 1. - h[1]
        c[3] = h[2]
        return not _vanishes(h[2], kind)


cdef class RMSpropGravesRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'alpha', 'momentum', 'eps')
        self.states = ('n', 'g', 'delta')
        self.loops = cf_rmsprop_graves

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *c) except -1:
        c[0] = h[0]
        c[1] = h[1]
        c[2] = 1. - h[1]
        c[3] = h[2]
        c[4] = h[3]
        return True


cdef class AdaGradRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'eps')
        self.states = ('h',)
        self.loops = cf_ada_grad


cdef class AdaDeltaRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('rho', 'eps')
        self.states = ('msg', 'msdx')
        self.loops = cf_ada_delta

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *c) except -1:
        c[0] = h[0]
        c[1] = 1. - h[0]
        c[2] = h[1]
        return True


cdef class SMORMS3Recipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'eps')
        self.states = ('mem', 'g', 'g2')
        self.loops = cf_smorms3


cdef class MSVAGRecipe(Recipe):
    cdef double largest_rho

    def __cinit__(self, double largest_rho):
        self.hyperparams = ('lr', 'beta', 'eta', 'weight_decay_rate')
        self.states = ('m', 'v')
        self.own_field = 'beta_power'
        self.loops = cf_msvag
        self.largest_rho = largest_rho

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *c) except -1:
        cdef double beta = h[1], power, weight, rho, divisor
        cdef PyObject *item = PyDict_GetItemWithError(fields, 'beta_power')
        if item is NULL or not to_double(<object>item, &power):
            return False
        weight = 1. - power
        divisor = (1. - pow(beta, 2.)) * pow(weight, 2.)
        if divisor == 0:
            return False
        rho = pow(1. - beta, 2.) * (1. - pow(power, 2.)) / divisor
        if not rho < self.largest_rho:
            rho = self.largest_rho if rho == rho else rho
        c[0] = 1. - beta
        c[1] = weight
        c[2] = 1. - rho
        c[3] = rho
        c[4] = h[2]
        c[5] = h[0]
        c[6] = h[3]
        if not fits(c, kind, ALL):
            return False
        fields['beta_power'] = power * beta
        return True


cdef class AdamRecipe(Recipe):
    """Adam, AdamW, AMSGrad, AdaBound and AMSBound."""
    cdef tuple amsgrad_states

    def __cinit__(self):
        self.hyperparams = (
            'alpha', 'beta1', 'beta2', 'eps', 'eta', 'weight_decay_rate', 'final_lr',
            'gamma', 'amsgrad', 'adabound')
        self.states = ('m', 'v')
        self.amsgrad_states = ('m', 'v', 'vhat')
        self.own_field = 'initial_alpha'
        self.narrow = 1 << 4

    cdef tuple states_for(self, const double *h):
        return self.amsgrad_states if h[8] != 0 else self.states

    cdef const Loop *loops_for(self, const double *h) noexcept:
        if h[9] != 0:
            return cf_amsbound if h[8] != 0 else cf_adabound
        return cf_amsgrad if h[8] != 0 else cf_adam

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *c) except -1:
        cdef double alpha = h[0], eps = h[3], final_lr, initial_alpha
        cdef double fix1 = 1. - pow(h[1], t)
        cdef double fix2 = 1. - pow(h[2], t)
        cdef PyObject *item
        if t < 1 or fix1 == 0 or not isfinite(fix1) or not fix2 >= 0:
            return False    # no learning rate: the rule raises its error
        if _vanishes(eps, DOUBLE if kind == DOUBLE else SINGLE):
            return False
        c[0] = 1. - h[1]
        c[1] = 1. - h[2]
        c[2] = alpha * sqrt(fix2) / fix1
        c[3] = eps
        c[4] = 1. - h[4] * h[5]
        c[5] = h[4]
        if h[9] != 0:
            item = PyDict_GetItemWithError(fields, 'initial_alpha')
            if item is NULL or not to_double(<object>item, &initial_alpha):
                return False
            if initial_alpha == 0 or h[7] * t == 0 or h[7] * t == -1:
                return False
            final_lr = h[6] * alpha / initial_alpha
            c[6] = final_lr * (1. - 1. / (h[7] * t + 1.))
            c[7] = final_lr * (1. + 1. / (h[7] * t))
            if c[6] != c[6] or c[7] != c[7]:
                return False
        c[8] = _size_of_fixed(c)
        return True


cdef double _size_of_fixed(const double *c) noexcept:
    """Size from which on a float32 parameter does not feel a vanishing mean.

    If the part of a mean by which it decays is subnormal, the step is smaller than
    a quarter of the distance from the parameter to the next number.
    """
    cdef double rate, size
    if not (c[0] > 0 and c[3] > 0):
        return INFINITY
    rate = max(fabs(c[2]) / c[3], fabs(c[6]), fabs(c[7]))
    size = 1.01 * 2. ** (26 - 126) * rate * fabs(c[5]) / c[0]
    return size if rate < 1e30 and size < 1e30 else INFINITY


# -- hooks


cdef class HookRecipe:
    """Compiled form of a class of hooks that change one gradient at a time."""


cdef class WeightDecayRecipe(HookRecipe):

    def __cinit__(self):
        self.attributes = ('rate',)
        self.scaled = True
        self.loops = cf_weight_decay


cdef class LassoRecipe(HookRecipe):

    def __cinit__(self):
        self.attributes = ('rate',)
        self.loops = cf_lasso


cdef class HardClippingRecipe(HookRecipe):

    def __cinit__(self):
        self.attributes = ('lower_bound', 'upper_bound')
        self.loops = cf_hard_clipping
