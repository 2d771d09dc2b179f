import os
import signal
import subprocess
import sys
import time

import pytest

from chainer_fast.iterators import _hang_watch

SECONDS_OF_A_LOOK = 2 * _hang_watch.INTERVAL


class Worker:
    """Stand-in for a worker with adjustable signs of life."""

    def __init__(self, pid=1, n_messages=1):
        self.pid, self.n_messages = pid, n_messages
        self.is_stopped = self.is_active = False

    def description(self):
        return 'worker %d' % self.pid


@pytest.fixture
def watch_for(monkeypatch):
    """Return a function: how long a watch sees workers before it gives one up."""
    now, worker = 0., Worker()
    monkeypatch.setattr(_hang_watch.time, 'monotonic', lambda: now)
    monkeypatch.setattr(_hang_watch, 'is_stopped', lambda pid: worker.is_stopped)
    monkeypatch.setattr(_hang_watch, 'activity_of',
                        lambda pid: now if worker.is_active else 'the same')

    def see(timeout, change=lambda worker, seconds: None, gap=.25, limit=2000):
        nonlocal now
        watch, looks = _hang_watch.HangWatch(timeout), 0
        while looks * gap < limit:
            change(worker, looks * gap)
            now += gap
            looks += 1
            message = watch.look([worker])
            if message:
                return looks * gap, message
        return None

    see.worker = worker
    return see


def test_limits(watch_for):
    worker = watch_for.worker
    # The first look has nothing to compare with.
    assert watch_for(30.) == (60.25, (
        'worker 1 has been inactive for 60.0 seconds, as in a deadlock (if an example '
        'may take that long, increase `dataset_timeout`; it is 30.0)'))
    assert watch_for(4.)[0] == 10.25
    worker.is_active = True
    seconds, message = watch_for(30.)
    assert seconds == 300
    assert 'worker 1 has not finished an example for 300.0 seconds (if' in message
    assert watch_for(.1)[0] == 10
    worker.n_messages = 0
    assert watch_for(.1)[0] == 60
    assert watch_for(None) is None
    worker.is_stopped = True
    for timeout in .1, 30., None:
        assert watch_for(timeout) == (3., (
            'worker 1 has been stopped, as by SIGSTOP, for 3.0 seconds while this '
            'process was running'))


def test_signs_of_life_start_the_count_again(watch_for):
    def be_active_until_20(worker, seconds):
        worker.is_active = seconds < 20

    def send_until_20(worker, seconds):
        worker.n_messages += seconds < 20

    assert watch_for(6., be_active_until_20)[0] == 32.25
    assert watch_for(6., send_until_20)[0] == 32.

    def be_stopped_now_and_then(worker, seconds):
        worker.is_active = True
        worker.is_stopped = seconds % 3 > .25

    assert watch_for(None, be_stopped_now_and_then) is None


def test_time_when_nobody_runs_counts_for_nobody(watch_for):
    # As long as it was between the looks, they count as two intervals.
    assert watch_for(30., gap=100., limit=10 ** 5)[0] == 6100
    watch_for.worker.is_stopped = True
    assert watch_for(30., gap=100.)[0] == 300


def test_all_that_hang_are_named(watch_for):
    watch, now = _hang_watch.HangWatch(None), time.monotonic()
    watch_for.worker.is_stopped = True
    workers = [Worker(3), Worker(4)]
    for i in range(1, 5):
        _hang_watch.time.monotonic = lambda i=i: now + i
        message = watch.look(workers)
    assert 'worker 3 has been' in message
    assert '; worker 4 has been' in message
    assert watch.look([]) == ''


def start(*args):
    return subprocess.Popen([sys.executable, '-c', *args], stdout=subprocess.PIPE)


def looks_active(pid, seconds=.3):
    before = _hang_watch.activity_of(pid)
    time.sleep(seconds)
    return _hang_watch.activity_of(pid) != before


BUSY = 'print(1, flush=True)\nwhile True: pass'
IDLE = 'import time; print(1, flush=True); time.sleep(100)'


@pytest.mark.posix('/proc and SIGSTOP')
@pytest.mark.parametrize('code, expected', [
    (BUSY, True),
    ('import time; print(1, flush=True)\nwhile True: time.sleep(.1)', True),
    (IDLE, False),
    ('import threading, time; print(1, flush=True)\n'
     'threading.Thread(target=time.sleep, args=[100]).start()', False),
    ('import threading, time; print(1, flush=True)\n'
     'threading.Thread(target=exec, args=["while True: pass"]).start()\n'
     'time.sleep(100)', True),
    ('import subprocess, sys; subprocess.run([sys.executable, "-c", %r])' % BUSY, True),
    ('import subprocess, sys; subprocess.run([sys.executable, "-c", %r])' % IDLE,
     False),
])
def test_activity(code, expected):
    # A parent of its children, so that they end as well.
    with start(code) as process:
        try:
            process.stdout.readline()
            time.sleep(.1)
            assert looks_active(process.pid) is expected
            assert not _hang_watch.is_stopped(process.pid)
            process.send_signal(signal.SIGSTOP)
            time.sleep(.05)
            assert _hang_watch.is_stopped(process.pid)
        finally:
            with open('/proc/%d/task/%d/children' % (process.pid, process.pid)) as f:
                pids = [*map(int, f.read().split()), process.pid]
            for pid in pids:
                os.kill(pid, signal.SIGKILL)


@pytest.mark.posix('/proc')
@pytest.mark.parametrize('state, expected', [('S', False), ('R', True), ('t', True)])
def test_threads_that_others_hold_up_count_as_active(state, expected, monkeypatch):
    with start(IDLE) as process:
        process.stdout.readline()
        time.sleep(.1)
        monkeypatch.setattr(
            _hang_watch, '_stat', lambda pid, thread: [state] + 50 * ['0'])
        found = looks_active(process.pid, .01)
        process.kill()
    assert found is expected


def test_processes_that_are_gone():
    with start('') as process:
        pass
    assert _hang_watch.activity_of(process.pid) is None
    assert not _hang_watch.is_stopped(process.pid)
