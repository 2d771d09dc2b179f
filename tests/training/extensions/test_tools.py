"""Extensions for other tools: these tools read what was written."""
import copy
import glob
import json
import os
import pickle
import subprocess
import sys

import numpy
import pytest

import chainer_fast
from chainer_fast import serializers
from chainer_fast.training import extensions
from tests.training import stubs

for _module in ['tensorboard', 'tensorboardX', 'wandb', 'mlflow', 'optuna', 'tqdm',
                'rich']:
    pytest.importorskip(_module)

# Some of these tools warn of what they use themselves.
pytestmark = pytest.mark.filterwarnings('default')


def make_trainer(out, length=4):
    trainer = stubs.make_trainer((length, 'iteration'), out=out)
    trainer.extend(
        lambda t: t.observation.update(
            {'main/loss': numpy.float32(t.updater.iteration / 2)}),
        'observe', priority=300)
    trainer.extend(extensions.LogReport(trigger=(1, 'iteration')))
    return trainer


def run_and_resume(out, make):
    """Train for 4 iterations, then again from the third on for 6."""
    trainer = make_trainer(out)
    trainer.extend(make())
    trainer.extend(extensions.snapshot(filename='s_{.updater.iteration}'),
                   trigger=(2, 'iteration'))
    trainer.run()
    trainer = make_trainer(out, 6)
    trainer.extend(make())
    serializers.load_npz(os.path.join(out, 's_2'), trainer, strict=False)
    trainer.run()


def test_tensorboard(tmp_path):
    from tensorboard.backend.event_processing import event_accumulator

    run_and_resume(str(tmp_path), lambda: extensions.TensorBoardReport(
        config={'lr': 0.5, 'unit': 'relu'}))
    events = event_accumulator.EventAccumulator(str(tmp_path / 'tensorboard'))
    events.Reload()
    assert set(events.Tags()['scalars']) == {'main/loss', 'epoch', 'elapsed_time'}
    assert [(e.step, e.value) for e in events.Scalars('main/loss')] == [
        (i, i / 2) for i in range(1, 7)]
    (table,) = events.Tensors('config/text_summary')
    assert b'| lr | 0.5 |\n| unit | relu |' in table.tensor_proto.string_val[0]


def test_tensorboard_shows_the_latest_training_of_a_folder(tmp_path, monkeypatch):
    from tensorboard.backend.event_processing import event_accumulator

    for length, second in [(4, 1000), (2, 2000)]:
        monkeypatch.setattr('time.time', lambda second=second: second)
        trainer = make_trainer(str(tmp_path), length)
        trainer.extend(extensions.TensorBoardReport(
            config={'length': length, 2: 'a|b\nc'}))
        trainer.run()
    events = event_accumulator.EventAccumulator(str(tmp_path / 'tensorboard'))
    events.Reload()
    assert [e.step for e in events.Scalars('main/loss')] == [1, 2]
    *_, table = events.Tensors('config/text_summary')
    assert table.tensor_proto.string_val[0].endswith(
        b'\n| length | 2 |\n| 2 | a\\|b c |')


def inspect_wandb(file, *options):
    """Return what the command ``wandb`` says of a file."""
    text = subprocess.run(
        [sys.executable, '-m', 'wandb', 'leet', 'inspect', '--json', *options, file],
        capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in text.splitlines()] if not options else (
        json.loads(text))


def test_wandb(tmp_path):
    run_and_resume(str(tmp_path), lambda: extensions.WandbReport(
        {'lr': 0.5, 1: 2}, project='p', mode='offline', settings={'silent': True}))
    first, second = sorted(
        glob.glob(str(tmp_path / 'wandb' / 'offline-run-*' / '*.wandb')),
        key=os.path.getmtime)
    assert os.path.basename(first) == os.path.basename(second)   # run-ID.wandb
    assert [(r['history']['step'], r['history']['item']['main/loss'])
            for r in inspect_wandb(first) if r['type'] == 'history'] == [
        ({'num': i}, i / 2) for i in range(1, 5)]
    summary = inspect_wandb(second, '--summary')
    assert summary['config']['lr'] == 0.5 and summary['config']['1'] == 2
    assert summary['summary']['main/loss'] == 3
    assert summary['exit_code'] == 0


def test_mlflow(tmp_path):
    import mlflow

    uri = 'sqlite:///%s/runs.db' % tmp_path
    run_and_resume(str(tmp_path), lambda: extensions.MLflowReport(
        'digits', {'lr': 0.5}, tracking_uri=uri, run_name='first'))
    client = mlflow.MlflowClient(uri)
    (run,) = client.search_runs(
        [client.get_experiment_by_name('digits').experiment_id])
    assert run.info.status == 'FINISHED' and run.info.run_name == 'first'
    assert run.data.params == {'lr': '0.5'}
    # MLflow keeps what was written after the snapshot as well.
    assert [(m.step, m.value) for m in client.get_metric_history(
        run.info.run_id, 'main/loss')] == [
            (1, .5), (2, 1.), (3, 1.5), (4, 2.), (3, 1.5), (4, 2.), (5, 2.5), (6, 3.)]


def test_mlflow_names_and_failures(tmp_path):
    import mlflow

    uri = 'sqlite:///%s/runs.db' % tmp_path
    trainer = stubs.make_trainer(out=tmp_path)
    trainer.extend(extensions.LogReport(trigger=(1, 'iteration')))
    keys = {'a(b)*': 'a_b__', '/a//b/': 'a/b', '../c': 'c', '': '_', 'é': 'é',
            249 * 'k' + '/k': 249 * 'k', 300 * 'k': 250 * 'k'}
    trainer.extend(
        lambda t: t.observation.update(dict.fromkeys(keys, 1.)), 'o', priority=300)
    trainer.extend(extensions.MLflowReport(tracking_uri=uri, config={
        **keys, 1: None, '*': [1, {'b': 2}], '(': 3, 'long': 7000 * 'x'}))

    def fail(trainer):
        raise RuntimeError('on purpose')

    trainer.extend(fail, priority=-1)
    with pytest.raises(RuntimeError, match='on purpose'):
        trainer.run(show_loop_exception_msg=False)
    (run,) = mlflow.MlflowClient(uri).search_runs(['0'])
    assert run.info.status == 'FAILED'
    assert run.data.metrics.keys() == {*keys.values(), 'epoch', 'elapsed_time'}
    assert run.data.params.keys() == {*keys.values(), '1', 'long'}
    assert run.data.params['1'] == 'None' and run.data.params['_'] == '3'
    assert run.data.params['long'].startswith(5000 * 'x')


def test_optuna_prunes_what_is_worse(tmp_path):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    steps = []

    def objective(trial):
        trainer = stubs.make_trainer(out=tmp_path)
        level = trial.suggest_categorical('level', [0, 1])
        trainer.extend(
            lambda t: t.observation.update(
                {'main/loss': chainer_fast.Variable(numpy.array(level, 'f'))}),
            'observe', priority=300)
        trainer.extend(extensions.OptunaPruning(trial, 'main/loss', (1, 'epoch')))
        trainer.extend(extensions.OptunaPruning(trial, 'missing', (1, 'epoch')), 'none')
        trainer.run(show_loop_exception_msg=False)
        steps.append(sorted(trial.storage.get_trial(
            trial._trial_id).intermediate_values.items()))
        return level

    study = optuna.create_study(
        sampler=optuna.samplers.GridSampler({'level': [0, 1]}, seed=0),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=1))
    study.enqueue_trial({'level': 0})
    study.enqueue_trial({'level': 1})
    study.optimize(objective, 2)
    good, bad = study.trials
    assert good.state.name == 'COMPLETE' and steps == [[(1, 0.), (2, 0.)]]
    assert bad.state.name == 'PRUNED' and bad.intermediate_values == {1: 1.}


def test_optuna_asks_after_the_reports_and_as_often_when_resumed(tmp_path):
    import optuna

    calls = []

    class Trial:

        number = 3

        def report(self, value, step):
            calls.append((value, step, len(trainer.get_extension('LogReport').log)))

        def should_prune(self):
            return len(calls) == 2

    trainer = make_trainer(tmp_path, 2)
    trainer.extend(extensions.OptunaPruning(Trial(), 'main/loss', (2, 'iteration')))
    trainer.run()
    contents = stubs.save(trainer)
    trainer = make_trainer(tmp_path, 9)
    trainer.extend(extensions.OptunaPruning(Trial(), 'main/loss', (2, 'iteration')))
    serializers.NpzDeserializer(contents).load(trainer)
    with pytest.raises(optuna.TrialPruned, match='trial 3 was pruned at iteration 4'):
        trainer.run(show_loop_exception_msg=False)
    assert calls == [(1., 2, 2), (2., 4, 4)]


@pytest.mark.parametrize('make', [
    extensions.TensorBoardReport, extensions.WandbReport, extensions.MLflowReport,
    extensions.TqdmProgressBar, lambda: extensions.RichPrintReport(['x'], out=None),
    lambda: extensions.OptunaPruning(None, 'x', (1, 'epoch'))])
def test_extensions_can_be_copied(make):
    extension = make()
    for copied in [copy.deepcopy(extension), pickle.loads(pickle.dumps(extension))]:
        assert vars(copied).keys() == vars(extension).keys()
