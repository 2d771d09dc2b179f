"""Base class of iterators over an order of examples: position, order, snapshots."""
from __future__ import annotations

import operator
from typing import Any

import numpy

from chainer_fast import _numbers
from chainer_fast._help import mistakes
from chainer_fast.dataset import dataset_mixin
from chainer_fast.dataset.iterator import Iterator
from chainer_fast.iterators import _statemachine
from chainer_fast.iterators.order_samplers import ShuffleOrderSampler
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.utils import _random_state

# Batch sizes without examples that programs are known to use.
_EMPTY = (0, -1)


def _explain_size(error, batch_size):
    """Add a hint to an exception if the batch size is not an integer."""
    if isinstance(batch_size, float):
        mistakes.tell(error, (
            'batch_size must be an integer, but is %r: n // 2 is an integer, n / 2 is '
            'none' % (batch_size,)))


class OrderedIterator(Iterator):
    """Base class of iterators whose batches follow the state machine.

    A subclass sets ``repeat``, reads the examples in its ``__next__`` and calls
    :meth:`reset` in its constructor.
    """

    epoch: int
    is_new_epoch: bool
    current_position: Any
    order_sampler: Any

    dataset: Any
    batch_size: int
    repeat: Any

    # The name of the order in a snapshot, and that in snapshots of early versions.
    _order_keys = ('order', '_order')
    _order_is_always_written = False
    # Whether a batch without examples is an error.
    _refuses_empty_batches = False
    # Negative means None, as a snapshot needs a number.
    _previous_epoch_detail = -1.
    # Whether a subclass in a program overrides properties that `epoch_detail` uses.
    _has_own_position = False
    _take_batch = staticmethod(_statemachine.iterator_statemachine)

    def _set_order(self, shuffle, order_sampler):
        """Set the source of the orders."""
        if order_sampler is not None and shuffle is not None:
            raise ValueError(
                'both shuffle=%r and an order sampler are given; omit `shuffle` to '
                'use the order sampler' % (shuffle,))
        shuffled = order_sampler is None and (shuffle is None or shuffle)
        self.order_sampler = ShuffleOrderSampler() if shuffled else order_sampler

    def _restart(self):
        sampler, order = self.order_sampler, None
        dataset_mixin._check_length(self.dataset)
        mistakes.require_number(self.batch_size, 'batch_size', 'int')
        if self.batch_size in _EMPTY and not self._refuses_empty_batches:
            mistakes.warn_once((type(self), 'batch_size'), (
                'batch_size is %s, so that batches of this %s have no examples: it '
                'must be the number of examples in a batch' % (
                    self.batch_size, type(self).__name__)))
        if sampler is not None:
            order = sampler(numpy.arange(len(self.dataset)), 0)
        self._state = _statemachine.IteratorState(
            current_position=0, epoch=0, is_new_epoch=False, order=order)
        self._previous_epoch_detail = -1.

    def _after(self, state):
        """Return the state after the next batch, and the indices of the batch."""
        try:
            return self._take_batch(
                state, self.batch_size, self.repeat, self.order_sampler,
                len(self.dataset))
        except TypeError as error:
            _explain_size(error, self.batch_size)
            raise

    epoch, is_new_epoch, current_position = [
        property(operator.attrgetter('_state.' + name), doc=doc) for name, doc in (
            ('epoch', 'Number of complete epochs.'),
            ('is_new_epoch', 'Whether the last batch completed an epoch.'),
            ('current_position', 'Number of examples used in the current epoch.'))]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        base = OrderedIterator
        cls._has_own_position = not (
            cls.epoch is base.epoch and cls.current_position is base.current_position)

    @property
    def epoch_detail(self) -> float:
        """Number of epochs, with the fraction of the current one."""
        state = self._state
        try:
            if self._has_own_position:      # properties take longer than the state
                return self.epoch + self.current_position / self._epoch_size
            return state.epoch + state.current_position / self._epoch_size
        except ZeroDivisionError:
            raise _statemachine.NoExamples(
                'a %s has no examples: %s is empty; check from which files, or by '
                'which condition, it is made' % (
                    type(self).__name__,
                    'the order of its sampler' if len(self.dataset)
                    else 'its data set (a %s)' % type(self.dataset).__name__)
            ) from None

    @property
    def previous_epoch_detail(self) -> float | None:
        """``epoch_detail`` before the last batch; ``None`` before the first one."""
        detail = self._previous_epoch_detail
        return None if detail < 0 else detail

    @property
    def _epoch_size(self):
        order = self._state.order
        return len(self.dataset) if order is None else len(order)

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read position, order and epoch; see the base class."""
        new = {name: serializer(name, getattr(self._state, name))
               for name in ('current_position', 'epoch', 'is_new_epoch')}
        if self._state.order is not None:
            new['order'] = self._serialize_order(serializer)
        elif self._order_is_always_written:
            try:
                serializer(self._order_keys[0], None)
            except KeyError:
                pass  # from an iterator that does not write it
        self._state = self._state._replace(**new)
        try:
            previous = serializer('previous_epoch_detail', self._previous_epoch_detail)
        except KeyError:
            # Snapshots of early versions lack it; it is one batch before the position.
            previous = -1.
            if self.epoch_detail > 0:
                before = self.current_position - _numbers.plain(self.batch_size)
                previous = max(self.epoch + before / self._epoch_size, 0.)
        self._previous_epoch_detail = previous
        if isinstance(self.order_sampler, ShuffleOrderSampler):
            self.order_sampler.serialize(serializer)

    def _serialize_order(self, serializer):
        # A deserializer fills the array that it gets: pass it a copy.
        order = numpy.array(self._state.order)
        name, other_name = self._order_keys
        try:
            return serializer(name, order)
        except KeyError:
            return serializer(other_name, order)


class ReadAheadIterator(OrderedIterator):
    """Base class of iterators that read batches in advance.

    Orders are then sampled in advance, too. Where Chainer reads batches again, it also
    samples again, and so does this class: a seeded program draws the same numbers.
    Orders are kept where Chainer never reads again (after a worker was killed), and in
    snapshots, together with the random state after sampling them.

    A subclass keeps its batches with their states and orders, returns the orders in
    :meth:`_orders_ahead`, and discards the batches in :meth:`_drop_ahead`.
    """

    _sampled = ()

    def _restart(self):
        self._sampled = []
        super()._restart()

    def _step(self, state):
        """Return state and indices like :meth:`_after`, and the orders used."""
        orders = []

        def sample(order, position):
            if self._sampled:
                orders.append(self._sampled.pop(0))
            else:
                orders.append(self.order_sampler(order, position))
            return orders[-1]

        try:
            state, indices = self._take_batch(
                state, self.batch_size, self.repeat, sample, len(self.dataset))
        except TypeError as error:
            _explain_size(error, self.batch_size)
            raise
        return state, indices, orders

    def _orders_ahead(self):
        """Return the orders sampled for batches that are not returned yet."""
        raise NotImplementedError

    def _all_orders_ahead(self):
        return [*self._orders_ahead(), *self._sampled]

    def _drop_ahead(self):
        """Discard the batches that were read in advance."""
        raise NotImplementedError

    def _reread(self):
        """Discard batches that were read in advance, but reuse their orders."""
        self._sampled = self._all_orders_ahead()
        self._drop_ahead()

    def _refresh(self, orders=None):
        """Discard what was read in advance, and read it again if anything was.

        Parameters
        ----------
        orders : list, optional
            Orders to use first; by default none. Orders that no batch has used yet
            are only discarded together with the batches before them.
        """
        raise NotImplementedError

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read position, orders and epoch; see the base class."""
        if not isinstance(serializer, Deserializer):
            # Before the state of the sampler is written.
            self._refresh()
            super().serialize(serializer)
            orders = self._all_orders_ahead()
            sampler = getattr(self.order_sampler, '_random', None)
            if orders and _random_state.is_saved(sampler):
                serializer('orders_ahead', numpy.array(orders))
            return
        super().serialize(serializer)
        loaded = _load_orders_ahead(serializer, self._epoch_size)
        self._refresh(loaded)


def _load_orders_ahead(serializer, epoch_size):
    """Return a list of orders, which is empty for snapshots without orders."""
    try:
        orders = serializer('orders_ahead', None)
    except KeyError:
        orders = None
    if orders is None:
        return []
    if orders.ndim != 2 or orders.shape[1] != epoch_size or orders.dtype.kind != 'i':
        raise ValueError(
            'orders_ahead has shape %s and dtype %s, but orders of %s indices were '
            'expected' % (orders.shape, orders.dtype, epoch_size))
    return list(orders)


class RepeatProperty:
    """Mix-in for iterators whose ``repeat`` cannot be set."""

    repeat: Any = property(operator.attrgetter('_repeat'),
                      doc='Whether the iterator continues after the first epoch.')
