"""What the extensions for other tools have in common, on a tool that only notes."""
import re

import pytest

from chainer_fast import serializers
from chainer_fast._help import installation
from chainer_fast.training import extensions
from chainer_fast.training.extensions import _tracker
from tests.training import stubs


class Notes(_tracker.Tracker):
    """Tracker whose tool is a list."""

    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.calls = []

    def _open(self, trainer):
        self.calls.append(('open', self._run_id))
        self._run_id = 'r'

    def _write(self, values, step):
        self.calls.append((step, values['i']))

    def _close(self, has_failed):
        self.calls.append(('close', has_failed))


def make_trainer(tmp_path, notes, length=4):
    trainer = stubs.make_trainer((length, 'iteration'), out=tmp_path)
    # Before the log, which must not matter.
    trainer.extend(notes)
    trainer.extend(
        lambda t: t.observation.update(i=t.updater.iteration), 'observe', priority=300)
    return trainer


def test_entries_of_a_log_are_handed_over_when_they_are_made(tmp_path):
    notes = Notes()
    trainer = make_trainer(tmp_path, notes)
    trainer.extend(extensions.LogReport())
    lengths = []
    trainer.extend(lambda t: lengths.append(len(notes.calls)), 'watch', priority=0)
    trainer.run()
    assert notes.calls == [('open', ''), (2, 1.5), (4, 3.5), ('close', False)]
    assert lengths == [1, 2, 2, 3]


def test_log_of_its_own(tmp_path):
    notes = Notes(log_report=extensions.LogReport(
        ['i'], trigger=(3, 'iteration'), log_name=None))
    make_trainer(tmp_path, notes).run()
    assert notes.calls == [('open', ''), (3, 2.), ('close', False)]


def test_resumed_training_continues_the_run(tmp_path):
    first = make_trainer(tmp_path, Notes(), 2)
    first.extend(extensions.LogReport())
    first.extend(extensions.snapshot(filename='s'), trigger=(2, 'iteration'))
    first.run()
    notes = Notes()
    second = make_trainer(tmp_path, notes)
    second.extend(extensions.LogReport())
    second.extend(extensions.snapshot(filename='s'), trigger=(2, 'iteration'))
    serializers.load_npz(str(tmp_path / 's'), second)
    second.run()
    assert notes.calls == [('open', 'r'), (4, 3.5), ('close', False)]


def test_snapshot_without_it_makes_a_new_run_with_the_whole_log(tmp_path):
    first = stubs.make_trainer((2, 'iteration'), out=tmp_path)
    first.extend(
        lambda t: t.observation.update(i=t.updater.iteration), 'observe', priority=300)
    first.extend(extensions.LogReport())
    first.run()
    contents = stubs.save(first)
    notes = Notes()
    second = make_trainer(tmp_path, notes)
    second.extend(extensions.LogReport())
    serializers.NpzDeserializer(contents, strict=False).load(second)
    second.run()
    assert notes.calls == [('open', ''), (2, 1.5), (4, 3.5), ('close', False)]


def test_training_resumed_twice_and_after_its_end(tmp_path):
    def train(length, source=None):
        notes = Notes()
        trainer = make_trainer(tmp_path, notes)
        trainer.stop_trigger = lambda trainer: trainer.updater.iteration >= length
        trainer.extend(extensions.LogReport())
        if source is not None:
            serializers.NpzDeserializer(source).load(trainer)
        trainer.run()
        return notes.calls, stubs.save(trainer)

    first, contents = train(2)
    assert first == [('open', ''), (2, 1.5), ('close', False)]
    ended, contents = train(2, contents)
    assert ended == [('open', 'r'), ('close', False)]
    second, contents = train(4, contents)
    assert second == [('open', 'r'), (4, 3.5), ('close', False)]
    third, _ = train(6, contents)
    assert third == [('open', 'r'), (6, 5.5), ('close', False)]


@pytest.mark.filterwarnings('ignore:The names of statistics')
def test_a_log_that_the_snapshot_does_not_know_is_handed_over_from_its_begin(tmp_path):
    first = make_trainer(tmp_path, Notes())
    first.extend(extensions.LogReport())
    first.run()
    notes = Notes(log_report='renamed')
    second = make_trainer(tmp_path, notes, 6)
    second.extend(extensions.LogReport(), 'renamed')
    serializers.NpzDeserializer(stubs.save(first), strict=False).load(second)
    second.run()
    # Its trigger is new as well, so that it fires at once.
    assert notes.calls == [('open', 'r'), (5, 5.), (6, 6.), ('close', False)]


def test_snapshot_in_hdf5_remembers_the_run(tmp_path):
    pytest.importorskip('h5py')
    first = make_trainer(tmp_path, Notes(), 2)
    first.extend(extensions.LogReport())
    first.run()
    serializers.save_hdf5(str(tmp_path / 's'), first)
    notes = Notes()
    second = make_trainer(tmp_path, notes)
    second.extend(extensions.LogReport())
    serializers.load_hdf5(str(tmp_path / 's'), second)
    second.run()
    assert notes.calls == [('open', 'r'), (4, 3.5), ('close', False)]


def test_values_that_are_no_numbers_are_left_out(tmp_path):
    notes = Notes()
    written = []
    notes._write = lambda values, step: written.append(set(values))
    trainer = make_trainer(tmp_path, notes, 2)
    trainer.extend(extensions.LogReport(
        postprocess=lambda entry: entry.update(
            name='a', none=None, list=[1], flag=True)))
    trainer.run()
    assert written == [{'i', 'epoch', 'elapsed_time', 'flag'}]


@pytest.mark.parametrize('exception', [RuntimeError, KeyboardInterrupt, SystemExit])
def test_training_that_does_not_come_to_its_end(exception, tmp_path):
    notes = Notes()
    trainer = make_trainer(tmp_path, notes)
    trainer.extend(extensions.LogReport())

    @trainer.extend
    def fail(trainer):
        raise exception('on purpose')

    with pytest.raises(exception, match='on purpose'):
        trainer.run(show_loop_exception_msg=False)
    assert notes.calls == [('open', ''), ('close', True)]
    notes.finalize()
    assert len(notes.calls) == 2


def test_training_run_while_an_exception_is_handled_has_not_failed(tmp_path):
    notes = Notes()
    trainer = make_trainer(tmp_path, notes, 1)
    trainer.extend(extensions.LogReport())
    try:
        raise MemoryError
    except MemoryError:
        trainer.run()
    assert notes.calls == [('open', ''), ('close', False)]


def test_runs_are_closed_if_another_extension_cannot_begin(tmp_path):
    notes = Notes()
    trainer = make_trainer(tmp_path, notes, 2)
    trainer.extend(extensions.LogReport())
    errors = [RuntimeError('on purpose')]

    class Broken(Notes):

        def _open(self, trainer):
            if errors:
                raise errors.pop()

    broken = Broken()
    trainer.extend(broken)
    with pytest.raises(RuntimeError, match='on purpose'):
        trainer.run()
    assert notes.calls == [('open', ''), ('close', True)]
    assert broken.calls == []
    trainer.run()
    assert notes.calls[2:] == [('open', 'r'), (2, 1.5), ('close', False)]


def test_training_that_never_began_closes_nothing(tmp_path):
    notes = Notes()
    trainer = make_trainer(tmp_path, notes)

    class Broken(extensions.ProgressBar):
        priority = 1000

        def initialize(self, trainer):
            raise RuntimeError('on purpose')

    trainer.extend(Broken())
    with pytest.raises(RuntimeError, match='on purpose'):
        trainer.run()
    assert notes.calls == []


@pytest.mark.parametrize('make, tool', [
    (extensions.TensorBoardReport, 'tensorboardX'), (extensions.WandbReport, 'wandb'),
    (extensions.MLflowReport, 'mlflow'), (extensions.TqdmProgressBar, 'tqdm'),
    (lambda: extensions.OptunaPruning(None, 'x', (1, 'epoch')), 'optuna')])
def test_missing_tool(make, tool, monkeypatch):
    for name in [tool, 'tqdm.auto']:
        monkeypatch.setitem(__import__('sys').modules, name, None)
    advice = installation.install(tool.lower().removesuffix('x'))
    with pytest.raises(ImportError, match=re.escape('needs %s: %s' % (tool, advice))):
        make()
