"""Recipes of gradient descent and its momentum."""
from chainer_fast._core.recipe cimport MOVES, STAYS, Loop, Recipe, Unused, is_rate

cdef extern from "chainer_fast/backends/kernels/update_rules/loops.hpp" nogil:
    const Loop *SGD_LOOPS "(chainer_fast::rule_loops<chainer_fast::SGD, 0>)"
    const Loop *MOMENTUM_SGD_LOOPS \
        "(chainer_fast::rule_loops<chainer_fast::MomentumSGD, 1>)"
    const Loop *CORRECTED_MOMENTUM_SGD_LOOPS \
        "(chainer_fast::rule_loops<chainer_fast::CorrectedMomentumSGD, 1>)"
    const Loop *NESTEROV_AG_LOOPS \
        "(chainer_fast::rule_loops<chainer_fast::NesterovAG, 1>)"
    struct NesterovAGCoefficients "chainer_fast::NesterovAG::Coefficients<double>":
        double learning_rate, momentum, squared_momentum, gradient_rate


cdef class SGDRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr',)
        self.states = ()
        self.loops = SGD_LOOPS
        self.name = b'Update<SGD, 0>'
        self.n_coefficients = 1

    cdef Unused unused(self, const double *c, int kind) noexcept:
        return STAYS if is_rate(c[0]) else MOVES


cdef class MomentumSGDRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'momentum')
        self.states = ('v',)
        self.loops = MOMENTUM_SGD_LOOPS
        self.name = b'Update<MomentumSGD, 1>'
        self.n_coefficients = 2


cdef class CorrectedMomentumSGDRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'momentum')
        self.states = ('v',)
        self.loops = CORRECTED_MOMENTUM_SGD_LOOPS
        self.name = b'Update<CorrectedMomentumSGD, 1>'
        self.n_coefficients = 2


cdef class NesterovAGRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'momentum')
        self.states = ('v',)
        self.loops = NESTEROV_AG_LOOPS
        self.name = b'Update<NesterovAG, 1>'
        self.n_coefficients = 4

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *coefficients) except -1:
        cdef double lr = h[0], momentum = h[1]
        cdef NesterovAGCoefficients *c = <NesterovAGCoefficients *>coefficients
        c.learning_rate = lr
        c.momentum = momentum
        c.squared_momentum = momentum * momentum
        c.gradient_rate = (1. + momentum) * lr
        return True
