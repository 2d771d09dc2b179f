"""Stop trigger that ends training without progress."""
from __future__ import annotations

import contextlib
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from chainer_fast import reporter
from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import _state
from chainer_fast.training.triggers import _short_forms

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer


class EarlyStoppingTrigger:
    """Trigger that fires when a value has not improved for several checks.

    It is intended as the ``stop_trigger`` of a trainer.

    Parameters
    ----------
    check_trigger : tuple or callable
        When to compare the value, averaged since the last check, with the best one.
    monitor : str
        Key of the value in the observation.
    patience : int, optional
        Number of checks without improvement to allow, 3 by default.
    mode : {'auto', 'max', 'min'}
        Direction of improvement. With ``'auto'``, larger values are better if
        ``monitor`` contains ``'accuracy'``, and smaller ones otherwise.
    verbose : bool
        Whether to print a message when it stops the training.
    max_trigger : tuple or callable
        When to stop in any case.
    patients : int, optional
        Former name of ``patience``.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> losses = iter([5, 4, 3, 3.5, 3.5, 3.5])
    >>> trigger = chainer.training.triggers.EarlyStoppingTrigger(
    ...     (1, 'iteration'), monitor='loss', patience=2)
    >>> trainer = get_trainer_with_mock_updater(trigger)
    >>> trainer.extend(
    ...     lambda trainer: trainer.observation.update(loss=next(losses)))
    >>> trainer.run()
    >>> trainer.updater.iteration
    5
    """

    monitor: str
    patience: int
    verbose: bool
    count: int
    already_warning: bool

    def __init__(
            self,
            check_trigger: Sequence[Any] | Callable[
                ..., Any] = (1, 'epoch'),
            monitor: str = 'main/loss', patience: int | None = None, mode: str = 'auto',
            verbose: bool = False,
            max_trigger: Sequence[Any] | Callable[
                ..., Any] = (100, 'epoch'),
            *, patients: int | None = None) -> None:
        if patience is not None and patients is not None:
            raise TypeError(
                "'patients' is another name of 'patience', but both are given; keep "
                "'patience'")
        if patience is None:
            patience = 3 if patients is None else patients

        self.monitor, self.patience, self.verbose = monitor, patience, verbose
        self.count, self.already_warning = 0, False
        self._interval_trigger = _short_forms.get_trigger(check_trigger)
        self._max_trigger = _short_forms.get_trigger(max_trigger)
        self._init_summary()

        up = mode == 'max' or (mode != 'min' and 'accuracy' in monitor)
        self._compare = operator.gt if up else operator.lt
        self.best: Any = float('-inf') if up else float('inf')
        if verbose:
            print('early stopping: operator is %s' % ('greater' if up else 'less'))

    def _init_summary(self):
        self._summary = reporter.DictSummary()

    def __call__(self, trainer: Trainer) -> bool:
        """Return whether the training should stop."""
        monitor = self.monitor
        observed = trainer.observation.get(monitor)
        if observed is not None:
            self._summary.add({monitor: observed})
        if self._max_trigger(trainer):
            return True
        if not self._interval_trigger(trainer):
            return False

        mean = self._summary.compute_mean()
        if monitor not in mean:
            warnings.warn('%s is not in observation, which has %s' % (
                monitor, ', '.join(trainer.observation)))
            return False
        self._init_summary()
        value = mean[monitor]
        if self._compare(value, self.best):
            self.best = value
            self.count = 0
        else:
            self.count += 1
        stop = self._stop_condition()
        if stop and self.verbose:
            print('Epoch %d: early stopping' % trainer.updater.epoch)
        return stop

    def _stop_condition(self):
        return self.count >= self.patience

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the state, which snapshots of Chainer lack."""
        with contextlib.suppress(KeyError):
            self.count = serializer('count', self.count)
            self.best = serializer('best', float(self.best))
        for name in 'summary', 'interval_trigger', 'max_trigger':
            _state.serialize_late_addition(
                getattr(self, '_' + name), serializer, name)

    def get_training_length(self) -> tuple[float, str]:
        """Return period and unit of ``max_trigger``."""
        return self._max_trigger.get_training_length()
