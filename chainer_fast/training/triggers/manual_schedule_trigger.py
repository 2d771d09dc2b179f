"""Trigger that fires at given points."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training.triggers import _progress

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer


class ManualScheduleTrigger(_progress.Progress):
    """Trigger that fires when given epochs or iterations are reached.

    Parameters
    ----------
    points : number or list of numbers
        Points at which to fire. Epochs may be fractional.
    unit : {'epoch', 'iteration'}
        Unit of ``points``.

    Attributes
    ----------
    finished : bool
        Whether it has fired for the last point.

    Raises
    ------
    ValueError
        For any other unit.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> trainer = get_trainer_with_mock_updater((10, 'iteration'))
    >>> trigger = chainer.training.triggers.ManualScheduleTrigger([2, 7], 'iteration')
    >>> trainer.extend(
    ...     lambda trainer: print(trainer.updater.iteration), trigger=trigger)
    >>> trainer.run()
    2
    7
    """

    points: list[float]

    def __init__(self, points: float | Sequence[float], unit: str) -> None:
        super().__init__(unit)
        given: Any = points
        self.points = given if isinstance(given, list) else [given]
        self.finished: bool = False

    _must_find_out = False      # after a snapshot without ``finished``

    def __call__(self, trainer: Trainer) -> bool:
        """Return whether a point was reached since the last call."""
        previous, now = self._advance(trainer.updater)
        fires = any([previous < point <= now for point in self.points])
        if (fires or self._must_find_out) and self.points and max(self.points) <= now:
            self.finished = True
        self._must_find_out = False
        return fires

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the progress at the last call and whether all is done."""
        super().serialize(serializer)
        try:
            self.finished = serializer('finished', self.finished)
        except KeyError:
            warnings.warn('the snapshot does not contain whether the schedule of a '
                          'ManualScheduleTrigger is finished; the next call '
                          'determines it')
            self.finished = False
            self._must_find_out = True
