"""Ends of epochs up to version 5: examples are read before the next shuffle."""
import functools

import numpy

from chainer_fast.datasets.tuple_dataset import read_examples
from chainer_fast.iterators import (
    MultiprocessIterator,
    MultithreadIterator,
    SerialIterator,
    _statemachine,
)
from chainer_fast.legacy import _named, _report

WHAT = 'iterators that shuffle once the examples of an epoch are read'
_SAME = 'SerialIterator that shuffles only where an epoch ends within a batch'


def _advance(state, batch_size, repeat, order_sampler, dataset_len, read):
    """Read one batch, in two parts if an epoch ends within it.

    There is no shuffle between the two parts unless epochs are repeated. The second
    part is at most one epoch, so a batch that is larger than an epoch may be too short,
    with the position beyond the end.

    Parameters
    ----------
    state, batch_size, repeat, order_sampler, dataset_len
        As for :func:`_statemachine.iterator_statemachine`.
    read : callable
        Called with the indices of each part, before the next shuffle.

    Returns
    -------
    IteratorState or None
        The position after the batch; None at the end.
    """
    start, epoch, _, order = state
    if not repeat and epoch > 0:
        return None
    size = dataset_len if order is None else len(order)
    if repeat and not size:
        raise _statemachine.NoExamples
    stop = start + batch_size
    read(_statemachine._take(order, min(start, size), min(stop, size)))
    if stop < size:
        return _statemachine.IteratorState(stop, epoch, False, order)
    if not repeat:
        return _statemachine.IteratorState(0, epoch + 1, True, order)
    if order is not None:
        order = order_sampler(order, start)
    read(_statemachine._take(order, 0, min(stop - size, size)))
    return _statemachine.IteratorState(stop - size, epoch + 1, True, order)


def _take(self, order_sampler):
    batch = []
    state = _advance(
        self._state, self.batch_size, self._repeat, order_sampler,
        len(self.dataset),
        lambda indices: batch.extend(read_examples(self.dataset, indices)))
    self._previous_epoch_detail = self.epoch_detail
    if state is None:
        raise StopIteration
    self._state = state
    return batch


def _next(self):
    """Return the next batch, as a list."""
    return _take(self, self.order_sampler)


def _next_up_to_1_12(self):
    """Return the next batch, as a list."""
    def order_sampler(order, position):
        if position + self.batch_size > len(order):
            return self.order_sampler(order, position)
        _report.adapted(_SAME)
        return order
    return _take(self, order_sampler)


def _at_most_one_lap(state, batch_size, repeat, order_sampler, dataset_len):
    parts: list[numpy.ndarray] = []
    after = _advance(
        state, batch_size, repeat, order_sampler, dataset_len, parts.append)
    return (state, None) if after is None else (after, numpy.concatenate(parts))


def _any_laps(state, batch_size, repeat, order_sampler, dataset_len):
    # No shuffle follows the last epoch.
    return _statemachine.iterator_statemachine(
        state, batch_size, repeat,
        order_sampler if repeat else lambda order, position: order, dataset_len)


def _counted(set_order):
    @functools.wraps(set_order)
    def count(self, shuffle, order_sampler):
        set_order(self, shuffle, order_sampler)
        if self.order_sampler is not None:
            _report.adapted(WHAT)
    return count


def install(patches):
    """Let epochs end as in a named version."""
    if not _named.is_named(patches, 'v5'):
        return
    following = _next_up_to_1_12 if _named.is_named(patches, 'v1.12') else _next
    for name in ('__next__', 'next'):
        patches.set(SerialIterator, name, following)
    patches.set(MultithreadIterator, '_take_batch', staticmethod(_any_laps))
    patches.set(MultiprocessIterator, '_take_batch', staticmethod(
        _any_laps if _named.is_named(patches, 'v2') else _at_most_one_lap))
    for cls in (SerialIterator, MultithreadIterator, MultiprocessIterator):
        patches.set(cls, '_set_order', _counted(cls._set_order))
