"""Base class of extensions that read a log."""
from __future__ import annotations

from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training.extension import Extension
from chainer_fast.training.extensions.log_report import LogReport


class LogReader(Extension):
    """Extension that processes each new entry of a log.

    Parameters
    ----------
    log_report : str or LogReport
        The log: the name of the extension, or a :class:`LogReport` that must not be
        added to the trainer, as this extension calls it.
    """

    def __init__(self, log_report: str | LogReport = 'LogReport') -> None:
        self._log_report = log_report
        self._log_len = 0  # number of entries read

    def _read_log(self, trainer):
        source = self._log_report
        if isinstance(source, str):
            try:
                return trainer.get_extension(source).log
            except ValueError as error:
                mistakes.tell(error, (
                    '%s reads that log: call trainer.extend(extensions.LogReport()) as '
                    'well' % type(self).__name__))
                raise
        if isinstance(source, LogReport):
            source(trainer)
            return source.log
        raise TypeError('log_report must be the name of an extension or a LogReport, '
                        'not %s'
                        % type(source))

    def _new_entries(self, log):
        """Yield the entries that have not been read, and count each after reading.

        A log need only support ``len()`` and integer indices.
        """
        while self._log_len < len(log):
            yield log[self._log_len]
            self._log_len += 1

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        if isinstance(self._log_report, LogReport):
            self._log_report.serialize(serializer['_log_report'])
