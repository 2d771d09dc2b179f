"""To which order the derivatives of a function are right, by differences."""
import warnings

import numpy as np

from chainer_fast import Variable, nnabla, no_backprop_mode, using_config
from chainer_fast import functions as F
from tests.nnabla import cases

LIMIT = 4
ERRORS = NotImplementedError, RuntimeError, TypeError


def _weights(arrays, seed):
    random = np.random.RandomState(seed)
    return [
        np.asarray(random.uniform(.5, 1.5, a.shape) * random.choice([-1, 1], a.shape))
        for a in arrays]


def _outputs(f, xs):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)     # two are deprecated
        ys = f(*xs)
    return [y for y in (ys if isinstance(ys, (tuple, list)) else [ys])
            if y.dtype.kind == 'f']


def _weighted(variables, weights):
    return sum([F.sum(v * w) for v, w in zip(variables, weights, strict=True)])


def _chained(xs):
    """Let each input depend on the one before it a little, as within a network."""
    chained = xs[:1]
    for x in xs[1:]:
        chained.append(x * (1 + .01 * F.sum(F.sin(chained[-1]))))
    return chained


class Derivatives:
    """Repeated gradients of a function.

    Value 0 is a weighted sum of the sines of the outputs, and value k one of the sines
    of the gradients of value k - 1, scaled to be less than one. So there are
    derivatives of any order even where the function is linear, and they reach every
    function that a gradient is made of.

    Parameters
    ----------
    f : callable
        Function of variables that returns one or several.
    arrays : sequence of array
        Inputs.
    single : bool
        Whether the function computes in float32.
    """

    def __init__(self, f, arrays, single=False):
        self.f = f
        self.arrays = [np.array(a, 'd') for a in arrays]
        self.scales = []
        self.step = 1e-2 if single else 5e-4
        self.tolerance = 3e-4 if single else 1e-6
        with no_backprop_mode():
            self.output_weights = _weights(
                [y.array for y in _outputs(f, map(Variable, self.arrays))], 1)

    def _value(self, xs, order):
        if order == 0:
            return _weighted(
                map(F.sin, _outputs(self.f, _chained(xs))), self.output_weights)
        gradients = nnabla.grad(self._value(xs, order - 1), xs)
        if order > len(self.scales):
            # Found for the inputs as they are, before they are moved.
            self.scales.append(max(1., *[2 * abs(g.array).max() for g in gradients]))
        return _weighted(
            [F.sin(g / self.scales[order - 1]) for g in gradients],
            _weights(self.arrays, 100 + order))

    def value(self, order, step):
        """Return a value for inputs moved along the direction of the next order."""
        xs = [Variable(a + step * v) for a, v in zip(
            self.arrays, self.direction(order + 1), strict=True)]
        return float(self._value(xs, order).array)

    def direction(self, order):
        return _weights(self.arrays, 200 + order)

    def gradients(self, order, keep_graph=True):
        """Return arrays: the gradients of value ``order`` - 1."""
        xs = list(map(Variable, self.arrays))
        value = self._value(xs, order - 1)
        with using_config('enable_backprop', keep_graph):
            return [g.array for g in nnabla.grad(value, xs)]

    def are_right(self, order, gradients):
        """Compare gradients with a difference of the value, of fourth order."""
        values = [self.value(order - 1, i * self.step) for i in (-2, -1, 1, 2)]
        difference = np.dot(values, [1, -8, 8, -1]) / (12 * self.step)
        derivative = sum(np.sum(g * v) for g, v in zip(
            gradients, self.direction(order), strict=True))
        scale = max(1., *map(abs, values), *[abs(g).max() for g in gradients])
        return abs(derivative - difference) <= self.tolerance * scale


def highest_order(f, arrays, single=False, limit=LIMIT):
    """Return the highest order up to ``limit`` that is right, and what comes above it.

    The text is empty if all orders are right.
    """
    derivatives = Derivatives(f, arrays, single)
    if not derivatives.output_weights:
        return 0, 'has no gradient: its results are integers'
    zero = True
    for order in range(1, limit + 1):
        remark = ''
        try:
            gradients = derivatives.gradients(order)
        except ERRORS:
            remark = 'in no_backprop_mode only'
            try:
                gradients = derivatives.gradients(order, keep_graph=False)
            except ERRORS:
                return order - 1, 'higher orders raise an error' if order > 1 else (
                    'has no gradient: raises an error')
        if not derivatives.are_right(order, gradients):
            return order - 1, 'higher orders are wrong'
        if remark:
            return order, remark
        zero = zero and not any(g.any() for g in gradients)
    return limit, 'all of them zero' if zero else ''


def of_case(name):
    """Return the order and the remark of a function in ``cases``."""
    f, arrays = cases.CASES[name]
    return highest_order(f, arrays, name in cases.SINGLE)
