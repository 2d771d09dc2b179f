"""Trigger that fires at regular times."""
from __future__ import annotations

from typing import TYPE_CHECKING

from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer


class TimeTrigger:
    """Trigger that fires every ``period`` seconds of training.

    Parameters
    ----------
    period : float
        Interval in seconds of :attr:`Trainer.elapsed_time`, which continues when the
        training is resumed.

    Examples
    --------
    A snapshot every hour: ::

        trainer.extend(
            extensions.snapshot(), trigger=chainer.training.triggers.TimeTrigger(3600))
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self._next_time = period

    def __call__(self, trainer: Trainer) -> bool:
        """Return whether the next time has passed."""
        if self._next_time < trainer.elapsed_time:
            self._next_time += self._period
            return True
        return False

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the next time."""
        self._next_time = serializer('next_time', self._next_time)
