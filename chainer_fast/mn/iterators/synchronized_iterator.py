"""Equal random orders on all processes."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast.dataset.iterator import Iterator
from chainer_fast.iterators.order_samplers import ShuffleOrderSampler
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.mn.iterators import _delegation
from chainer_fast.utils.experimental import experimental


class _SynchronizedIterator(_delegation.DelegatingIterator):
    """Iterator with the order of the same iterator on other processes."""

    def __init__(
            self, actual_iterator: Iterator, communicator: CommunicatorBase) -> None:
        if not hasattr(actual_iterator, 'order_sampler'):
            raise ValueError(
                'actual_iterator must have order_sampler, like iterators of '
                'chainer.iterators; got %s' % type(actual_iterator).__name__)
        super().__init__(actual_iterator)
        seed = None
        if communicator.rank == 0:
            seed = int(numpy.random.randint(0, 2 ** 32 - 1, dtype=numpy.int64))
        seed = communicator.bcast_obj(seed, root=0)
        self.order_sampler = ShuffleOrderSampler(numpy.random.RandomState(seed))
        self.actual_iterator.reset()

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.actual_iterator, name, value)


def create_synchronized_iterator(
        actual_iterator: Iterator, communicator: CommunicatorBase) -> Iterator:
    """Return an iterator whose random order is the same on all processes.

    Parts of one model on different processes need the same batches. Each process reads
    its own copy of the data set; if only one has it, use
    :func:`create_multi_node_iterator`. All processes call this function at the same
    place.

    Parameters
    ----------
    actual_iterator : Iterator
        Iterator with an ``order_sampler``, which is replaced: batches are shuffled even
        if they were not before.
    communicator : CommunicatorBase
        The processes.

    Returns
    -------
    Iterator
        An iterator with the attributes of ``actual_iterator``.

    Raises
    ------
    ValueError
        If the iterator has no ``order_sampler``.

    Examples
    --------
    ::

        iterator = chainermn.iterators.create_synchronized_iterator(
            chainer.iterators.SerialIterator(train, 32), comm)
    """
    experimental('chainermn.iterators.create_synchronized_iterator')
    return _SynchronizedIterator(actual_iterator, communicator)
