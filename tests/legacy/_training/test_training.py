"""Extensions, snapshots and updaters of earlier years."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import legacy, training
from chainer_fast import links as L
from chainer_fast.legacy import _report
from chainer_fast.training import extensions

DATA = [(np.arange(3, dtype=np.float32), np.int32(i % 2)) for i in range(4)]


@pytest.fixture
def make_trainer(tmp_path):
    def make(model=None, n=2):
        model = L.Classifier(L.Linear(3, 2)) if model is None else model
        optimizer = chainer.optimizers.SGD().setup(model)
        iterator = chainer.iterators.SerialIterator(DATA, 2, shuffle=False)
        updater = training.StandardUpdater(iterator, optimizer)
        return training.Trainer(updater, (n, 'iteration'), out=str(tmp_path))
    return make


def iterations(trainer, extend):
    """Return the iterations at which an extension is called."""
    found = []
    extend(trainer, lambda trainer: found.append(trainer.updater.iteration))
    trainer.run()
    return found


class Marked(training.Extension):

    invoke_before_training = True

    def __init__(self, function):
        self.function = function

    def __call__(self, trainer):
        self.function(trainer)


class Unmarked(Marked):
    invoke_before_training = False


def decorated(*arguments, **options):
    def extend(trainer, function):
        decorate = training.make_extension(
            (1, 'iteration'), None, None, *arguments, **options)
        trainer.extend(decorate(function), 'name')
    return extend


@pytest.mark.parametrize('extend, at', [
    (lambda trainer, f: trainer.extend(Marked(f)), [0, 1, 2]),
    (lambda trainer, f: trainer.extend(Unmarked(f)), [1, 2]),
    (lambda trainer, f: trainer.extend(f, 'name', (1, 'iteration'), None, True),
     [0, 1, 2]),
    (lambda trainer, f: trainer.extend(f, 'name', invoke_before_training=False),
     [1, 2]),
    (lambda trainer, f: trainer.extend(
        Marked(f), invoke_before_training=False), [1, 2]),
    (lambda trainer, f: trainer.extend(f, 'name', call_before_training=True),
     [0, 1, 2]),
    (decorated(True), [0, 1, 2]),
    (decorated(invoke_before_training=True), [0, 1, 2]),
    (decorated(False), [1, 2]),
])
def test_calls_before_the_training(enable, make_trainer, extend, at):
    enable()
    assert iterations(make_trainer(), extend) == at


def test_a_finalizer_in_the_fourth_place(enable, make_trainer):
    enable()
    done = []
    extend = decorated(lambda: done.append(True))
    assert iterations(make_trainer(), extend) == [1, 2]
    assert done == [True]


def test_version_2_took_the_argument_and_did_nothing(enable, make_trainer):
    enable('v2')

    def extend(trainer, function):
        trainer.extend(function, 'name', invoke_before_training=True)
    assert iterations(make_trainer(), extend) == [1, 2]


def test_the_attribute_can_be_read(enable):
    enable()
    assert not extensions.LogReport().invoke_before_training
    mark = training.make_extension(invoke_before_training=True)
    assert mark(lambda trainer: None).invoke_before_training


def test_the_line_of_the_attribute_is_counted(enable, make_trainer):
    enable()
    _report.clear()
    make_trainer().extend(Marked(print))
    (file, line), = _report.uses()[
        'chainer.training.Extension.invoke_before_training']
    with open(file, encoding='utf-8') as f:
        assert f.readlines()[line - 1].strip() == 'invoke_before_training = True'


def test_extensions_of_the_package_begin_when_they_did(enable, make_trainer):
    # This one has the attribute, and no use for it.
    enable()
    _report.clear()
    trainer = make_trainer()
    shift = extensions.PolynomialShift('lr', 1, 4, init=1)
    trainer.extend(shift, trigger=(1, 'iteration'))
    trainer.run()
    assert trainer.updater.get_optimizer('main').lr == 0.5
    assert not _report.uses()


def test_extensions_without_call(enable, make_trainer):
    class Silent(training.Extension):
        pass

    enable('v5')
    trainer = make_trainer()
    trainer.extend(Silent())
    trainer.run()
    legacy.disable()
    with pytest.raises(NotImplementedError):
        Silent()(trainer)


# ---- snapshots

@pytest.mark.parametrize('make', [
    lambda: extensions.snapshot(trigger=(3, 'iteration')),
    lambda: extensions.snapshot(
        chainer.serializers.save_npz, 'name', (3, 'iteration')),
    lambda: extensions.snapshot_object(
        L.Linear(1, 1), 'name', trigger=(3, 'iteration')),
    lambda: extensions.snapshot_object(
        L.Linear(1, 1), 'name', chainer.serializers.save_npz, (3, 'iteration')),
])
def test_triggers_of_snapshots(enable, make):
    enable()
    assert make().trigger == (3, 'iteration')


def test_snapshots_without_trigger(enable):
    enable()
    _report.clear()
    assert extensions.snapshot(filename='name', n_retains=2).trigger == (1, 'epoch')
    assert not _report.uses()


# ---- losses

class Model(chainer.Link):

    def __init__(self):
        super().__init__()
        self.seen = []
        with self.init_scope():
            self.W = chainer.Parameter(1., (3, 2))

    def forward(self, x, t):
        self.seen.append((type(x), type(t), getattr(x, 'volatile', None)))
        loss = F.softmax_cross_entropy(F.matmul(x, self.W), t)
        chainer.report({'loss': loss}, self)
        return loss


def evaluate(trainer, model):
    iterator = chainer.iterators.SerialIterator(DATA, 4, repeat=False, shuffle=False)
    trainer.extend(extensions.Evaluator(iterator, model), trigger=(1, 'iteration'))
    trainer.run()


def test_losses_get_variables_if_version_1_is_named(enable, make_trainer):
    enable('v1')
    model = Model()
    trainer = make_trainer(model, n=1)
    evaluate(trainer, model)
    variable = chainer.Variable
    assert model.seen == [(variable, variable, 'off'), (variable, variable, 'on')]
    assert trainer.observation['main/loss'].creator is not None
    legacy.disable()
    assert not chainer.config.keep_graph_on_report


def test_losses_get_arrays_otherwise(enable, make_trainer):
    enable()
    model = Model()
    trainer = make_trainer(model, n=1)
    evaluate(trainer, model)
    assert {cls for first, second, _ in model.seen for cls in (first, second)} == {
        np.ndarray}
    assert trainer.observation['main/loss'].creator is None


# ---- epochs

@pytest.mark.parametrize('parts, counted', [((), [1, 2]), (('v4',), [2, 4])])
def test_epochs_that_the_program_counts(enable, make_trainer, parts, counted):
    enable(*parts)
    trainer = make_trainer(n=4)
    optimizer = trainer.updater.get_optimizer('main')
    epochs = []

    @training.make_extension(trigger=(1, 'epoch'))
    def count(trainer):
        optimizer.new_epoch()
        if parts:
            optimizer.new_epoch()
        epochs.append(optimizer.epoch)

    trainer.extend(count)
    trainer.run()
    assert epochs == counted


@pytest.mark.parametrize('parts, epoch', [((), 2), (('v4',), 0), (('v5',), 2)])
def test_epochs_that_the_updater_counts(enable, make_trainer, parts, epoch):
    enable(*parts)
    trainer = make_trainer(n=4)
    trainer.run()
    assert trainer.updater.get_optimizer('main').epoch == epoch
    plain = chainer.optimizers.SGD()
    plain.new_epoch()
    assert plain.epoch == 1
    with pytest.raises(RuntimeError, match='auto=True'):
        plain.new_epoch(auto=True)


# ---- iterators

# What Chainer 1.24, 3.5, 4.5 and 5.4 return of MultiprocessIterator(range(n), size)
# after numpy.random.seed(0).
ORDERS = {
    'v1': {6: [5, 2, 1, 3, 0, 4, 2, 3, 0, 5, 1, 4, 5, 4, 3, 0, 1, 2],
           5: [2, 0, 1, 3, 4, 2, 1, 0, 4, 3, 1, 4, 3, 2, 0, 2]},
    'v3': {6: [5, 2, 1, 3, 0, 4, 1, 3, 4, 0, 2, 5, 3, 5, 1, 2, 4, 0],
           5: [2, 0, 1, 3, 4, 0, 2, 1, 4, 3, 1, 3, 4, 0, 2]},
    'v4': {6: [5, 2, 1, 3, 0, 4, 1, 4, 0, 2, 5, 3, 4, 5, 1, 0, 2, 3],
           5: [2, 0, 1, 3, 4, 0, 2, 4, 3, 1, 0, 2, 1, 4, 3]},
    'v5': {6: [5, 2, 1, 3, 0, 4, 1, 3, 4, 0, 2, 5, 3, 5, 1, 2, 4, 0],
           5: [2, 0, 1, 3, 4, 0, 2, 1, 4, 3, 1, 3, 4, 0, 2]}}


@pytest.mark.parametrize('n, size, batches', [(6, 2, 9), (5, 8, 2)])
@pytest.mark.parametrize('version', sorted(ORDERS))
def test_orders_of_multiprocess_iterator(enable, version, n, size, batches):
    enable(version)
    np.random.seed(0)
    with chainer.iterators.MultiprocessIterator(
            list(range(n)), size, n_processes=1) as iterator:
        assert sum([iterator.next() for _ in range(batches)], []) == ORDERS[version][n]


@pytest.mark.parametrize('version, drawn', [
    ('v3', 0.6458941130666561), ('v4', 0.3843817072926998), ('v5', 0.6458941130666561)])
def test_draws_of_multiprocess_iterator_of_one_epoch(enable, version, drawn):
    enable(version)
    np.random.seed(0)
    with chainer.iterators.MultiprocessIterator(
            list(range(6)), 2, repeat=False, n_processes=1) as iterator:
        assert len(list(iterator)) == 3
    assert np.random.rand() == drawn


def test_multiprocess_iterator_of_version_4_is_reset(enable):
    enable('v4')
    np.random.seed(0)
    with chainer.iterators.MultiprocessIterator(
            list(range(6)), 2, n_processes=1) as iterator:
        for _ in range(3):
            iterator.next()
        iterator.reset()
        assert iterator.next() == [1, 0]
        for _ in range(2):
            iterator.next()
        assert sum([iterator.next() for _ in range(3)], []) == [4, 5, 1, 0, 2, 3]


def test_a_failed_example_leaves_the_epoch_as_it_was(enable):
    enable('v5')

    class Data(list):
        fails = True

        def __getitem__(self, index):
            if self.fails and index == 2:
                raise OSError('not there')
            return super().__getitem__(index)

    data = Data(range(4))
    iterator = chainer.iterators.SerialIterator(data, 3, shuffle=False)
    with pytest.raises(OSError, match='not there'):
        iterator.next()
    assert iterator.current_position == 0
    data.fails = False
    assert iterator.next() == [0, 1, 2]
