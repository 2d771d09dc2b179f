"""Base of the update rules of this package."""
import numpy

from chainer_fast import backend, optimizer
from chainer_fast._core import update as _update
from chainer_fast.backends.kernels.update_rules import cuda as kernels


class ElementwiseRule(optimizer.UpdateRule):
    """Base of rules by which each element of a parameter moves by itself.

    A subclass has the formula for NumPy, :meth:`_move`. The same formula stands in
    ``chainer_fast/backends/kernels/update_rules/elements.hpp``, for loops that do all
    in one pass over memory: :meth:`_move_on_gpu` makes a CUDA kernel of it, and a
    recipe of :mod:`chainer_fast.backends.kernels.update_rules` serves arrays of NumPy.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter
        Source of the hyperparameters that are None.
    **values
        Hyperparameters of this rule.
    """

    is_elementwise = True

    _recipe = None

    # Methods that a recipe replaces.
    _served_methods = (
        'update', 'update_core', 'update_core_cpu', 'init_state', '_init_states',
        '_move')

    def __init__(self, parent_hyperparam, **values):
        super().__init__(parent_hyperparam)
        for name, value in values.items():
            if value is not None:
                setattr(self.hyperparam, name, value)

    def update_core_cpu(self, param):
        data, grad = param.array, param.grad
        if grad is None:
            return
        if self._recipe is None or not _update.step(self._recipe, self, data, grad):
            self._move(data, grad)

    def update_core_gpu(self, param):
        if param.grad is not None:
            self._move_on_gpu(param.array, param.grad)

    def _move(self, data, grad):
        """Update an array of NumPy in place."""
        raise NotImplementedError

    def _move_on_gpu(self, data, grad):
        """Update an array of CuPy in place."""
        raise NotImplementedError

    def _run_kernel(self, rule, data, grad, states=(), dtype='T', **coefficients):
        """Update an array of CuPy in place, given names of states and coefficients.

        See :func:`chainer_fast.backends.kernels.update_rules.cuda.update`.
        """
        kernels.update(
            rule, data, grad, [self.state[name] for name in states], coefficients,
            dtype)

    def _scalars(self, *names):
        """Return hyperparameters, those of NumPy's scalar types as Python's.

        A Python scalar does not change the dtype of an array that it is combined with;
        a ``numpy.float64`` would turn all into float64.
        """
        return scalars(self.hyperparam, *names)

    def _fill_states(self, param, value, *names):
        """Make states of the shape and dtype of a parameter, filled with a value."""
        device = param.device
        with backend.using_device(device):
            for name in names:
                self.state[name] = device.xp.full_like(param.array, value)


def register(recipe):
    """Make a decorator that gives a class of rules its compiled form."""
    def decorate(rule_class):
        rule_class._recipe = recipe
        _update.register(rule_class, recipe)
        return rule_class
    return decorate


def scalars(hyperparam, *names):
    """Return hyperparameters, those of NumPy's scalar types as Python's."""
    return [plain(getattr(hyperparam, name)) for name in names]


def plain(value):
    """Return a Python scalar in the place of one of NumPy."""
    if isinstance(value, (numpy.generic, numpy.ndarray)) and value.ndim == 0:
        return value.item()
    return value


def assign(hyperparam, **values):
    """Set hyperparameters."""
    for name, value in values.items():
        setattr(hyperparam, name, value)


def check_eps(name, eps, dtype):
    """Raise ValueError if a small value becomes zero in the dtype of the formula."""
    if eps != 0 and dtype.type(eps) == 0:
        raise ValueError(
            'eps of %s optimizer is too small for %s (%s)' % (name, dtype.name, eps))
