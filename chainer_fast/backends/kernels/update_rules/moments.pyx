"""Recipes of rules that follow the mean of the gradient and the mean of its square."""
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.math cimport pow

from chainer_fast._core.recipe cimport Loop, Recipe, fits, to_double

cdef extern from "chainer_fast/backends/kernels/update_rules/loops.hpp" nogil:
    const Loop *RMSPROP_GRAVES_LOOPS \
        "(chainer_fast::rule_loops<chainer_fast::RMSpropGraves, 3>)"
    const Loop *SMORMS3_LOOPS "(chainer_fast::rule_loops<chainer_fast::SMORMS3, 3>)"
    const Loop *MSVAG_LOOPS "chainer_fast::msvag_loops"
    struct GravesCoefficients "chainer_fast::RMSpropGraves::Coefficients<double>":
        double learning_rate, keep, move, momentum, eps
    struct MSVAGCoefficients "chainer_fast::MSVAG::Coefficients<double>":
        double move, weight, one_minus_rho, rho, eta, learning_rate, decay


cdef class RMSpropGravesRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'alpha', 'momentum', 'eps')
        self.states = ('n', 'g', 'delta')
        self.loops = RMSPROP_GRAVES_LOOPS
        self.name = b'Update<RMSpropGraves, 3>'
        self.n_coefficients = 5

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *coefficients) except -1:
        cdef double lr = h[0], alpha = h[1], momentum = h[2], eps = h[3]
        cdef GravesCoefficients *c = <GravesCoefficients *>coefficients
        c.learning_rate = lr
        c.keep = alpha
        c.move = 1. - alpha
        c.momentum = momentum
        c.eps = eps
        return True


cdef class SMORMS3Recipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'eps')
        self.states = ('mem', 'g', 'g2')
        self.loops = SMORMS3_LOOPS
        self.name = b'Update<SMORMS3, 3>'
        self.n_coefficients = 2


cdef class MSVAGRecipe(Recipe):
    cdef double largest_rho

    def __cinit__(self, double largest_rho):
        self.hyperparams = ('lr', 'beta', 'eta', 'weight_decay_rate')
        self.states = ('m', 'v')
        self.own_field = 'beta_power'
        self.loops = MSVAG_LOOPS
        self.name = b'Update<MSVAG, 2>'
        self.n_coefficients = 7
        self.largest_rho = largest_rho

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind,
            double *coefficients) except -1:
        cdef double lr = h[0], beta = h[1], eta = h[2], decay = h[3]
        cdef double power, weight, rho, divisor
        cdef MSVAGCoefficients *c = <MSVAGCoefficients *>coefficients
        cdef PyObject *item = PyDict_GetItemWithError(fields, self.own_field)
        if item is NULL or not to_double(<object>item, &power):
            return False
        weight = 1. - power
        divisor = (1. - pow(beta, 2.)) * pow(weight, 2.)
        if divisor == 0:
            return False
        rho = pow(1. - beta, 2.) * (1. - pow(power, 2.)) / divisor
        if not rho < self.largest_rho:
            rho = self.largest_rho if rho == rho else rho
        c.move = 1. - beta
        c.weight = weight
        c.one_minus_rho = 1. - rho
        c.rho = rho
        c.eta = eta
        c.learning_rate = lr
        c.decay = decay
        if not fits(coefficients, kind, self.narrow):
            return False
        fields[self.own_field] = power * beta
        return True
