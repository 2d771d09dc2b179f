import os
import time
import warnings

import numpy
import pytest

import chainer_fast
from chainer_fast import training
from chainer_fast.mn import create_communicator, create_multi_node_optimizer
from chainer_fast.mn.extensions import checkpoint
from tests.mn.extensions import shared

pytestmark = pytest.mark.mpi


class Value:
    def __init__(self, value=None):
        self.value = value

    def serialize(self, serializer):
        self.value = serializer('value', self.value)


def create(comm, path, **kwargs):
    with pytest.warns(DeprecationWarning, match='multi_node_snapshot'):
        return checkpoint.create_multi_node_checkpointer(
            'a.run', comm, path=path, **kwargs)


def files(comm, folder):
    """Return the iterations of the files of this process, when all are here."""
    shared.together(comm)
    found = sorted(int(name.rsplit('.', 1)[1]) for name in os.listdir(folder)
                   if name.startswith('a.run.%d.' % comm.rank))
    shared.together(comm)
    return found


def load(comm, folder, skips=None):
    """Return what is loaded; rank 0 warns of what is skipped."""
    value = Value(-1)
    checkpointer = create(comm, folder)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        assert checkpointer.maybe_load(value) is None
    shared.together(comm)
    texts = [str(one.message) for one in caught]
    if skips is None or comm.rank:
        assert not texts
    else:
        assert len(texts) == 1 and skips in texts[0], texts
        assert caught[0].category is RuntimeWarning
    return value.value


def save(comm, folder, *iterations):
    checkpointer = create(comm, folder)
    for iteration in iterations:
        checkpointer.save(Value(10 * iteration + comm.rank), iteration)
    shared.together(comm)


def test_stats():
    stats = checkpoint._CheckpointStats()
    assert stats.report() == 'No stats available'
    stats.timings = [{'b': 1, 'd': .5}, {'b': 2, 'd': 1.5}]
    assert stats.report() == (
        'Snapshot duration stats (sec): avg=1.000000, min=0.500000, max=1.500000')
    stats.start()
    stats.end()
    assert stats.timings[2]['d'] >= 0 and stats.begin is None


def test_file_names(comm, folder):
    checkpointer = create(comm, folder)
    assert checkpointer._filenames([3, 40]) == [
        'a.run.%d.3' % comm.rank, 'a.run.%d.40' % comm.rank]
    assert checkpointer._parse_filenames(
        ['a.run.0.12', 'a.run.0.x', 'a.run', 'a.run.0.12.tmp']) == [
            ('a.run', 0, 12), None, None, None]


def test_generations_are_kept_and_removed(comm, folder):
    checkpointer = create(comm, folder, cp_interval=2, gc_interval=3)
    seen = []
    for iteration in range(1, 9):
        checkpointer.save(Value(0), iteration)
        seen.append(files(comm, folder))
    assert seen == [
        [1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5], [5, 6], [5, 6, 7],
        [5, 6, 7, 8]]
    checkpointer.finalize()
    assert files(comm, folder) == []


def test_newest_is_loaded(comm, folder):
    save(comm, folder, 3, 20, 9)
    assert load(comm, folder) == 200 + comm.rank


def test_nothing_to_load(comm, folder):
    assert load(comm, folder) == -1


def test_generation_that_one_process_lacks(comm, folder):
    save(comm, folder, 3, 20)
    if comm.rank == comm.size - 1:
        os.remove(os.path.join(folder, 'a.run.%d.20' % comm.rank))
    if comm.size == 1:
        assert load(comm, folder) == 30
    else:
        assert load(comm, folder, 'some processes lack iteration 20'
                    ) == 30 + comm.rank


@pytest.mark.parametrize('damage', [
    lambda data: data[:-30], lambda data: b'', lambda data: b'PK' + bytes(len(data))])
def test_damaged_file(comm, folder, damage):
    save(comm, folder, 3, 20)
    if comm.rank == comm.size - 1:
        with open(os.path.join(folder, 'a.run.%d.20' % comm.rank), 'r+b') as file:
            data = damage(file.read())
            file.seek(0)
            file.truncate()
            file.write(data)
    shared.together(comm)
    assert load(comm, folder, 'a.run.%d.20 is damaged' % (comm.size - 1)
                ) == 30 + comm.rank


def test_files_of_two_jobs_are_not_mixed(comm, folder):
    save(comm, folder, 3, 20)
    resumed = create(comm, folder)
    if comm.rank:       # rank 0 dies before it writes
        resumed.save(Value(1000 + comm.rank), 20)
    if comm.size == 1:
        assert load(comm, folder) == 200
    else:
        assert load(comm, folder, 'iteration 20 were not written by the same job'
                    ) == 30 + comm.rank


def test_other_number_of_processes(comm, folder):
    save(comm, folder, 3)
    if comm.rank == 0:
        for missing in range(comm.size, comm.size + 2):
            with open(os.path.join(folder, 'a.run.%d.3' % missing), 'wb'):
                pass
    shared.together(comm)
    assert load(comm, folder, (
        'they were written by %d processes, but this job has %d, so that the state of '
        'ranks %d-%d (data, random numbers, optimizer) is not used. To continue '
        'exactly, start '
        '%d processes' % (
            comm.size + 2, comm.size, comm.size, comm.size + 1, comm.size + 2))
        ) == 30 + comm.rank


def test_processes_whose_files_are_elsewhere(comm, folder):
    """Machines with disks of their own do not see the files of one that is gone."""
    save(comm, folder, 3)
    file = os.path.join(folder, 'a.run.%d.3' % comm.rank)
    with numpy.load(file) as contents:
        contents = dict(contents)
    assert contents['chainermn_processes'] == comm.size
    contents['chainermn_processes'] += 1
    with open(file, 'wb') as opened:
        numpy.savez(opened, **contents)
    shared.together(comm)
    assert load(comm, folder, 'the state of rank %d ' % comm.size) == 30 + comm.rank


def test_file_of_chainer(comm, folder):
    numpy.savez(os.path.join(folder, 'a.run.%d.7.npz' % comm.rank), value=5)
    os.rename(os.path.join(folder, 'a.run.%d.7.npz' % comm.rank),
              os.path.join(folder, 'a.run.%d.7' % comm.rank))
    assert load(comm, folder) == 5


def test_relics_are_removed(comm, folder):
    relic = os.path.join(folder, 'tmpa.run.0.1xyz.being_written')
    os.makedirs(relic, exist_ok=True)
    shared.together(comm)
    load(comm, folder)
    shared.together(comm)
    assert not os.path.exists(relic)


def test_bad_intervals(comm):
    for name in 'cp_interval', 'gc_interval':
        with pytest.raises(AssertionError, match='%s is 0' % name):
            create(comm, None, **{name: 0})


def test_no_folder(comm):
    with pytest.raises(TypeError, match='pass path'):
        create(comm, None).save(Value(1), 1)


def test_old_generations_are_removed_by_all_at_once(comm, folder):
    save(comm, folder, 3, 4, 5)
    if comm.rank == comm.size - 1:
        os.remove(os.path.join(folder, 'a.run.%d.3' % comm.rank))
    shared.together(comm)
    value, checkpointer = Value(), create(comm, folder, cp_interval=2, gc_interval=1)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        checkpointer.maybe_load(value)
    lists = comm.bcast_obj(comm.gather_obj(
        [checkpointer._parse_filename(file)[2] for file in checkpointer.files]))
    assert lists == [[4, 5]] * comm.size

    if comm.rank == comm.size - 1:
        write = checkpointer._write

        def slow(*args):
            time.sleep(.2)
            write(*args)

        checkpointer._write = slow
    for iteration in 6, 7:
        checkpointer.save(Value(0), iteration)
        last = os.path.join(folder, 'a.run.%d.%d' % (comm.size - 1, iteration))
        # Whoever removes old ones waits for those that still write.
        assert iteration == 6 or os.path.exists(last)
    assert files(comm, folder) == [6, 7]


class Optimizer:
    needs_broadcast = True


def trainer(comm, out, stop, wrap=lambda optimizer: optimizer):
    numpy.random.seed(comm.rank)
    model = chainer_fast.links.Classifier(chainer_fast.links.Linear(3, 2))
    optimizer = wrap(chainer_fast.optimizers.Adam()).setup(model)
    data = [(numpy.random.rand(3).astype('f'), numpy.int32(i % 2)) for i in range(12)]
    iterator = chainer_fast.iterators.SerialIterator(data, 4)
    updater = training.StandardUpdater(iterator, optimizer)
    return training.Trainer(updater, (stop, 'iteration'), out=out)


def parameters(trainer):
    model = trainer.updater.get_optimizer('main').target
    return [parameter.array for parameter in model.params()]


def test_training_is_resumed_to_the_last_bit(comm, folder):
    whole = trainer(comm, folder, 10)
    whole.run()

    def fail(trainer):
        if trainer.updater.iteration == 7:
            raise KeyboardInterrupt

    stopped = trainer(comm, folder, 10)
    checkpointer = create(comm, None)
    checkpointer.maybe_load(stopped)
    stopped.extend(checkpointer, trigger=(2, 'iteration'))
    stopped.extend(fail, name='fail')
    with pytest.raises(KeyboardInterrupt):
        stopped.run(show_loop_exception_msg=False)
    assert files(comm, folder) == [2, 4, 6]

    resumed, optimizer = trainer(comm, folder, 10), Optimizer()
    checkpointer = create(comm, None)
    resumed.extend(checkpointer, trigger=(2, 'iteration'))
    checkpointer.maybe_load(resumed, optimizer)
    assert resumed.updater.iteration == 6
    assert optimizer.needs_broadcast is False
    resumed.run()
    for expected, actual in zip(parameters(whole), parameters(resumed), strict=True):
        numpy.testing.assert_array_equal(expected, actual)
    assert files(comm, folder) == []


@pytest.mark.parametrize('name', ['naive', 'flat'])
def test_multi_node_optimizer_is_resumed_to_the_last_bit(comm, folder, name):
    """It spends no update on a broadcast of what all have loaded."""
    together = create_communicator(name, comm.mpi_comm)

    def begin(stop):
        return trainer(comm, folder, stop, lambda optimizer: (
            create_multi_node_optimizer(optimizer, together)))

    whole = begin(10)
    whole.run()
    stopped = begin(6)
    stopped.run()
    checkpointer = create(comm, folder)
    checkpointer.save(stopped, 6)
    resumed = begin(10)
    create(comm, folder).maybe_load(resumed, resumed.updater.get_optimizer('main'))
    assert resumed.updater.iteration == 6
    resumed.run()
    for expected, actual in zip(parameters(whole), parameters(resumed), strict=True):
        numpy.testing.assert_array_equal(expected, actual)
