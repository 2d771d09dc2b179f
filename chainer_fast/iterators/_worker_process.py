"""Worker processes that read examples, on the owner's side."""
import collections
import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time

from chainer_fast.iterators import _worker
from chainer_fast.utils._forks import opencv_without_threads
from chainer_fast.utils._mpi import mpi_left_alone

# Tasks given to a worker at a time: the current and the next one, as many as its memory
# has halves.
TASKS_AHEAD = 2
# Seconds to wait for a process to end before killing it.
GRACE = 1.
# Seconds that a process may take to end after it has closed its connection.
_ENDING = 30.
# Message for a worker that ends at once, whenever that is detected.
_NOT_STARTED = (
    ' before it had read the data set; its standard error output shows the reason '
    '(often that the script lacks "if __name__ == \'__main__\':")')
# The exit code that multiprocessing reports in this case.
_SERVER_IS_GONE = 255


class WorkerFailure(Exception):
    """The reason why a pool can no longer be used."""


class WorkerProcess:
    """A worker process and its tasks."""

    def __init__(self, dataset, example_bytes):
        context = multiprocessing.get_context()
        self.connection, self._other_end = context.Pipe()
        method = context.get_start_method()
        self._has_server = method == 'forkserver'
        # A fork has a copy of this end, which it must close to notice when this one
        # closes.
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
        """Start the process, cleaning up after an error."""
        with self._other_end:  # open only in the worker, so that its end is detected
            try:
                with _interrupts_blocked(), mpi_left_alone(), opencv_without_threads():
                    self.process.start()
            except (EOFError, ConnectionError) as error:
                raise RuntimeError(
                    'a worker process, or the server that forks them, ended%s'
                    % _NOT_STARTED) from error

    def give(self, task):
        """Send a task; OSError means that the process cannot receive it."""
        half = self.n_given % TASKS_AHEAD
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
                data, spans = content
                return task, _worker.unpack(data, spans, self.memory), None
            except Exception as error:
                return task, None, error
        pickled, text, trace = content
        try:
            raised = pickle.loads(pickled)
        except Exception:  # there is none, or it cannot be unpickled
            raised = RuntimeError(text)
        raised.__cause__ = WorkerFailure(
            'in the worker process %d:\n\n%s' % (self.pid, trace))
        return task, None, raised

    def release(self):
        """Close the resources of a process that has ended."""
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
        """Return a description of the process and its current examples."""
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
        """Return a description of how the process ended."""
        # The connection closes before the process ends, which may still write the
        # reason.
        self.process.join(_ENDING)
        code = self.process.exitcode
        if code is None:
            return 'closed its connection' + ('' if self.n_messages else _NOT_STARTED)
        if code < 0:
            try:
                return 'was killed by the signal %s' % signal.Signals(-code).name
            except ValueError:
                return 'was killed by the signal %d' % -code
        text = 'ended with the exit code %d' % code
        if code == _SERVER_IS_GONE and self._has_server:
            text += ' (or the server process that forks them was killed)'
        if not self.n_messages:
            text += _NOT_STARTED
        return text


@contextlib.contextmanager
def interrupts_deferred():
    """Defer Ctrl-C while processes are started; a second one is not deferred.

    An interrupt would leave an unknown process behind. The new process itself ignores
    the signal until it is ready for it.
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
    # New processes inherit the mask.
    if sys.platform == 'win32':
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_all(workers):
    """End processes, regardless of what they are doing."""
    workers = [worker for worker in workers if worker.pid is not None]
    for worker in workers:
        worker.process.terminate()
        if worker.process.is_alive() and hasattr(signal, 'SIGCONT'):
            # A stopped process ends only when it continues.
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGCONT)
    deadline = time.monotonic() + GRACE
    for worker in workers:
        worker.process.join(max(deadline - time.monotonic(), 0))
    for worker in workers:
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join(GRACE)
