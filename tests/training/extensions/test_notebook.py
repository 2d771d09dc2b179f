import sys

import pytest

from chainer_fast.training import extensions
from tests.training import stubs

display = pytest.importorskip('IPython.display')


class Page:
    """Stands for the outputs of a cell: what each of them has shown so far."""

    def __init__(self):
        self.outputs = []

    def display(self, content, display_id):
        assert display_id is True
        self.outputs.append([content])
        return self

    def update(self, content):
        self.outputs[-1].append(content)


@pytest.fixture
def page(monkeypatch):
    page = Page()
    monkeypatch.setattr(display, 'display', page.display)
    return page


@pytest.fixture
def trainer(tmp_path):
    trainer = stubs.make_trainer(out=tmp_path)
    trainer.extend(
        lambda t: t.observation.update({'<x>': t.updater.iteration / 2}), 'observe',
        priority=300)
    return trainer


def test_table_grows_in_one_place(page, trainer):
    trainer.extend(extensions.LogReport(trigger=(2, 'iteration')))
    trainer.extend(extensions.PrintReportNotebook(['epoch', '<x>', 'none']))
    trainer.run()
    (tables,) = page.outputs
    assert [repr(table) for table in tables] == [
        'epoch  <x>  none',
        'epoch  <x>   none\n1      0.75',
        'epoch  <x>   none\n1      0.75\n2      1.75']
    assert tables[1]._repr_html_() == (
        '<table><thead><tr><th>epoch</th><th>&lt;x&gt;</th><th>none</th></tr></thead>'
        '<tbody><tr><td>1</td><td>0.75</td><td></td></tr></tbody></table>')


def test_bar_is_replaced_and_stays(page, trainer, capsys):
    trainer.extend(extensions.ProgressBarNotebook(update_interval=2, bar_length=4))
    trainer.run()
    (bars,) = page.outputs
    assert len(bars) == 2
    assert repr(bars[-1]).startswith('     total [####] 100.00%\n')
    assert bars[0]._repr_html_().startswith('<pre>     total [##..]')
    assert bars[0]._repr_html_().endswith('</pre>')
    assert capsys.readouterr().out == ''


def test_without_a_notebook_it_is_printed(trainer, capsys):
    trainer.extend(extensions.ProgressBarNotebook((8, 'iteration'), 4, 4))
    trainer.run()
    assert '     total [##..] 50.00%' in capsys.readouterr().out


@pytest.mark.parametrize('make', [
    lambda: extensions.PrintReportNotebook(['x']), extensions.ProgressBarNotebook])
def test_without_ipython(make, monkeypatch):
    monkeypatch.setitem(sys.modules, 'IPython', None)
    with pytest.raises(RuntimeError, match='Notebook needs IPython: pip install'):
        make()
