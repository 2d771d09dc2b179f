import copy

import numpy
import pytest

from chainer_fast import iterators, serializers
from chainer_fast.mn.iterators import create_multi_node_iterator, multi_node_iterator
from chainer_fast.serializers import DictionarySerializer, NpzDeserializer

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.filterwarnings('ignore:.*is experimental:FutureWarning')]


@pytest.fixture(params=['first', 'last'])
def master(request, comm):
    return 0 if request.param == 'first' else comm.size - 1


def on_all(comm, value):
    """Return the values of all processes."""
    return comm.bcast_obj(comm.gather_obj(value))


def state(it):
    return it.epoch, it.is_new_epoch, it.current_position, it.epoch_detail


@pytest.mark.parametrize('dataset', [
    numpy.arange(10, dtype='f') + numpy.float32(.25),
    numpy.arange(20, dtype='d').reshape(10, 2),
    numpy.arange(10) + 2 ** 40,
    [(numpy.float32(i), numpy.int32(i)) for i in range(10)],
    [(numpy.full((2, 3), i, 'f'), numpy.float32(i + .5)) for i in range(10)],
    [(numpy.full(2, i, 'f'), numpy.full((3, 1), i + .5, 'd')) for i in range(10)],
], ids=['scalars', 'arrays', 'large', 'labels', 'targets', 'pairs'])
def test_batches_are_the_masters(comm, master, dataset):
    it = create_multi_node_iterator(
        iterators.SerialIterator(dataset if comm.rank == master else [0], 3),
        comm, master)
    for _ in range(9):
        batch = it.next()
        assert isinstance(batch, list)
        described = [
            [(numpy.asarray(part).dtype.char, numpy.asarray(part).tolist())
             for part in (element if isinstance(element, tuple) else [element])]
            for element in batch]
        found = on_all(comm, (described, state(it)))
        assert found == [found[0]] * comm.size
        originals = [str(element) for element in dataset]
        assert all(str(element) in originals for element in batch)


def test_end_of_the_data(comm, master):
    it = create_multi_node_iterator(
        iterators.SerialIterator(numpy.arange(5.), 2, repeat=False), comm, master)
    for _ in range(3):
        it.next()
    for _ in range(2):
        with pytest.raises(StopIteration):
            it.next()
        found = on_all(comm, state(it))
        assert found == [(1, True, 0, 1.0)] * comm.size


def test_positions_beyond_float32():
    message = multi_node_iterator._build_ctrl_msg(False, True, True, False, 2 ** 24 + 1)
    assert multi_node_iterator._parse_ctrl_msg(message) == (
        False, True, True, False, 2 ** 24 + 1)


@pytest.mark.parametrize('element', [
    1.5, 'text', None, (1, 2), (numpy.float32(1),), (numpy.float32(1), 2),
    (numpy.float32(1),) * 3, [numpy.float32(1)] * 2, {'x': numpy.float32(1)}])
def test_other_elements_are_refused_everywhere(comm, master, element):
    it = create_multi_node_iterator(
        iterators.SerialIterator([element] * 4, 2), comm, master)
    with pytest.raises(TypeError, match='ndarray or tuple of scalars') as raised:
        it.next()
    if comm.rank == master:
        assert 'got' in str(raised.value)


@pytest.mark.parametrize('dataset', [
    [numpy.zeros(2), numpy.zeros(3)],
    [numpy.float32(1), (numpy.float32(1), numpy.float32(2))],
    [(numpy.zeros(2), numpy.float32(1)), (numpy.zeros(3), numpy.float32(1))],
], ids=['shapes', 'mixed', 'shapes_in_pairs'])
def test_elements_that_do_not_fit_are_refused_everywhere(comm, master, dataset):
    it = create_multi_node_iterator(
        iterators.SerialIterator(dataset, 2, shuffle=False), comm, master)
    with pytest.raises(TypeError, match='arrays of one shape'):
        it.next()


def test_attributes(comm, master):
    actual = iterators.SerialIterator(numpy.arange(6.), 2)
    it = create_multi_node_iterator(actual, comm, master)
    assert it.rank_master == master
    if comm.rank == master:
        assert it.actual_iterator is actual
        assert it.batch_size == 2 and it.dataset is actual.dataset
        with pytest.raises(AttributeError, match='nonsense'):
            it.nonsense     # noqa: B018
        assert copy.copy(it).batch_size == 2
    else:
        assert it.dataset_size == 6
        assert not hasattr(it, 'reset')


@pytest.mark.parametrize('shuffle', [True, False])
def test_snapshot(comm, master, shuffle):
    def make():
        actual = iterators.SerialIterator(numpy.arange(7.), 2, shuffle=shuffle)
        return create_multi_node_iterator(actual, comm, master)

    it = make()
    for _ in range(5):     # beyond the first epoch, whose order is over
        it.next()
    saved = DictionarySerializer()
    saved.save(it)
    order = None if shuffle is False else saved.target['order'].tolist()
    assert on_all(comm, order) == [order] * comm.size
    expected = [[float(x) for x in it.next()] for _ in range(4)]

    # On all processes, as parts of a job.
    other = make()
    NpzDeserializer(saved.target).load(other)
    assert state(other)[:3] == (1, False, 3)
    assert [float(x) for x in other.next()] == expected[0]
    # On one process, as an iterator of its own. The next order is not in it.
    alone = iterators.SerialIterator(numpy.arange(7.), 2, shuffle=shuffle)
    NpzDeserializer(saved.target).load(alone)
    for batch in expected[:2]:
        assert [float(x) for x in alone.next()] == batch


def test_the_order_of_others_stays_when_a_snapshot_is_read(comm):
    it = create_multi_node_iterator(
        iterators.SerialIterator(numpy.arange(7.), 2), comm)
    saved = DictionarySerializer()
    saved.save(it)
    order = saved.target['order'].copy()
    saved.target['order'] = numpy.roll(order, 1)
    NpzDeserializer(saved.target).load(it)
    if comm.rank == 0:
        assert it._state.order.tolist() == numpy.roll(order, 1).tolist()
    else:
        assert it._order.tolist() == order.tolist()


def test_snapshot_in_a_file_of_hdf5(comm, tmp_path):
    # The serializer itself cannot travel.
    it = create_multi_node_iterator(
        iterators.SerialIterator(numpy.arange(7.), 2), comm)
    it.next()
    path = str(tmp_path / ('%d.h5' % comm.rank))
    serializers.save_hdf5(path, it)
    it.next()
    serializers.load_hdf5(path, it)
    assert it.current_position == 2


def test_finalize_reaches_the_iterator(comm):
    actual = iterators.SerialIterator(numpy.arange(7.), 2)
    ended = []
    actual.finalize = lambda: ended.append(True)
    with create_multi_node_iterator(actual, comm):
        pass
    assert bool(ended) == (comm.rank == 0)


def test_it_is_experimental(comm):
    with pytest.warns(FutureWarning, match='multi_node_iterator is experimental'):
        create_multi_node_iterator(
            iterators.SerialIterator(numpy.arange(4.), 2), comm)
