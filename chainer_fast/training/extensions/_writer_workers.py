"""Threads and processes that write snapshots and report their failures."""
import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
import traceback
from typing import Any

from chainer_fast.utils._mpi import mpi_left_alone


def describe(error):
    """Return a description of an exception for a warning."""
    return '%s: %s' % (type(error).__name__, str(error)[:500])


def is_process(worker):
    """Return whether a worker that has ended was a process."""
    return isinstance(getattr(worker, 'exitcode', None), int)


def failure_of(worker):
    """Return a description of the failure of an ended worker, or ``None``."""
    failure = getattr(worker, 'failure', None)
    if isinstance(failure, str):
        return failure
    if not is_process(worker) or worker.exitcode == 0:
        return None
    if worker.exitcode < 0:
        return 'the process that writes was killed by signal %d' % -worker.exitcode
    return 'the process that writes has ended with exit code %d' % worker.exitcode


class Thread(threading.Thread):
    """Thread that keeps the exception it fails with."""

    failure = None

    def run(self):
        try:
            super().run()
        except Exception as error:
            traceback.print_exc()
            self.failure = describe(error)


class Process(multiprocessing.Process):
    """Process that sends the exception it fails with.

    Ctrl-C reaches all processes of a terminal, but only the parent handles it; it waits
    until the file is written.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._receiver, self._sender = multiprocessing.Pipe(duplex=False)

    def start(self):
        with mpi_left_alone():
            super().start()

    def run(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # A handler inherited through a fork does not apply to this process.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            super().run()
        except Exception as error:
            traceback.print_exc()
            self._sender.send(describe(error))
            sys.exit(1)

    @property
    def failure(self):
        """Return the exception it failed with, or ``None``, after it has ended."""
        with contextlib.suppress(EOFError, OSError):
            if self._receiver.poll():
                return self._receiver.recv()
        return None


class Server(Process):
    """Process that executes tasks for its parent, and ends with it.

    A killed parent cannot end it, and a queue does not report that the other end is
    closed.
    """

    _busy: Any = None

    def run(self):
        self._busy = threading.Lock()
        threading.Thread(target=self._end_with_parent, daemon=True).start()
        super().run()

    def _end_with_parent(self):
        parent: Any = multiprocessing.parent_process()
        with contextlib.suppress(ProcessLookupError):
            multiprocessing.connection.wait([parent.sentinel, *_ends_of(parent.pid)])
        with self._busy:
            os._exit(1)


def _ends_of(pid):
    """Return at most one file descriptor that becomes ready when a process ends."""
    if sys.platform != 'linux' or not hasattr(os, 'pidfd_open'):
        return []
    # Other forks of the parent may outlive it and hold copies of the sentinel.
    try:
        return [os.pidfd_open(pid)]
    except ProcessLookupError:
        raise
    except OSError:     # an old kernel
        return []


def finishing():
    """Return a context that a :class:`Server` leaves before it ends with its parent."""
    process = multiprocessing.current_process()
    return process._busy if isinstance(process, Server) else contextlib.nullcontext()
