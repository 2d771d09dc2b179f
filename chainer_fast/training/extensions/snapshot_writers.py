"""Writers, which write snapshots to the disk, immediately or in the background.

A file gets its final name when it is completely on the disk. An error in the
background does not stop the training: the traceback is printed at once, and a warning
follows when the writer is next called or finalized.
"""
from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.reduction
import os
import queue
import re
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from chainer_fast.serializers import _replacing, npz
from chainer_fast.training.extensions import _scratch, _writer_workers


class Writer:
    """Base class of snapshot writers.

    A writer is called with the contents of a snapshot, a flat dict of arrays in host
    memory.

    Examples
    --------
    A writer that reports each file: ::

        class Loud(chainer.training.extensions.snapshot_writers.Writer):

            def __call__(self, filename, outdir, target):
                self.save(filename, outdir, target, chainer.serializers.save_npz)
                print('wrote', filename)

        trainer.extend(extensions.snapshot(writer=Loud()))
    """

    def __init__(self) -> None:
        self._post_save_hooks = []

    def _missing(self, method):
        return NotImplementedError(
            '%s has to define %s' % (type(self).__name__, method))

    def __call__(
            self, filename: str, outdir: str, target: dict[Any, Any]) -> None:
        """Write a snapshot; subclasses implement this with :meth:`save`.

        Parameters
        ----------
        filename : str
            Name of the file.
        outdir : str
            Folder of the file.
        target : dict
            The contents.
        """
        raise self._missing('__call__(filename, outdir, target)')

    def save(
            self, filename: str, outdir: str, target: Any,
            savefun: Callable[..., Any], **kwds: Any) -> None:
        """Write a file atomically.

        It is written in a temporary folder beside its destination, flushed, and moved,
        so that a partial file never exists, even if the machine stops.

        Parameters
        ----------
        filename, outdir, target :
            As for the call.
        savefun : callable
            ``savefun(path, target, **kwds)`` writes the file.
        **kwds :
            Further arguments of ``savefun``.

        Raises
        ------
        OSError
            If the file cannot be written. An existing file is not changed.
        """
        final = os.path.join(outdir, filename)
        folder, name = os.path.split(final)
        folder = folder or os.curdir
        with _naming(final), _scratch.temporary_folder(folder, name) as temporary:
            partial = os.path.join(temporary, name)
            savefun(partial, target, **kwds)
            _make_newest(partial, folder)
            _flush_file(partial)
            os.replace(partial, final)
            _replacing._flush_folder(folder)
        self._post_save()

    def finalize(self) -> None:
        """Wait until everything is written."""

    def __del__(self) -> None:
        self.finalize()

    def _post_save(self):
        for hook in self._post_save_hooks:
            hook()

    def _add_cleanup_hook(self, hook):
        """Register a function to call, without arguments, after each file."""
        self._post_save_hooks += [hook]


def _flush_file(path):
    """Flush a file to the disk."""
    if os.path.isfile(path):
        # Only Windows requires write permission.
        with open(path, 'rb' if os.name == 'posix' else 'r+b') as file:
            _replacing._flush(file.fileno())


def _make_newest(path, folder):
    """Make a file newer than its predecessors, even if the clock was set back.

    Times determine which file is loaded and which are removed, but clocks are coarse
    and can be set back.
    """
    family, newest = _without_numbers(os.path.basename(path)), 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if _without_numbers(entry.name) == family:
                with contextlib.suppress(FileNotFoundError):
                    newest = max(newest, entry.stat().st_mtime_ns)
    # File systems store times in units of 1 ns, 100 ns, 1 us, 1 ms, 1 s or 2 s.
    for later in 1, 1000, 10**6, 2 * 10**9:
        if os.stat(path).st_mtime_ns > newest:
            break
        os.utime(path, ns=(newest + later, newest + later))


def _without_numbers(name):
    return re.sub('[0-9]+', '0', name)


@contextlib.contextmanager
def _naming(path):
    """Return a context in which errors of the system name a file."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename2 is None:
            error.filename = path
        raise


def _warn_of(what):
    warnings.warn('a snapshot was not written: ' + what, RuntimeWarning, stacklevel=4)


class _SavefunWriter(Writer):
    """Base class of writers that write files with a function."""

    def __init__(
            self, savefun: Callable[..., Any] = npz.save_npz,
            **kwds: Any) -> None:
        super().__init__()
        self._kwds = kwds
        self._savefun = savefun


class SimpleWriter(_SavefunWriter):
    """Writer that returns after writing the file.

    Parameters
    ----------
    savefun : callable
        ``savefun(path, target, **kwds)`` writes the file.
    **kwds :
        Further arguments of ``savefun``.
    """

    def __call__(
            self, filename: str, outdir: str, target: dict[Any, Any]) -> None:
        self.save(
            filename, outdir, savefun=self._savefun, target=target, **self._kwds)


def _frozen(target):
    """Copy the contents of a snapshot, which may be the parameters themselves."""
    if isinstance(target, dict):
        return {key: array.copy() for key, array in target.items()}
    return target


class _Background:
    """Mix-in that waits once for background work."""

    _started = _finalized = False

    def _wait(self):
        """Wait until everything is written; called at most once."""
        raise NotImplementedError

    def finalize(self) -> None:
        """Wait until everything is written."""
        running, self._started = self._started, False
        if running and not self._finalized:
            self._wait()
        self._finalized = True


class StandardWriter(_Background, _SavefunWriter):
    """Base class of writers that start a worker for each file.

    The training continues while a file is written. The writer waits for the file before
    starting the next one.

    Parameters
    ----------
    savefun : callable
        ``savefun(path, target, **kwds)`` writes the file.
    **kwds :
        Further arguments of ``savefun``.
    """

    _worker: Any = None
    _worker_class: Any = None

    def __call__(
            self, filename: str, outdir: str, target: dict[Any, Any]) -> None:
        if self._started:
            self._wait()
        worker = self.create_worker(
            filename, outdir, _frozen(target), **self._kwds)
        worker.start()
        self._filename, self._worker = filename, worker
        self._started, self._finalized = True, False

    def _wait(self):
        worker = self._worker
        worker.join()
        failure = _writer_workers.failure_of(worker)
        if failure is not None:
            _warn_of('%s: %s' % (self._filename, failure))

    def create_worker(
            self, filename: str, outdir: str, target: Any, **kwds: Any) -> Any:
        """Return a worker with methods ``start`` and ``join``.

        Parameters
        ----------
        filename, outdir, target, **kwds :
            Arguments of :meth:`save`, which the worker must call.
        """
        if self._worker_class is None:
            raise self._missing('create_worker()')
        arguments = dict(kwds, filename=filename, outdir=outdir, target=target,
                         savefun=self._savefun)
        return self._worker_class(target=self.save, kwargs=arguments)


class ThreadWriter(StandardWriter):
    """Writer that uses a thread for each file.

    Parameters
    ----------
    savefun, **kwds :
        As for :class:`StandardWriter`.
    """

    _worker_class = _writer_workers.Thread


class ProcessWriter(StandardWriter):
    """Writer that uses a process for each file.

    Forking a process that uses CUDA or MPI is dangerous; use a thread instead.

    Parameters
    ----------
    savefun, **kwds :
        As for :class:`StandardWriter`.
    """

    _worker_class = _writer_workers.Process

    def __getstate__(self) -> dict[str, Any]:
        # If processes are not forked, the writer is pickled for the worker.
        return dict(self.__dict__, _worker=None, _started=False)


class QueueWriter(_Background, Writer):
    """Base class of writers with a queue, so that training never waits for the disk.

    Parameters
    ----------
    savefun : callable
        Writes a file, see :class:`SimpleWriter`.
    task : callable, optional
        ``task(filename, outdir, target)`` is called for each snapshot; by default,
        :meth:`create_task` makes it.
    """

    _consumer: Any = None
    _queue: Any = None
    _consumer_class: Any = None
    _queue_class: Any = None
    _failures_class = queue.SimpleQueue

    def __init__(
            self, savefun: Callable[..., Any] = npz.save_npz,
            task: Callable[..., Any] | None = None) -> None:
        super().__init__()
        self._task: Any = task or self.create_task(savefun)
        self._begin()

    def _begin(self):
        self._failures = self._failures_class()
        tasks = self._queue = self.create_queue()
        self._consumer = self.create_consumer(tasks)
        self._consumer.start()
        self._started, self._finalized = True, False

    def __call__(
            self, filename: str, outdir: str, target: dict[Any, Any]) -> None:
        self._report_failures()
        if self._started and not self._consumer.is_alive():
            self.finalize()  # it was killed; this issues the warning
        if not self._started:
            self._begin()
        self._queue.put([self._task, filename, outdir, _frozen(target)])

    def _report_failures(self):
        while not self._failures.empty():
            _warn_of(self._failures.get())

    def create_task(self, savefun: Callable[..., Any]) -> SimpleWriter:
        """Return a :class:`SimpleWriter` for a saving function."""
        return SimpleWriter(savefun)

    def create_queue(self) -> Any:
        """Return a queue with methods ``task_done`` and ``join``."""
        if self._queue_class is None:
            raise self._missing('create_queue()')
        return self._queue_class()

    def create_consumer(self, q: Any) -> Any:
        """Return a thread or process that runs :meth:`consume`.

        Parameters
        ----------
        q : queue
            The queue made by :meth:`create_queue`.
        """
        if self._consumer_class is None:
            raise self._missing('create_consumer(q)')
        # A daemon: it refers to the writer, so nothing else would end the consumer of a
        # writer that is not finalized, and the program could not end.
        return self._consumer_class(target=self.consume, args=(q,), daemon=True)

    def consume(self, q: Any) -> None:
        """Run the tasks of a queue until it yields ``None``.

        Parameters
        ----------
        q : queue
            The queue made by :meth:`create_queue`.
        """
        for task in iter(q.get, None):
            # By index: a task need not be a sequence, or of this length.
            write, *arguments = task[0], task[1], task[2], task[3]
            try:
                with _writer_workers.finishing():
                    write(*arguments)
            except Exception as error:  # the disk may have space again later
                traceback.print_exc()
                self._failures.put(
                    '%s: %s' % (arguments[0], _writer_workers.describe(error)))
            q.task_done()
        q.task_done()

    def _wait(self):
        tasks, consumer = self._queue, self._consumer
        tasks.put(None)
        # Not the queue first: that would wait forever if the consumer was killed.
        consumer.join()
        failure = _writer_workers.failure_of(consumer)
        if failure is not None:
            tasks.cancel_join_thread()
            _warn_of('%s, and the files that it had not written yet are lost' % failure)
        elif not _writer_workers.is_process(consumer):
            tasks.join()
        self._report_failures()

    def _add_cleanup_hook(self, hook):
        self._task._add_cleanup_hook(hook)


class ThreadQueueWriter(QueueWriter):
    """Writer with a queue and a thread.

    Parameters
    ----------
    savefun, task :
        As for :class:`QueueWriter`.
    """

    _consumer_class = threading.Thread
    _queue_class = queue.Queue


class ProcessQueueWriter(QueueWriter):
    """Writer with a queue and a process.

    Forking a process that uses CUDA or MPI is dangerous; use a thread instead.

    Parameters
    ----------
    savefun, task :
        As for :class:`QueueWriter`.
    """

    _consumer_class = _writer_workers.Server
    _failures_class = staticmethod(multiprocessing.SimpleQueue)
    # The class is not public; this function makes a queue for the current start method.
    _queue_class = staticmethod(multiprocessing.JoinableQueue)

    def __call__(
            self, filename: str, outdir: str, target: dict[Any, Any]) -> None:
        # The queue would not report that a task cannot be sent to the process.
        multiprocessing.reduction.ForkingPickler.dumps(self._task)
        super().__call__(filename, outdir, target)

    def __getstate__(self) -> dict[str, Any]:
        # If processes are not forked, the writer is pickled for the worker.
        return dict(self.__dict__, _consumer=None, _started=False)
