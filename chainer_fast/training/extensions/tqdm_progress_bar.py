"""Extension that shows a progress bar of tqdm."""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from chainer_fast.training import _state, extension
from chainer_fast.training.extensions import _tracker
from chainer_fast.training.trainer import Trainer


class _CursorAtStart:
    """A file that returns the cursor to the start of the line after each write.

    The next output then replaces the bar; PrintReport erases the line before it prints.
    """

    def __init__(self, file) -> None:
        self._file = file

    def write(self, text) -> None:
        self._file.write(text + '\r' if text else text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class TqdmProgressBar(extension.Extension):
    """Extension that shows a progress bar of tqdm, in a terminal or a notebook.

    Parameters
    ----------
    training_length : tuple, optional
        Length of the training as a number and a unit, ``'iteration'`` or ``'epoch'``;
        by default that of the stop trigger.
    update_interval : int
        Number of iterations between two updates of the bar. tqdm draws at most ten
        times a second.
    entries : list of str
        Keys of observed values to show after the bar, such as ``['main/loss']``.
    **options
        Arguments of ``tqdm``, such as ``desc``, ``ncols`` and ``leave``.

    Raises
    ------
    ImportError
        If tqdm is not installed.

    Examples
    --------
    .. code-block:: python

        trainer.extend(extensions.TqdmProgressBar(entries=['main/loss']))
    """

    def __init__(
            self, training_length: Sequence[Any] | None = None,
            update_interval: int = 1, entries: Sequence[str] = (),
            **options: Any) -> None:
        _tracker.check_tool('tqdm.auto', type(self).__name__, 'tqdm')
        self._training_length, self._update_interval = training_length, update_interval
        self._entries, self._options = entries, options
        self._bar: Any = None

    def initialize(self, trainer: Trainer) -> None:
        from tqdm import auto

        self._length, self._unit = (
            self._training_length or _length(trainer.stop_trigger))
        self._bar = auto.tqdm(**{
            'total': self._length, 'initial': self._progress(trainer),
            'unit': self._unit,
            'file': _CursorAtStart(sys.stderr), 'disable': sys.stderr is None,
            **self._options})

    def _progress(self, trainer):
        updater = trainer.updater
        done = (updater.iteration if self._unit == 'iteration'
                else round(updater.epoch_detail, 2))
        # The last batch of an epoch may contain examples of the next one.
        return done if self._length is None else min(done, self._length)

    def __call__(self, trainer: Trainer) -> None:
        if trainer.updater.iteration % self._update_interval:
            return
        bar = self._bar
        bar.set_postfix(
            {key: _state.as_number(trainer.observation[key]) for key in self._entries
             if key in trainer.observation}, refresh=False)
        bar.update(self._progress(trainer) - bar.n)

    def finalize(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _length(stop_trigger):
    """Return length and unit of a training; the length is None if unknown."""
    if hasattr(stop_trigger, 'get_training_length'):
        return stop_trigger.get_training_length()
    return None, 'iteration'
