"""The plain iterator, which reads each batch when it is requested."""
from __future__ import annotations

import typing as tp

from chainer_fast.datasets.tuple_dataset import read_examples
from chainer_fast.iterators._ordered_iterator import OrderedIterator, RepeatProperty
from chainer_fast.iterators.order_samplers import ShuffleOrderSampler  # noqa: F401


class SerialIterator(RepeatProperty, OrderedIterator):
    """Iterator that reads examples one after the other in the calling thread.

    Parameters
    ----------
    dataset : sequence
        Any object with ``len()`` and access by integers.
    batch_size : int
        Number of examples in a batch.
    repeat : bool
        Whether to repeat the epochs forever. If not, it ends after one epoch, and the
        last batch may be short.
    shuffle : bool, optional
        Whether to shuffle the examples in every epoch. By default they are shuffled,
        unless there is an order sampler.
    order_sampler : callable, optional
        Returns the order of the next epoch, see
        :class:`chainer_fast.iterators.OrderSampler`. It excludes ``shuffle``.

    Raises
    ------
    ValueError
        If both ``shuffle`` and ``order_sampler`` are given.
    """

    def __init__(
            self, dataset: tp.Any, batch_size: int, repeat: bool = True,
            shuffle: bool | None = None,
            order_sampler: tp.Callable[..., tp.Any] | None = None) -> None:
        self._set_order(shuffle, order_sampler)
        self.dataset, self.batch_size = dataset, batch_size
        self._shuffle, self._repeat = shuffle, repeat
        self.reset()

    def reset(self) -> None:
        """Go back to the beginning, with a new order if orders are sampled."""
        self._restart()

    def __next__(self) -> list[tp.Any]:
        self._previous_epoch_detail = self.epoch_detail
        self._state, indices = self._after(self._state)
        if indices is None:
            raise StopIteration
        return read_examples(self.dataset, indices)

    next = __next__
