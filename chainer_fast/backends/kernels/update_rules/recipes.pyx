"""Recipes of update rules, of hooks, and of other changes of gradients."""
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject
from libc.math cimport INFINITY, fabs, isfinite, pow, sqrt

from chainer_fast._core.updates.update cimport (
    MOVES, STAYS, HookRecipe, Loop, Recipe, Unused, is_rate, to_double, vanishes)

cdef extern from "chainer_fast/backends/kernels/update_rules/loops.hpp" \
        namespace "chainer_fast::update_rules" nogil:
    const Loop *SGD "(rules::rule_loops<rules::SGD, 0>)"
    const Loop *MOMENTUM_SGD "(rules::rule_loops<rules::MomentumSGD, 1>)"
    const Loop *CORRECTED_MOMENTUM_SGD \
        "(rules::rule_loops<rules::CorrectedMomentumSGD, 1>)"
    const Loop *NESTEROV_AG "(rules::rule_loops<rules::NesterovAG, 1>)"
    const Loop *RMSPROP "(rules::rule_loops<rules::RMSprop, 1>)"
    const Loop *RMSPROP_EPS_INSIDE \
        "(rules::rule_loops<rules::RMSpropEpsInside, 1>)"
    const Loop *RMSPROP_GRAVES \
        "(rules::rule_loops<rules::RMSpropGraves, 3>)"
    const Loop *ADA_GRAD "(rules::rule_loops<rules::AdaGrad, 1>)"
    const Loop *ADA_DELTA "(rules::rule_loops<rules::AdaDelta, 2>)"
    const Loop *SMORMS3 "(rules::rule_loops<rules::SMORMS3, 3>)"
    const Loop *MSVAG "rules::msvag_loops"
    const Loop *ADAM "(rules::rule_loops<rules::Adam, 2>)"
    const Loop *AMSGRAD "(rules::rule_loops<rules::Adam, 3>)"
    const Loop *ADABOUND "(rules::rule_loops<rules::AdaBound, 2>)"
    const Loop *AMSBOUND "(rules::rule_loops<rules::AdaBound, 3>)"
    const Loop *WEIGHT_DECAY "rules::hook_loops<rules::WeightDecay>"
    const Loop *LASSO "rules::hook_loops<rules::Lasso>"
    const Loop *HARD_CLIPPING "rules::hook_loops<rules::HardClipping>"
    const Loop *SCALE "rules::hook_loops<rules::Scale>"
    const Loop *UNSCALE "rules::hook_loops<rules::Unscale>"

    ctypedef struct NesterovAGCoefficients "rules::NesterovAG<double>":
        double learning_rate, momentum, squared_momentum, gradient_rate
    ctypedef struct RMSpropCoefficients "rules::RMSprop<double>":
        double learning_rate, keep, move, eps
    ctypedef struct GravesCoefficients "rules::RMSpropGraves<double>":
        double learning_rate, keep, move, momentum, eps
    ctypedef struct AdaDeltaCoefficients "rules::AdaDelta<double>":
        double keep, move, eps
    ctypedef struct MSVAGCoefficients "rules::MSVAG<double>":
        double move, weight, one_minus_rho, rho, eta, learning_rate, decay
    ctypedef struct AdamCoefficients "rules::Adam<double>":
        double move_m, move_v, alpha_t, eps, keep, eta, lower, upper, size_of_fixed

cdef extern from *:
    """
    namespace rules = chainer_fast::update_rules;
    """


cdef Recipe _rule(
        Recipe recipe, const Loop *loops, const char *name, int n_coefficients,
        tuple hyperparams, tuple states):
    """Complete the recipe of a rule."""
    recipe.loops, recipe.name, recipe.n_coefficients = loops, name, n_coefficients
    recipe.hyperparams, recipe.states = hyperparams, states
    return recipe


# ------------------------------------------------------------------- gradient descent

cdef class _SGD(Recipe):

    cdef Unused unused(self, const double *c, int kind) noexcept:
        return STAYS if is_rate(c[0]) else MOVES


cdef class _NesterovAG(Recipe):

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind, double *c) except -1:
        cdef double lr = h[0], momentum = h[1]
        (<NesterovAGCoefficients *>c)[0] = NesterovAGCoefficients(
            learning_rate=lr, momentum=momentum, squared_momentum=momentum * momentum,
            gradient_rate=(1. + momentum) * lr)
        return True


sgd = _rule(_SGD(), SGD, b'Update<SGD, 0>', 1, ('lr',), ())
momentum_sgd = _rule(
    Recipe(), MOMENTUM_SGD, b'Update<MomentumSGD, 1>', 2, ('lr', 'momentum'), ('v',))
corrected_momentum_sgd = _rule(
    Recipe(), CORRECTED_MOMENTUM_SGD, b'Update<CorrectedMomentumSGD, 1>', 2,
    ('lr', 'momentum'), ('v',))
nesterov_ag = _rule(
    _NesterovAG(), NESTEROV_AG, b'Update<NesterovAG, 1>', 4, ('lr', 'momentum'), ('v',))


# ---------------------------------------- roots of means or sums of squared gradients

cdef class _RMSprop(Recipe):

    cdef const Loop *loops_for(self, const double *h) noexcept:
        cdef bint eps_inside_sqrt = h[3] != 0
        return RMSPROP_EPS_INSIDE if eps_inside_sqrt else self.loops

    cdef const char *name_for(self, const double *h) noexcept:
        cdef bint eps_inside_sqrt = h[3] != 0
        if eps_inside_sqrt:
            return b'Update<RMSpropEpsInside, 1>'
        return self.name

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind, double *c) except -1:
        cdef double lr = h[0], alpha = h[1], eps = h[2]
        (<RMSpropCoefficients *>c)[0] = RMSpropCoefficients(
            learning_rate=lr, keep=alpha, move=1. - alpha, eps=eps)
        return not vanishes(eps, kind)


cdef class _RMSpropGraves(Recipe):

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind, double *c) except -1:
        cdef double lr = h[0], alpha = h[1], momentum = h[2], eps = h[3]
        (<GravesCoefficients *>c)[0] = GravesCoefficients(
            learning_rate=lr, keep=alpha, move=1. - alpha, momentum=momentum, eps=eps)
        return True


cdef class _AdaGrad(Recipe):

    cdef Unused unused(self, const double *c, int kind) noexcept:
        cdef double lr = c[0], eps = c[1]
        # Zero must not be divided by zero.
        if is_rate(lr) and eps > 0 and not vanishes(eps, kind):
            return STAYS
        return MOVES


cdef class _AdaDelta(Recipe):

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind, double *c) except -1:
        cdef double rho = h[0], eps = h[1]
        (<AdaDeltaCoefficients *>c)[0] = AdaDeltaCoefficients(
            keep=rho, move=1. - rho, eps=eps)
        return True


rmsprop = _rule(
    _RMSprop(), RMSPROP, b'Update<RMSprop, 1>', 4,
    ('lr', 'alpha', 'eps', 'eps_inside_sqrt'), ('ms',))
rmsprop_graves = _rule(
    _RMSpropGraves(), RMSPROP_GRAVES, b'Update<RMSpropGraves, 3>', 5,
    ('lr', 'alpha', 'momentum', 'eps'), ('n', 'g', 'delta'))
ada_grad = _rule(
    _AdaGrad(), ADA_GRAD, b'Update<AdaGrad, 1>', 2, ('lr', 'eps'), ('h',))
ada_delta = _rule(
    _AdaDelta(), ADA_DELTA, b'Update<AdaDelta, 2>', 3, ('rho', 'eps'), ('msg', 'msdx'))
smorms3 = _rule(
    Recipe(), SMORMS3, b'Update<SMORMS3, 3>', 2, ('lr', 'eps'), ('mem', 'g', 'g2'))


# -------------------------------------------------------------------- means and moments

cdef class _MSVAG(Recipe):
    cdef double largest_rho

    cdef bint prepare(
            self, dict fields, const double *h, long t, int kind, double *c) except -1:
        cdef double lr = h[0], beta = h[1], eta = h[2], decay = h[3]
        cdef double power, weight, rho, divisor
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
        (<MSVAGCoefficients *>c)[0] = MSVAGCoefficients(
            move=1. - beta, weight=weight, one_minus_rho=1. - rho, rho=rho, eta=eta,
            learning_rate=lr, decay=decay)
        return True

    cdef int count(self, dict fields, const double *h) except -1:
        cdef double power
        to_double(fields[self.own_field], &power)
        fields[self.own_field] = power * h[1]
        return 0


def msvag(double largest_rho):
    cdef _MSVAG recipe = _MSVAG()
    recipe.largest_rho, recipe.own_field = largest_rho, 'beta_power'
    return _rule(recipe, MSVAG, b'Update<MSVAG, 2>', 7,
                 ('lr', 'beta', 'eta', 'weight_decay_rate'), ('m', 'v'))


cdef struct AdamHyperparams:
    double alpha, beta1, beta2, eps, eta, weight_decay_rate, final_lr, gamma
    double amsgrad, adabound


cdef class _Adam(Recipe):
    """Adam, AdamW, AMSGrad, AdaBound and AMSBound."""
    cdef tuple amsgrad_states

    def __cinit__(self):
        self.amsgrad_states = ('m', 'v', 'vhat')
        self.own_field = 'initial_alpha'

    cdef tuple states_for(self, const double *values):
        cdef const AdamHyperparams *h = <const AdamHyperparams *>values
        return self.amsgrad_states if h.amsgrad != 0 else self.states

    cdef const Loop *loops_for(self, const double *values) noexcept:
        cdef const AdamHyperparams *h = <const AdamHyperparams *>values
        if h.adabound != 0:
            return AMSBOUND if h.amsgrad != 0 else ADABOUND
        return AMSGRAD if h.amsgrad != 0 else ADAM

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
        if vanishes(h.eps, kind):
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
    """Magnitude from which on a vanishing mean does not change a float32 parameter.

    If the part of a mean by which it decays is subnormal, the step is smaller than
    a quarter of the distance from the parameter to the next number.
    """
    cdef double rate, size
    if not (c.move_m > 0 and c.eps > 0):
        return INFINITY
    rate = max(fabs(c.alpha_t) / c.eps, fabs(c.lower), fabs(c.upper))
    size = 1.01 * 2. ** (26 - 126) * rate * fabs(c.eta) / c.move_m
    return size if rate < 1e30 and size < 1e30 else INFINITY


adam = _rule(
    _Adam(), ADAM, b'Update<Adam, 2>', 9,
    ('alpha', 'beta1', 'beta2', 'eps', 'eta', 'weight_decay_rate', 'final_lr', 'gamma',
     'amsgrad', 'adabound'), ('m', 'v'))


# ------------------------------------------------------------------------------- hooks

cdef HookRecipe _hook(const Loop *loops, const char *name, int n_coefficients,
                      tuple attributes=None, bint scaled=False):
    cdef HookRecipe recipe = HookRecipe()
    recipe.loops, recipe.name, recipe.n_coefficients = loops, name, n_coefficients
    recipe.attributes, recipe.scaled = attributes, scaled
    return recipe


weight_decay = _hook(WEIGHT_DECAY, b'Change<WeightDecay>', 1, ('rate',), True)
lasso = _hook(LASSO, b'Change<Lasso>', 1, ('rate',))
hard_clipping = _hook(
    HARD_CLIPPING, b'Change<HardClipping>', 2, ('lower_bound', 'upper_bound'))
# Layer-wise scaling, which has no CPU loop.
lars = _hook(NULL, b'Change<LARS>', 3, ('threshold', 'weight_decay', 'eps'))
# Multiplication by a factor, and division by a loss scale.
scale = _hook(SCALE, b'Change<Scale>', 1)
unscale = _hook(UNSCALE, b'Change<Unscale>', 1)
