"""Main function of a worker process, which reads examples for its parent.

Large buffers are passed in memory that both processes map, everything else through
the connection. The memory has no name: it is released with the last process that maps
it, however that process ends.
"""
import math
import mmap
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import socket
import sys
import threading
import time
import traceback
from typing import Any

import numpy

from chainer_fast import configuration
from chainer_fast.datasets.tuple_dataset import read_example

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

# Smaller buffers, in bytes, are faster in the message.
_SMALL_BUFFER = 512
_ALIGNMENT = 64
# Minimum interval, in seconds, between two reports of progress with a task.
_PROGRESS_INTERVAL = .5

HAS_SHARED_MEMORY = sys.platform == 'linux' and hasattr(os, 'memfd_create')


def work(connection, parents_end, parent_pid, dataset, example_bytes):
    """Serve until a stop command arrives or the parent ends.

    Parameters
    ----------
    connection : multiprocessing.connection.Connection
        Tasks arrive as ``(indices, half)``, where half is the part of the shared memory
        to use; ``None`` means stop. Replies are ``('examples', pickle, spans)`` and
        ``('error', pickle of the exception, its text, traceback)``, in the order of the
        tasks. ``('progress', n)`` reports how many examples of a task are finished; the
        first one reports that the worker has started. ``('memory', size)``, followed by
        a file descriptor, announces other memory.
    parents_end : multiprocessing.connection.Connection or None
        The other end of the connection, if this process was forked with it.
    parent_pid : int
        The process that the worker serves.
    dataset : sequence
        The data set.
    example_bytes : int or None
        Shared memory for an example; ``None`` means as much as needed.
    """
    # Ctrl-C reaches the whole process group, but only the parent handles it. The parent
    # has blocked the signal in this process until now.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != 'win32':
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    # A handler inherited through a fork does not apply to this process.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if parents_end is not None:
        parents_end.close()
    # There are as many workers as processors, so that their loops need no further
    # threads. A forked worker has none anyway.
    configuration.config.num_threads = 1
    _end_with_parent(parent_pid)
    packer = _Packer(connection, example_bytes)
    _send(connection, 'progress', 0)
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return  # the parent has ended
        if task is None:
            return
        _send(connection, *_answer(packer, connection, dataset, *task))


def _send(connection, *message):
    try:
        connection.send(message)
    except OSError:
        # The parent has ended. Exit here, as the data set may also raise errors of this
        # type.
        sys.exit()


def _end_with_parent(pid):
    # The connection does not indicate it while this process is busy, or if a forked
    # sibling also holds the other end.
    parent: Any = multiprocessing.parent_process()
    sentinel = parent.sentinel
    if sys.platform == 'linux':
        # When the sentinel's pipe closes, send a signal, which also ends processes that
        # are stopped or never release the interpreter's lock.
        fcntl.fcntl(sentinel, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(sentinel, fcntl.F_SETSIG, signal.SIGKILL)
        flags = fcntl.fcntl(sentinel, fcntl.F_GETFL)
        fcntl.fcntl(sentinel, fcntl.F_SETFL, flags | os.O_ASYNC)
    ends = [sentinel]
    if hasattr(os, 'pidfd_open'):
        # Other forks of the parent may outlive it and hold the sentinel's pipe open.
        try:
            ends.append(os.pidfd_open(pid))
        except ProcessLookupError:
            os._exit(1)
        except OSError:
            pass  # an old kernel

    def wait():
        multiprocessing.connection.wait(ends)
        os._exit(1)

    # Wait without a timeout: a process that wakes up regularly would not appear
    # deadlocked.
    threading.Thread(target=wait, daemon=True).start()


def _answer(packer, connection, dataset, indices, half):
    try:
        examples = []
        next_report = time.monotonic() + _PROGRESS_INTERVAL
        for i in numpy.array(indices):  # data sets get integers of NumPy
            examples.append(_compact(read_example(dataset, i)))
            if time.monotonic() >= next_report:
                _send(connection, 'progress', len(examples))
                next_report = time.monotonic() + _PROGRESS_INTERVAL
        return ('examples', *packer.pack(examples, half))
    except Exception as error:
        text = '%s: %s' % (type(error).__qualname__, error)
        return 'error', _pickled(error), text, traceback.format_exc()


def _pickled(error):
    """Return a pickle of an exception, empty if it cannot be unpickled."""
    try:
        data = pickle.dumps(error)
        pickle.loads(data)
    except Exception:
        return b''
    return data


def _compact(example):
    """Return an example whose arrays can be pickled without an extra copy."""
    kind = type(example)
    if kind is numpy.ndarray:
        return example if example.flags.forc else example.copy()
    if kind is numpy.memmap:
        return numpy.array(example)
    if kind is tuple or kind is list:
        return kind([_compact(element) for element in example])
    if kind is dict:
        return {key: _compact(value) for key, value in example.items()}
    return example


class _Packer:
    """Pickles examples, with large buffers in shared memory.

    The memory has two halves, used alternately, so that the parent can copy from one
    while the other is filled.
    """

    def __init__(self, connection, example_bytes):
        self._connection = connection
        if not HAS_SHARED_MEMORY:
            example_bytes = 0
        self._example_bytes = math.inf if example_bytes is None else example_bytes
        self._memory: Any = None
        self._size = 0

    def pack(self, examples, half):
        """Return a pickle, and the spans of its buffers in the shared memory."""
        limit = self._example_bytes * len(examples)
        views, spans, end = [], [], 0

        def keep_in_pickle(buffer):
            nonlocal end
            view = buffer.raw()
            if view.nbytes < _SMALL_BUFFER or end + view.nbytes > limit:
                return True
            views.append(view)
            spans.append((end, view.nbytes))
            end += -(-view.nbytes // _ALIGNMENT) * _ALIGNMENT
            return False

        data = pickle.dumps(examples, 5, buffer_callback=keep_in_pickle)
        if end > self._size:
            self._renew_memory(end + end // 4)
        shift = half * self._size
        spans = [(start + shift, size) for start, size in spans]
        for (start, size), view in zip(spans, views, strict=True):
            self._memory[start:start + size] = view
        return data, spans

    def _renew_memory(self, size):
        if sys.platform != 'linux':
            raise AssertionError('without shared memory, this is not called')
        size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        descriptor = os.memfd_create('examples')
        try:
            os.ftruncate(descriptor, 2 * size)
            self._memory, self._size = mmap.mmap(descriptor, 2 * size), size
            _send(self._connection, 'memory', 2 * size)
            with _socket_of(self._connection) as end:
                socket.send_fds(end, [b'm'], [descriptor])
        finally:
            os.close(descriptor)


def _socket_of(connection):
    """Return the socket of a connection, for a file descriptor.

    ``multiprocessing.reduction`` has functions for that, too. Since Python 3.14 they
    wait for a reply, but the next task may arrive instead.
    """
    if sys.platform != 'linux':
        raise AssertionError('without shared memory, this is not called')
    return socket.fromfd(connection.fileno(), socket.AF_UNIX, socket.SOCK_STREAM)


def receive_memory(connection, size):
    """Map the memory that a worker announced; called by the parent."""
    if sys.platform != 'linux':
        raise AssertionError('without shared memory, this is not called')
    with _socket_of(connection) as end:
        _, descriptors, _, _ = socket.recv_fds(end, 1, 1)
    if not descriptors:
        raise EOFError
    descriptor, = descriptors
    try:
        return memoryview(mmap.mmap(descriptor, size))
    finally:
        os.close(descriptor)


def unpack(data, spans, memory):
    """Return the examples, which no longer refer to the shared memory."""
    buffers = [bytearray(memory[start:start + size]) for start, size in spans]
    return pickle.loads(data, buffers=buffers)
