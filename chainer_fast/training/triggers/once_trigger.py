"""Trigger that fires a single time."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer


class OnceTrigger:
    """Trigger that fires at its first call only.

    Parameters
    ----------
    call_on_resume : bool
        Whether it fires again after the training was resumed from a snapshot.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> trainer = get_trainer_with_mock_updater((10, 'iteration'))
    >>> trainer.extend(
    ...     lambda trainer: print(trainer.updater.iteration),
    ...     trigger=chainer.training.triggers.OnceTrigger())
    >>> trainer.run()
    1
    """

    def __init__(self, call_on_resume: bool = False) -> None:
        self._flag_resumed, self._flag_first = call_on_resume, True

    @property
    def finished(self) -> bool:
        """Whether the trigger has fired."""
        return not any([self._flag_resumed, self._flag_first])

    def __call__(self, trainer: Trainer) -> bool:
        """Return whether the trigger fires."""
        if self.finished:
            return False
        self._flag_resumed = self._flag_first = False
        return True

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read whether the trigger has not been called yet."""
        first = self._flag_first
        try:
            first = serializer('_flag_first', first)
        except KeyError:
            first = False
            warnings.warn('the snapshot does not contain whether a OnceTrigger has '
                          'fired; assuming that it has')
        self._flag_first = first
