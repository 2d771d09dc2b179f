import random
import warnings
from unittest import mock

import numpy
import pytest

import chainer_fast
from chainer_fast import links, optimizers, training
from chainer_fast.training import extensions
from chainer_fast.training import trainer as trainer_module
from tests.training import stubs


class Recorder(training.Extension):
    """Extension that writes down what happens to it."""

    def __init__(self, log, name, priority=100):
        self.log = log
        self.name = name
        self.priority = priority

    def __call__(self, trainer):
        self.log.append((self.name, trainer.updater.iteration))

    def initialize(self, trainer):
        self.log.append((self.name, 'initialize'))

    def finalize(self):
        self.log.append((self.name, 'finalize'))

    def on_error(self, trainer, exc, tb):
        assert tb is exc.__traceback__
        self.log.append((self.name, repr(exc)))


@pytest.fixture
def trainer(tmp_path):
    return stubs.make_trainer(out=tmp_path)


def test_order_of_calls(trainer):
    log = []
    trainer.extend(Recorder(log, 'low', -1), trigger=(2, 'iteration'))
    trainer.extend(Recorder(log, 'first'))
    trainer.extend(Recorder(log, 'second'), call_before_training=True)
    trainer.extend(Recorder(log, 'high', 1000), trigger=(1, 'epoch'))
    trainer.run()

    every = [('first', None), ('second', None)]
    names = ['high', 'first', 'second', 'low']
    expected = [(name, 'initialize') for name in names] + [('second', 0)]
    for i in 1, 2, 3, 4:
        step = every if i % 2 else [('high', None), *every, ('low', None)]
        expected += [(name, i) for name, _ in step]
    assert log == expected + [(name, 'finalize') for name in names]
    assert trainer.updater.finalized == 1


def test_names(trainer):
    def function(trainer):
        pass

    class Named(training.Extension):
        default_name = 'default'

        def __call__(self, trainer):
            pass

    named = Named()
    for extension, name, expected in [
            (function, None, 'function'), (function, 'given', 'given'),
            (function, '', ''),
            (named, None, 'default'), (named, None, 'default_1'),
            (named, 'given', 'given_1'), (lambda t: None, None, '<lambda>'),
            ([].append, None, 'append')]:
        trainer.extend(extension, name)
        assert list(trainer._extensions)[-1] == expected
        assert trainer.get_extension(expected) == extension
    assert named.name == 'given_1'
    with pytest.raises(ValueError, match='missing'):
        trainer.get_extension('missing')
    with pytest.raises(ValueError, match='prohibited'):
        trainer.extend(function, 'training')
    with pytest.raises(TypeError, match='name is not given'):
        trainer.extend(object())


def test_arguments_win_over_attributes(trainer):
    @training.make_extension(trigger=(2, 'epoch'), priority=7)
    def function(trainer):
        pass

    trainer.extend(function)
    trainer.extend(function, 'other', (3, 'iteration'), 0)
    first, second = trainer._extensions.values()
    assert (first.trigger.period, first.priority) == (2, 7)
    assert (second.trigger.period, second.priority) == (3, 0)
    with pytest.raises(ValueError, match='initializer'):
        trainer.extend(function, invoke_before_training=True)


def test_extensions_of_the_constructor(tmp_path):
    trainer = stubs.make_trainer(out=tmp_path, extensions=[max, min])
    assert list(trainer._extensions) == ['max', 'min']
    assert trainer.stop_trigger.get_training_length() == (4, 'iteration')


def test_observation_is_new_at_each_iteration(trainer):
    seen = []

    def update():
        trainer.updater.iteration += 1
        chainer_fast.report({'x': trainer.updater.iteration})

    trainer.updater.update = update
    trainer.extend(lambda t: chainer_fast.report({'y': -1}), 'writer', priority=300)
    trainer.extend(lambda t: seen.append(t.observation), 'reader',
                   call_before_training=True)
    trainer.run()
    assert seen == [{}] + [{'x': i, 'y': -1} for i in range(1, 5)]


@pytest.mark.filterwarnings('ignore:Chain has no parameters:UserWarning')
def test_targets_of_optimizers_are_observers(tmp_path):
    model = chainer_fast.Chain()
    with model.init_scope():
        model.child = chainer_fast.Chain()
    updater = stubs.CountingUpdater()
    updater.optimizers = {'main': chainer_fast.optimizers.SGD().setup(model)}
    trainer = training.Trainer(updater)
    observation = {}
    with trainer.reporter.scope(observation):
        chainer_fast.report({'x': 1}, model)
        chainer_fast.report({'x': 2}, model.child)
    assert observation == {'main/x': 1, 'main/child/x': 2}


def test_failure(trainer, capsys):
    log = []

    def fail(trainer):
        raise KeyError('boom')

    def handler(trainer, exc, tb):
        raise ValueError('in handler')

    fail.on_error = handler
    trainer.extend(Recorder(log, 'before', 2))
    trainer.extend(fail, priority=1)
    trainer.extend(Recorder(log, 'after', 0))
    with pytest.raises(KeyError, match='boom'):
        trainer.run()
    assert log == [
        ('before', 'initialize'), ('after', 'initialize'), ('before', 1),
        ('before', "KeyError('boom')"), ('after', "KeyError('boom')"),
        ('before', 'finalize'), ('after', 'finalize')]
    assert trainer.updater.finalized == 1
    err = capsys.readouterr().err
    assert err.index("main training loop: 'boom'") < err.index('handler: in handler')

    fail.on_error = None
    with pytest.raises(KeyError):
        trainer.run(show_loop_exception_msg=False)
    assert capsys.readouterr().err == ''


def test_interrupt_is_no_error_but_finalizes(trainer):
    log = []

    def interrupt(trainer):
        raise KeyboardInterrupt

    trainer.extend(interrupt)
    trainer.extend(Recorder(log, 'x'))
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    assert log == [('x', 'initialize'), ('x', 'finalize')]


def test_all_are_finalized_if_one_cannot_be(trainer):
    log = []

    def fail():
        raise ValueError('cannot')

    trainer.extend(Recorder(log, 'a'))
    trainer.extend(training.make_extension(finalizer=fail)(lambda t: None))
    trainer.extend(Recorder(log, 'b'))
    trainer.extend(training.make_extension(finalizer=lambda: 1 / 0)(lambda t: None))
    with pytest.raises(ValueError, match='cannot'):
        trainer.run()
    assert log[-2:] == [('a', 'finalize'), ('b', 'finalize')]
    assert trainer.updater.finalized == 1


def test_runs_once(trainer):
    trainer.run()
    with pytest.raises(RuntimeError, match='multiple times'):
        trainer.run()


def test_output_folder(tmp_path):
    trainer = stubs.make_trainer(out=tmp_path / 'a' / 'b')
    trainer.run()
    assert (tmp_path / 'a' / 'b').is_dir()


def test_training_does_without_an_output_folder(tmp_path):
    file = tmp_path / 'file'
    file.write_text('')
    trainer = stubs.make_trainer(out=file)
    with pytest.warns(RuntimeWarning, match='file'):
        trainer.run()
    assert trainer.updater.iteration == 4
    training.Trainer(trainer.updater, out='', stop_trigger=lambda t: True).run()


def test_stop_trigger_is_that_of_the_beginning(trainer):
    def extension(trainer):
        trainer.stop_trigger = lambda t: True

    trainer.extend(extension)
    trainer.run()
    assert trainer.updater.iteration == 4


def test_is_before_training(trainer):
    seen = []
    assert trainer.is_before_training
    trainer.extend(
        lambda t: seen.append(t.is_before_training), call_before_training=True)
    trainer.run()
    assert seen == [True, False, False, False, False]


def test_elapsed_time(trainer, monkeypatch):
    now = [100.]
    monkeypatch.setattr(training.trainer, '_get_time', lambda: now[0])
    with pytest.raises(RuntimeError, match='not been started'):
        print(trainer.elapsed_time)

    def wait(trainer):
        now[0] += 1.5

    trainer.extend(wait)
    trainer.run()
    assert trainer.elapsed_time == 6.
    now[0] += 50
    assert trainer.elapsed_time == 6.

    resumed = stubs.make_trainer((6, 'iteration'), out=trainer.out)
    resumed.extend(wait)
    stubs.load(resumed, stubs.save(trainer))
    resumed.run()
    assert resumed.elapsed_time == 9.


class Counter(training.Extension):

    count = 0

    def __call__(self, trainer):
        self.count += 1

    def serialize(self, serializer):
        self.count = serializer('count', self.count)


def test_snapshot_has_what_chainer_has(trainer):
    trainer.extend(Counter())
    trainer.extend(Counter(), trigger=(1, 'epoch'))
    trainer.extend(lambda t: None, 'plain', trigger=lambda t: True)
    trainer.run()
    snapshot = stubs.save(trainer)
    assert sorted(snapshot) == [
        '_numpy_random_state', '_observation', '_python_random_state',
        '_snapshot_elapsed_time',
        'extension_triggers/Counter/previous_epoch_detail',
        'extension_triggers/Counter/previous_iteration',
        'extension_triggers/Counter_1/previous_epoch_detail',
        'extension_triggers/Counter_1/previous_iteration',
        'extensions/Counter/count', 'extensions/Counter_1/count',
        'stop_trigger/previous_epoch_detail', 'stop_trigger/previous_iteration',
        'updater/iteration']
    assert snapshot['extensions/Counter/count'] == 4
    assert snapshot['extensions/Counter_1/count'] == 2


@pytest.mark.parametrize('stop', [1, 2, 3])
def test_resumed_training_calls_what_an_uninterrupted_one_does(tmp_path, stop):
    def make(n, log):
        trainer = stubs.make_trainer((n, 'iteration'), 2.5, tmp_path)
        for trigger in (1, 'epoch'), (2, 'iteration'), (1.5, 'epoch'):
            trainer.extend(
                lambda t, trigger=trigger: log.append((trigger, t.updater.iteration)),
                'ext', trigger)
        return trainer

    whole, parts = [], []
    make(9, whole).run()
    first = make(stop, parts)
    first.run()
    second = make(9, parts)
    stubs.load(second, stubs.save(first)).run()
    assert parts == whole


@pytest.mark.parametrize('trigger, again', [
    (lambda: training.triggers.OnceTrigger(), False),
    (lambda: training.triggers.OnceTrigger(call_on_resume=True), True),
    (lambda: training.triggers.ManualScheduleTrigger([1, 3], 'iteration'), False),
    (lambda: training.triggers.ManualScheduleTrigger([1, 5], 'iteration'), True),
    (lambda: (1, 'iteration'), True)])
def test_what_is_over_is_not_initialized_again(tmp_path, trigger, again):
    def make(log):
        trainer = stubs.make_trainer(out=tmp_path)
        trainer.extend(Recorder(log, 'x'), trigger=trigger())
        return trainer

    log = []
    first = make(log)
    first.run()
    assert log[0] == ('x', 'initialize')
    log.clear()
    stubs.load(make(log), stubs.save(first)).run()
    assert (('x', 'initialize') in log) == again
    assert log[-1] == ('x', 'finalize')


def test_shift_that_is_over_restores_its_value(tmp_path):
    def make():
        trainer = stubs.make_trainer(out=tmp_path)
        optimizer = optimizers.SGD(1.).setup(links.Linear(1, 1))
        trainer.updater.optimizers = {'main': optimizer}
        trainer.extend(extensions.ExponentialShift('lr', .5),
                       trigger=training.triggers.ManualScheduleTrigger(2, 'iteration'))
        return trainer

    first, second = make(), make()
    first.run()
    stubs.load(second, stubs.save(first)).run()
    assert second.updater.get_optimizer('main').lr == .5


def test_snapshot_that_lacks_a_trigger(trainer):
    trainer.run()
    snapshot = stubs.save(trainer)
    other = stubs.make_trainer()
    other.extend(lambda t: None, 'new')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        stubs.load(other, snapshot)
    assert ['IntervalTrigger' in str(w.message) for w in caught] == [True, True]
    other = stubs.make_trainer()
    other.extend(Counter(), trigger=lambda t: True)
    with pytest.raises(KeyError):
        stubs.load(other, snapshot)


def test_snapshot_has_random_numbers_and_what_was_observed():
    def make():
        trainer = stubs.make_trainer()
        trainer._start_at = 0
        return trainer

    trainer = make()
    trainer.observation = {
        'a/b': chainer_fast.Variable(numpy.array(.1, 'f')), 'one': numpy.int64(1),
        'nan': float('nan'), 'text': 'x', 'array': numpy.zeros(2), 'pair': (1, 2),
        'complex': 1j, ('no', 'text'): 1}
    snapshot = stubs.save(trainer)
    expected = numpy.random.rand(), random.random()
    other = stubs.load(make(), snapshot)
    assert (numpy.random.rand(), random.random()) == expected
    assert list(other.observation) == ['a/b', 'one', 'nan']
    assert other.observation['a/b'] == numpy.float32(.1)
    assert other.observation['one'] == 1 and numpy.isnan(other.observation['nan'])

    # A snapshot of Chainer has none of it.
    for name in '_numpy_random_state', '_python_random_state', '_observation':
        del snapshot[name]
    numpy.random.seed(1)
    random.seed(1)
    stubs.load(other, snapshot)
    assert list(other.observation) == ['a/b', 'one', 'nan']
    found = numpy.random.rand(), random.random()
    numpy.random.seed(1)
    random.seed(1)
    assert found == (numpy.random.rand(), random.random())


def test_snapshots_are_initialized_first(tmp_path):
    # What they load is for others to go on from, such as the rate of a shift.
    trainer = stubs.make_trainer((1, 'iteration'), out=tmp_path)
    calls = []

    def add(target, name, **kwargs):
        snapshot = extensions.snapshot_object(target, name, **kwargs)
        snapshot.initialize = lambda trainer: calls.append(name)
        trainer.extend(snapshot, name, trigger=(9, 'iteration'))

    trainer.extend(lambda t: None, 'other', priority=300)
    trainer.get_extension('other').initialize = lambda trainer: calls.append('other')
    add(None, 'trainer')
    add(trainer.updater, 'updater')
    trainer.run()
    assert calls == ['trainer', 'updater', 'other']


@pytest.mark.parametrize('priorities, expected', [
    ([-100, -100, -100, -100], ['updater', 'trainer', 'plain', 'model']),
    ([-100, -100, -50, -100], ['plain', 'updater', 'model', 'trainer']),
    ([-100, -200, -50, -100], ['plain', 'model', 'trainer', 'updater'])])
def test_snapshots_of_the_trainer_come_after_others(tmp_path, priorities, expected):
    # They have the states of triggers, which have to be those after the iteration.
    trainer = stubs.make_trainer((1, 'iteration'), out=tmp_path)
    calls = []

    def writer(name, folder, contents):
        calls.append(name)

    for priority, (name, target) in zip(priorities, [
            ('trainer', None), ('updater', trainer.updater), ('plain', None),
            ('model', trainer.updater)], strict=True):
        if name == 'plain':
            added = lambda trainer: calls.append('plain')  # noqa: E731
        else:
            added = extensions.snapshot_object(target, name, writer=writer)
        trainer.extend(added, name, trigger=(1, 'iteration'), priority=priority)
    trainer.run()
    assert calls == expected


def test_extension_with_any_attribute_is_no_snapshot():
    # As those are that tests make up.
    trainer = stubs.make_trainer()
    for name in 'one', 'two':
        trainer.extend(mock.MagicMock(), name, trigger=(1, 'iteration'), priority=1)
    trainer.extend(Recorder([], 'three'), priority=1)
    entries = list(trainer._extensions.values())
    assert trainer_module._in_order_of_calls(entries) == entries
