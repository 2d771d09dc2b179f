"""Extension that lets Optuna stop unpromising trials early."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import _state, extension, util
from chainer_fast.training.extensions import _tracker
from chainer_fast.training.trainer import Trainer

if TYPE_CHECKING:
    import optuna



class OptunaPruning(extension.Extension):
    """Extension that reports a value to Optuna's trial, which may end the training.

    Its arguments are those of ``ChainerPruningExtension``, which Optuna had until its
    version 3.

    Parameters
    ----------
    trial : optuna.trial.Trial
        The trial that this training belongs to.
    observation_key : str
        Key of the reported value that the study optimizes, such as
        ``'validation/main/loss'``.
    pruner_trigger : tuple or callable
        When to report the value and ask the pruner, such as ``(1, 'epoch')``. With
        this unit, steps are epochs; otherwise, they are iterations.

    Raises
    ------
    ImportError
        If Optuna is not installed.
    optuna.TrialPruned
        By ``trainer.run()``, if Optuna prunes the trial. A study counts it as
        pruned.

    Examples
    --------
    .. code-block:: python

        def objective(trial):
            trainer = make_trainer(lr=trial.suggest_float('lr', 1e-4, 1e-1, log=True))
            trainer.extend(extensions.OptunaPruning(
                trial, 'validation/main/loss', (1, 'epoch')))
            trainer.run(show_loop_exception_msg=False)
            log = trainer.get_extension('LogReport').log
            return log[-1]['validation/main/loss']
    """

    # After the reports, which would otherwise miss the last iteration.
    priority = _tracker.Tracker.priority - 1

    def __init__(
            self, trial: optuna.trial.Trial, observation_key: str,
            pruner_trigger: Sequence[Any] | Callable[..., Any]) -> None:
        _tracker.check_tool('optuna', type(self).__name__, 'optuna')
        self._trial, self._observation_key = trial, observation_key
        self._pruner_trigger = util.get_trigger(pruner_trigger)

    def __call__(self, trainer: Trainer) -> None:
        if not self._pruner_trigger(trainer):
            return
        if self._observation_key not in trainer.observation:
            return
        value = _state.as_number(trainer.observation[self._observation_key])
        by_epoch = getattr(self._pruner_trigger, 'unit', None) == 'epoch'
        updater = trainer.updater
        step = updater.epoch if by_epoch else updater.iteration
        self._trial.report(value, step=step)
        if self._trial.should_prune():
            import optuna

            raise optuna.TrialPruned('trial %s was pruned at %s %s' % (
                self._trial.number, 'epoch' if by_epoch else 'iteration', step))

    def serialize(self, serializer: AbstractSerializer) -> None:
        _state.serialize_late_addition(
            self._pruner_trigger, serializer, '_pruner_trigger')
