"""Base class of extensions that send the log to another tool."""
from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chainer_fast._help import installation, mistakes
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import _state
from chainer_fast.training.extension import PRIORITY_READER
from chainer_fast.training.extensions._log_reader import LogReader
from chainer_fast.training.trainer import Trainer

if TYPE_CHECKING:
    from chainer_fast.training.extensions.log_report import LogReport


def check_tool(module: str, user: str, extra: str) -> None:
    """Import a module, or report which extra of the package installs it."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        raise ImportError('%s needs %s: %s (%s)' % (
            user, module.partition('.')[0], installation.install(extra), error)
        ) from error


class Tracker(LogReader):
    """Extension that sends each new entry of a log to an experiment tracker.

    A snapshot contains the run and the number of entries sent, so that a resumed
    training continues the run without repeating entries. Values that are not numbers,
    which a ``postprocess`` of the log may add, are omitted.

    Parameters
    ----------
    config : dict, optional
        Settings of the training, such as ``vars(args)``.
    log_report : str or LogReport
        The log, as for :class:`PrintReport`.
    """

    # After LogReport, in whatever order they are added, and before snapshots.
    priority = PRIORITY_READER - 50

    def __init__(
            self, config: Mapping[str, Any] | None = None,
            log_report: str | LogReport = 'LogReport') -> None:
        super().__init__(log_report)
        self._config = {str(key): value for key, value in dict(config or {}).items()}
        self._run_id = ''
        self._is_open = False

    def initialize(self, trainer: Trainer) -> None:
        self._open(trainer)
        self._is_open = True
        # An exception that the caller of run() is handling is no failure of this
        # training.
        self._handled = sys.exc_info()[1]

    def __call__(self, trainer: Trainer) -> None:
        log = self._read_log(trainer)
        if len(log) < self._log_len:  # not the log of the snapshot
            self._log_len = 0
        for entry in self._new_entries(log):
            values = {key: number for key, value in entry.items()
                      if (number := _state.as_number(value)) is not None}
            self._write(values, values.pop('iteration'))

    def finalize(self) -> None:
        if self._is_open:
            self._is_open = False
            # Not by on_error, which is not called for interrupts.
            error = sys.exc_info()[1]
            self._close(error is not None and error is not self._handled)

    # The trainer calls this even if the loop does not begin.
    _abandon = finalize

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        super().serialize(serializer)
        _state.serialize_late_values(self, serializer, ['_run_id', '_log_len'])

    def _open(self, trainer):
        """Begin a run, or continue the one named by ``_run_id``."""
        raise NotImplementedError

    def _write(self, values, step):
        """Send the values of one entry."""
        raise NotImplementedError

    def _close(self, has_failed):
        """End the run of a training that has finished or failed."""
        raise NotImplementedError
