"""Detection of worker processes that will never finish an example.

A worker may be stopped by a signal for three seconds. It may take ten times the
iterator's timeout to finish an example, and may be completely inactive, which only
Linux reports, for twice the timeout. The latter two limits are at least ten seconds,
and exist only if there is a timeout.
"""
import os
import time

# Interval in seconds at which workers are checked during a wait. A gap of more than
# twice the interval means that this process hardly ran: the excess is not counted, so
# that a job that was stopped as a whole can continue.
INTERVAL = .5

_STOPPED_LIMIT = 3.
_SILENT_FACTOR, _BUSY_FACTOR = 2, 10
_SHORTEST_LIMIT = 10.
# For a process that must first start and load the data set.
_SHORTEST_STARTING_LIMIT = 60.


class _Signs:
    """Observations of one worker: seconds spent stopped, silent and busy."""

    def __init__(self):
        self._forget()

    def _forget(self):
        self.n_messages = self.activity = None
        self.stopped = self.silent = self.busy = 0.

    def update(self, worker, seconds):
        if worker.n_messages != self.n_messages:
            self._forget()
            self.n_messages = worker.n_messages
        self.busy += seconds
        self.stopped = self.stopped + seconds if is_stopped(worker.pid) else 0.
        activity = activity_of(worker.pid)
        if activity is None or activity != self.activity:
            self.silent = 0.
        else:
            self.silent += seconds
        self.activity = activity

    def trouble(self, timeout):
        """Return the worker's problem as text, or '' if it may still finish."""
        if self.stopped >= _STOPPED_LIMIT:
            return ('has been stopped, as by SIGSTOP, for %.1f seconds while this '
                    'process was running' % self.stopped)
        if timeout is None:
            return ''
        advice = (' (if an example may take that long, increase `dataset_timeout`; it '
                  'is %s)' % timeout)
        if self.silent >= max(_SILENT_FACTOR * timeout, _SHORTEST_LIMIT):
            return ('has been inactive for %.1f seconds, as in a deadlock'
                    % self.silent + advice)
        shortest = _SHORTEST_LIMIT if self.n_messages else _SHORTEST_STARTING_LIMIT
        if self.busy >= max(_BUSY_FACTOR * timeout, shortest):
            return 'has not finished an example for %.1f seconds' % self.busy + advice
        return ''


class HangWatch:
    """Checks workers while a batch is awaited.

    Parameters
    ----------
    timeout : float or None
        Seconds that an example may normally take.
    """

    def __init__(self, timeout):
        self._timeout = timeout
        self._last_look = time.monotonic()
        self._signs = {}

    def look(self, workers):
        """Return a sentence about hung workers, or '' if there are none.

        Parameters
        ----------
        workers : list
            Workers with tasks; they have the attributes ``pid`` and ``n_messages`` and
            the method ``description``. Call this at least every :data:`INTERVAL`.
        """
        now = time.monotonic()
        seconds = min(now - self._last_look, 2 * INTERVAL)
        self._last_look = now
        self._signs = {worker: self._signs.get(worker) or _Signs()
                       for worker in workers}
        troubles = []
        for worker, signs in self._signs.items():
            signs.update(worker, seconds)
            trouble = signs.trouble(self._timeout)
            if trouble:
                troubles.append('%s %s' % (worker.description(), trouble))
        return '; '.join(troubles)


def wait(batch, pool, timeout, warn):
    """Wait for a batch; return why it will not arrive, or '' if it is done.

    Parameters
    ----------
    batch : _worker_pool.Batch
    pool : _worker_pool.WorkerPool or _own_reader.OwnReader
        The reader of the batch.
    timeout : float or None
        Seconds after which to warn.
    warn : callable
        Called with the text of the warning.
    """
    begin = time.monotonic()
    watch, has_warned = None, timeout is None
    step = INTERVAL if has_warned else min(timeout, INTERVAL)
    pool.renew()
    while not batch.wait(step):
        pool.renew()
        if watch is None:
            watch = HangWatch(timeout)
        given_up = watch.look(pool.busy())
        if given_up:
            return given_up
        step = INTERVAL
        if not has_warned:
            left = begin + timeout - time.monotonic()
            if left <= 0:
                has_warned = True
                at_work = '; '.join(worker.description() for worker in pool.busy())
                warn('a batch has not arrived within the %s seconds of '
                     '`dataset_timeout`; waiting for: %s. The documentation of '
                     'MultiprocessIterator lists causes' % (timeout, at_work))
            step = min(max(left, 0), step)
    return ''


def is_stopped(pid):
    """Return whether a signal has stopped a process; False if unknown."""
    try:
        return _stat(pid)[0] == 'T'
    except OSError:
        return False


def activity_of(pid):
    """Return values that change when a process or one of its descendants runs.

    Returns
    -------
    dict or None
        ``None`` if the system cannot report it, or if the process has ended.
    """
    found = {}
    try:
        _collect_activity(pid, found)
    except OSError:
        return None
    return found


def _collect_activity(pid, found):
    for thread in os.listdir('/proc/%d/task' % pid):
        path = '/proc/%d/task/%s/' % (pid, thread)
        state, *fields = _stat(pid, thread)
        with open(path + 'status', encoding='utf-8', errors='replace') as f:
            switches = [line for line in f if 'ctxt_switches' in line]
        # Waiting for a processor, or held by a debugger, counts as activity.
        waits_for_others = time.monotonic() if state in 'Rt' else None
        found[thread] = waits_for_others, fields[10:12], switches
        with open(path + 'children', encoding='ascii') as f:
            children = f.read().split()
        for child in children:
            try:
                _collect_activity(int(child), found)
            except OSError:
                found[child] = 'ended'


def _stat(pid, thread=None):
    """Return the fields after the name of the program, beginning with the state."""
    part = '' if thread is None else 'task/%s/' % thread
    with open('/proc/%d/%sstat' % (pid, part), encoding='utf-8',
              errors='replace') as f:
        return f.read().rpartition(')')[2].split()
