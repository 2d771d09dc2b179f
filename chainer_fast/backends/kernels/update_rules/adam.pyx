"""Recipe of Adam and its variants."""
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.math cimport INFINITY, fabs, isfinite, pow, sqrt

from chainer_fast._core.recipe cimport DOUBLE, SINGLE, Loop, Recipe, to_double, vanishes

cdef extern from "chainer_fast/backends/kernels/update_rules/loops.hpp" nogil:
    const Loop *ADAM_LOOPS "(chainer_fast::rule_loops<chainer_fast::Adam, 2>)"
    const Loop *AMSGRAD_LOOPS "(chainer_fast::rule_loops<chainer_fast::Adam, 3>)"
    const Loop *ADABOUND_LOOPS "(chainer_fast::rule_loops<chainer_fast::AdaBound, 2>)"
    const Loop *AMSBOUND_LOOPS "(chainer_fast::rule_loops<chainer_fast::AdaBound, 3>)"
    struct AdamCoefficients "chainer_fast::Adam::Coefficients<double>":
        double move_m, move_v, alpha_t, eps, keep, eta, lower, upper, size_of_fixed

cdef struct AdamHyperparams:
    double alpha, beta1, beta2, eps, eta, weight_decay_rate, final_lr, gamma
    double amsgrad, adabound


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
        self.narrow = 1 << 4    # keep alone
        self.n_coefficients = 9

    cdef tuple states_for(self, const double *values):
        cdef const AdamHyperparams *h = <const AdamHyperparams *>values
        return self.amsgrad_states if h.amsgrad != 0 else self.states

    cdef const Loop *loops_for(self, const double *values) noexcept:
        cdef const AdamHyperparams *h = <const AdamHyperparams *>values
        if h.adabound != 0:
            return AMSBOUND_LOOPS if h.amsgrad != 0 else ADABOUND_LOOPS
        return AMSGRAD_LOOPS if h.amsgrad != 0 else ADAM_LOOPS

    cdef const char *name_for(self, const double *values) noexcept:
        cdef const AdamHyperparams *h = <const AdamHyperparams *>values
        if h.adabound != 0:
            return b'Update<AdaBound, 3>' if h.amsgrad != 0 else b'Update<AdaBound, 2>'
        return b'Update<Adam, 3>' if h.amsgrad != 0 else b'Update<Adam, 2>'

    cdef bint prepare(
            self, dict fields, const double *values, long t, int kind,
            double *coefficients) except -1:
        cdef const AdamHyperparams *h = <const AdamHyperparams *>values
        cdef AdamCoefficients *c = <AdamCoefficients *>coefficients
        cdef double final_lr, initial_alpha
        cdef double fix1 = 1. - pow(h.beta1, t)
        cdef double fix2 = 1. - pow(h.beta2, t)
        cdef PyObject *item
        if t < 1 or fix1 == 0 or not isfinite(fix1) or not fix2 >= 0:
            return False    # no learning rate: the rule raises its error
        if vanishes(h.eps, DOUBLE if kind == DOUBLE else SINGLE):
            return False
        c.move_m = 1. - h.beta1
        c.move_v = 1. - h.beta2
        c.alpha_t = h.alpha * sqrt(fix2) / fix1
        c.eps = h.eps
        c.keep = 1. - h.eta * h.weight_decay_rate
        c.eta = h.eta
        if h.adabound != 0:
            item = PyDict_GetItemWithError(fields, self.own_field)
            if item is NULL or not to_double(<object>item, &initial_alpha):
                return False
            if initial_alpha == 0 or h.gamma * t == 0 or h.gamma * t == -1:
                return False
            final_lr = h.final_lr * h.alpha / initial_alpha
            c.lower = final_lr * (1. - 1. / (h.gamma * t + 1.))
            c.upper = final_lr * (1. + 1. / (h.gamma * t))
            if c.lower != c.lower or c.upper != c.upper:
                return False
        c.size_of_fixed = _size_of_fixed(c)
        return True


cdef double _size_of_fixed(const AdamCoefficients *c) noexcept:
    """Size from which on a vanishing mean does not change a float32 parameter.

    If the part of a mean by which it decays is subnormal, the step is smaller than
    a quarter of the distance from the parameter to the next number.
    """
    cdef double rate, size
    if not (c.move_m > 0 and c.eps > 0):
        return INFINITY
    rate = max(fabs(c.alpha_t) / c.eps, fabs(c.lower), fabs(c.upper))
    size = 1.01 * 2. ** (26 - 126) * rate * fabs(c.eta) / c.move_m
    return size if rate < 1e30 and size < 1e30 else INFINITY
