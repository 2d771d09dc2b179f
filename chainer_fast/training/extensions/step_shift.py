"""Extension that multiplies a hyperparameter by a constant at regular steps."""
from __future__ import annotations

import numpy

from chainer_fast import _numbers
from chainer_fast.optimizer import Optimizer
from chainer_fast.training.extensions import _shift


class StepShift(_shift.RememberingShift):
    """Extension that sets ``init * gamma ** (t // step)`` at the ``t``-th call.

    .. math:: h_t = h_0 \\gamma^{\\lfloor t / s \\rfloor}

    Parameters
    ----------
    attr : str
        Name of the hyperparameter, an attribute of the optimizer.
    gamma : float
        Factor of each step.
    step : int
        Number of calls between two steps.
    init : float, optional
        Initial value; by default that of the optimizer.
    target : float, optional
        Value to stop at.
    optimizer : Optimizer, optional
        The optimizer; by default the main one of the updater.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> optimizer = chainer.optimizers.SGD(lr=1.0)
    >>> trainer = get_trainer_with_mock_updater((5, 'iteration'))
    >>> trainer.extend(chainer.training.extensions.StepShift(
    ...     'lr', gamma=0.1, step=2, optimizer=optimizer))
    >>> trainer.extend(lambda trainer: print(round(optimizer.lr, 2)))
    >>> trainer.run()
    1.0
    0.1
    0.1
    0.01
    0.01
    """

    def __init__(
            self, attr: str, gamma: float, step: int, init: float | None = None,
            target: float | None = None, optimizer: Optimizer | None = None) -> None:
        super().__init__(attr, init, target, optimizer)
        self._gamma = _numbers.plain(gamma)
        self._step = _numbers.plain(step)

    def _value_at(self, t):
        # The quotient is rounded down explicitly, as 3 // 0.1 is 29.
        steps = float(numpy.floor(t / self._step))
        value = _shift.as_python_scalar(self._init) * self._gamma ** steps
        return self._limit(value, growing=self._gamma > 1)
