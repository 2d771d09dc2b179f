import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast import datasets, iterators, serializers
from chainer_fast.iterators import _statemachine
from tests.iterators.states import state_of
from tests.training.stubs import save as saved

sizes = st.integers(1, 7)


@given(sizes, sizes, st.integers(1, 6))
def test_without_shuffling_batches_are_cut_from_the_repeated_data(n, size, count):
    data = list(range(n))
    it = iterators.SerialIterator(data, size, shuffle=False)
    used = 0
    for _ in range(count):
        batch = it.next()
        assert batch == [data[i % n] for i in range(used, used + size)]
        before, used = used, used + size
        assert it.epoch == used // n
        assert it.current_position == used % n
        assert it.is_new_epoch == (used // n > before // n)
        assert it.epoch_detail == pytest.approx(used / n)
        assert it.previous_epoch_detail == pytest.approx(before / n)


@given(sizes, sizes, st.integers(0, 99))
def test_each_epoch_is_a_permutation(n, size, seed):
    numpy.random.seed(seed)
    it = iterators.SerialIterator(list(range(n)), size)
    seen = []
    while len(seen) < 3 * n:
        seen += it.next()
    for epoch in range(3):
        assert sorted(seen[epoch * n:(epoch + 1) * n]) == list(range(n))


@given(sizes, sizes, st.booleans())
def test_without_repeat_it_ends_after_an_epoch(n, size, shuffle):
    it = iterators.SerialIterator(list(range(n)), size, repeat=False, shuffle=shuffle)
    for _ in range(2):
        batches = list(it)
        assert sorted(sum(batches, [])) == list(range(n))
        assert [len(batch) for batch in batches[:-1]] == [size] * (len(batches) - 1)
        assert state_of(it) == (1, True, 0, 1., 1.)
        with pytest.raises(StopIteration):
            it.next()
        it.reset()
        assert state_of(it) == (0, False, 0, 0., None)


def test_order_is_that_of_chainer():
    numpy.random.seed(0)
    it = iterators.SerialIterator(numpy.arange(7), 3)
    assert [[int(i) for i in it.next()] for _ in range(6)] == [
        [6, 2, 1], [3, 0, 5], [4, 1, 0], [6, 3, 4], [2, 5, 6], [3, 5, 1]]


def test_random_state_of_ones_own():
    def batches():
        sampler = iterators.ShuffleOrderSampler(numpy.random.RandomState(1))
        it = iterators.SerialIterator(range(5), 5, order_sampler=sampler)
        return [it.next() for _ in range(3)]

    numpy.random.seed(0)
    assert batches() == batches()
    assert numpy.random.permutation(3).tolist() == [2, 1, 0]


class Pair:

    def __init__(self, it):
        self.it = it

    def serialize(self, serializer):
        self.it.serialize(serializer)
        serializer('missing', 0)


def test_random_state_of_ones_own_is_in_the_snapshot():
    def make(seed, generator=numpy.random.RandomState):
        sampler = iterators.ShuffleOrderSampler(generator(seed))
        return iterators.SerialIterator(range(5), 5, order_sampler=sampler)

    it, other, before = make(1), make(2), numpy.random.get_state()[1]
    for _ in range(3):
        it.next()
    snapshot = saved(it)
    other.serialize(serializers.NpzDeserializer(snapshot))
    assert [other.next() for _ in range(3)] == [it.next() for _ in range(3)]
    assert numpy.array_equal(numpy.random.get_state()[1], before)
    # It is put back with everything else if a snapshot turns out not to fit.
    it.next()
    before = saved(it)
    with pytest.raises(ValueError):
        serializers.NpzDeserializer(dict(snapshot, random_state=numpy.zeros(627))).load(
            it)
    with pytest.raises(KeyError):
        serializers.NpzDeserializer(snapshot).load(Pair(it))
    numpy.testing.assert_equal(saved(it), before)
    # Chainer's has none, and other generators are left alone.
    del snapshot['random_state']
    for reader in it, make(0, numpy.random.default_rng):
        reader.serialize(serializers.NpzDeserializer(snapshot))
    assert 'random_state' not in saved(reader)
    assert 'random_state' not in saved(iterators.SerialIterator(range(5), 5))


def test_sampler_sees_what_is_left_of_the_order():
    calls = []

    def sampler(order, position):
        calls.append((list(order), position))
        return order[::-1]

    it = iterators.SerialIterator(range(3), 2, order_sampler=sampler)
    assert [it.next() for _ in range(3)] == [[2, 1], [0, 0], [1, 2]]
    assert calls == [([0, 1, 2], 0), ([2, 1, 0], 2), ([0, 1, 2], 1)]


def test_sampler_defines_the_size_of_an_epoch():
    it = iterators.SerialIterator('abc', 4, order_sampler=lambda *_: [0, 0, 1, 1, 2, 2])
    assert it.next() == list('aabb')
    assert it.epoch_detail == pytest.approx(4 / 6)
    assert it.next() == list('ccaa')
    assert it.is_new_epoch


def test_sampler_must_not_change_the_size():
    sizes = iter([3, 2])
    it = iterators.SerialIterator(
        range(3), 2, order_sampler=lambda *_: numpy.arange(next(sizes)))
    it.next()
    with pytest.raises(ValueError, match='from 3 to 2'):
        it.next()


def test_shuffle_and_sampler_exclude_each_other():
    for shuffle in True, False:
        with pytest.raises(ValueError, match='order sampler'):
            iterators.SerialIterator([1], 1, shuffle=shuffle, order_sampler=list)


@given(sizes, sizes, st.integers(0, 5), st.booleans(), st.integers(0, 9))
def test_goes_on_from_a_snapshot(n, size, count, shuffle, seed):
    numpy.random.seed(seed)
    it = iterators.SerialIterator(list(range(n)), size, shuffle=shuffle)
    for _ in range(count):
        it.next()
    snapshot = saved(it)
    other = iterators.SerialIterator(list(range(n)), size, shuffle=shuffle)
    other.serialize(serializers.NpzDeserializer(snapshot))
    assert state_of(other) == state_of(it)
    numpy.random.seed(seed + 1)
    expected = [it.next() for _ in range(4)]
    numpy.random.seed(seed + 1)
    assert [other.next() for _ in range(4)] == expected


def test_loading_leaves_orders_of_others_alone():
    order = numpy.arange(3)
    it = iterators.SerialIterator(range(3), 1, order_sampler=lambda *_: order)
    snapshot = dict(saved(it), order=numpy.array([2, 1, 0]))
    it.serialize(serializers.NpzDeserializer(snapshot))
    assert it.next() == [2]
    assert order.tolist() == [0, 1, 2]


def test_snapshots_of_early_versions():
    it = iterators.SerialIterator(list(range(6)), 2)
    it.next(), it.next()
    snapshot = saved(it)
    snapshot['_order'] = snapshot.pop('order')
    del snapshot['previous_epoch_detail']
    other = iterators.SerialIterator(list(range(6)), 2)
    other.serialize(serializers.NpzDeserializer(snapshot))
    assert state_of(other) == state_of(it)
    assert other.next() == it.next()


class Indices:
    """Data that are the types of the indices, as code of data sets may depend on it."""

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return type(i)


@pytest.mark.parametrize('make', [
    iterators.SerialIterator, iterators.MultithreadIterator,
    iterators.MultiprocessIterator])
def test_data_sets_see_integers_of_numpy(make):
    for shuffle in True, False:
        for data in Indices(), datasets.TupleDataset(Indices(), [1, 2, 3]):
            with make(data, 1, shuffle=shuffle) as it:
                found, = it.next()
            if isinstance(found, tuple):
                found, _ = found
            assert found is numpy.int64


def test_size_of_a_batch_may_be_a_float():
    it = iterators.SerialIterator(list(range(5)), 2., shuffle=False)
    assert [it.next() for _ in range(3)] == [[0, 1], [2, 3], [4, 0]]
    assert it.epoch_detail == 1.2


def test_nothing_can_be_repeated():
    state = _statemachine.IteratorState(0, 0, False, None)
    with pytest.raises(ValueError, match='no examples'):
        _statemachine.iterator_statemachine(state, 1, True, None, 0)
    for repeat in True, False:
        with pytest.raises(ZeroDivisionError):
            iterators.SerialIterator([], 1, repeat).next()


@pytest.mark.parametrize('position, epoch, expected', [
    (0, 0, None), (1, 0, 0.), (2, 0, 0.), (3, 0, 1 / 6), (1, 2, 2 - 1 / 6),
    (0, 1, 1 - 2 / 6)])
def test_early_snapshots_have_no_previous_position(position, epoch, expected):
    it = iterators.SerialIterator(list(range(6)), 2, shuffle=False)
    it.next()
    it.serialize(serializers.NpzDeserializer(
        {'current_position': numpy.array(position), 'epoch': numpy.array(epoch),
         'is_new_epoch': numpy.array(False)}))
    assert it.previous_epoch_detail == expected


def test_attributes_cannot_be_set():
    it = iterators.SerialIterator([1], 1)
    for name in 'epoch', 'is_new_epoch', 'current_position', 'repeat':
        with pytest.raises(AttributeError):
            setattr(it, name, 1)


def test_interface_of_samplers():
    with pytest.raises(NotImplementedError):
        iterators.OrderSampler()([0], 0)
    assert _statemachine.IteratorState._fields == (
        'current_position', 'epoch', 'is_new_epoch', 'order')
