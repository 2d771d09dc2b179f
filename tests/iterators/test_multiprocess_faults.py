"""Workers that die, raise, hang or are interrupted, and programs that end."""
import linecache
import multiprocessing
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy
import pytest

from chainer_fast.iterators import MultiprocessIterator, _hang_watch, _worker
from tests.iterators.processes import (
    is_running,
    nothing_is_left,
    start_program,
    wait_for,
)

pytestmark = [
    # Newer versions of Python warn of a fork beside other threads.
    pytest.mark.filterwarnings('ignore:.*multi-threaded:DeprecationWarning'),
    pytest.mark.usefixtures(nothing_is_left.__name__)]


class Misbehaving:
    """Data whose example 5 does something else."""

    def __init__(self, what):
        self.what = what

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return self.what() if i == 5 else i


def kill_oneself():
    os.kill(os.getpid(), signal.SIGKILL)


def exit_at_once():
    os._exit(3)


def leave():
    sys.exit(4)


# These tests expect that workers are at work soon after they have been started.
FORKS = 'workers are forked'


@pytest.mark.posix(FORKS)
@pytest.mark.parametrize('what, message', [
    (kill_oneself, 'was killed by the signal SIGKILL'),
    (exit_at_once, 'ended with the exit code 3'),
    (leave, 'ended with the exit code 4'),
])
def test_worker_that_dies_is_an_error(what, message):
    data = Misbehaving(what)
    with MultiprocessIterator(data, 2, shuffle=False, n_processes=2) as it:
        assert [it.next(), it.next()] == [[0, 1], [2, 3]]
        for _ in range(2):
            begin = time.monotonic()
            with pytest.raises(RuntimeError, match=r'indices 5\) ' + message):
                it.next()
            assert time.monotonic() - begin < 3
            assert not multiprocessing.active_children()
            assert it.current_position == 4
        data.what = int
        assert [it.next(), it.next(), it.next()] == [[4, 0], [6, 7], [0, 1]]


@pytest.mark.posix('SIGKILL')
@pytest.mark.parametrize('n_processes', [1, 2])
@pytest.mark.parametrize('delay', [0, .1])  # at work, idle
def test_worker_killed_from_outside(n_processes, delay):
    with MultiprocessIterator(list(range(8)), 2, shuffle=False,
                              n_processes=n_processes) as it:
        it.next()
        victim = multiprocessing.active_children()[0].pid
        begin = time.monotonic()
        time.sleep(delay)
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(
                RuntimeError, match='worker process %d .*SIGKILL' % victim):
            for _ in range(10 ** 5):
                it.next()
        assert time.monotonic() - begin < 3
        position = it.current_position
        assert it.next()[0] == position


def stop_oneself():
    os.kill(os.getpid(), signal.SIGSTOP)


def dead_lock():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def compute_for_ever():
    # The interpreter's lock is held all the time.
    re.match('(a*)*$', 1000 * 'a' + 'b')


def wake_up_now_and_then():
    while True:
        time.sleep(.05)


def be_deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    dead_lock()


@pytest.mark.posix(FORKS)
@pytest.mark.parametrize('what, timeout, message', [
    (stop_oneself, None, 'stopped, as by SIGSTOP, for 0.* seconds'),
    (stop_oneself, 30., 'stopped, as by SIGSTOP, for 0.* seconds'),
    (dead_lock, .2, 'been inactive for .* seconds'),
    (be_deaf, .2, 'been inactive for .* seconds'),
    (compute_for_ever, .1, 'not finished an example for .*; it is 0.1'),
    (wake_up_now_and_then, .1, 'not finished an example for .*; it is 0.1'),
])
def test_worker_that_hangs_is_an_error(what, timeout, message, monkeypatch):
    for name, value in (
            ('_SHORTEST_LIMIT', .6), ('_STOPPED_LIMIT', .4), ('INTERVAL', .1)):
        monkeypatch.setattr(_hang_watch, name, value)
    with MultiprocessIterator(Misbehaving(what), 2, shuffle=False, n_processes=2,
                              dataset_timeout=timeout) as it:
        it.next(), it.next()
        begin = time.monotonic()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            with pytest.raises(RuntimeError, match=(
                    r'\(at the examples with the indices 5\) has (been )?' + message)):
                it.next()
        assert time.monotonic() - begin < 7
        assert not multiprocessing.active_children()
        assert len(caught) == (timeout in (.1, .2))
        for warning in caught:
            assert warning.category is MultiprocessIterator.TimeoutWarning
            assert 'indices 5' in str(warning.message)
            assert warning.filename == __file__


def be_slow():
    time.sleep(.3)
    return 5


@pytest.mark.posix(FORKS)
def test_slow_examples_are_warned_of_and_arrive():
    with MultiprocessIterator(Misbehaving(be_slow), 2, shuffle=False, n_processes=2,
                              dataset_timeout=.1) as it:
        it.next(), it.next()
        with pytest.warns(MultiprocessIterator.TimeoutWarning):
            assert it.next() == [4, 5]
    with MultiprocessIterator(Misbehaving(be_slow), 2, shuffle=False, n_processes=2,
                              dataset_timeout=None) as it:
        assert [it.next() for _ in range(3)][-1] == [4, 5]


class Slow(list):
    def __getitem__(self, i):
        deadline = time.monotonic() + .3
        while time.monotonic() < deadline:
            pass
        return i


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
def test_limits_are_for_an_example_not_for_a_batch(monkeypatch):
    monkeypatch.setattr(_hang_watch, '_SHORTEST_LIMIT', 1.)
    monkeypatch.setattr(_worker, '_PROGRESS_INTERVAL', .2)
    with MultiprocessIterator(Slow(range(8)), 8, shuffle=False, n_processes=1,
                              dataset_timeout=.05) as it:
        # Two tasks of 1.2 seconds.
        assert it.next() == list(range(8))


def start_a_program_that_computes():
    subprocess.run([sys.executable, '-c', 'import time; t = time.monotonic()\n'
                    'while time.monotonic() < t + 1.5: pass'], check=True)
    return 5


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
def test_worker_that_waits_for_a_program_is_alive(monkeypatch):
    monkeypatch.setattr(_hang_watch, '_SHORTEST_LIMIT', .9)
    with MultiprocessIterator(
            Misbehaving(start_a_program_that_computes), 2, shuffle=False,
            n_processes=2, dataset_timeout=.4) as it:
        assert [it.next() for _ in range(3)][-1] == [4, 5]


@pytest.mark.posix(FORKS)
@pytest.mark.parametrize('what', [stop_oneself, dead_lock, be_deaf])
def test_finalize_during_a_hang(what):
    it = MultiprocessIterator(Misbehaving(what), 2, shuffle=False, n_processes=2)
    it.next(), it.next()
    time.sleep(.1)
    begin = time.monotonic()
    it.finalize()
    assert time.monotonic() - begin < (2. if what is be_deaf else .5)
    assert not multiprocessing.active_children()


def test_finalize_in_a_thread_while_a_batch_is_waited_for():
    it = MultiprocessIterator(Misbehaving(dead_lock), 2, shuffle=False, n_processes=2)
    it.next(), it.next()
    thread = threading.Timer(.2, it.finalize)
    thread.start()
    with pytest.raises(RuntimeError, match='the pool is closed'):
        it.next()
    thread.join()


class Peculiar(Exception):
    def __init__(self, one, two):
        super().__init__('%s and %s' % (one, two))


class Whimsical(Exception):
    """It can be unpickled in the process that raised it."""

    def __reduce__(self):
        return rebuild_here, (os.getpid(),)


def rebuild_here(pid):
    if os.getpid() != pid:
        raise LookupError('this is not the place')
    return Whimsical('here')


def raise_key_error():
    raise KeyError('no such thing')


def raise_peculiar():
    raise Peculiar('this', 'that')


def raise_whimsical():
    raise Whimsical('here')


def raise_connection_error():
    raise ConnectionResetError('the server of the images is gone')


def raise_memory_error():
    raise MemoryError('too large')


def give_function():
    return lambda: None


@pytest.mark.parametrize('what, error, message', [
    (raise_key_error, KeyError, 'no such thing'),
    (raise_peculiar, RuntimeError, 'Peculiar: this and that'),
    (raise_whimsical, RuntimeError, 'Whimsical: here'),
    (raise_connection_error, ConnectionResetError, 'the server of the images is gone'),
    (raise_memory_error, MemoryError, 'too large'),
    (give_function, (pickle.PicklingError, AttributeError), 'lambda'),
])
def test_error_of_the_data_set_comes_with_its_batch(what, error, message):
    with MultiprocessIterator(Misbehaving(what), 2, shuffle=False, n_processes=2) as it:
        assert [it.next(), it.next()] == [[0, 1], [2, 3]]
        with pytest.raises(error, match=message) as caught:
            it.next()
        assert 'in _answer' in str(caught.value.__cause__)
        assert it.next() == [6, 7]
        assert it.previous_epoch_detail == .75


def test_example_that_cannot_be_unpickled():
    with MultiprocessIterator(Misbehaving(Whimsical), 2, shuffle=False,
                              n_processes=2) as it:
        it.next(), it.next()
        with pytest.raises(LookupError, match='not the place'):
            it.next()
        assert it.next() == [6, 7]


class OneOrder:
    """A sampler that fails when the first order is used up."""

    def __init__(self):
        self.n_calls = 0

    def __call__(self, order, position):
        self.n_calls += 1
        if self.n_calls == 2:
            raise LookupError('no more orders')
        return order


@pytest.mark.parametrize('n_prefetch', [0, 1, 3])
def test_error_of_the_sampler_comes_in_its_turn(n_prefetch):
    with MultiprocessIterator(list(range(4)), 3, n_processes=1, n_prefetch=n_prefetch,
                              order_sampler=OneOrder()) as it:
        assert it.next() == [0, 1, 2]
        with pytest.raises(LookupError, match='no more orders'):
            it.next()
        assert it.current_position == 3
        assert it.next() == [3, 0, 1]


class Hesitating(list):
    def __getitem__(self, i):
        time.sleep(.002 * random.random())
        return i


@pytest.mark.posix('SIGALRM')
def test_interrupts_neither_lose_nor_repeat_batches():
    def interrupt(*_):
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGALRM, interrupt)
    n_interrupts = 0
    try:
        for n_prefetch in 0, 1, 2, 3:
            with MultiprocessIterator(
                    Hesitating(range(10 ** 4)), 2, shuffle=False, n_processes=2,
                    n_prefetch=n_prefetch) as it:
                for _ in range(25):
                    try:
                        signal.setitimer(signal.ITIMER_REAL, .015 * random.random())
                        while True:
                            position = it.current_position
                            assert it.next() == [position, position + 1]
                            assert it.current_position == position + 2
                    except KeyboardInterrupt:
                        n_interrupts += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert n_interrupts == 100


@pytest.mark.parametrize('n_prefetch', [0, 2])
def test_interrupts_at_each_line(n_prefetch):
    left = 0

    def trace(frame, event, _):
        nonlocal left
        if not frame.f_code.co_filename.startswith(package):
            return None
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        # Interrupts are not as bad as this: they come when something was called or
        # repeated, not where a lock is about to be released or a batch handed out.
        if (event == 'line' and it.current_position == position
                and not line.startswith(('with ', 'try:'))):
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    package = os.path.dirname(_worker.__file__)
    n_lines, position, was_interrupted = 0, 0, True
    with MultiprocessIterator(range(10 ** 4), 2, shuffle=False, n_processes=1,
                              n_prefetch=n_prefetch) as it:
        it.next()
        while was_interrupted:
            n_lines += 1
            left, was_interrupted = n_lines, False
            position = it.current_position
            sys.settrace(trace)
            try:
                it.next()
            except KeyboardInterrupt:
                was_interrupted = True
            finally:
                sys.settrace(None)
            # Handed out as a whole or not at all; what follows is not mixed up.
            assert it.current_position == position + (0 if was_interrupted else 2)
            for _ in range(2):
                position = it.current_position
                assert it.next() == [position, position + 1]
    assert n_lines > 50


@pytest.mark.posix(FORKS)
def test_interrupt_while_a_batch_is_waited_for():
    with MultiprocessIterator(Misbehaving(be_slow), 2, shuffle=False,
                              n_processes=2) as it:
        it.next(), it.next()
        threading.Timer(.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            it.next()
        pids = {process.pid for process in multiprocessing.active_children()}
        assert it.next() == [4, 5]
        assert {p.pid for p in multiprocessing.active_children()} == pids


def maps_of(pid):
    with open('/proc/%s/maps' % pid) as f:
        return f.read()


@pytest.mark.posix('workers share memory without a name')
def test_memory_has_no_name():
    def named(pid):
        return set(re.findall('/dev/shm/.*', maps_of(pid)))

    before = named('self')      # MPI has some, where it has been initialized
    with MultiprocessIterator(numpy.zeros((4, 1000)), 2, n_processes=1,
                              shared_mem=8000) as it:
        it.next()
        for pid in 'self', multiprocessing.active_children()[0].pid:
            assert 'memfd:examples (deleted)' in maps_of(pid)
            assert named(pid) <= before


SCRIPT = '''
import multiprocessing, os, re, signal, time
from chainer_fast.iterators import MultiprocessIterator, _hang_watch
{before}
class Data:
    def __len__(self):
        return 100
    def __getitem__(self, i):
        if i == 4:
            {busy}
        return os.getpid()
if __name__ == '__main__':
    multiprocessing.set_start_method({method!r})
    it = MultiprocessIterator(Data(), 2, shuffle=False, n_processes=2, n_prefetch=1)
    it.next(), it.next()
    pids = [process.pid for process in multiprocessing.active_children()]
    print(*pids, flush=True)
    {end}
'''
SLEEP = 'time.sleep(1000)'
HOLD_LOCK = 're.match("(a*)*$", 1000 * "a" + "b")'
BE_DEAF = 'signal.signal(signal.SIGTERM, signal.SIG_IGN); ' + SLEEP
STOP = 'os.kill(os.getpid(), signal.SIGSTOP)'


def run_script(path, end, busy, method, before='', **kwargs):
    """Start a program with workers that are busy; return it and their numbers."""
    path.write_text(SCRIPT.format(end=end, busy=busy, method=method, before=before))
    process = start_program(path, stderr=subprocess.DEVNULL, **kwargs)
    pids = [int(word) for word in process.stdout.readline().split()]
    assert len(pids) == 2
    return process, pids


# Windows, which skips these tests, does not have this signal.
KILL = getattr(signal, 'SIGKILL', None)
KILLED = [(SLEEP, KILL, busy) for busy in (
    '0', SLEEP, HOLD_LOCK, BE_DEAF, STOP)] + [
    # A fork of the program outlives it, with copies of all that is open.
    ('os.fork() or (time.sleep(2), os._exit(0))\n    ' + SLEEP, KILL, SLEEP)]


@pytest.mark.parametrize('method, end, number, busy', [
    pytest.param(*values, marks=pytest.mark.posix('the program is forked'))
    for values in [
        ('fork', 'pass', None, SLEEP),
        ('fork', 'pass', None, HOLD_LOCK),
        ('fork', 'pass', None, BE_DEAF),
        ('fork', 'pass', None, STOP),
        ('fork', 'it.next()', signal.SIGINT, SLEEP),
        ('fork', SLEEP, signal.SIGTERM, SLEEP),
        *[('fork', *rest) for rest in KILLED],
        *[('forkserver', *rest) for rest in KILLED[::2] + KILLED[-1:]],
    ]
] + [
    ('spawn', 'pass', None, SLEEP),
    ('spawn', SLEEP, signal.SIGKILL, '0'),
    ('spawn', SLEEP, signal.SIGKILL, SLEEP),
])
def test_workers_end_with_the_program(method, end, number, busy, tmp_path):
    process, pids = run_script(tmp_path / 'script.py', end, busy, method)
    with process:
        if number is not None:
            time.sleep(.2)
            process.send_signal(number)
        process.wait(10)
        # A process that is spawned may still be importing modules.
        wait_for(lambda: not any(map(is_running, pids)),
                 30 if method == 'spawn' else 1.5)


@pytest.mark.posix('SIGSTOP')
def test_job_that_is_stopped_as_a_whole_goes_on(tmp_path):
    process, _ = run_script(
        tmp_path / 'script.py', 'print(len(it.next()), flush=True)', 'time.sleep(1.5)',
        'fork', before='_hang_watch._STOPPED_LIMIT = 1.5', start_new_session=True)
    with process:
        time.sleep(.7)
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(2.5)
        os.killpg(process.pid, signal.SIGCONT)
        assert process.stdout.readline() == b'2\n'
    assert process.returncode == 0


@pytest.mark.posix('the program is forked')
def test_forks_of_the_program_have_workers_of_their_own():
    with MultiprocessIterator(list(range(9)), 2, shuffle=False, n_processes=1) as it:
        it.next()
        pid = os.fork()
        if not pid:
            code = 1
            try:
                code = 0 if it.next() == [2, 3] else 2
                it.finalize()
            finally:
                os._exit(code)
        assert os.waitpid(pid, 0)[1] == 0
        assert it.next() == [2, 3]
