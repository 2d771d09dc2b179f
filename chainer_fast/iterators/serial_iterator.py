"""The plain iterator, which reads each batch when it is requested."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
        :class:`chainer_fast.iterators.OrderSampler`. It cannot be combined with
        ``shuffle``.

    Attributes
    ----------
    epoch : int
        Number of completed passes over the data set.
    is_new_epoch : bool
        Whether the last batch completed a pass.
    epoch_detail, previous_epoch_detail : float
        Number of passes with the fraction of the current one, now and before the last
        batch.
    batch_size : int
        As given.
    repeat : bool
        Whether the epochs are repeated.

    Raises
    ------
    ValueError
        If both ``shuffle`` and ``order_sampler`` are given.

    Examples
    --------
    >>> iterator = chainer.iterators.SerialIterator(range(5), 2, shuffle=False)
    >>> iterator.next(), iterator.next(), iterator.next()
    ([0, 1], [2, 3], [4, 0])
    >>> iterator.epoch, iterator.is_new_epoch, iterator.epoch_detail
    (1, True, 1.2)

    A single pass, as needed for an evaluation:

    >>> list(chainer.iterators.SerialIterator(range(5), 2, repeat=False, shuffle=False))
    [[0, 1], [2, 3], [4]]
    """

    dataset: Sequence[Any]
    batch_size: int

    def __init__(
            self, dataset: Any, batch_size: int, repeat: bool = True,
            shuffle: bool | None = None,
            order_sampler: Callable[..., Any] | None = None) -> None:
        self._set_order(shuffle, order_sampler)
        self.dataset, self.batch_size = dataset, batch_size
        self._shuffle, self._repeat = shuffle, repeat
        self.reset()

    def reset(self) -> None:
        """Return to the beginning, with a new order if orders are sampled."""
        self._restart()

    def __next__(self) -> list[Any]:
        self._previous_epoch_detail = self.epoch_detail
        self._state, indices = self._after(self._state)
        if indices is None:
            raise StopIteration
        return read_examples(self.dataset, indices)

    next = __next__
