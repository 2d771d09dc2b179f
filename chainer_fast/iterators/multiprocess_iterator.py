"""The iterator whose next batches are read by worker processes."""
import collections
import multiprocessing
import os
import time
import warnings

from chainer_fast.iterators._ordered_iterator import OrderedIterator, same_state
from chainer_fast.iterators._worker_pool import WorkerFailure, WorkerPool
from chainer_fast.iterators.order_samplers import ShuffleOrderSampler  # noqa: F401

# After how many times `dataset_timeout` without any example workers count as hanging.
_HANG_FACTOR = 10


class MultiprocessIterator(OrderedIterator):
    """Iterator with processes that read the next batches while this one is in use.

    It pays where reading an example computes much with the interpreter's lock held.
    Arrays come through shared memory. Each process has a copy of the data set: made by
    a fork, or by pickling with the start methods ``'spawn'`` and ``'forkserver'`` (see
    ``multiprocessing.set_start_method``).

    Parameters
    ----------
    dataset, batch_size, repeat, shuffle, order_sampler
        As those of :class:`chainer_fast.iterators.SerialIterator`.
    n_processes : int, optional
        Number of worker processes; by default that of the CPUs.
    n_prefetch : int
        How many batches are read in advance.
    shared_mem : int, optional
        Shared memory for one example, in bytes. What does not fit takes the slower way
        through a pipe. By default there is as much as the examples take; 0 turns shared
        memory off. Systems other than Linux do without it.
    dataset_timeout : float or None
        Seconds after which a batch that has not come is warned of. Workers from which
        nothing at all has come for ten times as long are taken for hanging and are
        ended. ``None`` waits for ever.
    maxtasksperchild : int, optional
        After how many tasks (parts of batches) a process is replaced by a new one, for
        data sets that leak memory. By default processes stay.

    Raises
    ------
    ValueError
        If both ``shuffle`` and ``order_sampler`` are given, or a number of processes or
        tasks is below 1.

    Warns
    -----
    MultiprocessIterator.TimeoutWarning
        When a batch takes longer than ``dataset_timeout``. Frequent causes are a slow
        or very large example, a library with threads of its own that does not survive a
        fork (OpenCV: call ``cv2.setNumThreads(0)``, or use another start method), and
        too little memory.

    Notes
    -----
    An exception of the data set is raised where its batch would have been returned,
    with the worker's traceback as the cause; the batch after it comes with the next
    call. If a worker is killed, ends or hangs, :class:`RuntimeError` is raised and no
    worker remains; the next call starts new ones and goes on with that batch.

    The processes start with the first batch. :meth:`finalize`, or the end of a ``with``
    statement, ends them.
    """

    class TimeoutWarning(RuntimeWarning):
        """A batch took longer than ``dataset_timeout``."""

    _finalized = False
    _pool = None

    def __init__(self, dataset, batch_size, repeat=True, shuffle=None, n_processes=None,
                 n_prefetch=1, shared_mem=None, order_sampler=None,
                 dataset_timeout=30.0, maxtasksperchild=None):
        for name, value in (('n_processes', n_processes),
                            ('maxtasksperchild', maxtasksperchild)):
            if value is not None and value < 1:
                raise ValueError('%s has to be at least 1, not %r' % (name, value))
        self._set_order(shuffle, order_sampler)
        self.dataset, self.batch_size = dataset, batch_size
        self.repeat, self.shuffle = repeat, shuffle
        self.n_processes = n_processes or multiprocessing.cpu_count()
        self.n_prefetch = n_prefetch
        self.shared_mem = shared_mem
        self.dataset_timeout = dataset_timeout
        self._maxtasksperchild = maxtasksperchild
        # What is being read: (batch or None at the end, state once it is handed out).
        self._ahead = collections.deque()
        self._restart()

    def reset(self):
        """Go back to the beginning, with a new order where the order is sampled.

        The workers, and with them their copies of the data set, stay.

        Raises
        ------
        NotImplementedError
            After :meth:`finalize`.
        """
        if self._finalized:
            raise NotImplementedError(
                'a MultiprocessIterator cannot be reset once it is finalized; make a '
                'new one')
        self._forget_ahead()
        self._restart()

    def finalize(self):
        """End the worker processes. The iterator is of no use afterwards."""
        self._finalized = True
        self._end_workers()

    def __getstate__(self):
        # A copy reads with processes of its own.
        return {**self.__dict__, '_ahead': collections.deque(), '_pool': None,
                '_finalized': False}

    def __next__(self):
        if self._finalized:
            raise RuntimeError('the MultiprocessIterator is finalized; make a new one')
        if self._pool is not None and self._pool.pid != os.getpid():
            self._forget_ahead()
        self._read_ahead(max(self.n_prefetch, 1))
        batch, state = self._ahead[0]
        if batch is not None:
            self._wait(batch)
        self._ahead.popleft()
        self._previous_epoch_detail = self.epoch_detail
        self._state = state
        if batch is None:
            raise StopIteration
        if batch.error is not None:
            raise batch.error
        self._read_ahead(self.n_prefetch)
        return batch.examples

    next = __next__

    def _read_ahead(self, n_batches):
        while len(self._ahead) < n_batches:
            previous = self._state
            if self._ahead:
                batch, previous = self._ahead[-1]
                if batch is None:
                    return
            state, indices = self._after(previous)
            batch = None
            if indices is not None:
                if self._pool is None:
                    self._pool = WorkerPool(self.dataset, self.n_processes,
                                            self.shared_mem, self._maxtasksperchild)
                batch = self._pool.submit(indices.tolist())
            self._ahead.append((batch, state))

    def _wait(self, batch):
        begin = time.monotonic()
        has_warned = False
        while not batch.wait(self.dataset_timeout):
            idle = time.monotonic() - max(begin, self._pool.last_arrival)
            if idle >= _HANG_FACTOR * self.dataset_timeout:
                busy = self._pool.busy()
                self._end_workers()
                raise RuntimeError(
                    'no example has come for %.1f seconds; hanging: %s. If examples do '
                    'take so long, raise `dataset_timeout` (it is %s)'
                    % (idle, busy, self.dataset_timeout))
            if not has_warned:
                has_warned = True
                warnings.warn(
                    'a batch has not come within the %s seconds of `dataset_timeout`; '
                    'waiting for: %s. After %.0f seconds without any example it is an '
                    'error. The documentation of MultiprocessIterator names causes'
                    % (self.dataset_timeout, self._pool.busy(),
                       _HANG_FACTOR * self.dataset_timeout),
                    self.TimeoutWarning, stacklevel=3)
        if isinstance(batch.error, WorkerFailure):
            self._end_workers()
            raise RuntimeError(
                '%s. The other workers were ended as well; the next call starts new '
                'ones' % batch.error) from batch.error

    def _forget_ahead(self):
        self._ahead.clear()
        if self._pool is None:
            return
        if self._pool.pid == os.getpid():
            self._pool.cancel()
        else:  # in a fork of the process that the workers belong to
            self._pool = None

    def _end_workers(self):
        pool, self._pool = self._pool, None
        if pool is not None:
            self._ahead.clear()
            pool.close()

    def serialize(self, serializer):
        """Write or read position, order and epoch; see the base class."""
        before = self._state
        super().serialize(serializer)
        if not same_state(before, self._state):
            self._forget_ahead()
