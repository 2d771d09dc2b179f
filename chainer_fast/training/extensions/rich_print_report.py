"""Extension that prints the log as a table of rich."""
from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from chainer_fast.training.extensions import print_report, util
from chainer_fast.training.trainer import Trainer

if TYPE_CHECKING:
    from chainer_fast.training.extensions.log_report import LogReport


class RichPrintReport(print_report.PrintReport):
    """:class:`PrintReport` with a table of rich, in colour on terminals.

    Without rich, it prints the same as :class:`PrintReport`.

    Parameters
    ----------
    entries : list of str
        Keys of the values to print; missing values are left empty.
    log_report : str or LogReport
        The log, as for :class:`PrintReport`.
    out : file
        File to print to.

    Examples
    --------
    .. code-block:: python

        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.RichPrintReport(['epoch', 'main/loss']))
    """

    def __init__(
            self, entries: Sequence[str], log_report: str | LogReport = 'LogReport',
            out: IO[Any] = sys.stdout) -> None:
        super().__init__(entries, log_report, out)
        self._has_rich = importlib.util.find_spec('rich') is not None

    def __call__(self, trainer: Trainer) -> None:
        if self._has_rich and self._header is not None:
            self._header = None
            self._print_table(show_header=True)
        super().__call__(trainer)

    def _print(self, observation):
        if not self._has_rich:
            super()._print(observation)
            return
        self._print_table([
            f'{observation[key]:g}' if key in observation else ''
            for key in self._entries])

    def _print_table(self, *rows, show_header=False):
        from rich import box, console, table

        # Each row is a separate table: a printed table cannot grow, and a live one
        # would interfere with progress bars.
        lines = table.Table(
            box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False,
            show_header=show_header)
        widths = [max(10, len(entry)) for entry in self._entries]
        for entry, width in zip(self._entries, widths, strict=True):
            lines.add_column(entry, justify='right', width=width)
        for row in rows:
            lines.add_row(*row)
        # Keys are not markup. A notebook also shows what is written to the file.
        screen = console.Console(
            file=self._out, markup=False, emoji=False, force_jupyter=False)
        # As wide as necessary; a narrow terminal wraps it.
        screen.print(
            lines, width=sum(widths) + 3 * len(widths), crop=False, overflow='ignore')
        util.flush(self._out)
