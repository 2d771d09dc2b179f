"""Recipes of rules that divide by the root of a mean or sum of squared gradients."""
from chainer_fast._core.recipe cimport (
    MOVES, STAYS, Loop, Recipe, Unused, is_rate, vanishes)

cdef extern from "chainer_fast/backends/kernels/update_rules/loops.hpp" nogil:
    const Loop *RMSPROP_LOOPS "(chainer_fast::rule_loops<chainer_fast::RMSprop, 1>)"
    const Loop *RMSPROP_EPS_INSIDE_LOOPS \
        "(chainer_fast::rule_loops<chainer_fast::RMSpropEpsInside, 1>)"
    const Loop *ADA_GRAD_LOOPS "(chainer_fast::rule_loops<chainer_fast::AdaGrad, 1>)"
    const Loop *ADA_DELTA_LOOPS "(chainer_fast::rule_loops<chainer_fast::AdaDelta, 2>)"
    struct RMSpropCoefficients "chainer_fast::RMSprop::Coefficients<double>":
        double learning_rate, keep, move, eps
    struct AdaDeltaCoefficients "chainer_fast::AdaDelta::Coefficients<double>":
        double keep, move, eps


cdef class RMSpropRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'alpha', 'eps', 'eps_inside_sqrt')
        self.states = ('ms',)
        self.n_coefficients = 4

    cdef const Loop *loops_for(self, const double *h) noexcept:
        cdef bint eps_inside_sqrt = h[3] != 0
        return RMSPROP_EPS_INSIDE_LOOPS if eps_inside_sqrt else RMSPROP_LOOPS

    cdef const char *name_for(self, const double *h) noexcept:
        cdef bint eps_inside_sqrt = h[3] != 0
        if eps_inside_sqrt:
            return b'Update<RMSpropEpsInside, 1>'
        return b'Update<RMSprop, 1>'

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *coefficients) except -1:
        cdef double lr = h[0], alpha = h[1], eps = h[2]
        cdef RMSpropCoefficients *c = <RMSpropCoefficients *>coefficients
        c.learning_rate = lr
        c.keep = alpha
        c.move = 1. - alpha
        c.eps = eps
        return not vanishes(eps, kind)


cdef class AdaGradRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'eps')
        self.states = ('h',)
        self.loops = ADA_GRAD_LOOPS
        self.name = b'Update<AdaGrad, 1>'
        self.n_coefficients = 2

    cdef Unused unused(self, const double *c, int kind) noexcept:
        cdef double lr = c[0], eps = c[1]
        # Zero must not be divided by zero.
        if is_rate(lr) and eps > 0 and not vanishes(eps, kind):
            return STAYS
        return MOVES


cdef class AdaDeltaRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('rho', 'eps')
        self.states = ('msg', 'msdx')
        self.loops = ADA_DELTA_LOOPS
        self.name = b'Update<AdaDelta, 2>'
        self.n_coefficients = 3

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *coefficients) except -1:
        cdef double rho = h[0], eps = h[1]
        cdef AdaDeltaCoefficients *c = <AdaDeltaCoefficients *>coefficients
        c.keep = rho
        c.move = 1. - rho
        c.eps = eps
        return True
