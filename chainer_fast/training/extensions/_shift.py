"""Base class of extensions that change a hyperparameter over time."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from chainer_fast._help import mistakes
from chainer_fast.optimizer import Optimizer
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.training import extension

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer


def as_python_scalar(value):
    """Convert NumPy's scalars to Python's.

    A hyperparameter of type ``numpy.float64`` would turn float32 gradients into
    float64.
    """
    return value.item() if isinstance(value, (numpy.generic, numpy.ndarray)) else value


class HyperparameterShift(extension.Extension):
    """Extension that sets a hyperparameter to a function of the number of its calls.

    Subclasses define :meth:`_value_at`.

    Parameters
    ----------
    attr : str
        Name of the hyperparameter, an attribute of the optimizer.
    init : float, optional
        Value before the first call; by default that of the optimizer.
    optimizer : Optimizer, optional
        The optimizer; by default the main one of the updater.
    """

    _restores = True  # snapshots do not contain hyperparameters

    def __init__(
            self, attr: str, init: float | None = None,
            optimizer: Optimizer | None = None) -> None:
        if not isinstance(attr, str):
            raise TypeError(
                "%s: attr must be the name of a hyperparameter, such as 'lr', but is %r"
                % (type(self).__name__, attr))
        self._attr = attr
        self._init = init
        self._optimizer = optimizer
        self._t = 0

    def _get_optimizer(self, trainer):
        return self._optimizer or trainer.updater.get_optimizer('main')

    def _value_at(self, t):
        """Return the value after ``t`` calls, or ``None`` for no change."""
        raise NotImplementedError

    def _read(self, optimizer):
        try:
            return getattr(optimizer, self._attr)
        except (AttributeError, RuntimeError) as error:
            # A property such as Adam's lr may raise RuntimeError.
            mistakes.tell(error, 'The hyperparameters of %s are %s' % (
                type(optimizer).__name__, ', '.join(optimizer.hyperparam.get_dict())))
            raise

    def _set(self, trainer, value):
        self._update_value(self._get_optimizer(trainer), value)

    def _update_value(self, optimizer, value):
        setattr(optimizer, self._attr, as_python_scalar(value))

    def initialize(self, trainer: Trainer) -> None:
        """Set the initial value, or the last one if a training is resumed."""
        if self._init is None:
            self._init = self._read(self._get_optimizer(trainer))
        self._set(trainer, self._init if self._t == 0 else self._value_at(self._t))

    def __call__(self, trainer: Trainer) -> None:
        self._t += 1
        value = self._value_at(self._t)
        if value is not None:
            self._set(trainer, value)

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        self._t = serializer('_t', self._t)


def pair(shift: HyperparameterShift, name: str, value: Any) -> tuple[Any, Any]:
    """Return the two elements of an argument.

    Parameters
    ----------
    shift : HyperparameterShift
        The shift that is made.
    name : str
        Name of the argument.
    value : object
        The argument.

    Returns
    -------
    tuple
        The elements.

    Raises
    ------
    TypeError, ValueError
        If it does not have two elements.
    """
    try:
        first, last = value
    except (TypeError, ValueError) as error:
        raise type(error)(
            '%s: %s must be a pair, the first and the last, but is %r'
            % (type(shift).__name__, name, value)) from error
    return first, last


class RememberingShift(HyperparameterShift):
    """Shift that saves the last value, so that it can resume with other arguments.

    Parameters
    ----------
    attr, init, optimizer :
        As in :class:`HyperparameterShift`.
    target : float, optional
        Value at which to stop.
    """

    def __init__(
            self, attr: str, init: float | None = None, target: float | None = None,
            optimizer: Optimizer | None = None) -> None:
        super().__init__(attr, init, optimizer)
        self._target = target
        self._last_value = None

    def initialize(self, trainer: Trainer) -> None:
        if self._init is None:
            self._init = self._read(self._get_optimizer(trainer))
        if self._last_value is None:
            self._last_value = self._value_at(self._t) if self._t else self._init
        self._set(trainer, self._last_value)

    def _update_value(self, optimizer, value):
        super()._update_value(optimizer, value)
        self._last_value = value

    def _limit(self, value, growing, positive=None):
        """Limit a growing or shrinking value by the target.

        Value and target should have the same sign, by default that of the target.
        """
        target = self._target
        if target is None:
            return value
        if positive is None:
            positive = target >= 0
        beyond = value > target if growing == positive else value < target
        return target if beyond else value

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        super().serialize(serializer)
        try:
            value = serializer('_last_value', self._last_value)
        except KeyError:
            if not self._t:
                raise
            value = None
        if value is None and self._t and isinstance(serializer, Deserializer):
            # Chainer 1 saved no value, and counted the call before training.
            self._t -= 1
        self._last_value = as_python_scalar(value)
