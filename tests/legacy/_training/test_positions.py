"""Iterators of a program's own, which set their positions as up to version 5."""
import numpy as np
import pytest

from chainer_fast import iterators

ITERATORS = [iterators.SerialIterator, iterators.MultithreadIterator,
             iterators.MultiprocessIterator]


class Counting(iterators.SerialIterator):
    """Counts by itself, as programs of Chainer 1 did."""

    def __next__(self):
        if not self._repeat and self.epoch > 0:
            raise StopIteration
        start = self.current_position
        stop = start + self.batch_size
        order = range(len(self.dataset)) if self._order is None else self._order
        batch = [self.dataset[i] for i in order[start:stop]]
        self.is_new_epoch = stop >= len(self.dataset)
        self.current_position = stop
        if self.is_new_epoch:
            self.epoch += 1
            self.current_position = 0
            if self._order is not None:
                np.random.shuffle(self._order)
        return batch

    next = __next__


class Alone(Counting):

    def __init__(self, dataset, batch_size, repeat=True, shuffle=True):
        self.dataset, self.batch_size, self._repeat = dataset, batch_size, repeat
        self._order = np.arange(len(dataset)) if shuffle else None
        self.current_position = self.epoch = 0
        self.is_new_epoch = False


@pytest.mark.parametrize('cls', [Counting, Alone])
@pytest.mark.parametrize('shuffle', [True, False])
def test_an_iterator_that_counts(enable, cls, shuffle):
    enable()
    iterator = cls(list(range(5)), 2, shuffle=shuffle)
    epochs = [[i for _ in range(3) for i in iterator.next()] for _ in range(3)]
    assert [sorted(epoch) for epoch in epochs] == [list(range(5))] * 3
    assert (iterator.epoch, iterator.is_new_epoch, iterator.epoch_detail) == (
        3, True, 3)
    assert (epochs[1] != epochs[2]) or not shuffle


def test_the_order_is_the_array_itself(enable):
    enable()
    iterator = iterators.SerialIterator(range(4), 2)
    iterator._order[...] = [3, 2, 1, 0]
    assert iterator.next() == [3, 2]
    assert iterators.SerialIterator(range(4), 2, shuffle=False)._order is None


@pytest.mark.parametrize('cls', ITERATORS)
def test_positions_are_set(enable, cls):
    enable('v5')
    with cls(list(range(5)), 2, shuffle=False) as iterator:
        iterator.epoch, iterator.current_position, iterator.is_new_epoch = 7, 3, True
        assert (iterator.epoch, iterator.current_position, iterator.is_new_epoch) == (
            7, 3, True)
        assert iterator.next() == [3, 4] and iterator.epoch == 8
        assert iterator._repeat is True and iterator._order is None


@pytest.mark.parametrize('cls', ITERATORS)
def test_an_order_that_is_set_is_used_and_shuffled(enable, cls):
    enable('v1')
    with cls(list(range(40)), 20, shuffle=False) as iterator:
        iterator._order = np.arange(40)[::-1].copy()
        assert iterator.next() == list(range(39, 19, -1))
        iterator.next()
        last = iterator.next() + iterator.next()
        assert sorted(last) == list(range(40)) and last != list(range(39, -1, -1))


def test_positions_today():
    iterator = iterators.SerialIterator(range(4), 2)
    with pytest.raises(AttributeError):
        iterator.epoch = 1
    assert not hasattr(iterator, '_order')
