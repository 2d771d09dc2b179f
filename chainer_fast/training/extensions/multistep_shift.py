"""Extension that multiplies a hyperparameter by a constant at given points."""
from __future__ import annotations

from collections.abc import Sequence

from chainer_fast._help import mistakes
from chainer_fast.optimizer import Optimizer
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training.extensions import _shift
from chainer_fast.training.trainer import Trainer


class MultistepShift(_shift.HyperparameterShift):
    """Extension that multiplies a hyperparameter by ``gamma`` at each given call.

    Parameters
    ----------
    attr : str
        Name of the hyperparameter, an attribute of the optimizer.
    gamma : float
        Factor of each step.
    step_value : list of int
        Numbers of the calls, in ascending order. Each call makes at most one step.
    init : float or None
        Initial value; ``None`` for that of the optimizer.
    optimizer : Optimizer, optional
        The optimizer; by default the main one of the updater.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> optimizer = chainer.optimizers.SGD(lr=1.0)
    >>> trainer = get_trainer_with_mock_updater((5, 'iteration'))
    >>> trainer.extend(chainer.training.extensions.MultistepShift(
    ...     'lr', 0.1, step_value=[2, 4], init=1.0, optimizer=optimizer))
    >>> trainer.extend(lambda trainer: print(round(optimizer.lr, 2)))
    >>> trainer.run()
    1.0
    0.1
    0.1
    0.01
    0.01
    """

    def __init__(
            self, attr: str, gamma: float, step_value: Sequence[int],
            init: float | None, optimizer: Optimizer | None = None) -> None:
        super().__init__(attr, init, optimizer)
        self._gamma = gamma
        self._step_value = step_value
        self._stepvalue_size = len(step_value)
        self._current_step = 0

    def __call__(self, trainer: Trainer) -> None:
        step = self._current_step
        if step < self._stepvalue_size and self._t + 1 >= self._step_value[step]:
            self._current_step += 1
        super().__call__(trainer)

    def _value_at(self, t):
        return _shift.as_python_scalar(self._init) * self._gamma ** self._current_step

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        super().serialize(serializer)
        self._current_step = serializer('_current_step', self._current_step)
