"""What a worker process does: it reads examples and hands them to its parent.

Large buffers travel in memory that both map, the rest in the connection. The memory has
no name: it is gone with the last process that maps it, however that one ended.
"""
import math
import mmap
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from multiprocessing import reduction

import numpy

# Buffers below this many bytes are quicker in the message.
_SMALL_BUFFER = 512
_ALIGNMENT = 64
# How often, in seconds, a worker looks whether its parent is alive.
_PARENT_CHECK_INTERVAL = 1.

HAS_SHARED_MEMORY = hasattr(os, 'memfd_create')


def work(connection, parent_pid, dataset, example_bytes):
    """Serve until told to stop, or until the parent is gone.

    Parameters
    ----------
    connection : multiprocessing.connection.Connection
        Tasks come as ``(indices, half)``, where half is the part of the shared memory
        to use, and ``None`` says to stop. Answers are ``('examples', pickle, spans)``
        and ``('error', exception, traceback)``, in the order of the tasks.
        ``('memory', size)``, followed by a file descriptor, announces other memory.
    parent_pid : int or None
        The process that has to live on, where it is the direct parent.
    dataset : sequence
        The data set.
    example_bytes : int or None
        How much shared memory an example gets; ``None`` is as much as it takes.
    """
    # Ctrl-C reaches the whole group of processes; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A handler that came with a fork is not for here.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, args=(parent_pid,), daemon=True).start()
    packer = _Packer(connection, example_bytes)
    while True:
        try:
            task = connection.recv()
            if task is None:
                return
            connection.send(_answer(packer, dataset, *task))
        except (EOFError, ConnectionError):
            return


def _end_with_parent(pid):
    # The connection does not tell if this process is busy, or if a forked sibling holds
    # the other end of it as well.
    if pid is None:
        multiprocessing.parent_process().join()
    else:
        while os.getppid() == pid:
            time.sleep(_PARENT_CHECK_INTERVAL)
    os._exit(1)


def _answer(packer, dataset, indices, half):
    try:
        examples = [_compact(dataset[i]) for i in indices]
        return ('examples', *packer.pack(examples, half))
    except ConnectionError:
        raise
    except Exception as error:
        return 'error', _portable(error), traceback.format_exc()


def _portable(error):
    """Return an exception that the parent is able to unpickle."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError('%s: %s' % (type(error).__qualname__, error))
    return error


def _compact(example):
    """Return an example whose arrays can be pickled without a copy in between."""
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

    The memory has two halves, used in turns, so that the parent can copy from the one
    while the other is filled.
    """

    def __init__(self, connection, example_bytes):
        self._connection = connection
        if not HAS_SHARED_MEMORY:
            example_bytes = 0
        self._example_bytes = math.inf if example_bytes is None else example_bytes
        self._memory, self._size = None, 0

    def pack(self, examples, half):
        """Return a pickle, and where the buffers are that it lacks."""
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
        size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        descriptor = os.memfd_create('examples')
        try:
            os.ftruncate(descriptor, 2 * size)
            self._memory, self._size = mmap.mmap(descriptor, 2 * size), size
            self._connection.send(('memory', 2 * size))
            reduction.send_handle(self._connection, descriptor, None)
        finally:
            os.close(descriptor)


def receive_memory(connection, size):
    """Map the memory that a worker has announced; to be called by the parent."""
    descriptor = reduction.recv_handle(connection)
    try:
        return memoryview(mmap.mmap(descriptor, size))
    finally:
        os.close(descriptor)


def unpack(data, spans, memory):
    """Return the examples, which do not refer to the shared memory any more."""
    buffers = [bytearray(memory[start:start + size]) for start, size in spans]
    return pickle.loads(data, buffers=buffers)
