"""Extension that averages over examples, not over batches."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from chainer_fast import reporter, variable
from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.training import _state, extension, util
from chainer_fast.training.trainer import Trainer


class MicroAverage(extension.Extension):
    """Extension that reports the quotient of two sums.

    .. math:: r = \\frac{\\sum_t a_t}{\\sum_t b_t}

    If batches differ in size, as with sentences and words, the mean over batches is not
    the mean over examples. This extension sums numerators and denominators separately.
    It must be called at each iteration; ``trigger`` determines when to report.
    Iterations without the two values are skipped, including their triggers; sums of
    rare values, such as those of a validation, are reported in the iterations that have
    them.

    Parameters
    ----------
    numerator_key, denominator_key : str
        Keys of the values to add up.
    result_key : str
        Key of the quotient.
    trigger : tuple or callable
        When to report the quotient and reset the sums.

    Examples
    --------
    The fraction of correct words, for a model that reports ``correct`` and
    ``total``: ::

        trainer.extend(extensions.MicroAverage(
            'main/correct', 'main/total', 'main/accuracy', trigger=(1, 'epoch')))
    """

    def __init__(
            self, numerator_key: str, denominator_key: str, result_key: str,
            trigger: Sequence[Any] | Callable[
                ..., Any] = (1, 'epoch')) -> None:
        self._numerator_key, self._denominator_key = numerator_key, denominator_key
        self._result_key = result_key
        self._trigger = util.get_trigger(trigger)
        self._reset()

    priority = extension.PRIORITY_EDITOR

    def _reset(self):
        self._numerator = self._denominator = 0

    def __call__(self, trainer: Trainer) -> None:
        over = trainer.observation.get(self._numerator_key)
        under = trainer.observation.get(self._denominator_key)
        if over is None or under is None:
            return
        # Snapshots contain arrays, and a variable would keep its graph alive.
        over, under = [value.array if isinstance(value, variable.Variable) else value
                       for value in (over, under)]
        self._numerator += over
        self._denominator += under
        if self._trigger(trainer):
            under = self._denominator
            if hasattr(under, 'astype'):
                under = under.astype(numpy.float64)  # not float32
            mean = float(self._numerator) / under
            self._reset()
            reporter.report({self._result_key: mean})

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        for attribute in ('_numerator', '_denominator'):
            if isinstance(serializer, Deserializer):
                # Restored with its own type, not that of the initial zero. An integer
                # of NumPy would turn float32 into float64.
                total = serializer(attribute, None)
                if total is not None:
                    setattr(self, attribute, (
                        total.item() if total.dtype.kind in 'biu' else total[()]))
            else:
                serializer(attribute, getattr(self, attribute))
        _state.serialize_late_addition(self._trigger, serializer, '_trigger')
