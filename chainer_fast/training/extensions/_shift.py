"""Base of the extensions that change a hyperparameter over time."""
import numpy

from chainer_fast.training import extension


def as_python_scalar(value):
    """Turn NumPy's scalars into Python's.

    A hyperparameter that is a ``numpy.float64`` would turn float32 gradients into
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
        Value before the first call; by default what the optimizer has then.
    optimizer : Optimizer, optional
        By default the main one of the updater.
    """

    _restores = True  # snapshots do not contain hyperparameters

    def __init__(self, attr, init=None, optimizer=None):
        self._attr = attr
        self._init = init
        self._optimizer = optimizer
        self._t = 0

    def _get_optimizer(self, trainer):
        return self._optimizer or trainer.updater.get_optimizer('main')

    def _value_at(self, t):
        """Return the value after ``t`` calls, or ``None`` to leave it alone."""
        raise NotImplementedError

    def _set(self, trainer, value):
        self._update_value(self._get_optimizer(trainer), value)

    def _update_value(self, optimizer, value):
        setattr(optimizer, self._attr, as_python_scalar(value))

    def initialize(self, trainer):
        """Set the initial value, or the last one if a training is resumed."""
        if self._init is None:
            self._init = getattr(self._get_optimizer(trainer), self._attr)
        self._set(trainer, self._init if self._t == 0 else self._value_at(self._t))

    def __call__(self, trainer):
        self._t += 1
        value = self._value_at(self._t)
        if value is not None:
            self._set(trainer, value)

    def serialize(self, serializer):
        self._t = serializer('_t', self._t)


class RememberingShift(HyperparameterShift):
    """A shift that keeps the last value, and so can be resumed with other arguments.

    Parameters
    ----------
    attr, init, optimizer :
        As in :class:`HyperparameterShift`.
    target : float, optional
        Value that is not passed.
    """

    def __init__(self, attr, init=None, target=None, optimizer=None):
        super().__init__(attr, init, optimizer)
        self._target = target
        self._last_value = None

    def initialize(self, trainer):
        if self._init is None:
            self._init = getattr(self._get_optimizer(trainer), self._attr)
        if self._last_value is None:
            self._last_value = self._init
        self._set(trainer, self._last_value)

    def _update_value(self, optimizer, value):
        super()._update_value(optimizer, value)
        self._last_value = value

    def _limit(self, value, growing, positive=None):
        """Stop at the target a value whose magnitude grows or shrinks.

        Value and target should have one sign; by default that of the target counts.
        """
        target = self._target
        if target is None:
            return value
        if positive is None:
            positive = target >= 0
        larger = value > target if positive else value < target
        beyond = larger if growing else value != target and not larger
        return target if beyond else value

    def serialize(self, serializer):
        super().serialize(serializer)
        self._last_value = as_python_scalar(
            serializer('_last_value', self._last_value))
