import os
import random

import numpy
import pytest

import chainer_fast
from chainer_fast import training
from chainer_fast.mn.extensions import _multi_node_snapshot, multi_node_snapshot
from chainer_fast.training import extensions
from chainer_fast.utils import _random_state
from tests.mn.extensions import shared

pytestmark = pytest.mark.mpi


@pytest.mark.parametrize('sets, size, expected', [
    ([], 3, [{0, 1, 2}]),
    ([0], 1, [{0}]),
    ([1], 3, [{1}, {0, 2}]),
    ([[0, 2], (1,)], 3, [{0, 2}, {1}]),
    ([range(0, 6, 2), numpy.int64(1)], 6, [{0, 2, 4}, {1}, {3, 5}]),
])
def test_sets(sets, size, expected):
    assert _multi_node_snapshot._parse_replica_sets(sets, size) == expected


@pytest.mark.parametrize('sets, message', [
    ([3], 'rank 3 does not exist among 3'), ([-1], 'rank -1 does not exist'),
    ([[0, 1], [1, 2]], 'rank 1 is in two'), ([0, 0], 'rank 0 is in two')])
def test_bad_sets(sets, message):
    with pytest.raises(AssertionError, match=message):
        _multi_node_snapshot._parse_replica_sets(sets, 3)


class Value:
    def __init__(self, value=None):
        self.value = value

    def serialize(self, serializer):
        self.value = serializer('value', self.value)


class Trainer:
    """What a snapshot of another target uses of a trainer."""

    class updater:  # noqa: N801
        iteration = 0

    def __init__(self, out):
        self.out = out


# The sets, and the rank that saves for a rank.
SETS = [([], lambda rank: 0), ([0], lambda rank: min(rank, 1))]


def make(comm, sets, value, **kwargs):
    snapshot = extensions.snapshot(
        filename='s_{.updater.iteration}', target=value, **kwargs)
    return multi_node_snapshot(comm, snapshot, sets)


def save(comm, folder, sets, values):
    trainer, value = Trainer(folder), Value()
    snapshot = make(comm, sets, value)
    snapshot.initialize(trainer)
    for iteration in values:
        trainer.updater.iteration = iteration
        value.value = 100 * iteration + comm.rank
        snapshot(trainer)
        shared.together(comm)
    snapshot.finalize()


def load(comm, folder, sets):
    value = Value(-1)
    snapshot = make(comm, sets, value, autoload=True)
    snapshot.initialize(Trainer(folder))
    assert snapshot.snapshot.autoload
    shared.together(comm)
    return value.value


@pytest.mark.parametrize('sets, master', SETS)
def test_each_set_saves_once_and_loads(comm, folder, sets, master):
    save(comm, folder, sets, [1, 2])
    masters = sorted({master(rank) for rank in range(comm.size)})
    assert sorted(os.listdir(folder)) == [
        's_%d.%d' % (i, rank) for i in (1, 2) for rank in masters]
    shared.together(comm)
    assert load(comm, folder, sets) == 200 + master(comm.rank)


@pytest.mark.parametrize('sets, master', SETS)
@pytest.mark.parametrize('damage', ['removed', 'cut'])
def test_newest_that_all_sets_have_whole(comm, folder, sets, master, damage):
    save(comm, folder, sets, [1, 2])
    last = master(comm.size - 1)
    file = os.path.join(folder, 's_2.%d' % last)
    if comm.rank == 0:
        if damage == 'cut':
            os.truncate(file, os.path.getsize(file) - 20)
        else:
            os.remove(file)
    shared.together(comm)
    expected = 's_2 does not exist' if damage == 'removed' else 's_2.%d is dam' % last
    if comm.rank or (damage == 'removed' and last == 0):
        loaded = load(comm, folder, sets)
    else:
        with pytest.warns(UserWarning, match=expected):
            loaded = load(comm, folder, sets)
    assert loaded == 100 + master(comm.rank)


def test_nothing_to_load(comm, folder):
    assert load(comm, folder, [0]) == -1


class Draws(Value):
    """A value, and the global random states, which a trainer saves, too."""

    def serialize(self, serializer):
        super().serialize(serializer)
        _random_state.serialize_global(serializer)

    @staticmethod
    def next():
        return numpy.random.rand(), numpy.random.randn(), random.random()


@pytest.mark.parametrize('sets, master', SETS)
def test_replicas_keep_their_random_states(comm, folder, sets, master):
    def seed(number):
        numpy.random.seed(number)
        numpy.random.randn()    # another one is left over
        random.seed(number)

    seed(comm.rank)
    make(comm, sets, Draws(5))(Trainer(folder))
    shared.together(comm)
    loaded = Draws(-1)
    seed(100 + comm.rank)
    make(comm, sets, loaded, autoload=True).initialize(Trainer(folder))
    drawn = loaded.next()
    saves = master(comm.rank) == comm.rank
    seed(comm.rank if saves else 100 + comm.rank)
    assert (loaded.value, drawn) == (5, loaded.next())


def test_hdf5(comm, folder):
    pytest.importorskip('h5py')
    trainer, value = Trainer(folder), Value(7)
    make(comm, [], value, savefun=chainer_fast.serializers.save_hdf5)(trainer)
    shared.together(comm)
    assert load(comm, folder, []) == 7


def test_names_of_functions(comm, folder):
    snapshot = extensions.snapshot(
        filename=lambda trainer: 'f%d' % trainer.updater.iteration, target=Value(1))
    snapshot = multi_node_snapshot(comm, snapshot, [])
    trainer = Trainer(folder)
    trainer.updater.iteration = 3
    assert snapshot.snapshot.filename(trainer) == 'f3.%d' % comm.rank
    snapshot.initialize(trainer)
    snapshot(trainer)
    shared.together(comm)
    assert os.listdir(folder) == ['f3.0']


def test_error_is_saved_by_the_first_of_the_set(comm, folder):
    snapshot = make(comm, [], Value(3), snapshot_on_error=True)
    trainer = Trainer(folder)
    trainer.updater.iteration = 4
    snapshot.on_error(trainer, None, None)
    shared.together(comm)
    assert os.listdir(folder) == ['s_4.0']


def trainer(comm, out, stop, iterations):
    numpy.random.seed(0)
    model = chainer_fast.links.Classifier(chainer_fast.links.Linear(3, 2))
    optimizer = chainer_fast.optimizers.Adam().setup(model)
    data = [(numpy.random.rand(3).astype('f'), numpy.int32(i % 2)) for i in range(12)]
    iterator = chainer_fast.iterators.SerialIterator(data, 4)
    made = training.Trainer(
        training.StandardUpdater(iterator, optimizer), (stop, 'iteration'), out=out)
    if comm.rank == 0:
        made.extend(extensions.LogReport(trigger=(1, 'iteration')))
    made.extend(
        multi_node_snapshot(comm, extensions.snapshot(autoload=True, n_retains=1), [0]),
        trigger=(2, 'iteration'))
    made.extend(lambda trainer: iterations.append(trainer.updater.iteration), name='i')
    return made


def test_training_is_resumed_to_the_last_bit(comm, folder):
    whole = trainer(comm, os.path.join(folder, 'whole'), 6, [])
    whole.run()
    trainer(comm, folder, 4, []).run()
    shared.together(comm)
    iterations = []
    resumed = trainer(comm, folder, 6, iterations)
    resumed.run()
    shared.together(comm)
    assert iterations == [5, 6]
    for name, expected in whole.updater.get_optimizer('main').target.namedparams():
        actual = dict(resumed.updater.get_optimizer('main').target.namedparams())[name]
        numpy.testing.assert_array_equal(expected.array, actual.array)
    assert sorted(name for name in os.listdir(folder) if name.startswith('snap')) == [
        'snapshot_iter_6.%d' % rank for rank in range(min(comm.size, 2))]
