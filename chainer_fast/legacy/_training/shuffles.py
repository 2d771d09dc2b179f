"""Shuffling up to version 4: that of the preceding order, not of a new one."""
import functools

import numpy

from chainer_fast.iterators import (
    MultiprocessIterator,
    MultithreadIterator,
    SerialIterator,
)
from chainer_fast.iterators.order_samplers import ShuffleOrderSampler
from chainer_fast.legacy import _named, _report

WHAT = 'iterators that shuffle the order of the epoch before'
_OWN = 'MultiprocessIterator with random numbers of its own'


class ShuffleAgainSampler(ShuffleOrderSampler):
    """Order sampler that shuffles the order of the preceding epoch."""

    def __call__(self, current_order, current_position):
        return self._random.permutation(current_order)


class OwnRandomSampler(ShuffleOrderSampler):
    """Order sampler of which only the first order uses NumPy's global state.

    Attributes
    ----------
    begins : bool
        Whether the next order is the first one.
    """

    begins = True

    def __call__(self, current_order, current_position):
        if not self.begins:
            return super().__call__(current_order, current_position)
        self.begins = False
        return numpy.random.permutation(len(current_order))


def _change(patches, cls):
    set_order = cls._set_order

    @functools.wraps(set_order)
    def change(self, shuffle, order_sampler):
        set_order(self, shuffle, order_sampler)
        if order_sampler is None and self.order_sampler is not None:
            _report.adapted(WHAT)
            self.order_sampler = ShuffleAgainSampler()
    patches.set(cls, '_set_order', change)


def _draw_apart(patches, cls):
    """Let an iterator draw a seed at construction, whether it shuffles or not."""
    construct, restart = cls.__init__, cls._restart

    @functools.wraps(construct)
    def __init__(self, *args, **kwargs):
        construct(self, *args, **kwargs)
        _report.adapted(_OWN)
        seed = int(numpy.random.randint(-2**31, 2**31, dtype=numpy.int64)) % 2**32
        if type(self.order_sampler) is ShuffleOrderSampler:
            self.order_sampler = OwnRandomSampler(numpy.random.RandomState(seed))
            self.order_sampler.begins = False

    @functools.wraps(restart)
    def begin(self):
        if isinstance(self.order_sampler, OwnRandomSampler):
            self.order_sampler.begins = True
        restart(self)
    patches.set(cls, '__init__', __init__)
    patches.set(cls, '_restart', begin)


def install(patches):
    """Let the orders of later epochs be those of a named version."""
    if _named.is_named(patches, 'v4'):
        _change(patches, SerialIterator)
        _change(patches, MultithreadIterator)
    if _named.is_named(patches, 'v2'):
        _change(patches, MultiprocessIterator)
    elif _named.is_named(patches, 'v4') and not _named.is_named(patches, 'v3'):
        _draw_apart(patches, MultiprocessIterator)
