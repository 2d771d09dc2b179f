import pytest

from chainer_fast import testing
from chainer_fast.mn.extensions import MultiNodeEarlyStoppingTrigger
from chainer_fast.serializers import DictionarySerializer, NpzDeserializer

pytestmark = pytest.mark.mpi


@pytest.fixture
def trainer():
    return testing.training.get_trainer_with_mock_updater(
        stop_trigger=None, iter_per_epoch=2)


def go_on(trainer, trigger, values):
    fired = []
    for value in values:
        trainer.updater.update()
        trainer.observation = {'x': value}
        fired.append(trigger(trainer))
    return fired


def test_all_stop_at_once(comm, trainer):
    trigger = MultiNodeEarlyStoppingTrigger(
        comm, monitor='x', patience=2, check_trigger=(2, 'iteration'))
    # The value of the first process alone gets better all the time.
    own = [8., 7., 6., 5., 4., 3., 2., 1.]
    last = comm.size - 1
    values = [5., 5., 4., 4., 9., 9., 8., 8.] if comm.rank == last else own
    fired = go_on(trainer, trigger, values)
    assert comm.gather_obj(fired) in (None, [fired] * comm.size)
    expected = [False] * 8
    others = [[own, values][rank == last] for rank in range(comm.size)]
    if comm.rank == last:
        means = [sum(sum(v[i:i + 2]) for v in others) / 2 / comm.size
                 for i in range(0, 8, 2)]
        best, count = means[0], 0
        for check, mean in enumerate(means[1:], 1):
            best, count = (mean, 0) if mean < best else (best, count + 1)
            expected[2 * check + 1] = count >= 2
        assert fired == expected


def test_mean_is_in_the_observation(comm, trainer):
    trigger = MultiNodeEarlyStoppingTrigger(
        comm, monitor='x', check_trigger=(2, 'iteration'), suffix='/all')
    go_on(trainer, trigger, [1. + comm.rank, 2. + comm.rank])
    assert trainer.observation == {
        'x': 2. + comm.rank, 'x/all': 1.5 + (comm.size - 1) / 2}


def test_sequence_of_the_released_chainer(comm, trainer):
    values = [1., 1., 2., 3., 2., 2., 2., 2., 2., 2., 1., 1.]
    trigger = MultiNodeEarlyStoppingTrigger(
        comm, monitor='x', patience=1, check_trigger=(2, 'iteration'),
        max_trigger=(9, 'iteration'))
    assert trigger.get_training_length() == (9, 'iteration')
    fired = go_on(trainer, trigger, [value * (1 + comm.rank) for value in values])
    assert [i for i, fires in enumerate(fired) if fires] == [3, 5, 7, 8, 9, 11]


def test_arguments(comm):
    def make(**options):
        return MultiNodeEarlyStoppingTrigger(comm, **options).actual_trigger

    assert make().patience == 3 and make(patients=5).patience == 5
    assert make(monitor='a').monitor == 'a_aggregated'
    with pytest.raises(TypeError, match='nonsense'):
        make(nonsense=1)
    with pytest.raises(TypeError, match='patients'):
        make(patience=1, patients=2)


def test_snapshot_in_the_middle_of_a_period(comm, trainer):
    def make():
        return MultiNodeEarlyStoppingTrigger(
            comm, monitor='x', patience=2, check_trigger=(2, 'iteration'))

    values = [1., 1., 2., 2., 0., 2., 2., 2., 2.]
    plain = make()
    expected = go_on(trainer, plain, values)
    assert any(expected)

    trainer = testing.training.get_trainer_with_mock_updater(
        stop_trigger=None, iter_per_epoch=2)
    first = make()
    fired = go_on(trainer, first, values[:5])
    saved = DictionarySerializer()
    saved.save(first)
    second = make()
    NpzDeserializer(saved.target).load(second)
    assert fired + go_on(trainer, second, values[5:]) == expected
