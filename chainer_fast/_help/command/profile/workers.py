"""Processes that read examples, as recorded by the profiled process."""
import collections
import weakref
from time import perf_counter_ns

from chainer_fast.iterators import _worker_process


def watch(profile, replace):
    """Record when worker processes are busy, whose clocks a profile cannot read.

    A worker has up to two tasks at a time. It begins a task when the task arrives, or
    after finishing the previous one.

    Parameters
    ----------
    profile : records.Profile
    replace : callable
        ``replace(place, name, new)`` replaces an attribute.
    """
    cls = _worker_process.WorkerProcess
    plain_give, plain_receive = cls.give, cls.receive
    given = weakref.WeakKeyDictionary()     # {worker: times of its open tasks}
    found = weakref.WeakKeyDictionary()     # {worker: its tasks in the profile}

    def give(self, task):
        given.setdefault(self, collections.deque()).append(perf_counter_ns())
        plain_give(self, task)

    def receive(self):
        with profile.here().spans.span('iterator'):
            result = plain_receive(self)
        if result is not None:
            end, times = perf_counter_ns(), given[self]
            if self not in found:
                found[self] = self.pid, []
                profile.workers.append(found[self])
            tasks = found[self][1]
            tasks.append((max(times.popleft(), tasks[-1][1] if tasks else 0), end))
        return result

    replace(cls, 'give', give)
    replace(cls, 'receive', receive)
