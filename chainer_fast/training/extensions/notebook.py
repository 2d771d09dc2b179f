"""The log, plots and the progress bar as outputs of a notebook cell.

Chainer 7.8.1 has no counterparts. The names of the first and the last are those of
pytorch-pfn-extras, the successor of Chainer's extensions.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from chainer_fast._help.display.table import Table
from chainer_fast._help.display.tree import escaped
from chainer_fast.training.extensions import plot_report, print_report, progress_bar
from chainer_fast.training.trainer import Trainer

if TYPE_CHECKING:
    from chainer_fast.training.extensions.log_report import LogReport


class _Cell:
    """Output below a cell that can be replaced."""

    def __init__(self, user) -> None:
        try:
            from IPython import display
        except ImportError as error:
            raise RuntimeError(
                '%s needs IPython: pip install ipython, or use the extension without '
                'Notebook in its name' % (user,)) from error
        self._display = display.display
        self._handle = None

    def show(self, content) -> None:
        if self._handle is None:
            # None outside of a notebook, where the content is printed.
            self._handle = self._display(content, display_id=True)
        else:
            self._handle.update(content)


class _Lines:
    """Text of several lines in a fixed-width font."""

    def __init__(self, text) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self):
        return '<pre>%s</pre>' % escaped(self._text)


class PrintReportNotebook(print_report.PrintReport):
    """:class:`PrintReport` for notebooks, with one table that grows.

    Parameters
    ----------
    entries : list of str
        Keys of the values to show; missing values are left empty.
    log_report : str or LogReport
        The log, as for :class:`PrintReport`.

    Raises
    ------
    RuntimeError
        If IPython is not installed.

    Examples
    --------
    In a notebook: ::

        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.PrintReportNotebook(['epoch', 'main/loss']))
    """

    def __init__(
            self, entries: Sequence[str],
            log_report: str | LogReport = 'LogReport') -> None:
        super().__init__(entries, log_report)
        self._cell = _Cell(type(self).__name__)

    def __call__(self, trainer: Trainer) -> None:
        log = self._read_log(trainer)
        if self._header is None and len(log) == self._log_len:
            return
        self._header, self._log_len = None, len(log)
        self._cell.show(Table(self._entries, [
            [f'{entry[key]:g}' if key in entry else '' for key in self._entries]
            for entry in map(log.__getitem__, range(len(log)))]))


class PlotReportNotebook(plot_report.PlotReport):
    """:class:`PlotReport` for notebooks, with a live diagram below the cell.

    The image is written to the folder of the trainer as well.

    Parameters
    ----------
    y_keys, x_key, trigger, postprocess, filename, marker, grid :
        As for :class:`PlotReport`.

    Raises
    ------
    RuntimeError
        If IPython is not installed.
    """

    def __init__(
            self, y_keys: str | Iterable[str], x_key: str = 'iteration',
            trigger: Sequence[Any] | Callable[..., Any] = (1, 'epoch'),
            postprocess: Callable[..., Any] | None = None,
            filename: str | None = None, marker: str = 'x', grid: bool = True) -> None:
        super().__init__(y_keys, x_key, trigger, postprocess, filename, marker, grid)
        self._cell = _Cell(type(self).__name__)

    def _save(self, figure, path, **options):
        super()._save(figure, path, **options)
        self._cell.show(figure)


class _NotebookBar(progress_bar._TrainerProgressBar):

    cell: Any = None

    def update(self) -> None:
        self.cell.show(_Lines(''.join(self.get_lines())))

    def close(self) -> None:
        """Keep the last state."""


class ProgressBarNotebook(progress_bar.ProgressBar):
    """:class:`ProgressBar` for notebooks; its lines remain below the cell.

    Parameters
    ----------
    training_length, update_interval, bar_length :
        As for :class:`ProgressBar`.

    Raises
    ------
    RuntimeError
        If IPython is not installed.

    Examples
    --------
    In a notebook: ::

        trainer.extend(extensions.ProgressBarNotebook(update_interval=10))
    """

    def __init__(
            self, training_length: tuple[Any, ...] | None = None,
            update_interval: int = 100, bar_length: int = 50) -> None:
        super().__init__(training_length, update_interval, bar_length)
        self._pbar = _NotebookBar(bar_length)
        self._pbar.training_length = training_length
        self._pbar.cell = _Cell(type(self).__name__)
