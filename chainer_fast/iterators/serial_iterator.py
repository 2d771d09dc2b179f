"""The plain iterator: batches are collected when they are asked for."""
import operator

import numpy

from chainer_fast.dataset.iterator import Iterator
from chainer_fast.iterators import _statemachine
from chainer_fast.iterators.order_samplers import ShuffleOrderSampler


class SerialIterator(Iterator):
    """Iterator that reads examples one after the other in the calling thread.

    Parameters
    ----------
    dataset : sequence
        Anything with ``len()`` and access by integers.
    batch_size : int
        Number of examples in a batch.
    repeat : bool
        Whether it goes on with the next epoch for ever. If not, it ends after one
        epoch, and the last batch may be short.
    shuffle : bool, optional
        Whether the order changes at random with every epoch. The default is to do so,
        unless there is an order sampler.
    order_sampler : callable, optional
        Gives the order of the next epoch, see
        :class:`chainer_fast.iterators.OrderSampler`. It excludes ``shuffle``.

    Raises
    ------
    ValueError
        If both ``shuffle`` and ``order_sampler`` are given.
    """

    def __init__(self, dataset, batch_size, repeat=True, shuffle=None,
                 order_sampler=None):
        if order_sampler is not None and shuffle is not None:
            raise ValueError(
                'both shuffle=%r and an order sampler are given; leave `shuffle` at '
                'None to use the order sampler' % (shuffle,))
        self.dataset, self.batch_size = dataset, batch_size
        self._shuffle, self._repeat = shuffle, repeat
        shuffled = order_sampler is None and (shuffle is None or shuffle)
        self.order_sampler = ShuffleOrderSampler() if shuffled else order_sampler
        self.reset()

    def reset(self):
        """Go back to the beginning, with a new order where the order is sampled."""
        sampler, order = self.order_sampler, None
        if sampler is not None:
            order = sampler(numpy.arange(len(self.dataset)), 0)
        self._state = _statemachine.IteratorState(
            current_position=0, epoch=0, is_new_epoch=False, order=order)
        # Negative stands for None, as a snapshot needs a number.
        self._previous_epoch_detail = -1.

    def __next__(self):
        previous = self.epoch_detail
        self._previous_epoch_detail = previous
        self._state, indices = _statemachine.iterator_statemachine(
            self._state, self.batch_size, self._repeat, self.order_sampler,
            len(self.dataset))
        if indices is None:
            raise StopIteration
        dataset = self.dataset
        return [dataset[i] for i in indices.tolist()]

    next = __next__

    epoch, is_new_epoch, current_position = [
        property(operator.attrgetter('_state.' + name), doc=doc) for name, doc in (
            ('epoch', 'Number of complete epochs.'),
            ('is_new_epoch', 'Whether the last batch completed an epoch.'),
            ('current_position', 'How many examples of the present epoch were used.'))]

    repeat = property(operator.attrgetter('_repeat'),
                      doc='Whether the iterator goes on after the first epoch.')

    @property
    def epoch_detail(self):
        """Number of epochs, with the fraction of the present one."""
        state = self._state
        return state.epoch + state.current_position / self._epoch_size

    @property
    def previous_epoch_detail(self):
        """``epoch_detail`` before the last batch; ``None`` before the first one."""
        detail = self._previous_epoch_detail
        return None if detail < 0 else detail

    @property
    def _epoch_size(self):
        order = self._state.order
        return len(self.dataset) if order is None else len(order)

    def serialize(self, serializer):
        """Write or read position, order and epoch; see the base class."""
        new = {name: serializer(name, getattr(self._state, name))
               for name in ('current_position', 'epoch', 'is_new_epoch')}
        if self._state.order is not None:
            new['order'] = _serialize_order(serializer, self._state.order)
        self._state = self._state._replace(**new)
        try:
            previous = serializer('previous_epoch_detail', self._previous_epoch_detail)
        except KeyError:
            # Snapshots of early versions lack it; it is one batch before the position.
            previous = max(self.epoch_detail - self.batch_size / self._epoch_size, 0.)
        self._previous_epoch_detail = previous


def _serialize_order(serializer, order):
    # A deserializer fills the array that it gets: give it one that nobody else holds.
    order = numpy.array(order)
    try:
        return serializer('order', order)
    except KeyError:
        return serializer('_order', order)  # the name in early versions
