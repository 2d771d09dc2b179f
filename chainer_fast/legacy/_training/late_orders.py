"""When MultiprocessIterator drew the orders of epochs, up to version 2.

It prefetched exactly the given number of batches, and drew an order when a batch needed
one, not when an epoch ended with the preceding batch. This matters if the program draws
other random numbers from the same state.
"""
import functools

import numpy

from chainer_fast.iterators import MultiprocessIterator
from chainer_fast.legacy import _named


class _Used(numpy.ndarray):
    """The order of an epoch that has ended, before the next one is drawn."""


def _late(take):
    """Return a function that reads a batch and does not draw an order at its end."""
    def take_batch(state, batch_size, repeat, order_sampler, dataset_len):
        order = state.order
        if isinstance(order, _Used):
            order = order_sampler(numpy.asarray(order), 0)
            state = state._replace(order=order)
        if order is None or not repeat or not len(order):
            return take(state, batch_size, repeat, order_sampler, dataset_len)
        ends, rest = divmod(state.current_position + batch_size, len(order))

        def sample(order, position):
            nonlocal ends
            ends -= 1
            if ends or rest:
                return order_sampler(order, position)
            return numpy.asarray(order).view(_Used)
        return take(state, batch_size, repeat, sample, dataset_len)
    return take_batch


def _refreshing(refresh):
    @functools.wraps(refresh)
    def load(self, orders=None):
        if orders is None:      # it is being saved: prefetched batches are used
            return
        state = self._state
        if orders and state.is_new_epoch and state.current_position == 0:
            # The first of them is that of the new epoch.
            self._state = state._replace(order=state.order.view(_Used))
        refresh(self, orders)
    return load


def install(patches):
    """Draw orders at the times of versions 1 and 2 if one of them is named."""
    if _named.is_named(patches, 'v2'):
        cls = MultiprocessIterator
        patches.set(cls, '_take_batch', staticmethod(_late(cls._take_batch)))
        patches.set(cls, '_refresh', _refreshing(cls._refresh))
        patches.set(cls, '_depth', property(lambda self: max(self.n_prefetch, 1)))
