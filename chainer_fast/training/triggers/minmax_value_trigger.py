"""Triggers that fire at a new best value."""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from chainer_fast import reporter
from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training.triggers import _short_forms

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer


class BestValueTrigger:
    """Trigger that fires when a reported value is the best so far.

    The value is averaged over the calls between two checks.

    Parameters
    ----------
    key : str
        Key of the value in the observation.
    compare : callable
        ``compare(best, new)`` returns whether ``new`` is better.
    trigger : tuple or callable
        When to check.

    Raises
    ------
    KeyError
        In a check, if the value was not reported since the last one.

    See Also
    --------
    chainer_fast.training.triggers.MaxValueTrigger
    chainer_fast.training.triggers.MinValueTrigger

    Examples
    --------
    The smallest absolute value: ::

        trigger = chainer.training.triggers.BestValueTrigger(
            'validation/main/bias', lambda best, new: abs(new) < abs(best))
    """

    def __init__(
            self, key: str, compare: Callable[..., Any],
            trigger: Sequence[Any] | Callable[
                ..., Any] = (1, 'epoch')) -> None:
        self._key, self._compare = key, compare
        self._interval_trigger = _short_forms.get_trigger(trigger)
        self._best_value = None
        self._init_summary()

    def _init_summary(self):
        self._summary = reporter.DictSummary()

    def __call__(self, trainer: Trainer) -> bool:
        """Return whether a check is due and finds a new best value.

        Raises
        ------
        KeyError
            If the value was not reported since the last check.
        """
        observed = trainer.observation.get(self._key)
        if observed is not None:
            self._summary.add({self._key: observed})
        if not self._interval_trigger(trainer):
            return False

        try:
            mean = float(self._summary.compute_mean()[self._key])
        except KeyError as error:
            mistakes.tell(error, (
                '%s: nothing was reported as %r since the last check; the observation '
                'has %s'
                % (type(self).__name__, self._key, ', '.join(trainer.observation))))
            raise
        self._init_summary()
        better = self._best_value is None or self._compare(self._best_value, mean)
        if better:
            self._best_value = mean
        return bool(better)

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the best value and the values since the last check."""
        parts = {'interval_trigger': self._interval_trigger, 'summary': self._summary}
        for name, part in parts.items():
            if hasattr(part, 'serialize'):
                part.serialize(serializer[name])
        self._best_value = serializer('best_value', self._best_value)


class MaxValueTrigger(BestValueTrigger):
    """Trigger that fires when a reported value reaches a new maximum.

    Parameters
    ----------
    key : str
        Key of the value in the observation.
    trigger : tuple or callable
        When to check; the value is averaged in between.

    Raises
    ------
    KeyError
        In a check, if the value was not reported since the last one.

    Examples
    --------
    The best model is saved: ::

        trainer.extend(
            extensions.snapshot_object(model, 'best_model'),
            trigger=chainer.training.triggers.MaxValueTrigger('validation/main/accuracy'))
    """

    def __init__(
            self, key: str,
            trigger: Sequence[Any] | Callable[
                ..., Any] = (1, 'epoch')) -> None:
        super().__init__(key, trigger=trigger, compare=operator.lt)


class MinValueTrigger(BestValueTrigger):
    """Trigger that fires when a reported value reaches a new minimum.

    Parameters
    ----------
    key : str
        Key of the value in the observation.
    trigger : tuple or callable
        When to check; the value is averaged in between.

    Raises
    ------
    KeyError
        In a check, if the value was not reported since the last one.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> losses = iter([4, 2, 3, 1])
    >>> trainer = get_trainer_with_mock_updater((4, 'iteration'))
    >>> trainer.extend(
    ...     lambda trainer: trainer.observation.update(loss=next(losses)),
    ...     name='losses', priority=chainer.training.PRIORITY_WRITER)
    >>> trainer.extend(
    ...     lambda trainer: print(trainer.updater.iteration), name='printer',
    ...     trigger=chainer.training.triggers.MinValueTrigger('loss', (1, 'iteration')))
    >>> trainer.run()
    1
    2
    4
    """

    def __init__(
            self, key: str,
            trigger: Sequence[Any] | Callable[
                ..., Any] = (1, 'epoch')) -> None:
        super().__init__(key, trigger=trigger, compare=operator.gt)
