import copy
import gc
import multiprocessing
import os
import pickle
import time

import numpy
import pytest

from chainer_fast import iterators, serializers
from chainer_fast.iterators import MultiprocessIterator
from chainer_fast.utils._random_state import global_is_saved
from tests.iterators.processes import nothing_is_left
from tests.iterators.states import state_of
from tests.training.stubs import save as saved

pytestmark = [
    # Newer versions of Python warn of a fork beside other threads.
    pytest.mark.filterwarnings('ignore:.*multi-threaded:DeprecationWarning'),
    pytest.mark.usefixtures(nothing_is_left.__name__)]


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


@pytest.mark.parametrize('shared_mem', [None, 0, 100, 4000, 10 ** 6])
@pytest.mark.parametrize('n_prefetch', [0, 1, 3])
def test_examples_arrive_whole(shared_mem, n_prefetch):
    data = Examples(40)
    with MultiprocessIterator(data, 7, shuffle=False, n_processes=3,
                              n_prefetch=n_prefetch, shared_mem=shared_mem) as it:
        # All are kept, to see whether later ones overwrite them.
        found = sum([it.next() for _ in range(8)], [])
    assert_same(found, [data[i % 40] for i in numpy.arange(56)])


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


class Pids(list):
    def __getitem__(self, i):
        return os.getpid()


def test_processes_are_replaced_after_their_tasks():
    with MultiprocessIterator(Pids(range(8)), 2, n_processes=2, n_prefetch=2,
                              maxtasksperchild=3, shared_mem=0) as it:
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


@pytest.mark.parametrize('n_prefetch', [0, 1, 3])
def test_orders_that_were_sampled_in_advance_are_in_the_snapshot(n_prefetch):
    def make():
        return MultiprocessIterator(
            list(range(5)), 4, n_processes=1, n_prefetch=n_prefetch)

    numpy.random.seed(0)
    with make() as it, make() as other:
        for _ in range(4):
            it.next()
            with global_is_saved():
                snapshot, random_state = saved(it), numpy.random.get_state()
        assert 'orders_ahead' in snapshot
        assert 'orders_ahead' not in saved(other)
        expected = [it.next() for _ in range(5)]
        numpy.random.set_state(random_state)
        other.serialize(serializers.NpzDeserializer(snapshot))
        assert [other.next() for _ in range(5)] == expected


class Unlucky:
    """Something whose loading fails after its iterator was loaded."""

    def __init__(self, it):
        self.it = it

    def serialize(self, serializer):
        self.it.serialize(serializer['it'])
        if isinstance(serializer, serializers.NpzDeserializer):
            time.sleep(.05)     # meanwhile, examples arrive
            raise ValueError('in vain')


class Slow(list):
    def __getitem__(self, i):
        time.sleep(.01)
        return super().__getitem__(i)


def test_iterator_goes_on_after_loading_has_failed(tmp_path):
    with MultiprocessIterator(Slow(range(40)), 4, shuffle=False, n_processes=2,
                              n_prefetch=3) as it:
        target = Unlucky(it)
        it.next()
        serializers.save_npz(tmp_path / 'x.npz', target)
        first = it.next()
        for i in range(2, 8):
            state = state_of(it)
            with pytest.raises(ValueError, match='in vain'):
                serializers.load_npz(tmp_path / 'x.npz', target)
            assert state_of(it) == state
            assert it.next() == [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]
        assert first == [4, 5, 6, 7]


def test_orders_survive_a_worker_that_is_killed():
    numpy.random.seed(0)
    with MultiprocessIterator(list(range(5)), 4) as it:
        expected = [it.next() for _ in range(5)]
    numpy.random.seed(0)
    with MultiprocessIterator(list(range(5)), 4, n_processes=1, n_prefetch=2) as it:
        assert it.next() == expected[0]
        it._pool._processes[0].process.kill()
        found = []
        while len(found) < 4:
            try:
                found.append(it.next())
            except RuntimeError:
                pass
        assert found == expected[1:]


def test_arguments():
    for kwargs in {'n_processes': -1}, {'maxtasksperchild': 0}:
        with pytest.raises(ValueError, match=[*kwargs][0]):
            MultiprocessIterator([1], 1, **kwargs)
    for data, size in ([], 2), ([1], 0):
        with pytest.raises(ValueError, match='no examples'):
            MultiprocessIterator(data, size, repeat=False, shuffle=False).next()
    with pytest.raises(ValueError, match='order sampler'):
        MultiprocessIterator([1], 1, shuffle=True, order_sampler=list)
    assert issubclass(MultiprocessIterator.TimeoutWarning, RuntimeWarning)
    for kwargs in {}, {'n_processes': 0}:
        it = MultiprocessIterator([1], 1, **kwargs)
        assert it.n_processes == multiprocessing.cpu_count()


def test_any_number_of_batches_may_be_prefetched():
    with MultiprocessIterator(
            list(range(9)), 4, shuffle=False, n_processes=1, n_prefetch=2 ** 40) as it:
        assert [next(it) for _ in range(3)] == [
            [0, 1, 2, 3], [4, 5, 6, 7], [8, 0, 1, 2]]
        assert len(it._ahead) < 10 ** 4
