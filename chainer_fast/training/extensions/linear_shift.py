"""Extension that moves a hyperparameter from one value to another."""
from __future__ import annotations

from chainer_fast.optimizer import Optimizer
from chainer_fast.training.extensions import _shift
from chainer_fast.training.trainer import Trainer


class LinearShift(_shift.RememberingShift):
    """Extension that interpolates a hyperparameter over a range of its calls.

    .. math::

        h_t = h_1 + (h_2 - h_1) \\min\\left(1, \\max\\left(
            0, \\frac{t - t_1}{t_2 - t_1} \\right)\\right)

    Parameters
    ----------
    attr : str
        Name of the hyperparameter, an attribute of the optimizer.
    value_range : pair of float
        First and last value.
    time_range : pair of int
        Numbers of the calls after which the value begins to change, and at which
        it reaches the last value.
    optimizer : Optimizer, optional
        The optimizer; by default the main one of the updater.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> optimizer = chainer.optimizers.SGD(lr=1.0)
    >>> trainer = get_trainer_with_mock_updater((5, 'iteration'))
    >>> trainer.extend(chainer.training.extensions.LinearShift(
    ...     'lr', value_range=(1, 0), time_range=(1, 5), optimizer=optimizer))
    >>> trainer.extend(lambda trainer: print(optimizer.lr))
    >>> trainer.run()
    1
    0.75
    0.5
    0.25
    0
    """

    def __init__(
            self, attr: str, value_range: tuple[float, float],
            time_range: tuple[int, int], optimizer: Optimizer | None = None) -> None:
        first, _ = _shift.pair(self, 'value_range', value_range)
        _shift.pair(self, 'time_range', time_range)
        super().__init__(attr, first, optimizer=optimizer)
        self._value_range = value_range
        self._time_range = time_range

    def initialize(self, trainer: Trainer) -> None:
        """Set the first value, or the last one if a training is resumed."""
        self._init = self._value_at(0)      # the times may have begun before zero
        super().initialize(trainer)

    def _value_at(self, t):
        first, last = map(_shift.as_python_scalar, self._value_range)
        begin, end = self._time_range
        if t <= begin:
            return first
        if t >= end:
            return last
        return first + (t - begin) / (end - begin) * (last - first)
