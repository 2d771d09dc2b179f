"""Extension that shows the progress of the training."""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import IO, Any

from chainer_fast.training import extension
from chainer_fast.training.extensions import util
from chainer_fast.training.trainer import Trainer


class _TrainerProgressBar(util.ProgressBar):

    trainer: Any = None
    training_length: Any = None

    def get_lines(self) -> list[str]:
        updater = self.trainer.updater
        length, unit = self.training_length
        epoch = updater.epoch_detail
        now = updater.iteration if unit == 'iteration' else epoch
        speeds = self.update_speed(updater.iteration, epoch)
        speed = speeds[0] if unit == 'iteration' else speeds[1]
        return [
            self._bar('total', min(now / length, 1.)),
            self._bar('this epoch', epoch - int(epoch)),
            f'{updater.iteration:10} iter, {updater.epoch} epoch / {length} {unit}s\n',
            self._speed(speeds[0], util.seconds_left(max(length - now, 0), speed)),
        ]


class ProgressBar(extension.Extension):
    """Extension that shows progress bars for the training and the current epoch.

    If standard output is not a terminal but a log, it prints a line every ten seconds
    instead, without escape codes.

    Parameters
    ----------
    training_length : tuple, optional
        Length of the training as a number and a unit, ``'iteration'`` or ``'epoch'``;
        by default that of the stop trigger.
    update_interval : int
        Number of iterations between two updates of the bars.
    bar_length : int
        Number of characters of a bar.
    out : file
        File to print to.

    See Also
    --------
    chainer_fast.training.extensions.ProgressBarNotebook

    Examples
    --------
    ::

        trainer.extend(extensions.ProgressBar(update_interval=10))
    """

    def __init__(
            self, training_length: Sequence[Any] | None = None,
            update_interval: int = 100, bar_length: int = 50,
            out: IO[Any] = sys.stdout) -> None:
        self._training_length, self._bar_length = training_length, bar_length
        self._update_interval, self._out = update_interval, out
        # For subclasses in programs, which show progress in their own way.
        self._status_template: str | None = None
        self._recent_timing: list[Any] = []
        self._pbar = _TrainerProgressBar(bar_length, out)
        self._pbar.training_length = training_length

    def finalize(self) -> None:
        self._pbar.close()

    def __call__(self, trainer: Trainer) -> None:
        if trainer.updater.iteration % self._update_interval:
            return
        pbar = self._pbar
        pbar.trainer = trainer
        if pbar.training_length is None:
            pbar.training_length = trainer.stop_trigger.get_training_length()
        pbar.update()
