"""Trigger that fires at regular intervals."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from chainer_fast._help import mistakes
from chainer_fast.training.triggers import _progress

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer


class IntervalTrigger(_progress.Progress):
    """Trigger that fires every ``period`` epochs or iterations.

    If the number of examples is not a multiple of the batch size, an epoch ends within
    an iteration; the trigger fires at the iteration that completes the period.

    Parameters
    ----------
    period : int or float
        Length of the interval. It may be fractional for epochs.
    unit : {'epoch', 'iteration'}
        Unit of ``period``.

    Raises
    ------
    ValueError
        For any other unit.

    Attributes
    ----------
    count : number
        Number of periods so far, if the unit is an epoch.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> trainer = get_trainer_with_mock_updater(
    ...     (2, 'epoch'), iter_per_epoch=4)
    >>> trainer.extend(
    ...     lambda trainer: print(trainer.updater.epoch_detail),
    ...     trigger=chainer.training.triggers.IntervalTrigger(0.5, 'epoch'))
    >>> trainer.run()
    0.5
    1.0
    1.5
    2.0

    A pair is a short form: ``trigger=(0.5, 'epoch')``.
    """

    def __init__(self, period: int | float, unit: str) -> None:
        super().__init__(unit)
        # A small integer cannot be compared with many iterations.
        self.period = int(period) if isinstance(period, numpy.integer) else period
        self.count: float = 0

    def __call__(self, trainer: Trainer) -> bool:
        """Return whether a period was completed since the last call."""
        previous, now = self._advance(trainer.updater)
        try:
            count = now // self.period
        except TypeError:
            mistakes.require_number(self.period, 'the period of a trigger', 'int')
            raise
        if self.unit == 'epoch':
            self.count = count
        return previous // self.period != count

    def __str__(self) -> str:
        return '%s(%s, %r)' % (type(self).__name__, self.period, self.unit)

    def get_training_length(self) -> tuple[float, str]:
        """Return ``(period, unit)``: the length of the training it would stop."""
        return self.period, self.unit
