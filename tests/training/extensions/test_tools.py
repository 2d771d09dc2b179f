"""Extensions for other tools: these tools read what was written."""
import glob
import io
import json
import os
import re
import subprocess
import sys

import numpy
import pytest

import chainer_fast
from chainer_fast import serializers
from chainer_fast.training import extensions
from tests.training import stubs

for _module in ['tensorboard', 'tensorboardX', 'wandb', 'mlflow', 'optuna', 'tqdm',
                'rich', 'nbclient']:
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


def inspect_wandb(file, *options):
    """Return what the command ``wandb`` says of a file."""
    text = subprocess.run(
        [sys.executable, '-m', 'wandb', 'leet', 'inspect', '--json', *options, file],
        capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in text.splitlines()] if not options else (
        json.loads(text))


def test_wandb(tmp_path):
    run_and_resume(str(tmp_path), lambda: extensions.WandbReport(
        {'lr': 0.5}, project='p', mode='offline', settings={'silent': True}))
    first, second = sorted(
        glob.glob(str(tmp_path / 'wandb' / 'offline-run-*' / '*.wandb')),
        key=os.path.getmtime)
    assert os.path.basename(first) == os.path.basename(second)   # run-ID.wandb
    assert [(r['history']['step'], r['history']['item']['main/loss'])
            for r in inspect_wandb(first) if r['type'] == 'history'] == [
        ({'num': i}, i / 2) for i in range(1, 5)]
    summary = inspect_wandb(second, '--summary')
    assert summary['config']['lr'] == 0.5
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
    trainer.extend(lambda t: t.observation.update({'a(b)*': 1.}), 'o', priority=300)
    trainer.extend(extensions.MLflowReport(tracking_uri=uri))

    def fail(trainer):
        raise RuntimeError('on purpose')

    trainer.extend(fail, priority=-1)
    with pytest.raises(RuntimeError, match='on purpose'):
        trainer.run(show_loop_exception_msg=False)
    (run,) = mlflow.MlflowClient(uri).search_runs(['0'])
    assert run.info.status == 'FAILED'
    assert run.data.metrics['a_b__'] == 1


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


def test_tqdm_in_a_terminal(tmp_path, monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(sys, 'stderr', terminal)
    trainer = make_trainer(tmp_path)
    trainer.extend(extensions.PrintReport(['main/loss'], out=terminal))
    trainer.extend(extensions.TqdmProgressBar(
        entries=['main/loss', 'missing'], ncols=60, mininterval=0))
    trainer.run()
    *_, last = terminal.getvalue().split('\x1b[J')
    row, _, bars = last.partition('\n')
    assert row.strip() == '2'
    # Each time the cursor goes back, for PrintReport to erase the bar.
    assert re.fullmatch(
        r'(\r100%\|#+\| 4/4 \[.*iteration/s, main/loss=2\]\r)+\n\r', bars)


def test_tqdm_by_epochs_from_a_snapshot(tmp_path, monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(sys, 'stderr', terminal)
    trainer = stubs.make_trainer((3, 'epoch'), out=tmp_path)
    trainer.updater.iteration = 2
    trainer.extend(extensions.TqdmProgressBar(ncols=60, mininterval=0))
    trainer.run()
    shown = re.findall(r'([\d.]+)/3 ', terminal.getvalue())
    assert [float(text) for text in shown][:1] == [1.]
    assert float(shown[-1]) == 3


def test_tqdm_without_a_known_length(tmp_path, monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(sys, 'stderr', terminal)
    trainer = stubs.make_trainer(out=tmp_path)
    trainer.stop_trigger = lambda t: t.updater.iteration == 3
    trainer.extend(extensions.TqdmProgressBar(mininterval=0))
    trainer.run()
    assert '3iteration' in terminal.getvalue()


def test_rich_table(tmp_path):
    out = io.StringIO()
    trainer = make_trainer(tmp_path, 2)
    trainer.extend(extensions.RichPrintReport(
        ['iteration', 'main/loss', 'a key that is longer than others', 'epoch'],
        out=out))
    trainer.run()
    lines = [line.rstrip() for line in out.getvalue().replace('\x1b[J', '').split('\n')]
    assert lines == [
        ' iteration    main/loss   a key that is longer than others        epoch',
        '─' * 71,
        '         1          0.5                                               0',
        '         2            1                                               1', '']


def test_without_rich_it_prints_as_ever(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'rich', None)
    texts = []
    for make in [extensions.PrintReport, extensions.RichPrintReport]:
        out = io.StringIO()
        trainer = make_trainer(tmp_path)
        trainer.extend(make(['iteration', 'main/loss', 'missing'], out=out))
        trainer.run()
        texts.append(out.getvalue())
    assert texts[0] == texts[1] != ''


def test_in_a_notebook(tmp_path):
    import nbclient
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for
        source in ['''
import sys
sys.path[:0] = %r
import numpy
from chainer_fast.training import extensions
from tests.training import stubs
''' % [path for path in sys.path if path], '''
trainer = stubs.make_trainer((2, 'epoch'), out=%r)
trainer.extend(lambda t: t.observation.update(x=t.updater.iteration / 2), 'observe',
               priority=300)
trainer.extend(extensions.TqdmProgressBar(entries=['x']))
trainer.extend(extensions.PlotReportNotebook('x', trigger=(1, 'iteration')))
trainer.run()
''' % str(tmp_path)]])
    nbclient.NotebookClient(notebook, timeout=120).execute()
    outputs = notebook.cells[1].outputs
    data = [output.data for output in outputs if output.output_type == 'display_data']
    bar, plot = data
    assert 'application/vnd.jupyter.widget-view+json' in bar
    model = notebook.metadata.widgets['application/vnd.jupyter.widget-state+json']
    states = [widget['state'] for widget in model['state'].values()]
    assert [state['value'] for state in states if 'bar_style' in state] == [2.]
    assert any('2.0/2' in str(state.get('value')) for state in states), states
    assert plot['image/png']
    assert (tmp_path / 'plot.png').exists()
