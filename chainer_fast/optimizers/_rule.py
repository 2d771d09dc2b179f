"""Base of the update rules of this package."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend, optimizer
from chainer_fast._core.updates import update as _update
from chainer_fast.optimizer import Hyperparameter
from chainer_fast.variable import Variable


class ElementwiseRule(optimizer.UpdateRule):
    """Base of rules that update each element of a parameter independently.

    A subclass defines the formula for arrays of any kind, :meth:`_move`. A float16
    parameter is updated in float32 and rounded once; its states are stored in float32,
    since squares of small gradients are zero in float16. The same formula is in
    ``chainer_fast/backends/kernels/update_rules/elements.hpp``, for loops and CUDA
    kernels that need only one pass over memory. A recipe in
    :mod:`chainer_fast.backends.kernels.update_rules` applies them.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter
        Object that supplies the hyperparameters that are None.
    **values
        Hyperparameters of this rule.
    """

    is_elementwise = True

    _recipe = None

    # Methods that a recipe replaces.
    _served_methods = (
        'update', 'update_core', 'update_core_cpu', 'update_core_gpu',
        'update_core_chainerx', 'init_state', '_init_states', '_move')

    def __init__(self, parent_hyperparam: Hyperparameter, **values: Any) -> None:
        super().__init__(parent_hyperparam)
        for name, value in values.items():
            if value is not None:
                setattr(self.hyperparam, name, value)

    def update_core_cpu(self, param: Variable) -> None:
        data, grad = param.array, param.grad
        if grad is None:
            return
        xp = param.device.xp
        if data.ndim > 0 and getattr(self.hyperparam, 'lazy', False):
            used = grad != 0
            if grad.ndim > 1:
                used = used.any(axis=tuple(range(1, grad.ndim)))
            if not used.all():
                self._move_rows(xp, data, grad, used)
                return
        self._move_all(xp, data, grad)

    update_core_gpu = update_core_cpu

    def _move_all(self, xp, data, grad):
        if self._recipe is None or not _update.step(self._recipe, self, data, grad):
            self._move_by_formula(xp, data, grad)

    def _move_by_formula(self, xp, data, grad):
        if data.dtype.char != 'e':
            self._move(xp, data, grad)
            return
        moved = data.astype(numpy.float32)
        self._move(xp, moved, grad.astype(numpy.float32))
        data[...] = moved

    def _move_rows(self, xp, data, grad, used):
        """Update some rows, and their states."""
        whole, rows = self._state, data[used]
        self._state = {name: state[used] for name, state in whole.items()}
        try:
            self._move_all(xp, rows, grad[used])
            data[used] = rows
            for name, state in self._state.items():
                whole[name][used] = state
        finally:
            self._state = whole

    def _move(self, xp, data, grad):
        """Update an array in place with functions of its module."""
        raise NotImplementedError

    def _scalars(self, *names):
        """Return hyperparameters, with NumPy scalars converted to Python scalars.

        A Python scalar does not change the dtype of an array that it is combined with;
        a ``numpy.float64`` would convert everything to float64.
        """
        return scalars(self.hyperparam, *names)

    def _fill_states(self, param, value, *names):
        """Create states with the shape of a parameter, filled with a value."""
        device = param.device
        with backend.using_device(device):
            for name in names:
                state = device.xp.full_like(param.array, value)
                self.state[name] = (
                    state.astype(numpy.float32) if param.dtype.char == 'e'
                    else state)

    def _init_states(self, param):
        super()._init_states(param)
        for name, state in self._state.items():
            # From a snapshot by Chainer, which stores some states in float16.
            if getattr(getattr(state, 'dtype', None), 'char', None) == 'e':
                with backend.using_device(param.device):
                    self._state[name] = state.astype(numpy.float32)


def register(recipe):
    """Return a decorator that adds the compiled form to a class of rules."""
    def decorate(rule_class):
        rule_class._recipe = recipe
        _update.register(rule_class, recipe)
        return rule_class
    return decorate


def scalars(hyperparam, *names):
    """Return hyperparameters, with NumPy scalars converted to Python scalars."""
    return [plain(getattr(hyperparam, name)) for name in names]


def plain(value):
    """Convert a NumPy scalar to a Python scalar."""
    if isinstance(value, (numpy.generic, numpy.ndarray)) and value.ndim == 0:
        return value.item()
    return value


class LazyProxy(optimizer.HyperparameterProxy):
    """Attribute of an optimizer: whether rows with zero gradients are not updated."""

    def __init__(self):
        super().__init__('lazy')

    def __get__(self, obj: Any, type: Any = None) -> Any:
        return self if obj is None else getattr(obj.hyperparam, 'lazy', False)


def assign(hyperparam, **values):
    """Set hyperparameters."""
    for name, value in values.items():
        setattr(hyperparam, name, value)


def check_eps(name, eps, dtype):
    """Raise ValueError if a small value rounds to zero in the dtype of the formula."""
    if eps != 0 and dtype.type(eps) == 0:
        raise ValueError(
            'eps of %s optimizer is too small for %s (%s)' % (name, dtype.name, eps))
