"""Update rules in one pass over memory.

Each loop does the operations of the NumPy formula in the rule's file, in the same order
and with the same roundings, so that both give the same bits.
"""
cimport numpy as np
from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_GetItemWithError
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from libc.math cimport isfinite, pow, sqrt
from numpy cimport NPY_FLOAT32

np.import_array()

cdef extern from "<math.h>" nogil:
    float sqrtf(float x)
    # Comparisons that raise no error flag for NaN.
    bint isless(double x, double y)
    bint isgreater(double x, double y)
    bint isgreaterequal(double x, double y)

ctypedef fused real:
    float
    double


cdef bint to_double(object value, double *result) except -1:
    """Read a plain number; False for anything else, such as arrays and None."""
    if PyFloat_Check(value):
        result[0] = PyFloat_AS_DOUBLE(value)
    elif PyBool_Check(value):
        result[0] = value is True
    elif PyLong_CheckExact(value):
        result[0] = value
    else:
        return False
    return True


# -- the loops


cdef void _sgd(
        real *param, const real *grad, Py_ssize_t n, real lr) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        param[i] = param[i] - lr * grad[i]


cdef void _momentum_sgd(
        real *param, const real *grad, real *v, Py_ssize_t n, real lr,
        real momentum) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        v[i] = momentum * v[i] - lr * grad[i]
        param[i] = param[i] + v[i]


cdef void _nesterov_ag(
        real *param, const real *grad, real *v, Py_ssize_t n, real lr, real momentum,
        real momentum2, real ahead) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        v[i] = momentum * v[i] - lr * grad[i]
        param[i] = (param[i] + momentum2 * v[i]) - ahead * grad[i]


cdef void _corrected_momentum_sgd(
        real *param, const real *grad, real *v, Py_ssize_t n, real lr,
        real momentum) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        v[i] = momentum * v[i] - grad[i]
        param[i] = param[i] + lr * v[i]


cdef inline real _root(real x) noexcept nogil:
    if real is float:
        return sqrtf(x)
    else:
        return sqrt(x)


cdef void _rmsprop(
        real *param, const real *grad, real *ms, Py_ssize_t n, bint eps_inside,
        real lr, real alpha, real fresh, real eps) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        ms[i] = alpha * ms[i] + fresh * grad[i] * grad[i]
        param[i] = param[i] - lr * grad[i] / (
            _root(ms[i] + eps) if eps_inside else _root(ms[i]) + eps)


cdef void _ada_grad(
        real *param, const real *grad, real *h, Py_ssize_t n, real lr,
        real eps) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        h[i] = h[i] + grad[i] * grad[i]
        param[i] = param[i] - lr * grad[i] / (_root(h[i]) + eps)


cdef void _ada_delta(
        real *param, const real *grad, real *msg, real *msdx, Py_ssize_t n, real rho,
        real fresh, real eps) noexcept nogil:
    cdef Py_ssize_t i
    cdef real move
    for i in range(n):
        msg[i] = rho * msg[i] + fresh * grad[i] * grad[i]
        move = _root((msdx[i] + eps) / (msg[i] + eps)) * grad[i]
        msdx[i] = rho * msdx[i] + fresh * move * move
        param[i] = param[i] - move


cdef void _adam(
        real *param, const real *grad, real *m, real *v, Py_ssize_t n, real move_m,
        real move_v, real alpha_t, real eps, real keep, real eta) noexcept nogil:
    cdef Py_ssize_t i
    cdef real g
    for i in range(n):
        g = grad[i]
        m[i] = m[i] + move_m * (g - m[i])
        v[i] = v[i] + move_v * (g * g - v[i])
        param[i] = (
            param[i] * keep - eta * ((alpha_t / (_root(v[i]) + eps)) * m[i]))


cdef void _adam_variant(
        real *param, const real *grad, real *m, real *v, real *vhat, Py_ssize_t n,
        bint bounded, real move_m, real move_v, real alpha_t, real eps, real keep,
        real eta, real lower, real upper) noexcept nogil:
    """Adam with AMSGrad (``vhat`` is no NULL), AdaBound (``bounded``) or both."""
    cdef Py_ssize_t i
    cdef real g, second, largest, rate
    for i in range(n):
        g = grad[i]
        m[i] = m[i] + move_m * (g - m[i])
        v[i] = v[i] + move_v * (g * g - v[i])
        second = v[i]
        if vhat is not NULL:
            # The larger; NaN if either is NaN, as in numpy.maximum.
            largest = vhat[i]
            if largest == largest and not isgreaterequal(largest, second):
                largest = second
            vhat[i] = second = largest
        rate = alpha_t / (_root(second) + eps)
        if bounded:
            if isless(rate, lower):
                rate = lower
            if isgreater(rate, upper):
                rate = upper
        param[i] = param[i] * keep - eta * (rate * m[i])


# -- the recipes


cdef class Recipe:
    """Compiled form of a class of update rules; a subclass for each loop."""
    cdef tuple states_for(self, const double *h):
        """Return the names of the states that the loop needs."""
        return self.states

    cdef bint prepare(
            self, dict fields, const double *h, long t, int typenum,
            double *c) except -1:
        """Turn hyperparameters into coefficients; False where the rule must decide.

        ``fields`` are the attributes of the rule, ``t`` its count of updates.
        """
        raise NotImplementedError

    cdef void run(
            self, int typenum, void **a, Py_ssize_t n, const double *c) noexcept nogil:
        """Update the arrays: the parameter, its gradient, and the states."""


cdef class SGDRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr',)
        self.states = ()

    cdef bint prepare(
            self, dict fields, const double *h, long t, int typenum,
            double *c) except -1:
        c[0] = h[0]
        return True

    cdef void run(
            self, int typenum, void **a, Py_ssize_t n, const double *c) noexcept nogil:
        if typenum == NPY_FLOAT32:
            _sgd(<float *>a[0], <const float *>a[1], n, <float>c[0])
        else:
            _sgd(<double *>a[0], <const double *>a[1], n, c[0])


cdef class MomentumSGDRecipe(Recipe):
    cdef bint corrected

    def __cinit__(self, *, bint corrected=False):
        self.hyperparams = ('lr', 'momentum')
        self.states = ('v',)
        self.corrected = corrected

    cdef bint prepare(
            self, dict fields, const double *h, long t, int typenum,
            double *c) except -1:
        c[0] = h[0]
        c[1] = h[1]
        return True

    cdef void run(
            self, int typenum, void **a, Py_ssize_t n, const double *c) noexcept nogil:
        if typenum == NPY_FLOAT32:
            if self.corrected:
                _corrected_momentum_sgd(
                    <float *>a[0], <const float *>a[1], <float *>a[2], n, <float>c[0],
                    <float>c[1])
            else:
                _momentum_sgd(
                    <float *>a[0], <const float *>a[1], <float *>a[2], n, <float>c[0],
                    <float>c[1])
        elif self.corrected:
            _corrected_momentum_sgd(
                <double *>a[0], <const double *>a[1], <double *>a[2], n, c[0], c[1])
        else:
            _momentum_sgd(
                <double *>a[0], <const double *>a[1], <double *>a[2], n, c[0], c[1])


cdef class NesterovAGRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'momentum')
        self.states = ('v',)

    cdef bint prepare(
            self, dict fields, const double *h, long t, int typenum,
            double *c) except -1:
        c[0] = h[0]
        c[1] = h[1]
        c[2] = h[1] * h[1]
        c[3] = (1. + h[1]) * h[0]
        return True

    cdef void run(
            self, int typenum, void **a, Py_ssize_t n, const double *c) noexcept nogil:
        if typenum == NPY_FLOAT32:
            _nesterov_ag(
                <float *>a[0], <const float *>a[1], <float *>a[2], n, <float>c[0],
                <float>c[1], <float>c[2], <float>c[3])
        else:
            _nesterov_ag(
                <double *>a[0], <const double *>a[1], <double *>a[2], n, c[0], c[1],
                c[2], c[3])


cdef bint _vanishes(double eps, int typenum) noexcept:
    """Whether a small value becomes zero, which is an error that the rule raises."""
    return eps != 0 and typenum == NPY_FLOAT32 and <float>eps == 0


cdef class RMSpropRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'alpha', 'eps', 'eps_inside_sqrt')
        self.states = ('ms',)

    cdef bint prepare(
            self, dict fields, const double *h, long t, int typenum,
            double *c) except -1:
        c[0] = h[0]
        c[1] = h[1]
        c[2] = 1. - h[1]
        c[3] = h[2]
        c[4] = h[3]
        return not _vanishes(h[2], typenum)

    cdef void run(
            self, int typenum, void **a, Py_ssize_t n, const double *c) noexcept nogil:
        if typenum == NPY_FLOAT32:
            _rmsprop(
                <float *>a[0], <const float *>a[1], <float *>a[2], n, c[4] != 0,
                <float>c[0], <float>c[1], <float>c[2], <float>c[3])
        else:
            _rmsprop(
                <double *>a[0], <const double *>a[1], <double *>a[2], n, c[4] != 0,
                c[0], c[1], c[2], c[3])


cdef class AdaGradRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('lr', 'eps')
        self.states = ('h',)

    cdef bint prepare(
            self, dict fields, const double *h, long t, int typenum,
            double *c) except -1:
        c[0] = h[0]
        c[1] = h[1]
        return True

    cdef void run(
            self, int typenum, void **a, Py_ssize_t n, const double *c) noexcept nogil:
        if typenum == NPY_FLOAT32:
            _ada_grad(
                <float *>a[0], <const float *>a[1], <float *>a[2], n, <float>c[0],
                <float>c[1])
        else:
            _ada_grad(
                <double *>a[0], <const double *>a[1], <double *>a[2], n, c[0], c[1])


cdef class AdaDeltaRecipe(Recipe):

    def __cinit__(self):
        self.hyperparams = ('rho', 'eps')
        self.states = ('msg', 'msdx')

    cdef bint prepare(
            self, dict fields, const double *h, long t, int typenum,
            double *c) except -1:
        c[0] = h[0]
        c[1] = 1. - h[0]
        c[2] = h[1]
        return True

    cdef void run(
            self, int typenum, void **a, Py_ssize_t n, const double *c) noexcept nogil:
        if typenum == NPY_FLOAT32:
            _ada_delta(
                <float *>a[0], <const float *>a[1], <float *>a[2], <float *>a[3], n,
                <float>c[0], <float>c[1], <float>c[2])
        else:
            _ada_delta(
                <double *>a[0], <const double *>a[1], <double *>a[2], <double *>a[3],
                n, c[0], c[1], c[2])


cdef class AdamRecipe(Recipe):
    """Adam, AdamW, AMSGrad, AdaBound and AMSBound."""
    cdef tuple amsgrad_states

    def __cinit__(self):
        self.hyperparams = (
            'alpha', 'beta1', 'beta2', 'eps', 'eta', 'weight_decay_rate', 'final_lr',
            'gamma', 'amsgrad', 'adabound')
        self.states = ('m', 'v')
        self.amsgrad_states = ('m', 'v', 'vhat')

    cdef tuple states_for(self, const double *h):
        return self.amsgrad_states if h[8] != 0 else self.states

    cdef bint prepare(
            self, dict fields, const double *h, long t, int typenum,
            double *c) except -1:
        cdef double alpha = h[0], eps = h[3], final_lr, initial_alpha
        cdef double fix1 = 1. - pow(h[1], t)
        cdef double fix2 = 1. - pow(h[2], t)
        cdef PyObject *item
        if t < 1 or fix1 == 0 or not isfinite(fix1) or not fix2 >= 0:
            return False    # no learning rate: the rule raises its error
        if _vanishes(eps, typenum):
            return False
        c[0] = 1. - h[1]
        c[1] = 1. - h[2]
        c[2] = alpha * sqrt(fix2) / fix1
        c[3] = eps
        c[4] = 1. - h[4] * h[5]
        c[5] = h[4]
        c[6] = c[7] = 0
        c[8] = h[9]         # whether the bounds apply
        if h[9] != 0:
            item = PyDict_GetItemWithError(fields, 'initial_alpha')
            if item is NULL or not to_double(<object>item, &initial_alpha):
                return False
            if initial_alpha == 0 or h[7] * t == 0 or h[7] * t == -1:
                return False
            final_lr = h[6] * alpha / initial_alpha
            c[6] = final_lr * (1. - 1. / (h[7] * t + 1.))
            c[7] = final_lr * (1. + 1. / (h[7] * t))
        return True

    cdef void run(
            self, int typenum, void **a, Py_ssize_t n, const double *c) noexcept nogil:
        cdef bint bounded = c[8] != 0
        if typenum == NPY_FLOAT32:
            if a[4] is NULL and not bounded:
                _adam(
                    <float *>a[0], <const float *>a[1], <float *>a[2], <float *>a[3],
                    n, <float>c[0], <float>c[1], <float>c[2], <float>c[3],
                    <float>c[4], <float>c[5])
            else:
                _adam_variant(
                    <float *>a[0], <const float *>a[1], <float *>a[2], <float *>a[3],
                    <float *>a[4], n, bounded, <float>c[0], <float>c[1], <float>c[2],
                    <float>c[3], <float>c[4], <float>c[5], <float>c[6], <float>c[7])
        elif a[4] is NULL and not bounded:
            _adam(
                <double *>a[0], <const double *>a[1], <double *>a[2], <double *>a[3],
                n, c[0], c[1], c[2], c[3], c[4], c[5])
        else:
            _adam_variant(
                <double *>a[0], <const double *>a[1], <double *>a[2], <double *>a[3],
                <double *>a[4], n, bounded, c[0], c[1], c[2], c[3], c[4], c[5], c[6],
                c[7])
