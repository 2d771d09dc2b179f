import copy
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time

import numpy
import pytest

from chainer_fast import iterators, serializers
from chainer_fast.iterators import MultiprocessIterator

# Newer versions of Python warn of every fork of a process with threads, such as those
# of BLAS.
pytestmark = pytest.mark.filterwarnings('ignore:.*multi-threaded:DeprecationWarning')


def state_of(it):
    return (it.epoch, it.is_new_epoch, it.current_position, it.epoch_detail,
            it.previous_epoch_detail)


def saved(it):
    target = {}
    it.serialize(serializers.DictionarySerializer(target))
    return target


def wait_for(condition, seconds=5):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, 'it takes too long'
        time.sleep(.01)


def is_running(pid):
    try:
        with open('/proc/%d/stat' % pid) as f:
            return f.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


@pytest.fixture(autouse=True)
def nothing_is_left():
    def descriptors():
        return sorted(
            name for name in map(os.readlink, map('/proc/self/fd/{}'.format, (
                fd for fd in os.listdir('/proc/self/fd')
                if os.path.lexists('/proc/self/fd/' + fd))))
            if 'memfd' in name or 'socket' in name)

    def shared_memory():
        with open('/proc/self/maps') as f:
            mapped = sum('memfd:examples' in line for line in f)
        return mapped, sorted(os.listdir('/dev/shm'))

    gc.collect()
    before = descriptors(), shared_memory()
    assert not multiprocessing.active_children()
    yield
    assert not multiprocessing.active_children()
    with pytest.raises(ChildProcessError):  # zombies would be found
        os.waitpid(-1, os.WNOHANG)
    assert (descriptors(), shared_memory()) == before


class Examples:
    """Images of all kinds of layouts, in all kinds of containers."""

    def __init__(self, n=9):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        image = numpy.random.RandomState(i).rand(3, 16, 17).astype('f')
        return (image, image.transpose(1, 2, 0), numpy.asfortranarray(image[0]),
                {'a': [image[::2], numpy.array(i)], 'b': numpy.arange(1 + i)},
                numpy.float32(i), i, 'text', None, image[:0])


def assert_same(x, y):
    assert type(x) is type(y)
    if isinstance(x, (list, tuple)):
        assert len(x) == len(y)
        for one, other in zip(x, y, strict=True):
            assert_same(one, other)
    elif isinstance(x, dict):
        assert_same(list(x.items()), list(y.items()))
    elif isinstance(x, numpy.ndarray):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        numpy.testing.assert_array_equal(x, y)
        assert x.flags.writeable
    else:
        assert x == y


@pytest.fixture
def start_method(request):
    before = multiprocessing.get_start_method()
    multiprocessing.set_start_method(request.param, force=True)
    yield request.param
    multiprocessing.set_start_method(before, force=True)
    if request.param != 'fork':
        # The helpers of these methods are children, too, and stay on purpose.
        from multiprocessing import forkserver, resource_tracker
        forkserver._forkserver._stop()
        resource_tracker._resource_tracker._stop()


@pytest.mark.parametrize('start_method', ['fork', 'spawn', 'forkserver'], indirect=True)
def test_start_methods(start_method):
    data = Examples()
    with MultiprocessIterator(data, 4, shuffle=False, repeat=False,
                              n_processes=2) as it:
        found = sum(it, [])
        assert_same(found, [data[i] for i in range(9)])
        pid = multiprocessing.active_children()[0].pid
        it.reset()
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(RuntimeError, match='SIGKILL'):
            list(it)


@pytest.mark.parametrize('shared_mem', [None, 0, 100, 4000, 10 ** 6])
@pytest.mark.parametrize('n_prefetch', [0, 1, 3])
def test_examples_arrive_whole(shared_mem, n_prefetch):
    data = Examples(40)
    with MultiprocessIterator(data, 7, shuffle=False, n_processes=3,
                              n_prefetch=n_prefetch, shared_mem=shared_mem) as it:
        # All are kept, to see whether later ones overwrite them.
        found = sum([it.next() for _ in range(8)], [])
    assert_same(found, [data[i % 40] for i in range(56)])


def test_memory_grows_with_the_examples():
    data = [numpy.full(size, size) for size in (1, 100, 1000, 10 ** 6, 10, 10 ** 5)]
    with MultiprocessIterator(data, 1, shuffle=False, repeat=False,
                              n_processes=1) as it:
        assert_same(sum(it, []), data)


@pytest.mark.parametrize('n, size', [(1, 1), (1, 5), (5, 2), (6, 3), (300, 200)])
@pytest.mark.parametrize('repeat', [True, False])
def test_batches_are_those_of_the_serial_iterator(n, size, repeat):
    def walk(make, **kwargs):
        numpy.random.seed(0)
        with make(list(range(n)), size, repeat=repeat, **kwargs) as it:
            return [(next(it, None), state_of(it)) for _ in range(6)]

    assert (walk(MultiprocessIterator, n_processes=2)
            == walk(iterators.SerialIterator))


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


def stop_oneself():
    os.kill(os.getpid(), signal.SIGSTOP)


def exit_at_once():
    os._exit(3)


def leave():
    sys.exit(4)


def hang():
    while True:
        time.sleep(1)


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


@pytest.mark.parametrize('n_processes', [1, 2])
def test_worker_killed_from_outside(n_processes):
    with MultiprocessIterator(list(range(8)), 2, shuffle=False,
                              n_processes=n_processes) as it:
        it.next()
        victim = multiprocessing.active_children()[0].pid
        begin = time.monotonic()
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(
                RuntimeError, match='worker process %d .*SIGKILL' % victim):
            for _ in range(10 ** 5):
                it.next()
        assert time.monotonic() - begin < 3
        position = it.current_position
        assert it.next()[0] == position


@pytest.mark.parametrize('what', [hang, stop_oneself])
def test_worker_that_hangs_is_an_error(what):
    with MultiprocessIterator(Misbehaving(what), 2, shuffle=False, n_processes=2,
                              dataset_timeout=.05) as it:
        it.next(), it.next()
        begin = time.monotonic()
        with pytest.warns(MultiprocessIterator.TimeoutWarning, match='indices 5'), \
                pytest.raises(RuntimeError, match='hanging: worker process .* 5'):
            it.next()
        assert time.monotonic() - begin < 5
        assert not multiprocessing.active_children()


def be_slow():
    time.sleep(.3)
    return 5


def test_slow_examples_are_warned_of_and_arrive():
    with MultiprocessIterator(Misbehaving(be_slow), 2, shuffle=False, n_processes=2,
                              dataset_timeout=.1) as it:
        it.next(), it.next()
        with pytest.warns(MultiprocessIterator.TimeoutWarning):
            assert it.next() == [4, 5]
    with MultiprocessIterator(Misbehaving(be_slow), 2, shuffle=False, n_processes=2,
                              dataset_timeout=None) as it:
        assert [it.next() for _ in range(3)][-1] == [4, 5]


class Peculiar(Exception):
    def __init__(self, one, two):
        super().__init__('%s and %s' % (one, two))


def raise_key_error():
    raise KeyError('no such thing')


def raise_peculiar():
    raise Peculiar('this', 'that')


def give_function():
    return lambda: None


@pytest.mark.parametrize('what, error, message', [
    (raise_key_error, KeyError, 'no such thing'),
    (raise_peculiar, RuntimeError, 'Peculiar: this and that'),
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


def run_script(body):
    """Start a program with an iterator one of whose workers will be busy."""
    script = '''
import multiprocessing, os, signal, time
from chainer_fast.iterators import MultiprocessIterator
class Data:
    def __len__(self):
        return 100
    def __getitem__(self, i):
        if i == 4:
            time.sleep(1000)
        return os.getpid()
it = MultiprocessIterator(Data(), 2, shuffle=False, n_processes=2, n_prefetch=1)
it.next()
pids = [process.pid for process in multiprocessing.active_children()]
print(*pids, flush=True)
''' + body
    process = subprocess.Popen([sys.executable, '-c', script], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    pids = [int(word) for word in process.stdout.readline().split()]
    assert len(pids) == 2
    return process, pids


@pytest.mark.parametrize('body, number', [
    ('', None),
    ('os.kill(pids[0], signal.SIGSTOP)', None),
    ('it.next(); it.next()', signal.SIGINT),
    ('it.next(); time.sleep(100)', signal.SIGTERM),
    ('it.next(); time.sleep(100)', signal.SIGKILL),
])
def test_workers_end_with_the_program(body, number):
    process, pids = run_script(body)
    with process:
        if number is not None:
            time.sleep(.2)
            process.send_signal(number)
        process.communicate(timeout=10)
    wait_for(lambda: not any(map(is_running, pids)))


def test_processes_are_replaced_after_their_tasks():
    class Pids(list):
        def __getitem__(self, i):
            return os.getpid()

    with MultiprocessIterator(Pids(range(8)), 2, n_processes=2, n_prefetch=2,
                              maxtasksperchild=3) as it:
        pids = sum([it.next() for _ in range(12)], [])
    assert max(map(pids.count, pids)) == 3
    assert os.getpid() not in pids


def pickled(it):
    return pickle.loads(pickle.dumps(it))


@pytest.mark.parametrize('clone', [copy.copy, pickled])
def test_copies_go_on_by_themselves(clone):
    with MultiprocessIterator(list(range(6)), 2, shuffle=False, n_processes=1) as it:
        it.next()
        other = clone(it)
        assert it.next() == [2, 3]
    assert state_of(other)[:3] == (0, False, 2)
    assert other.next() == [2, 3]
    other.finalize()


def test_reset_and_finalize():
    it = MultiprocessIterator(list(range(4)), 2, shuffle=False, n_processes=1,
                              repeat=False)
    assert it.repeat is False
    for _ in range(2):
        it.next()
        it.reset()
        assert state_of(it) == (0, False, 0, 0., None)
        assert list(it) == [[0, 1], [2, 3]]
        it.reset()
    it.finalize()
    it.finalize()
    with pytest.raises(NotImplementedError):
        it.reset()
    with pytest.raises(RuntimeError, match='finalized'):
        it.next()


def test_iterators_that_are_dropped_end_their_workers():
    it = MultiprocessIterator(list(range(4)), 2, n_processes=2)
    it.next()
    del it
    gc.collect()
    assert not multiprocessing.active_children()


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


@pytest.mark.parametrize('shuffle', [True, False])
@pytest.mark.parametrize('count', [0, 1, 4])
def test_goes_on_from_a_snapshot(shuffle, count):
    def make():
        return MultiprocessIterator(list(range(6)), 2, shuffle=shuffle, n_processes=1)

    with make() as it, make() as other:
        for _ in range(count):
            it.next()
        snapshot = saved(it)
        assert ('order' in snapshot) is shuffle
        other.next()
        other.serialize(serializers.NpzDeserializer(snapshot))
        assert state_of(other) == state_of(it)
        assert other.next() == it.next()
        if count and shuffle:
            snapshot['_order'] = snapshot.pop('order')
            del snapshot['previous_epoch_detail']
            it.serialize(serializers.NpzDeserializer(snapshot))
            other.serialize(serializers.NpzDeserializer(snapshot))
            assert state_of(it) == state_of(other)
            assert it.next() == other.next()


def test_arguments():
    for kwargs in {'n_processes': 0}, {'maxtasksperchild': 0}:
        with pytest.raises(ValueError, match='%s has to be at least 1' % [*kwargs][0]):
            MultiprocessIterator([1], 1, **kwargs)
    with pytest.raises(ValueError, match='order sampler'):
        MultiprocessIterator([1], 1, shuffle=True, order_sampler=list)
    assert issubclass(MultiprocessIterator.TimeoutWarning, RuntimeWarning)
    assert MultiprocessIterator([1], 1).n_processes == multiprocessing.cpu_count()
