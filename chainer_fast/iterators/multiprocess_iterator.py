"""Iterator whose next batches are read by worker processes."""
from __future__ import annotations

import collections
import functools
import multiprocessing
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast import _numbers
from chainer_fast.iterators._hang_watch import wait
from chainer_fast.iterators._ordered_iterator import ReadAheadIterator
from chainer_fast.iterators._own_reader import OwnReader
from chainer_fast.iterators._statemachine import NoExamples
from chainer_fast.iterators._worker_pool import WorkerPool
from chainer_fast.iterators._worker_process import WorkerFailure, interrupts_deferred
from chainer_fast.iterators.order_samplers import ShuffleOrderSampler

# Maximal number of batches that one call requests from the workers. The number of
# prefetched batches is not limited, but no call waits until all are requested.
_MOST_AT_ONCE = 1024

_ENDED = '. All workers were terminated; the next call starts new ones'
_READS_AGAIN = '. The next call waits until this is done, and reads the batch again'


class MultiprocessIterator(ReadAheadIterator):
    """Iterator with processes that read the next batches while one is in use.

    It is useful if reading an example takes much computation that holds the
    interpreter's lock. Arrays are passed in shared memory. Each process has a copy of
    the data set, made by a fork, or by pickling with the start methods ``'spawn'`` and
    ``'forkserver'`` (see ``multiprocessing.set_start_method``).

    Parameters
    ----------
    dataset, batch_size, repeat, shuffle, order_sampler
        As in :class:`chainer_fast.iterators.SerialIterator`.
    n_processes : int, optional
        Number of worker processes; if None or 0, the number of CPUs.
    n_prefetch : int
        Number of batches to read in advance, besides the next one; 0 is treated as 1.
    shared_mem : int, optional
        Shared memory for one example, in bytes. Larger examples go through a pipe,
        which is slower. By default it is as much as the examples need; 0 turns shared
        memory off. Shared memory is only used on Linux. If the argument is omitted,
        this process reads the first batch, as in Chainer, which measures its examples.
    dataset_timeout : float or None
        Seconds after which a missing batch causes a warning; the limits below depend
        on it. With ``None`` there are neither warnings nor limits.
    maxtasksperchild : int, optional
        Number of examples after which a process is replaced by a new one, for data
        sets that leak memory. By default processes are kept. The thread that requests
        batches starts the new ones, at its next request.

    Raises
    ------
    ValueError
        If both ``shuffle`` and ``order_sampler`` are given, if ``n_processes`` is
        negative, or if ``maxtasksperchild`` is below 1; in the iteration, if there are
        no examples.

    Warns
    -----
    MultiprocessIterator.TimeoutWarning
        When a batch takes longer than ``dataset_timeout``. Frequent causes are a slow
        or very large example, a library with its own threads that does not work after
        a fork (use another start method; threads of OpenCV are turned off in forks),
        and too little memory.

    Notes
    -----
    An exception of the data set is raised where its batch would have been returned,
    with the worker's traceback as the cause; the batch after it comes with the next
    call. If a worker is killed, ends or hangs, :class:`RuntimeError` is raised and
    all workers are terminated; the next call starts new ones and continues with that
    batch.

    If this process reads the first batch, a thread does so, which cannot be terminated:
    if it hangs, the error is the same, and the program does not wait for it at exit.

    While a batch is awaited, a worker is considered hung

    - after being stopped by a signal such as SIGSTOP for three seconds while this
      process runs (a job may be stopped and continued as a whole);
    - after twice the ``dataset_timeout``, but at least ten seconds, in which neither
      its threads nor processes it started get any processor time, as in a deadlock;
    - after ten times the ``dataset_timeout``, but at least ten seconds, without
      finishing an example. A process that is still starting has at least a minute.

    The first two require Linux, which reports the activity of processes.

    The processes are started with the first batch (after it, if this process reads it),
    with the start method set at that time. All forks begin with the same copy of the
    state of ``numpy.random`` at that time. :meth:`finalize`, or the end of a ``with``
    statement, ends them; they also end with this process, however it ends. Since 3.12
    Python emits a :class:`DeprecationWarning`, hidden by default, if a process with
    other threads, such as those of another iterator, forks; the start methods
    ``'spawn'`` and ``'forkserver'`` avoid it.

    Orders are sampled as far in advance as batches are read. Saving, loading and
    :meth:`reset` discard both, and read and sample again.

    Examples
    --------
    A program that starts processes must guard its main part: ::

        if __name__ == '__main__':
            iterator = chainer.iterators.MultiprocessIterator(
                dataset, batch_size=32, n_processes=4, shared_mem=1000000)
            with iterator:
                for batch in iterator:
                    ...
    """

    dataset: Any
    batch_size: int
    repeat: Any
    shuffle: bool | None

    class TimeoutWarning(RuntimeWarning):
        """A batch took longer than ``dataset_timeout``."""

    _finalized = False
    _refuses_empty_batches = True
    _pool: Any = None
    # Whether batches are read in advance, which is true from the first call on.
    _reads_ahead = False

    def __init__(
            self, dataset: Any, batch_size: int, repeat: bool = True,
            shuffle: bool | None = None, n_processes: int | None = None,
            n_prefetch: int = 1, shared_mem: int | None = None,
            order_sampler: Callable[..., Any] | None = None,
            dataset_timeout: float | None = 30.0,
            maxtasksperchild: int | None = None) -> None:
        batch_size, n_processes, n_prefetch = _numbers.plain_all(
            (batch_size, n_processes, n_prefetch))
        if n_processes and n_processes < 0:
            raise ValueError('n_processes must not be negative (%r)' % (n_processes,))
        if maxtasksperchild is not None and maxtasksperchild < 1:
            raise ValueError(
                'maxtasksperchild must be at least 1, not %r' % (maxtasksperchild,))
        self._set_order(shuffle, order_sampler)
        self.dataset, self.batch_size = dataset, batch_size
        self.repeat, self.shuffle = repeat, shuffle
        self.n_processes: int = n_processes or multiprocessing.cpu_count()
        self.n_prefetch = n_prefetch
        self.shared_mem = shared_mem
        self._is_measured = shared_mem is not None
        self.dataset_timeout: Any = dataset_timeout
        self._maxtasksperchild = maxtasksperchild
        # Batches being read: (batch, or None at the end, or the error of the sampler;
        # state after the batch; orders sampled for it).
        self._ahead = collections.deque()
        self.reset()

    def reset(self) -> None:
        """Return to the beginning, with a new order if orders are sampled.

        The workers and their copies of the data set are kept.

        Raises
        ------
        NotImplementedError
            After :meth:`finalize`.
        """
        if self._finalized:
            raise NotImplementedError(
                'a MultiprocessIterator cannot be reset after it is finalized; make a '
                'new one')
        self._drop_ahead()
        self._restart()
        if self._reads_ahead:
            self._read_ahead(self._depth)

    def finalize(self) -> None:
        """End the worker processes. The iterator cannot be used afterwards."""
        self._finalized = True
        self._end_workers()
        self._sampled = []

    def __getstate__(self) -> dict[str, Any]:
        # A copy reads with its own processes.
        return {**self.__dict__, '_ahead': collections.deque(), '_pool': None,
                '_sampled': list(self._sampled), '_finalized': False,
                '_reads_ahead': False, '_is_measured': self.shared_mem is not None}

    def __setstate__(self, state: Any) -> None:
        if '_state' not in state:
            # Chainer's pickles contain the arguments of the constructor. Others do not
            # need this module.
            from chainer_fast.serializers import _old_states
            state = _old_states.bring_up_to_date(self, state, _old_states.Later())
        self.__dict__.update(state)
        # Chainer calls the constructor, which samples an order, shuffled by default.
        sampler = self.order_sampler or ShuffleOrderSampler()
        sampler(numpy.arange(len(self.dataset)), 0)

    def __next__(self) -> list[Any]:
        if self._finalized:
            raise RuntimeError('the MultiprocessIterator is finalized; make a new one')
        if self._pool is not None and self._pool.pid != os.getpid():
            self._reread()
        self._reads_ahead = True
        if not self._is_measured:
            self._measure()
        self._read_ahead(self._depth + 1)
        batch, state, _ = self._ahead[0]
        if isinstance(batch, Exception):
            self._ahead.clear()
            raise batch
        if batch is not None:
            self._wait(batch)
        epoch_detail, rest = self.epoch_detail, self._ahead.copy()
        rest.popleft()
        # At Ctrl-C the batch must be either returned or still queued. It cannot
        # interrupt an assignment without calls.
        self._ahead, self._state, self._previous_epoch_detail = (
            rest, state, epoch_detail)
        if batch is None:
            raise StopIteration
        if batch.error is not None:
            raise batch.error
        return batch.examples

    next = __next__

    @property
    def _depth(self):
        # Chainer's thread holds one more batch than its queue. In this order, NaN
        # counts as one.
        return max(1, self.n_prefetch) + 1

    def _measure(self):
        """Read the first batch in this process."""
        self._read_ahead(1)
        batch, _, _ = self._ahead[0]
        if batch is not None and not isinstance(batch, Exception):
            self._wait(batch)
            self._pool.join()
            # Nothing is reading now, so that workers can be forked.
            self._pool, self._is_measured = None, True

    def _read_ahead(self, n_batches):
        if not self._is_measured:
            n_batches = 1
        n_batches = min(n_batches, len(self._ahead) + _MOST_AT_ONCE)
        while len(self._ahead) < n_batches:
            previous = self._state
            if self._ahead:
                batch, previous, _ = self._ahead[-1]
                if batch is None or isinstance(batch, Exception):
                    return
            # Before an order is sampled: forks get the current random state.
            self._start_workers()
            batch = None
            try:
                state, indices, orders = self._step(previous)
            except Exception as error:  # raised when its batch is due
                batch, state, indices, orders = error, previous, None, []
            if indices is not None:
                try:
                    if not indices.size:
                        raise NoExamples(
                            'a batch has no examples: there are %d, batch_size is %r'
                            % (len(self.dataset), self.batch_size))
                    batch = self._pool.submit(indices.tolist())
                except BaseException:
                    self._sampled = orders + self._sampled
                    self._end_workers()
                    raise
            self._ahead.append((batch, state, orders))

    def _start_workers(self):
        if self._pool is None:
            with interrupts_deferred():
                self._pool = WorkerPool(
                    self.dataset, self.n_processes, self.shared_mem,
                    self._maxtasksperchild,
                ) if self._is_measured else OwnReader(self.dataset)

    def _wait(self, batch):
        remedy = _ENDED if self._is_measured else _READS_AGAIN
        # The warning is about the line that calls next().
        given_up = wait(batch, self._pool, self.dataset_timeout, functools.partial(
            warnings.warn, category=self.TimeoutWarning,
            stacklevel=4 if self._is_measured else 5))
        if given_up:
            self._end_workers()
            raise RuntimeError(given_up + remedy)
        if isinstance(batch.error, WorkerFailure):
            self._end_workers()
            raise RuntimeError('%s%s' % (batch.error, remedy)) from batch.error

    def _orders_ahead(self):
        return [order for _, _, orders in self._ahead for order in orders]

    def _drop_ahead(self):
        self._ahead.clear()
        if self._pool is None:
            return
        if self._pool.pid == os.getpid():
            self._pool.cancel()
        else:  # in a fork of the process that owns the workers
            self._pool = None
            self._reads_ahead = False

    def _refresh(self, orders=None):
        reads_ahead = self._reads_ahead and (
            self._pool is None or self._pool.pid == os.getpid())
        if orders is not None:
            # Nothing is cancelled: the batches come back if loading is undone.
            self._ahead.clear()
        elif reads_ahead:
            self._drop_ahead()
        else:
            return
        self._sampled = orders or []
        if reads_ahead:
            self._read_ahead(self._depth)

    def _end_workers(self):
        pool, self._reads_ahead = self._pool, False
        if pool is not None:
            if self._is_measured:   # else the thread may still be reading
                self._pool = None
            self._reread()
            pool.close()
