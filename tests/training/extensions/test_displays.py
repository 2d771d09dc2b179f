"""Bars and tables by other tools, on terminals, in files and in notebooks."""
import io
import re
import sys

import numpy
import pytest

from chainer_fast.training import extensions
from tests.training import stubs

for _module in ['tqdm', 'rich', 'nbclient']:
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


def test_tqdm_ends_where_the_training_does(tmp_path, monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(sys, 'stderr', terminal)
    trainer = stubs.make_trainer((1, 'epoch'), out=tmp_path)
    # The last batch of the epoch has examples of the next one.
    trainer.updater.length = 1.25
    trainer.extend(extensions.TqdmProgressBar(ncols=60, mininterval=0))
    trainer.run()
    assert re.findall(r'(\d+)%', terminal.getvalue())[-1] == '100'


def test_tqdm_without_a_known_length(tmp_path, monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(sys, 'stderr', terminal)
    trainer = stubs.make_trainer(out=tmp_path)
    trainer.stop_trigger = lambda t: t.updater.iteration == 3
    trainer.extend(extensions.TqdmProgressBar(mininterval=0))
    trainer.run()
    assert '3iteration' in terminal.getvalue()


@pytest.mark.parametrize('stderr', [None, io.StringIO()])
def test_tqdm_without_standard_error(stderr, tmp_path, monkeypatch):
    if stderr is not None:
        stderr.close()
    monkeypatch.setattr(sys, 'stderr', stderr)
    trainer = make_trainer(tmp_path)
    trainer.extend(extensions.TqdmProgressBar(entries=['main/loss'], mininterval=0))
    trainer.run()
    assert trainer.updater.iteration == 4


def test_rich_takes_keys_literally(tmp_path):
    keys = ['[bold]', '[/]', ':fire:']
    out = io.StringIO()
    trainer = make_trainer(tmp_path, 1)
    trainer.extend(extensions.RichPrintReport(keys, out=out))
    trainer.run()
    assert out.getvalue().split('\n')[0].split() == keys


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
import io
import numpy
from chainer_fast.training import extensions
from tests.training import stubs
out = io.StringIO()
''' % [path for path in sys.path if path], '''
trainer = stubs.make_trainer((2, 'epoch'), out=%r)
trainer.extend(lambda t: t.observation.update(x=t.updater.iteration / 2), 'observe',
               priority=300)
trainer.extend(extensions.TqdmProgressBar(entries=['x']))
trainer.extend(extensions.PlotReportNotebook('x', trigger=(1, 'iteration')))
trainer.extend(extensions.LogReport(trigger=(1, 'epoch')))
trainer.extend(extensions.RichPrintReport(['x'], out=out))
trainer.run()
print(out.getvalue().split())
''' % str(tmp_path)]])
    nbclient.NotebookClient(notebook, timeout=120).execute()
    outputs = notebook.cells[1].outputs
    data = [output.data for output in outputs if output.output_type == 'display_data']
    bar, plot = data
    (table,) = [output.text for output in outputs if output.output_type == 'stream']
    assert "'0.75', " in table and "'1.75'" in table
    assert 'application/vnd.jupyter.widget-view+json' in bar
    model = notebook.metadata.widgets['application/vnd.jupyter.widget-state+json']
    states = [widget['state'] for widget in model['state'].values()]
    assert [state['value'] for state in states if 'bar_style' in state] == [2.]
    assert any('2.0/2' in str(state.get('value')) for state in states), states
    assert plot['image/png']
    assert (tmp_path / 'plot.png').exists()
