"""Iterator whose next batch is read by threads."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from chainer_fast.datasets.tuple_dataset import read_example
from chainer_fast.iterators._ordered_iterator import (
    ReadAheadIterator,
    RepeatProperty,
)
from chainer_fast.iterators._threads import ThreadPool
from chainer_fast.iterators.order_samplers import ShuffleOrderSampler  # noqa: F401


def _read(args):
    """Return an example, given a data set and an index."""
    return read_example(*args)


class MultithreadIterator(RepeatProperty, ReadAheadIterator):
    """Iterator with threads that read the next batch while one is in use.

    It is useful if reading an example waits (for files or the network) or computes
    without the interpreter's lock (as in decoding images). Several threads use the data
    set at the same time.

    Parameters
    ----------
    dataset, batch_size, repeat, shuffle, order_sampler
        As in :class:`chainer_fast.iterators.SerialIterator`.
    n_threads : int
        Number of threads.

    Raises
    ------
    ValueError
        If both ``shuffle`` and ``order_sampler`` are given, or if ``n_threads`` is
        below 1.

    Notes
    -----
    An exception of the data set is raised where its batch would have been returned;
    the batch after it comes with the next call. The threads start with the first batch
    and end with :meth:`finalize`, after which the iterator can be used again. Saving,
    loading and :meth:`finalize` discard what was read in advance, and the order sampled
    for it; the next call reads and samples again.

    Examples
    --------
    >>> with chainer.iterators.MultithreadIterator(
    ...         range(5), 2, repeat=False, shuffle=False, n_threads=2) as iterator:
    ...     list(iterator)
    [[0, 1], [2, 3], [4]]
    """

    dataset: Any
    batch_size: int

    # Early versions of this iterator used a different name from the other iterators.
    _order_keys = ('_order', 'order')
    _order_is_always_written = True
    _pool: Any = None
    # The batch that is being read, as a result of the pool, and the state after it.
    # Subclasses in programs override _invoke_prefetch(), which sets both, _get(), which
    # consumes them, and _read(), which the threads call.
    _next: Any = None
    _next_state: Any = None
    _read = staticmethod(_read)
    # The orders that were sampled for that batch.
    _next_orders: Sequence[Any] = ()

    def __init__(
            self, dataset: Any, batch_size: int, repeat: bool = True,
            shuffle: bool | None = None, n_threads: int = 1,
            order_sampler: Callable[..., Any] | None = None) -> None:
        self._set_order(shuffle, order_sampler)
        self.dataset, self.batch_size = dataset, batch_size
        self._shuffle, self._repeat = shuffle, repeat
        self.n_threads = n_threads
        self.reset()

    def reset(self) -> None:
        """Return to the beginning, with a new order if orders are sampled."""
        self._next = None
        self._restart()

    def finalize(self) -> None:
        """Stop the threads and discard what they read in advance."""
        self._refresh()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.terminate()

    def __getstate__(self) -> dict[str, Any]:
        # A copy reads with its own threads.
        return dict(self.__dict__, _pool=None, _next=None, _sampled=list(self._sampled))

    def __copy__(self) -> MultithreadIterator:
        copied = type(self).__new__(type(self))
        # As in Chainer, both return the batch that is being read.
        copied.__dict__.update(self.__getstate__(), _next=self._next)
        return copied

    def __next__(self) -> list[Any]:
        if self._next is None:
            self._invoke_prefetch()
        before, self._previous_epoch_detail = (
            self._previous_epoch_detail, self.epoch_detail)
        try:
            batch = self._get()
        except StopIteration:
            raise
        except BaseException:
            if self._next is None:
                # An error of the data set. The next call returns the batch after this
                # one.
                self._invoke_prefetch()
            else:
                # Ctrl-C during the wait has no effect on the state.
                self._previous_epoch_detail = before
            raise
        self._invoke_prefetch()
        return batch

    next = __next__

    def _invoke_prefetch(self):
        """Start reading the batch after the current state, if any."""
        self._next_state, indices, self._next_orders = self._step(self._state)
        if indices is None:
            return
        if self._pool is None:
            self._pool = ThreadPool(self.n_threads)
        dataset, read = self.dataset, self._read
        if read is _read:
            # The same without a tuple for each example.
            read, arguments = functools.partial(read_example, dataset), list(indices)
        else:
            arguments = [(dataset, index) for index in indices]
        self._next = self._pool.map_async(read, arguments)

    def _get(self):
        """Wait for the batch that is being read, and set the state after it."""
        result = self._next
        if result is not None:
            result.wait()
        self._state = self._next_state
        if result is None:
            raise StopIteration
        self._next = None
        return result.get()

    def _orders_ahead(self):
        return [] if self._next is None else list(self._next_orders)

    def _drop_ahead(self):
        self._next = None

    def _refresh(self, orders=None):
        if self._next is not None or orders is not None:
            self._next, self._sampled = None, orders or []
