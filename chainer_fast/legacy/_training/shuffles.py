"""Iterators up to version 4 shuffle the order of the epoch before, not a new one."""
import functools

from chainer_fast.iterators import (
    MultiprocessIterator,
    MultithreadIterator,
    SerialIterator,
)
from chainer_fast.iterators.order_samplers import ShuffleOrderSampler
from chainer_fast.legacy import _named, _report

WHAT = 'iterators that shuffle the order of the epoch before'


class ShuffleAgainSampler(ShuffleOrderSampler):
    """Order sampler that shuffles the order of the epoch before."""

    def __call__(self, current_order, current_position):
        return self._random.permutation(current_order)


def _change(patches, cls):
    set_order = cls._set_order

    @functools.wraps(set_order)
    def change(self, shuffle, order_sampler):
        set_order(self, shuffle, order_sampler)
        if order_sampler is None and self.order_sampler is not None:
            _report.adapted(WHAT)
            self.order_sampler = ShuffleAgainSampler()
    patches.set(cls, '_set_order', change)


def install(patches):
    """Let orders of later epochs be those of a version that was named."""
    if _named.is_named(patches, 'v4'):
        _change(patches, SerialIterator)
        _change(patches, MultithreadIterator)
    if _named.is_named(patches, 'v2'):
        _change(patches, MultiprocessIterator)
