"""Extension that sends the log to Weights & Biases."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chainer_fast.training.extensions import _tracker

if TYPE_CHECKING:
    from chainer_fast.training.extensions.log_report import LogReport


class WandbReport(_tracker.Tracker):
    """Extension that sends each new entry of a log to Weights & Biases.

    A run begins and ends with the training; if the training fails, the run is marked as
    failed. A resumed training continues the run of its snapshot; W&B ignores steps that
    its run already has. Without a network, ``WANDB_MODE=offline`` keeps the run on
    disk.

    Parameters
    ----------
    config : dict, optional
        Settings of the training, such as ``vars(args)``.
    log_report : str or LogReport
        The log, as for :class:`PrintReport`. Its trigger determines how often values
        are sent.
    **options
        Arguments of ``wandb.init``, such as ``project``, ``name``, ``tags`` and
        ``mode``. Files go to the folder of the trainer, unless ``dir`` is given.

    Raises
    ------
    ImportError
        If wandb is not installed.

    Examples
    --------
    .. code-block:: python

        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.WandbReport(vars(args), project='digits'))
    """

    def __init__(
            self, config: Mapping[str, Any] | None = None,
            log_report: str | LogReport = 'LogReport', **options: Any) -> None:
        super().__init__(config, log_report)
        self._options = options
        _tracker.check_tool('wandb', type(self).__name__, 'wandb')

    def _open(self, trainer):
        import wandb

        options = {'dir': trainer.out, 'config': self._config, **self._options}
        if self._run_id:
            options.update(id=self._run_id, resume='allow')
        self._run = wandb.init(**options)
        self._run_id = self._run.id

    def _write(self, values, step):
        self._run.log(values, step=step)

    def _close(self, has_failed):
        self._run.finish(exit_code=int(has_failed))
