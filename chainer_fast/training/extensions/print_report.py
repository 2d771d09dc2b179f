"""Extension that prints the log as a table."""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from chainer_fast._help import mistakes
from chainer_fast.training.extensions import _report_keys, util
from chainer_fast.training.extensions._log_reader import LogReader
from chainer_fast.training.trainer import Trainer

if TYPE_CHECKING:
    from chainer_fast.training.extensions.log_report import LogReport

class PrintReport(LogReader):
    """Extension that prints new entries of a log.

    Parameters
    ----------
    entries : list of str
        Keys of the values to print; missing values are left empty.
    log_report : str or LogReport
        The log: the name of the extension, or a :class:`LogReport` that must not be
        added to the trainer, as this extension calls it.
    out : file
        File to print to.

    Warns
    -----
    UserWarning
        At the first entry, if a key looks like a misspelling of one of the entry's
        keys.

    See Also
    --------
    chainer_fast.training.extensions.LogReport
    chainer_fast.training.extensions.PrintReportNotebook

    Examples
    --------
    ::

        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.PrintReport(
            ['epoch', 'main/loss', 'validation/main/accuracy', 'elapsed_time']))

    prints ::

        epoch       main/loss   validation/main/accuracy  elapsed_time
        1           0.191836    0.9685                    3.12
        2           0.0731      0.9769                    6.09
    """

    def __init__(
            self, entries: Sequence[str], log_report: str | LogReport = 'LogReport',
            out: IO[Any] = sys.stdout) -> None:
        super().__init__(log_report)
        self._out = out
        mistakes.require(entries, '__iter__', (
            "the entries of a PrintReport must be a list of keys, such as ['epoch', "
            "'main/loss']"))
        for entry in entries:
            mistakes.require(entry, 'ljust', (
                "the entries of a PrintReport must be keys, such as 'main/loss'"))
        _report_keys.warn_of_letters(self, entries)
        self._entries = entries
        self._header = '  '.join([entry.ljust(10) for entry in entries]) + '\n'
        self._templates = []
        for entry in entries:
            width = max(10, len(entry))
            self._templates.append((entry, '{:<%dg}  ' % width, ' ' * (width + 2)))

    def __call__(self, trainer: Trainer) -> None:
        if self._header is not None:
            self._out.write(self._header)
            self._header = None
        for entry in self._new_entries(self._read_log(trainer)):
            if self._log_len == 0:
                _report_keys.check(self, self._entries, entry)
            if not util.is_log(self._out):
                self._out.write(util.ERASE_BELOW)   # a progress bar may be shown
            self._print(entry)

    def _print(self, observation):
        cells = [template.format(observation[key]) if key in observation else empty
                 for key, template, empty in self._templates]
        self._out.write(''.join(cells) + '\n')
        util.flush(self._out)
