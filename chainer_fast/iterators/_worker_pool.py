"""Worker processes that read examples, and the thread that looks after them.

``multiprocessing.Pool`` replaces a worker that dies and waits for its result for ever.
Here every worker has a connection of its own, no lock is shared between processes, and
the end of a process is an event like the arrival of a result.
"""
import atexit
import collections
import contextlib
import multiprocessing
import os
import pickle
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
# The exit code that multiprocessing makes up then.
_SERVER_IS_GONE = 255
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
    """Examples to come; the lock of the pool guards it against two writers."""

    def __init__(self, size):
        self.examples = [None] * size
        self.error = None
        self._missing = size
        # Released when it is done. A condition would be the common way, but it does not
        # survive an interrupt at the wrong moment.
        self._latch = threading.Lock()
        self._latch.acquire()

    @property
    def done(self):
        return self.error is not None or not self._missing

    def put(self, start, examples):
        """Fill in a part."""
        if not self.done:
            self.examples[start:start + len(examples)] = examples
            self._missing -= len(examples)
            if not self._missing:
                self._latch.release()

    def fail(self, error):
        """Have an error in place of the examples, unless they are all there."""
        if not self.done:
            self.error = error
            self._latch.release()

    def wait(self, timeout):
        """Wait until it is done; return whether it is."""
        if not self.done:
            self._latch.acquire(timeout=timeout)
        return self.done


_Task = collections.namedtuple('_Task', ('batch', 'start', 'indices'))


class _Process:
    """A worker process with what it was given to do."""

    def __init__(self, dataset, example_bytes):
        context = multiprocessing.get_context()
        self.connection, self._other_end = context.Pipe()
        method = context.get_start_method()
        self._has_server = method == 'forkserver'
        # A fork has a copy of this end, without which it notices when this one closes.
        forked_end = self.connection if method == 'fork' else None
        self.process = context.Process(
            target=_worker.work, daemon=True, name='reader of examples',
            args=(self._other_end, forked_end, os.getpid(), dataset, example_bytes))
        self.tasks = collections.deque()
        self.n_given = self.n_messages = 0
        self._n_finished = 0  # examples of the first task
        self.memory = None

    @property
    def pid(self):
        return self.process.pid

    def start(self):
        """Start the process; an error leaves nothing behind."""
        with self._other_end:  # open in the worker alone, so that its end is noticed
            try:
                with _interrupts_blocked():
                    self.process.start()
            except (EOFError, ConnectionError) as error:
                raise RuntimeError(
                    'a worker process, or the server that forks them, ended while it '
                    'was started; what it wrote to its standard error output tells why '
                    '(often a script that lacks "if __name__ == \'__main__\':")'
                ) from error

    def give(self, task):
        """Hand out a task; OSError says that the process does not take any."""
        half = self.n_given % _TASKS_AHEAD
        self.tasks.append(task)
        self.n_given += 1
        self.connection.send((task.indices, half))

    def receive(self):
        """Return (task, examples, error), or None after any other message."""
        kind, *content = self.connection.recv()
        self.n_messages += 1
        if kind == 'progress':
            self._n_finished, = content
            return None
        if kind == 'memory':
            self._unmap()
            self.memory = _worker.receive_memory(self.connection, *content)
            return None
        task = self.tasks.popleft()
        self._n_finished = 0
        if kind == 'examples':
            try:
                return task, _worker.unpack(*content, self.memory), None
            except Exception as error:
                return task, None, error
        pickled, text, trace = content
        try:
            raised = pickle.loads(pickled)
        except Exception:  # there is none, or it has its whims
            raised = RuntimeError(text)
        raised.__cause__ = WorkerFailure(
            'in the worker process %d:\n\n%s' % (self.pid, trace))
        return task, None, raised

    def release(self):
        """Close what belongs to a process that has ended."""
        self._other_end.close()
        self.connection.close()
        self._unmap()
        if self.pid is None or self.process.exitcode is not None:
            self.process.close()

    def _unmap(self):
        if self.memory is not None:
            mapping = self.memory.obj
            self.memory.release()
            mapping.close()
            self.memory = None

    def description(self):
        """Say which process it is, and what it is at."""
        text = 'worker process %d' % self.pid
        if not self.n_messages:
            return text + ' (which is starting)'
        try:
            indices = self.tasks[0].indices[self._n_finished:]
        except IndexError:
            return text
        return text + ' (at the examples with the indices %s)' % ', '.join(
            map(str, indices))

    def end(self):
        """Say how the process ended."""
        self.process.join(_GRACE)
        code = self.process.exitcode
        if code is None:
            return 'closed its connection'
        if code < 0:
            try:
                return 'was killed by the signal %s' % signal.Signals(-code).name
            except ValueError:
                return 'was killed by the signal %d' % -code
        text = 'ended with the exit code %d' % code
        if code == _SERVER_IS_GONE and self._has_server:
            text += ' (or the server process that forks them was killed)'
        if not self.n_messages:
            text += (' before it had read the data set; what it wrote to its standard '
                     'error output tells why')
        return text


@contextlib.contextmanager
def interrupts_deferred():
    """Have Ctrl-C wait while processes are started, the second one excepted.

    It would leave a process behind that nobody knows. One that is starting ignores it:
    it lets the signal in when it is ready for that.
    """
    handler = signal.getsignal(signal.SIGINT)
    if (threading.current_thread() is not threading.main_thread()
            or not callable(handler)):
        yield
        return
    calls = []

    def defer(*args):
        calls.append(args)
        if len(calls) > 1:
            handler(*args)

    signal.signal(signal.SIGINT, defer)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if len(calls) == 1:
            handler(*calls[0])


@contextlib.contextmanager
def _interrupts_blocked():
    # What is started inherits this.
    if not hasattr(signal, 'pthread_sigmask'):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(workers):
    """End processes, whatever they are doing."""
    workers = [worker for worker in workers if worker.pid is not None]
    for worker in workers:
        worker.process.terminate()
        if worker.process.is_alive() and hasattr(signal, 'SIGCONT'):
            # One that is stopped ends only when it goes on.
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGCONT)
    deadline = time.monotonic() + _GRACE
    for worker in workers:
        worker.process.join(max(deadline - time.monotonic(), 0))
    for worker in workers:
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join(_GRACE)


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
        # Not before the processes: a fork of one thread alone is the safest.
        self._thread = threading.Thread(
            target=self._look_after, daemon=True, name='worker pool of an iterator')
        try:
            for _ in range(n_processes):
                self._processes.append(_Process(*self._process_args))
                self._processes[-1].start()
            self._thread.start()
        except BaseException:
            self.close()
            raise
        _open_pools.add(self)

    def submit(self, indices):
        """Have examples read; return a :class:`Batch`.

        An exception, as of a signal, may leave a task handed out by half: the pool has
        to be closed then.
        """
        batch = Batch(len(indices))
        size = -(-len(indices) // (_TASKS_AHEAD * self._n_processes))
        size = max(1, min(size, _LARGEST_TASK))
        with self._lock:
            if self._failure is not None:
                batch.fail(self._failure)
            self._waiting.extend(
                _Task(batch, start, indices[start:start + size])
                for start in range(0, len(indices), size))
            # What finds no taker now is handed out when a result arrives.
            self._hand_out()
        return batch

    def cancel(self):
        """Forget what no process has begun yet."""
        with self._lock:
            self._waiting.clear()

    def busy(self):
        """Return the processes that have something to do."""
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
        _end(processes)
        if self._thread.ident and self._thread is not threading.current_thread():
            self._thread.join(_GRACE)
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

    def _replace_used_up(self):
        for i, worker in enumerate(self._processes):
            if self._is_used_up(worker) and not worker.tasks:
                try:
                    worker.connection.send(None)
                except OSError:
                    pass  # ended by itself
                new = _Process(*self._process_args)
                try:
                    new.start()
                    with self._lock:
                        if self._closing:
                            return
                        self._retired.append(worker)
                        self._processes[i], new = new, None
                finally:
                    if new is not None:
                        _end([new])
                        new.release()
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
                if worker is None or len(worker.tasks) >= _TASKS_AHEAD:
                    return
                task = self._waiting.popleft()
                if task.batch.error is not None:
                    continue
                try:
                    worker.give(task)
                except OSError:
                    return  # its end is noticed while results are gathered

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
        with self._lock:
            if error is None:
                task.batch.put(task.start, examples)
            else:
                task.batch.fail(error)
