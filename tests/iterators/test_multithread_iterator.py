import copy
import multiprocessing.pool
import os
import pickle
import signal
import threading
import time

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast import iterators, serializers
from chainer_fast.iterators import _statemachine
from tests.iterators.states import state_of
from tests.training.stubs import save as saved

sizes = st.integers(1, 7)


@given(sizes, sizes, st.booleans(), st.booleans(), st.integers(1, 3))
def test_batches_are_those_of_the_serial_iterator(n, size, shuffle, repeat, threads):
    def walk(make, **kwargs):
        numpy.random.seed(0)
        found = []
        with make(list(range(n)), size, repeat=repeat, shuffle=shuffle, **kwargs) as it:
            for _ in range(2):
                for _ in range(5):
                    found.append((next(it, None), state_of(it)))
            return found

    assert (walk(iterators.MultithreadIterator, n_threads=threads)
            == walk(iterators.SerialIterator))


def test_reads_the_next_batch_in_advance_in_threads():
    read, done = [], threading.Event()

    class Data(list):
        def __getitem__(self, i):
            read.append((i, threading.current_thread()))
            if i == 3:
                done.set()
            return i

    with iterators.MultithreadIterator(Data(range(8)), 2, shuffle=False) as it:
        assert it.next() == [0, 1]
        assert done.wait(5)
    assert threading.main_thread() not in [thread for _, thread in read]


def test_an_error_comes_with_its_batch():
    class Data(list):
        def __getitem__(self, i):
            return [0, 1, 2, 3, 4, 5][i if i != 2 else 9]

    with iterators.MultithreadIterator(Data(range(6)), 2, shuffle=False) as it:
        assert it.next() == [0, 1]
        with pytest.raises(IndexError):
            it.next()
        assert it.next() == [4, 5]


def test_interrupt_while_a_batch_is_waited_for():
    class Data(list):
        def __getitem__(self, i):
            time.sleep(.3 * (i == 2))
            return i

    with iterators.MultithreadIterator(Data(range(6)), 2, shuffle=False) as it:
        assert it.next() == [0, 1]
        threading.Timer(.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            it.next()
        assert state_of(it)[:3] == (0, False, 2)
        assert it.next() == [2, 3]


def test_finalize_ends_the_threads_and_it_starts_again():
    before = threading.active_count()
    it = iterators.MultithreadIterator(list(range(6)), 2, shuffle=False, n_threads=3)
    assert it.next() == [0, 1]
    it.finalize()
    it.finalize()
    assert it.next() == [2, 3]
    it.reset()
    assert it.next() == [0, 1]
    it.finalize()
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(.01)
    assert threading.active_count() <= before


def pickled(it):
    return pickle.loads(pickle.dumps(it))


@pytest.mark.parametrize('clone', [copy.copy, pickled])
def test_copies_go_on_by_themselves(clone):
    with iterators.MultithreadIterator(list(range(6)), 2, shuffle=False) as it:
        it.next()
        other = clone(it)
        assert it.next() == [2, 3]
    assert state_of(other)[:3] == (0, False, 2)
    assert other.next() == [2, 3]
    other.finalize()


@given(sizes, sizes, st.integers(0, 4), st.integers(0, 9), st.booleans())
def test_goes_on_from_a_snapshot(n, size, count, seed, used):
    numpy.random.seed(seed)
    with iterators.MultithreadIterator(list(range(n)), size) as it:
        for _ in range(count):
            it.next()
        snapshot = saved(it)
        assert set(snapshot) - {'orders_ahead'} == {
            '_order', 'current_position', 'epoch', 'is_new_epoch',
            'previous_epoch_detail'}
        # Orders that were sampled for batches to come are part of it.
        random_state = numpy.random.get_state()
        expected = [(it.next(), state_of(it)) for _ in range(4)]
        with iterators.MultithreadIterator(list(range(n)), size) as other:
            if used:
                other.next()
            numpy.random.set_state(random_state)
            other.serialize(serializers.NpzDeserializer(snapshot))
            if count:
                assert saved(other).keys() == snapshot.keys()
            assert [(other.next(), state_of(other)) for _ in range(4)] == expected


def test_order_of_a_snapshot_is_used_once():
    with iterators.MultithreadIterator(list(range(4)), 4, shuffle=True) as it:
        order = numpy.array([2, 0, 3, 1])
        it.serialize(serializers.NpzDeserializer(
            dict(saved(it), orders_ahead=order[None])))
        for other in it, pickled(it):
            other.next()
            assert other._state.order.tolist() == order.tolist()
            other.finalize()
        # What was read with the order is forgotten with it.
        numpy.random.seed(0)
        it.next()
        assert it._state.order.tolist() == [2, 3, 1, 0]


def assert_same(one, other):
    assert one.keys() == other.keys()
    for key in one:
        numpy.testing.assert_array_equal(one[key], other[key])


@pytest.mark.parametrize('orders', [
    numpy.zeros((1, 3), int), numpy.zeros(4, int), numpy.zeros((1, 4))])
def test_orders_that_do_not_fit(orders):
    with iterators.MultithreadIterator(list(range(4)), 3) as it:
        snapshot = dict(saved(it), orders_ahead=orders)
        with pytest.raises(ValueError, match='orders of 4 indices were expected'):
            it.serialize(serializers.NpzDeserializer(snapshot))


@pytest.mark.parametrize('shuffle', [True, False])
def test_snapshots_of_the_serial_iterator(shuffle):
    for make, make_other in [
            (iterators.SerialIterator, iterators.MultithreadIterator),
            (iterators.MultithreadIterator, iterators.SerialIterator)]:
        with make(list(range(6)), 2, shuffle=shuffle) as it:
            it.next()
            with make_other(list(range(6)), 2, shuffle=shuffle) as other:
                other.serialize(serializers.NpzDeserializer(saved(it)))
                assert other.next() == it.next()


def test_shuffle_and_sampler_exclude_each_other():
    with pytest.raises(ValueError, match='order sampler'):
        iterators.MultithreadIterator([1], 1, shuffle=True, order_sampler=list)
    with pytest.raises(ValueError), iterators.MultithreadIterator(
            [1], 1, n_threads=0) as it:
        it.next()


def test_subclass_that_reads():
    class Iterator(iterators.MultithreadIterator):
        def _read(self, args):
            data, index = args
            return self.sign * data[index]

    iterator = Iterator([1, 2, 3], 2, shuffle=False)
    iterator.sign = -1
    with iterator:
        assert [iterator.next(), iterator.next()] == [[-1, -2], [-3, -1]]


def test_subclass_that_begins_to_read():
    """A curriculum: the data set grows before the batch after an epoch is read."""
    class Iterator(iterators.MultithreadIterator):
        def _invoke_prefetch(self):
            if self.is_new_epoch and self.epoch == 1:
                self.dataset += [3, 4]
                order = self.order_sampler(numpy.arange(len(self.dataset)), 0)
                self._state = _statemachine.IteratorState(
                    self._state.current_position, self._state.epoch,
                    self._state.is_new_epoch, order)
            super()._invoke_prefetch()

    with Iterator([1, 2], 2, order_sampler=lambda order, position: order) as iterator:
        assert [iterator.next() for _ in range(3)] == [[1, 2], [1, 2], [3, 4]]


def test_subclass_that_takes_batches():
    class Iterator(iterators.MultithreadIterator):
        def _get(self):
            return [10 * example for example in super()._get()]

    with Iterator([1, 2], 2, repeat=False, shuffle=False) as iterator:
        assert list(iterator) == [[10, 20]]
        assert (iterator.epoch, iterator.previous_epoch_detail) == (1, 1)


def test_subclass_with_its_own_way_to_read():
    class Iterator(iterators.MultithreadIterator):
        def _invoke_prefetch(self):
            if self._pool is None:
                self._pool = multiprocessing.pool.ThreadPool(1)
            self._next = self._pool.map_async(abs, [-7])
            self._next_state = self._state._replace(epoch=self.epoch + 1)

        def _get(self):
            self._state, result = self._next_state, self._next
            self._next = None
            return result.get()

    with Iterator([1, 2], 1, shuffle=False) as iterator:
        assert [iterator.next(), iterator.next()] == [[7], [7]]
        assert (iterator.epoch, iterator.previous_epoch_detail) == (2, 1)


@pytest.mark.parametrize('number', range(7))
def test_threads_end_if_one_cannot_start(monkeypatch, number):
    # Four that read, and three of the pool.
    iterator = iterators.MultithreadIterator(range(4), 2, shuffle=False, n_threads=4)
    before, start, started = set(threading.enumerate()), threading.Thread.start, []

    def start_some(thread):
        if len(started) == number:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    with monkeypatch.context() as context:
        context.setattr(threading.Thread, 'start', start_some)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            next(iterator)
    assert len(started) == number
    assert set(threading.enumerate()) - before == set()
    # Later there may be room for them.
    assert next(iterator) == [0, 1]
    iterator.finalize()
