"""Progress of the training between two calls of a trigger."""
from __future__ import annotations

import warnings

from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer


def check_unit(unit):
    """Raise ``ValueError`` for an unknown unit."""
    if unit not in ('epoch', 'iteration'):
        words = "Trigger unit must be either 'epoch' or 'iteration', got %r" % (unit,)
        if isinstance(unit, (int, float)):
            words += ": the number comes first, as in (%r, 'epoch')" % (unit,)
        raise ValueError(words)


class Progress:
    """Base class of triggers that compare the progress with that at their last call.

    A trigger need not be called at every iteration, so it keeps the progress at its
    last call. Snapshots of early versions lack it; then it is -1 until the next call,
    which assumes a call at the preceding iteration.
    """

    def __init__(self, unit: str) -> None:
        check_unit(unit)
        self.unit = unit
        self._previous_iteration = 0
        self._previous_epoch_detail = 0.

    def _advance(self, updater):
        """Return the progress at the last call and now, in units."""
        # Iterators of users may not count epochs.
        detail = getattr(updater, 'epoch_detail', None)
        if self.unit == 'epoch':
            previous = self._previous_epoch_detail
            now = updater.epoch_detail if detail is None else detail
            if previous < 0:
                previous = updater.previous_epoch_detail or 0.
        else:
            previous, now = self._previous_iteration, updater.iteration
            if previous < 0:
                previous = now - 1
        self._previous_iteration = updater.iteration
        if detail is not None:
            self._previous_epoch_detail = detail
        return previous, now

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the progress at the last call."""
        self._previous_iteration = self._read(
            serializer, 'iteration', self._previous_iteration, -1)
        self._previous_epoch_detail = self._read(
            serializer, 'epoch_detail', self._previous_epoch_detail, -1.)

    def _read(self, serializer, name, value, unknown):
        try:
            return serializer('previous_' + name, value)
        except KeyError:
            warnings.warn(
                'the snapshot lacks the previous %s of %s; the trigger assumes a call '
                'at the preceding iteration, which may be wrong'
                % (name, type(self).__name__))
            return unknown
