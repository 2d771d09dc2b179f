"""Base of the extensions that hand the log to another tool."""
from __future__ import annotations

import importlib
import typing as tp
from types import TracebackType

from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import _state
from chainer_fast.training.extension import PRIORITY_READER
from chainer_fast.training.extensions._log_reader import LogReader
from chainer_fast.training.trainer import Trainer

if tp.TYPE_CHECKING:
    from types import ModuleType

    from chainer_fast.training.extensions.log_report import LogReport


def import_tool(module: str, user: str, extra: str) -> ModuleType:
    """Import a module, or tell which extra of this distribution brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError("%s needs %s: pip install 'chainer-fast[%s]' (%s)" % (
            user, module.partition('.')[0], extra, error)) from error


class Tracker(LogReader):
    """Extension that hands each new entry of a log to a tool that tracks trainings.

    A snapshot remembers the run and how many entries the tool has, so that a resumed
    training continues the run and repeats nothing.

    Parameters
    ----------
    config : dict, optional
        Settings of the training, such as ``vars(args)``.
    log_report : str or LogReport
        The log, as for :class:`PrintReport`.
    """

    # After LogReport, whatever the order in which they are added; before snapshots.
    priority = PRIORITY_READER - 50

    def __init__(
            self, config: tp.Mapping[str, tp.Any] | None = None,
            log_report: str | LogReport = 'LogReport') -> None:
        super().__init__(log_report)
        self._config = dict(config or {})
        self._run_id = ''
        self._is_open = self._has_failed = False

    def initialize(self, trainer: Trainer) -> None:
        self._open(trainer)
        self._is_open, self._has_failed = True, False

    def __call__(self, trainer: Trainer) -> tp.Any:
        for entry in self._read_log(trainer)[self._log_len:]:
            values = dict(entry)
            self._write(values, values.pop('iteration'))
            self._log_len += 1

    def on_error(self, trainer: Trainer, exc: Exception, tb: TracebackType) -> None:
        self._has_failed = True

    def finalize(self) -> None:
        if self._is_open:
            self._is_open = False
            self._close()

    def serialize(self, serializer: AbstractSerializer) -> None:
        super().serialize(serializer)
        _state.serialize_late_values(self, serializer, ['_run_id', '_log_len'])

    def _open(self, trainer):
        """Begin a run, or continue the one named by ``_run_id``."""
        raise NotImplementedError

    def _write(self, values, step):
        """Hand over the values of one entry."""
        raise NotImplementedError

    def _close(self):
        """End the run; ``_has_failed`` tells how the training ended."""
        raise NotImplementedError
