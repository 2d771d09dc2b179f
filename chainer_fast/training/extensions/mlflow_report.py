"""Extension that sends the log to MLflow."""
from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chainer_fast.training.extensions import _tracker

if TYPE_CHECKING:
    from chainer_fast.training.extensions.log_report import LogReport

# Characters that names of metrics and parameters must not contain.
_FOREIGN = re.compile(r'[^\w\-. :/]')


class MLflowReport(_tracker.Tracker):
    """Extension that sends each new entry of a log to MLflow.

    The values become metrics by iteration, and ``config`` becomes parameters.
    Characters that MLflow rejects in a name become underscores, and names are cut to
    250 characters. A run begins and ends with the training, and is marked as
    finished or failed; a resumed training continues the run of its snapshot. The run
    does not become MLflow's active run.

    Parameters
    ----------
    experiment : str
        Name of the experiment, which is created if it does not exist.
    config : dict, optional
        Settings of the training, such as ``vars(args)``.
    log_report : str or LogReport
        The log, as for :class:`PrintReport`. Its trigger determines how often values
        are sent.
    tracking_uri : str, optional
        Where MLflow stores its runs; by default ``mlflow.get_tracking_uri()``.
    run_name : str, optional
        Name of the run.

    Raises
    ------
    ImportError
        If MLflow is not installed.

    Examples
    --------
    .. code-block:: python

        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.MLflowReport('digits', vars(args)))
    """

    def __init__(
            self, experiment: str = 'Default',
            config: Mapping[str, Any] | None = None,
            log_report: str | LogReport = 'LogReport', *,
            tracking_uri: str | None = None, run_name: str | None = None) -> None:
        super().__init__(config, log_report)
        self._experiment, self._run_name = experiment, run_name
        self._tracking_uri = tracking_uri
        _tracker.check_tool('mlflow', type(self).__name__, 'mlflow')

    def _open(self, trainer):
        import mlflow

        self._client = client = mlflow.MlflowClient(self._tracking_uri)
        if self._run_id:
            client.update_run(self._run_id, status='RUNNING')
            return
        experiment = client.get_experiment_by_name(self._experiment)
        self._run_id = client.create_run(
            experiment.experiment_id if experiment is not None
            else client.create_experiment(self._experiment),
            run_name=self._run_name).info.run_id
        # MLflow rejects a second setting of the same name as a change of the first.
        settings = {_name(key): value for key, value in self._config.items()}
        for name, value in settings.items():
            client.log_param(self._run_id, name, value)

    def _write(self, values, step):
        for key, value in values.items():
            self._client.log_metric(self._run_id, _name(key), value, step=step)

    def _close(self, has_failed):
        self._client.set_terminated(
            self._run_id, 'FAILED' if has_failed else 'FINISHED')


def _name(key):
    """Return the name for a key; MLflow also requires a relative path."""
    parts = _FOREIGN.sub('_', key).split('/')
    return '/'.join(part for part in parts if part.strip('.'))[:250].strip('/') or '_'
