"""Thread of this process that reads the first batch, which Chainer measures.

It replaces a pool of workers, so that a data set that stalls is also detected at its
first batch: the main thread waits, warns, gives up, and handles Ctrl-C.
"""
import os
import threading
from typing import Any

import numpy

from chainer_fast.datasets.tuple_dataset import read_example
from chainer_fast.iterators._worker_pool import Batch
from chainer_fast.iterators._worker_process import WorkerFailure, interrupts_deferred


class OwnReader:
    """Reads a batch in a thread of this process; it is its own, and only, worker.

    Parameters
    ----------
    dataset : sequence
        The data set.
    """

    _changes_by_itself = True

    def __init__(self, dataset):
        self.pid = os.getpid()
        # Attributes read by the hang watch. A reader is never in the process of
        # starting.
        self.n_messages = 1
        self._dataset = dataset
        self._indices = []
        self._thread: Any = None
        self._batch = None

    def submit(self, indices):
        """Start reading examples; return a :class:`Batch`."""
        previous = self._thread
        self._batch, self._indices = Batch(len(indices)), indices
        # An interrupt would leave a thread that may or may not have started.
        with interrupts_deferred():
            # It is a daemon, so that the program can end if the data set hangs.
            self._thread = threading.Thread(
                target=self._read, args=(self._batch, indices, previous), daemon=True,
                name='reader of the first batch')
            self._thread.start()
        return self._batch

    def _read(self, batch, indices, previous):
        if previous is not None:
            previous.join()     # two threads never read the data set at the same time
        examples = []
        try:
            for i in numpy.array(indices):  # data sets get integers of NumPy
                if batch is not self._batch:
                    return      # nothing waits for it any more
                examples.append(read_example(self._dataset, i))
                self.n_messages += 1
        except BaseException as error:
            batch.fail(error)
        else:
            batch.put(slice(None), examples)

    def join(self):
        """Wait until the thread of a finished batch has ended, as forks follow."""
        self._thread.join()

    def renew(self):
        """Do nothing: a thread is never replaced."""

    def busy(self):
        """Return the workers that have tasks, like a pool: this one."""
        return [self]

    def description(self):
        """Return what is being read."""
        return ('this process, which reads the first batch (examples with the indices '
                '%s)' % ', '.join(map(str, self._indices)))

    def cancel(self):
        """Discard the batch; reading ends after the current example."""
        batch, self._batch = self._batch, None
        if batch is not None:
            batch.fail(WorkerFailure('the reading was cancelled'))

    close = cancel
