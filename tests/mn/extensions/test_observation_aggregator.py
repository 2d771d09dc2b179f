import numpy
import pytest

import chainer_fast as chainer
from chainer_fast import testing
from chainer_fast.mn.extensions import ObservationAggregator
from chainer_fast.serializers import DictionarySerializer, NpzDeserializer

pytestmark = pytest.mark.mpi


@pytest.fixture
def trainer():
    return testing.training.get_trainer_with_mock_updater(
        stop_trigger=None, iter_per_epoch=3)


def go_on(trainer, extension, values):
    """Return the observation after each iteration."""
    seen = []
    for value in values:
        trainer.updater.update()
        trainer.observation = {} if value is None else {'x': value}
        extension(trainer)
        seen.append(trainer.observation)
    return seen


@pytest.mark.parametrize('make, cls', [
    (float, float), (int, float), (numpy.float64, numpy.float64),
    (lambda x: numpy.array(x, 'f'), numpy.float64),
    (lambda x: chainer.Variable(numpy.array(x, 'f')), numpy.float64),
])
def test_means(comm, trainer, make, cls):
    extension = ObservationAggregator(comm, 'x', 'mean')
    for number, seen in enumerate(go_on(
            trainer, extension, [make(10 * i + comm.rank) for i in range(3)])):
        assert seen['mean'] == 10 * number + (comm.size - 1) / 2
        assert type(seen['mean']) is cls
        assert seen['x'] is not seen['mean']


def test_float32_is_added_in_float64(comm, trainer):
    extension = ObservationAggregator(comm, 'x', comm_trigger=(3, 'iteration'))
    seen = go_on(trainer, extension, map(numpy.float32, [2 ** 24, 1, 1]))
    assert seen[-1]['x'] == (2 ** 24 + 2) / 3


def test_arrays(comm, trainer):
    extension = ObservationAggregator(comm, 'x')
    seen, = go_on(trainer, extension, [numpy.arange(3.) + comm.rank])
    numpy.testing.assert_allclose(seen['x'], numpy.arange(3) + (comm.size - 1) / 2)


@pytest.mark.gpu
def test_arrays_of_gpus(comm, trainer):
    import cupy
    extension = ObservationAggregator(comm, 'x')
    seen, = go_on(trainer, extension, [chainer.Variable(cupy.array(1.5, 'f'))])
    assert type(seen['x']) is numpy.float64 and seen['x'] == 1.5


@pytest.mark.parametrize('period, when', [
    ((1, 'iteration'), [0, 1, 2, 3, 4, 5]), ((2, 'iteration'), [1, 3, 5]),
    ((1, 'epoch'), [2, 5])])
def test_communication_with_a_period(comm, trainer, period, when):
    extension = ObservationAggregator(comm, 'x', 'mean', comm_trigger=period)
    seen = go_on(trainer, extension, [float(i + comm.rank) for i in range(6)])
    assert [i for i, one in enumerate(seen) if 'mean' in one] == when
    each = 6 // len(when)
    assert [seen[i]['mean'] for i in when] == [
        i - (each - 1) / 2 + (comm.size - 1) / 2 for i in when]


def test_the_aggregator_gets_all_values(comm, trainer):
    extension = ObservationAggregator(
        comm, 'x', 'all', comm_trigger=(2, 'iteration'), aggregator=lambda xs: xs)
    seen = go_on(trainer, extension, [comm.rank, None, None, 7])
    assert seen[1]['all'] == [[rank] for rank in range(comm.size)]
    assert seen[3]['all'] == [[7]] * comm.size


def test_processes_may_lack_values(comm, trainer):
    extension = ObservationAggregator(comm, 'x')
    last = comm.size - 1
    seen = go_on(trainer, extension, [4. if comm.rank == last else None, None])
    assert seen == [{'x': 4.}, {}]


def test_snapshot_in_the_middle_of_a_period(comm, trainer):
    extension, resumed = (ObservationAggregator(
        comm, 'x', comm_trigger=(3, 'iteration')) for _ in range(2))
    go_on(trainer, extension, [1. + comm.rank, 2.])
    saved = DictionarySerializer()
    saved.save(extension)
    NpzDeserializer(saved.target).load(resumed)
    expected = (9 + (comm.size - 1) / 2) / 3
    assert go_on(trainer, resumed, [6.]) == [{'x': expected}]


def test_snapshot_of_chainer(comm, trainer):
    extension = ObservationAggregator(comm, 'x', comm_trigger=(2, 'iteration'))
    go_on(trainer, extension, [1.])
    NpzDeserializer({}).load(extension)
    assert go_on(trainer, extension, [3.]) == [{'x': 2.}]


def test_attributes(comm):
    extension = ObservationAggregator(comm, 'x')
    assert extension.aggregated_key == 'x' and extension.name is None
    assert extension.trigger == (1, 'iteration') and extension.priority == 200
