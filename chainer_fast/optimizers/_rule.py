"""What the update rules of this package have in common."""
import numpy

from chainer_fast import backend, optimizer
from chainer_fast._core import update as _update


class ElementwiseRule(optimizer.UpdateRule):
    """Base of rules by which each element of a parameter moves by itself.

    A subclass gives the formula twice: :meth:`_move` for NumPy, and
    :meth:`_move_on_gpu` as a CUDA kernel, which saves the memory traffic of one pass
    for each operation. A recipe of :mod:`chainer_fast._core.update` does the same for
    NumPy's arrays.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter
        Where hyperparameters come from that are None.
    **values
        Hyperparameters of this rule.
    """

    is_elementwise = True

    _recipe = None

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

    def _scalars(self, *names):
        """Return hyperparameters, those of NumPy's scalar types as Python's.

        A Python scalar leaves the dtype of the array alone that it is combined with; a
        ``numpy.float64`` would have all be computed in float64.
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
