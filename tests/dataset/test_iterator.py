import pytest

from chainer_fast import dataset


class Countdown(dataset.Iterator):

    def __init__(self, n):
        self.n = n
        self.finalized = 0

    def __next__(self):
        if not self.n:
            raise StopIteration
        self.n -= 1
        return [self.n]

    def finalize(self):
        self.finalized += 1


def test_next_is_the_protocol_and_a_method():
    it = Countdown(3)
    assert it.next() == [2]
    assert next(it) == [1]
    assert list(it) == [[0]]


def test_with_finalizes():
    with Countdown(1) as it:
        assert it.finalized == 0
    assert it.finalized == 1


def test_base_class_has_no_data():
    with pytest.raises(NotImplementedError, match='__next__'):
        dataset.Iterator().next()
    assert dataset.Iterator().serialize(None) is None
