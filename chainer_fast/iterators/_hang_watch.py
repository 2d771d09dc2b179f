"""How it is noticed that a worker process will never finish an example.

A wait has limits, in seconds: three for a worker that is stopped; ten times the timeout
of the iterator for one that does something, but finishes no example; twice the timeout
for one that does nothing at all, which Linux tells. The latter two are ten seconds at
least, and there is none of them without a timeout.
"""
import os
import time

# How often workers are looked at while they are waited for, in seconds. More than twice
# as long between two looks is time in which this process did not run, or hardly: it
# counts for nobody, so that a job that was stopped as a whole can go on.
INTERVAL = .5

_STOPPED_LIMIT = 3.
_SILENT_FACTOR, _BUSY_FACTOR = 2, 10
_SHORTEST_LIMIT = 10.
# For a process that has to start and to read the data set first.
_SHORTEST_STARTING_LIMIT = 60.


class _Signs:
    """What a worker was seen doing, and for how long it was nothing better."""

    def __init__(self):
        self.n_messages = self.activity = None
        self.stopped = self.silent = self.busy = 0.

    def update(self, worker, seconds):
        if worker.n_messages != self.n_messages:
            self.__init__()
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
        """Return what is wrong, '' if there is hope."""
        if self.stopped >= _STOPPED_LIMIT:
            return ('has been stopped, as by SIGSTOP, for %.1f seconds while this '
                    'process was running' % self.stopped)
        if timeout is None:
            return ''
        advice = (' (if that may happen with an example, raise `dataset_timeout`; it '
                  'is %s)' % timeout)
        if self.silent >= max(_SILENT_FACTOR * timeout, _SHORTEST_LIMIT):
            return ('has done nothing at all for %.1f seconds, as in a deadlock'
                    % self.silent + advice)
        shortest = _SHORTEST_LIMIT if self.n_messages else _SHORTEST_STARTING_LIMIT
        if self.busy >= max(_BUSY_FACTOR * timeout, shortest):
            return 'has not finished an example for %.1f seconds' % self.busy + advice
        return ''


class HangWatch:
    """Looks at the workers while a batch is waited for.

    Parameters
    ----------
    timeout : float or None
        Seconds that an example may well take.
    """

    def __init__(self, timeout):
        self._timeout = timeout
        self._last_look = time.monotonic()
        self._signs = {}

    def look(self, workers):
        """Return a sentence on those that are given up, '' if there are none.

        Parameters
        ----------
        workers : list
            Those that have something to do, with the attributes ``pid`` and
            ``n_messages`` and the method ``description``. To be called at the
            :data:`INTERVAL` or more often.
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


def is_stopped(pid):
    """Return whether a signal holds a process, False where the system does not tell."""
    try:
        return _stat(pid)[0] == 'T'
    except OSError:
        return False


def activity_of(pid):
    """Return what changes when a process or one below it runs.

    Returns
    -------
    dict or None
        ``None`` where the system does not tell, or if the process is gone.
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
        with open(path + 'status') as f:
            switches = [line for line in f if 'ctxt_switches' in line]
        # It waits for a processor, or a debugger is at it: that is something new each
        # time it is seen.
        waits_for_others = time.monotonic() if state in 'Rt' else None
        found[thread] = waits_for_others, fields[10:12], switches
        with open(path + 'children') as f:
            children = f.read().split()
        for child in children:
            try:
                _collect_activity(int(child), found)
            except OSError:
                found[child] = 'ended'


def _stat(pid, thread=None):
    """Return the fields after the name of the program, the state first."""
    part = '' if thread is None else 'task/%s/' % thread
    with open('/proc/%d/%sstat' % (pid, part)) as f:
        return f.read().rpartition(')')[2].split()
