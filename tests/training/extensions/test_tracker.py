"""What the extensions for other tools have in common, on a tool that only notes."""
import pytest

from chainer_fast import serializers
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

    def _close(self):
        self.calls.append(('close', self._has_failed))


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


def test_failed_training(tmp_path):
    notes = Notes()
    trainer = make_trainer(tmp_path, notes)
    trainer.extend(extensions.LogReport())

    @trainer.extend
    def fail(trainer):
        raise RuntimeError('on purpose')

    with pytest.raises(RuntimeError, match='on purpose'):
        trainer.run(show_loop_exception_msg=False)
    assert notes.calls == [('open', ''), ('close', True)]


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
    with pytest.raises(ImportError, match=r"needs %s: pip install 'chainer-fast\[%s\]'"
                       % (tool, tool.lower().removesuffix('x'))):
        make()
