import copy
import pickle

import numpy
import pytest

from chainer_fast import iterators
from chainer_fast.mn.iterators import create_synchronized_iterator
from chainer_fast.serializers import DictionarySerializer, NpzDeserializer

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.filterwarnings('ignore:.*is experimental:FutureWarning')]


@pytest.fixture
def seeded(comm):
    state = numpy.random.get_state()
    numpy.random.seed(10 + comm.rank)
    yield
    numpy.random.set_state(state)


@pytest.mark.parametrize('shuffle', [True, False])
@pytest.mark.parametrize('cls', [
    iterators.SerialIterator, iterators.MultithreadIterator])
def test_stream_of_the_released_chainer(comm, seeded, cls, shuffle):
    actual = cls(numpy.arange(6, dtype='f'), 2, shuffle=shuffle)
    # Making a shuffling iterator draws a first order.
    numpy.random.seed(10 + comm.rank)
    it = create_synchronized_iterator(actual, comm)
    expected = numpy.random.RandomState(3312796937)
    for _ in range(3):
        order = expected.permutation(6).tolist()
        assert [float(x) for _ in range(3) for x in it.next()] == order
    it.finalize()
    # The seed comes of the first process, and only there is a number drawn.
    mine = numpy.random.RandomState(10 + comm.rank)
    if comm.rank == 0:
        assert mine.randint(0, 2 ** 32 - 1, dtype='int64') == 3312796937
    assert numpy.random.rand() == mine.rand()


def test_it_starts_at_the_beginning(comm):
    actual = iterators.SerialIterator(numpy.arange(6), 2)
    actual.next()
    it = create_synchronized_iterator(actual, comm)
    assert it.current_position == 0 and it.epoch_detail == 0


def test_attributes(comm):
    actual = iterators.SerialIterator(numpy.arange(6), 2)
    it = create_synchronized_iterator(actual, comm)
    assert it.batch_size == 2 and it.order_sampler is actual.order_sampler
    it.something = 3
    assert actual.something == 3 and 'something' not in vars(it)
    with pytest.raises(AttributeError, match='nonsense'):
        it.nonsense     # noqa: B018
    assert copy.copy(it).batch_size == 2
    assert pickle.loads(pickle.dumps(it)).batch_size == 2


def test_snapshot(comm):
    it, other = (create_synchronized_iterator(
        iterators.SerialIterator(numpy.arange(8), 3), comm) for _ in range(2))
    it.next()
    saved = DictionarySerializer()
    saved.save(it)
    NpzDeserializer(saved.target).load(other)
    assert [it.next() for _ in range(9)] == [other.next() for _ in range(9)]


def test_only_finalize_ends_the_iterator(comm):
    actual = iterators.SerialIterator(numpy.arange(7.), 2)
    ended = []
    it = create_synchronized_iterator(actual, comm)
    actual.finalize = lambda: ended.append(True)
    del it
    assert not ended
    create_synchronized_iterator(actual, comm).finalize()
    assert ended


@pytest.mark.parametrize('bad', [[1, 2], object()])
def test_without_order_sampler(comm, bad):
    with pytest.raises(ValueError, match='must have order_sampler.*got %s' % (
            type(bad).__name__)):
        create_synchronized_iterator(bad, comm)


def test_it_is_experimental(comm):
    with pytest.warns(FutureWarning, match='synchronized_iterator is experimental'):
        create_synchronized_iterator(
            iterators.SerialIterator(numpy.arange(4.), 2), comm)
