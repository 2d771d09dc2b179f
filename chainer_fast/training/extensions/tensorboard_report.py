"""Extension that writes the log for TensorBoard."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chainer_fast.training.extensions import _tracker

if TYPE_CHECKING:
    from chainer_fast.training.extensions.log_report import LogReport


class TensorBoardReport(_tracker.Tracker):
    """Extension that writes each new entry of a log to a file of TensorBoard.

    The values become scalars by iteration, and ``config`` becomes a table among the
    texts. A resumed training adds a file to the folder, whose values replace those
    after the snapshot; a new training in the same folder replaces all values.

    Parameters
    ----------
    folder : str
        Folder of the files, in the folder of the trainer.
    config : dict, optional
        Settings of the training, such as ``vars(args)``.
    log_report : str or LogReport
        The log, as for :class:`PrintReport`. Its trigger decides how often values are
        written.

    Raises
    ------
    ImportError
        If tensorboardX is not installed.

    Examples
    --------
    .. code-block:: python

        trainer.extend(extensions.LogReport(trigger=(100, 'iteration')))
        trainer.extend(extensions.TensorBoardReport(config=vars(args)))
    """

    def __init__(
            self, folder: str = 'tensorboard',
            config: Mapping[str, Any] | None = None,
            log_report: str | LogReport = 'LogReport') -> None:
        super().__init__(config, log_report)
        self._folder = folder
        _tracker.check_tool('tensorboardX', type(self).__name__, 'tensorboard')

    def _open(self, trainer):
        import tensorboardX

        iteration = trainer.updater.iteration
        self._writer = tensorboardX.SummaryWriter(
            os.path.join(trainer.out, self._folder),
            purge_step=iteration and iteration + 1,
            # Names differ only by second, and the previous run may have the same one.
            filename_suffix='.%d' % iteration)
        if self._config and not self._run_id:
            self._writer.add_text('config', '\n'.join(
                ['| setting | value |', '| --- | --- |',
                 *('| %s | %s |' % (_cell(key), _cell(value))
                   for key, value in self._config.items())]))
        self._run_id = self._folder

    def _write(self, values, step):
        for key, value in values.items():
            self._writer.add_scalar(key, value, step)
        self._writer.flush()

    def _close(self, has_failed):
        self._writer.close()


def _cell(content):
    """Return the text of a cell in a table of Markdown."""
    return ' '.join(str(content).replace('|', r'\|').splitlines())
