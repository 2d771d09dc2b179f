"""Pool of worker processes that read examples, and the thread that supervises them.

``multiprocessing.Pool`` replaces a worker that dies, but waits forever for its result.
Here every worker has its own connection, processes share no locks, and the end of a
process is an event, like the arrival of a result.
"""
import atexit
import collections
import contextlib
import multiprocessing
import os
import threading
import weakref
from multiprocessing import connection

from chainer_fast.iterators._worker_process import (
    GRACE,
    TASKS_AHEAD,
    WorkerFailure,
    WorkerProcess,
    end_all,
    interrupts_deferred,
)

# Tasks are so small that a connection's buffer holds two of them.
_LARGEST_TASK = 64

_open_pools = weakref.WeakSet()


@atexit.register
def _close_pools():
    for pool in list(_open_pools):
        pool.close()


class Batch:
    """A batch being read; the lock of the pool protects it from concurrent writers."""

    _changes_by_itself = True

    def __init__(self, size):
        self.examples = [None] * size
        self.error = None
        self._missing = size
        # Released when the batch is done, or when the waiting thread has work to do.
        # A condition variable would be more usual, but an interrupt at the wrong
        # moment breaks it.
        self._latch = threading.Lock()
        self._latch.acquire()

    @property
    def done(self):
        return self.error is not None or not self._missing

    def put(self, place, examples):
        """Store a part of the examples; ``place`` is a slice."""
        if not self.done:
            self.examples[place] = examples
            self._missing -= len(examples)
            if not self._missing:
                self.wake()

    def fail(self, error):
        """Store an error instead of the examples, unless they are complete."""
        if not self.done:
            self.error = error
            self.wake()

    def wake(self):
        """Make :meth:`wait` return now."""
        if self._latch.locked():
            self._latch.release()

    def wait(self, timeout):
        """Wait for the batch or :meth:`wake`; return if the batch is done."""
        if not self.done:
            self._latch.acquire(timeout=timeout)
        return self.done


def _places(n, n_processes, largest):
    """Return slices: the parts of a batch of ``n`` examples.

    Every process gets each n-th example, as in round-robin scheduling. Forks with
    the same random state then draw the same numbers as in Chainer, where a task is
    one example.
    """
    size = max(1, min(-(-n // (TASKS_AHEAD * n_processes)), largest))
    rows = size * n_processes
    return [slice(first + turn, min(first + rows, n), n_processes)
            for first in range(0, n, rows)
            for turn in range(min(n_processes, n - first))]


_Task = collections.namedtuple('_Task', ('batch', 'place', 'indices'))


class WorkerPool:
    """Processes that read examples of a data set.

    Parameters
    ----------
    dataset : sequence
        The data set.
    n_processes : int
        Number of processes.
    example_bytes : int or None
        Shared memory for an example; ``None`` means as much as needed.
    tasks_per_process : int or None
        Number of tasks after which a process is replaced by a new one; a task is then
        one example.
    """

    # The thread continues while an object that has the pool is loaded, or restored.
    _changes_by_itself = True

    def __init__(self, dataset, n_processes, example_bytes, tasks_per_process):
        self.pid = os.getpid()
        self._process_args = dataset, example_bytes
        self._tasks_per_process = tasks_per_process
        self._n_processes = n_processes
        self._lock = threading.RLock()
        self._waiting = collections.deque()
        self._failure = None
        self._closing = self._is_closed = False
        self._retired = []
        self._processes = []
        self._bell, self._bell_button = multiprocessing.Pipe(duplex=False)
        # It is started after the processes, and starts none itself: a fork must not
        # happen while the thread that uses the iterator computes. OpenBLAS ends its
        # threads before a fork, so that a running product would never finish; and if
        # random numbers are being drawn, the fork would hold the lock of numpy.random
        # forever.
        self._thread = threading.Thread(
            target=self._look_after, daemon=True, name='worker pool of an iterator')
        try:
            for _ in range(n_processes):
                self._processes.append(WorkerProcess(*self._process_args))
                self._processes[-1].start()
            self._thread.start()
        except BaseException:
            self.close()
            raise
        _open_pools.add(self)

    def submit(self, indices):
        """Request examples; return a :class:`Batch`.

        Call :meth:`renew` while waiting for it. After an exception, for example from a
        signal, the pool must be closed: a task may have been sent partially.
        """
        batch = Batch(len(indices))
        places = _places(len(indices), self._n_processes,
                         1 if self._tasks_per_process else _LARGEST_TASK)
        with self._lock:
            if self._failure is not None:
                batch.fail(self._failure)
            self._waiting.extend(
                _Task(batch, place, indices[place]) for place in places)
            # The remaining tasks are sent when results arrive.
            self._hand_out()
        return batch

    def renew(self):
        """Replace processes that reached their limit; called by the owner."""
        for place, worker in enumerate(self._processes):
            if (self._is_used_up(worker) and not worker.tasks
                    and self._failure is None):
                with interrupts_deferred():
                    self._replace(place)

    def _replace(self, place):
        new = WorkerProcess(*self._process_args)
        try:
            new.start()
            with self._lock:
                if self._failure is not None:
                    return
                old = self._processes[place]
                self._retired.append(old)
                self._processes[place], new = new, None
            with contextlib.suppress(OSError):      # it may have ended already
                old.connection.send(None)
        finally:
            if new is not None:
                end_all([new])
                new.release()
        self._ring()    # another connection must be watched

    def cancel(self):
        """Discard tasks that have not been sent."""
        with self._lock:
            self._waiting.clear()

    def busy(self):
        """Return the processes that have tasks."""
        with self._lock:
            return [worker for worker in self._processes if worker.tasks]

    def close(self):
        """End the processes, whatever they are doing, and the thread."""
        if self._is_closed or os.getpid() != self.pid:
            return  # in a fork of the owner, the processes are not its children
        with self._lock:
            self._closing = True
            processes = self._processes + self._retired
            self._fail(WorkerFailure('the pool is closed'))
        self._ring()
        end_all(processes)
        if self._thread.ident and self._thread is not threading.current_thread():
            self._thread.join(GRACE)
        if not self._thread.is_alive():
            self._bell.close()
            self._bell_button.close()
            for worker in processes:
                worker.release()
            self._is_closed = True
        _open_pools.discard(self)

    def _ring(self):
        try:
            self._bell_button.send_bytes(b'')
        except OSError:
            pass  # closed

    # The methods below run in the thread.

    def _look_after(self):
        try:
            while not self._closing:
                self._release_retired()
                self._hand_out()
                self._gather()
        except WorkerFailure as failure:
            self._fail(failure)
        except BaseException as error:
            own = WorkerFailure('the thread of the workers failed: %r' % error)
            own.__cause__ = error
            self._fail(own)

    def _fail(self, failure):
        with self._lock:
            if self._failure is None:
                self._failure = failure
            tasks = [task for worker in self._processes for task in worker.tasks]
            for task in tasks + list(self._waiting):
                task.batch.fail(failure)
            self._waiting.clear()

    def _is_used_up(self, worker):
        return (self._tasks_per_process is not None
                and worker.n_given >= self._tasks_per_process)

    def _release_retired(self):
        for worker in [w for w in self._retired if w.process.exitcode is not None]:
            with self._lock:
                if self._closing:
                    return
                self._retired.remove(worker)
                worker.release()

    def _hand_out(self):
        with self._lock:
            while self._waiting:
                worker = min((worker for worker in self._processes
                              if not self._is_used_up(worker)),
                             key=lambda worker: len(worker.tasks), default=None)
                if worker is None or len(worker.tasks) >= TASKS_AHEAD:
                    return
                task = self._waiting.popleft()
                if task.batch.error is not None:
                    continue
                try:
                    worker.give(task)
                except OSError:
                    return  # _gather detects that it has ended

    def _gather(self):
        ready = set(connection.wait(
            [self._bell]
            + [worker.connection for worker in self._processes]
            + [worker.process.sentinel for worker in self._processes]))
        if self._bell in ready:
            self._bell.recv_bytes()
        for worker in self._processes:
            if worker.connection in ready:
                # A result sent before the process ended is still valid.
                try:
                    result = worker.receive()
                except (EOFError, OSError) as error:
                    self._report_end(worker, error)
                else:
                    self._store(result)
            elif worker.process.sentinel in ready:
                self._report_end(worker)

    def _report_end(self, worker, error=None):
        if not self._closing:
            raise WorkerFailure(
                'the %s %s' % (worker.description(), worker.end())) from error

    def _store(self, result):
        if result is None:
            return
        task, examples, error = result
        with self._lock:
            if error is None:
                task.batch.put(task.place, examples)
            else:
                task.batch.fail(error)
            if self._waiting and any(
                    self._is_used_up(worker) and not worker.tasks
                    for worker in self._processes):
                # The waiting thread replaces the processes.
                for batch in {waiting.batch for waiting in self._waiting}:
                    batch.wake()
