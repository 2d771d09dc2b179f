"""Worker processes that read examples, and the thread that looks after them.

``multiprocessing.Pool`` replaces a worker that dies and waits for its result for ever.
Here every worker has a connection of its own, no lock is shared between processes, and
the end of a process is an event like the arrival of a result.
"""
import atexit
import collections
import multiprocessing
import os
import signal
import threading
import time
import weakref
from multiprocessing import connection

from chainer_fast.iterators import _worker

# Tasks given to a worker in advance: one to work at and one to go on with, as many as
# its memory has halves.
_TASKS_AHEAD = 2
# A task is small enough for a connection to take two of them without a reader.
_LARGEST_TASK = 64
# Seconds that a process is given to end before it is killed.
_GRACE = 1.

_open_pools = weakref.WeakSet()


@atexit.register
def _close_pools():
    for pool in list(_open_pools):
        pool.close()


class WorkerFailure(Exception):
    """Why a pool is of no use any more; for the code around it."""


class Batch:
    """Examples to come. The condition of the pool guards the attributes."""

    def __init__(self, size, condition):
        self.examples = [None] * size
        self.error = None
        self._missing = size
        self._condition = condition

    def put(self, start, examples):
        """Fill in a part."""
        self.examples[start:start + len(examples)] = examples
        self._missing -= len(examples)

    @property
    def done(self):
        return self.error is not None or not self._missing

    def wait(self, timeout):
        """Wait until it is done; return whether it is."""
        with self._condition:
            return self._condition.wait_for(lambda: self.done, timeout)


_Task = collections.namedtuple('_Task', ('batch', 'start', 'indices'))


class _Process:
    """A worker process with what it was given to do."""

    def __init__(self, dataset, example_bytes):
        context = multiprocessing.get_context()
        # A server process, not this one, is the parent with 'forkserver'.
        direct = context.get_start_method() != 'forkserver'
        self.connection, other_end = context.Pipe()
        self.process = context.Process(
            target=_worker.work, daemon=True, name='reader of examples',
            args=(other_end, os.getpid() if direct else None, dataset, example_bytes))
        self.tasks = collections.deque()
        self.n_given = 0
        self.memory = None
        with other_end:  # open in the worker alone, so that its end is noticed
            self.process.start()

    def give(self, task):
        self.connection.send((task.indices, self.n_given % _TASKS_AHEAD))
        self.tasks.append(task)
        self.n_given += 1

    def receive(self):
        """Return (task, examples, error), or None after a message on memory."""
        kind, *content = self.connection.recv()
        if kind == 'memory':
            self._unmap()
            self.memory = _worker.receive_memory(self.connection, *content)
            return None
        task = self.tasks.popleft()
        if kind == 'examples':
            try:
                return task, _worker.unpack(*content, self.memory), None
            except Exception as error:
                return task, None, error
        raised, trace = content
        raised.__cause__ = WorkerFailure(
            'in the worker process %d:\n\n%s' % (self.process.pid, trace))
        return task, None, raised

    def release(self):
        """Close what belongs to a process that has ended."""
        self.connection.close()
        self._unmap()
        if self.process.exitcode is not None:
            self.process.close()

    def _unmap(self):
        if self.memory is not None:
            mapping = self.memory.obj
            self.memory.release()
            mapping.close()
            self.memory = None

    def description(self):
        """Say which process it is, and what it is at."""
        text = 'worker process %d' % self.process.pid
        if self.tasks:
            text += ' (at the examples with the indices %s)' % ', '.join(
                map(str, self.tasks[0].indices))
        return text

    def end(self):
        """Say how the process ended."""
        self.process.join(_GRACE)
        code = self.process.exitcode
        if code is None:
            return 'closed its connection'
        if code >= 0:
            return 'ended with the exit code %d' % code
        try:
            return 'was killed by the signal %s' % signal.Signals(-code).name
        except ValueError:
            return 'was killed by the signal %d' % -code


class WorkerPool:
    """Processes that read examples of a data set.

    Parameters
    ----------
    dataset : sequence
        The data set.
    n_processes : int
        Number of processes.
    example_bytes : int or None
        Shared memory for an example; ``None`` leaves it to the examples.
    tasks_per_process : int or None
        After how many tasks a process is replaced by a new one.
    """

    def __init__(self, dataset, n_processes, example_bytes, tasks_per_process):
        self.pid = os.getpid()
        self.last_arrival = time.monotonic()
        self._process_args = dataset, example_bytes
        self._tasks_per_process = tasks_per_process
        self._n_processes = n_processes
        self._condition = threading.Condition()
        self._waiting = collections.deque()
        self._failure = None
        self._closing = False
        self._retired = []
        self._processes = []
        self._bell, self._bell_button = multiprocessing.Pipe(duplex=False)
        # Not before the processes: a fork of one thread alone is the safest.
        self._thread = threading.Thread(
            target=self._look_after, daemon=True, name='worker pool of an iterator')
        try:
            for _ in range(n_processes):
                self._processes.append(_Process(*self._process_args))
            self._thread.start()
        except BaseException:
            self.close()
            raise
        _open_pools.add(self)

    def submit(self, indices):
        """Have examples read; return a :class:`Batch`."""
        batch = Batch(len(indices), self._condition)
        size = -(-len(indices) // (_TASKS_AHEAD * self._n_processes))
        size = max(1, min(size, _LARGEST_TASK))
        with self._condition:
            batch.error = self._failure
            self._waiting.extend(
                _Task(batch, start, indices[start:start + size])
                for start in range(0, len(indices), size))
        self._ring()
        return batch

    def cancel(self):
        """Forget what no process has begun yet."""
        with self._condition:
            self._waiting.clear()

    def busy(self):
        """Say which processes have something to do."""
        with self._condition:
            return '; '.join(p.description() for p in self._processes if p.tasks)

    def close(self):
        """End the processes, whatever they are doing, and the thread."""
        if os.getpid() != self.pid:
            return  # a fork of the owner: the processes are not its children
        with self._condition:
            self._closing = True
            processes = self._processes + self._retired
            self._fail(WorkerFailure('the pool is closed'))
        self._ring()
        for worker in processes:
            worker.process.terminate()
        for worker in processes:
            worker.process.join(_GRACE)
            if worker.process.is_alive():
                # Stopped, or deaf to the polite signal.
                worker.process.kill()
                worker.process.join(_GRACE)
        if self._thread.ident and self._thread is not threading.current_thread():
            self._thread.join(_GRACE)
        if not self._thread.is_alive():
            self._bell.close()
            self._bell_button.close()
            for worker in processes:
                worker.release()
        _open_pools.discard(self)

    def _ring(self):
        try:
            self._bell_button.send_bytes(b'')
        except OSError:
            pass  # closed

    # What follows runs in the thread.

    def _look_after(self):
        try:
            while not self._closing:
                self._replace_used_up()
                self._hand_out()
                self._gather()
        except WorkerFailure as failure:
            self._fail(failure)
        except BaseException as error:
            own = WorkerFailure('the thread of the workers failed: %r' % error)
            own.__cause__ = error
            self._fail(own)

    def _fail(self, failure):
        with self._condition:
            if self._failure is None:
                self._failure = failure
            tasks = [task for worker in self._processes for task in worker.tasks]
            for task in tasks + list(self._waiting):
                if not task.batch.done:
                    task.batch.error = failure
            self._waiting.clear()
            self._condition.notify_all()

    def _is_used_up(self, worker):
        return (self._tasks_per_process is not None
                and worker.n_given >= self._tasks_per_process)

    def _replace_used_up(self):
        for i, worker in enumerate(self._processes):
            if self._is_used_up(worker) and not worker.tasks:
                try:
                    worker.connection.send(None)
                except OSError:
                    pass  # ended by itself
                with self._condition:
                    if self._closing:
                        return
                    self._retired.append(worker)
                    self._processes[i] = _Process(*self._process_args)
        for worker in [w for w in self._retired if w.process.exitcode is not None]:
            with self._condition:
                if self._closing:
                    return
                self._retired.remove(worker)
                worker.release()

    def _hand_out(self):
        while True:
            worker = min((worker for worker in self._processes
                          if not self._is_used_up(worker)),
                         key=lambda worker: len(worker.tasks), default=None)
            if worker is None or len(worker.tasks) == _TASKS_AHEAD:
                return
            with self._condition:
                if not self._waiting:
                    return
                task = self._waiting.popleft()
                if task.batch.error is not None:
                    continue
                try:
                    worker.give(task)
                except OSError:
                    # Its end is noticed while results are gathered.
                    worker.tasks.append(task)
                    return

    def _gather(self):
        ready = set(connection.wait(
            [self._bell]
            + [worker.connection for worker in self._processes]
            + [worker.process.sentinel for worker in self._processes]))
        if self._bell in ready:
            self._bell.recv_bytes()
        for worker in self._processes:
            if worker.connection in ready:
                # A result may have been sent before the end: it counts.
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
        with self._condition:
            self.last_arrival = time.monotonic()
            if error is None:
                task.batch.put(task.start, examples)
            elif task.batch.error is None:
                task.batch.error = error
            if task.batch.done:
                self._condition.notify_all()
