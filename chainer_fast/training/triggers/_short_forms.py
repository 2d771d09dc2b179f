"""Conversion of short forms to triggers."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from chainer_fast._help import mistakes
from chainer_fast.training.triggers import interval_trigger


def _never_fire_trigger(trainer):
    return False


def get_trigger(
        trigger: Sequence[Any] | Callable[..., Any] | None) -> Any:
    """Return the trigger of a specification.

    Parameters
    ----------
    trigger : callable, tuple or None
        A callable takes the trainer and returns whether it fires; it is returned
        unchanged. A pair ``(period, unit)`` makes an
        :class:`chainer_fast.training.triggers.IntervalTrigger`; ``None`` never fires.

    Returns
    -------
    callable
        It takes the trainer, and returns whether it fires.

    Raises
    ------
    TypeError
        If the specification is none of these.
    ValueError
        If the unit is neither ``'iteration'`` nor ``'epoch'``.

    Examples
    --------
    >>> trigger = chainer.training.get_trigger((2, 'epoch'))
    >>> trigger.period, trigger.unit
    (2, 'epoch')
    """
    if trigger is None:
        return _never_fire_trigger
    if isinstance(trigger, type):
        mistakes.warn_once((trigger, 'trigger'), (
            'the trigger is the class %s, which would be called instead of an object: '
            'pass an object, %s(...)' % (trigger.__name__, trigger.__name__)))
    if callable(trigger):
        return trigger
    try:
        period, unit = trigger
    except (TypeError, ValueError) as e:
        raise TypeError('a trigger must be a callable, None, or a pair of a period '
                        'and a unit, e.g. (1, "epoch"); got %r' % (trigger,)) from e
    return interval_trigger.IntervalTrigger(period, unit)
