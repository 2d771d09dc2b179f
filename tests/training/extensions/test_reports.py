"""LogReport, PrintReport, ProgressBar, PlotReport."""
import io
import json
import os
import re
import sys
import warnings

import numpy
import pytest

import chainer_fast
from chainer_fast.training import extensions
from tests.training import stubs


@pytest.fixture
def trainer(tmp_path):
    trainer = stubs.make_trainer(out=tmp_path)
    trainer.extend(observe, priority=300)
    return trainer


def observe(trainer):
    i = trainer.updater.iteration
    trainer.observation.update({
        'x': numpy.float32(i), 'y/x': chainer_fast.Variable(numpy.array(-i, 'f')),
        'z': 10 * i})


def without_time(log):
    return [{key: entry[key] for key in entry if key != 'elapsed_time'}
            for entry in log]


def test_log_has_means_over_the_period(trainer):
    report = extensions.LogReport()
    trainer.extend(report)
    trainer.run()
    assert without_time(report.log) == [
        {'x': 1.5, 'y/x': -1.5, 'z': 15., 'epoch': 1, 'iteration': 2},
        {'x': 3.5, 'y/x': -3.5, 'z': 35., 'epoch': 2, 'iteration': 4}]
    assert {type(entry['x']) for entry in report.log} == {float}
    assert 0 < report.log[0]['elapsed_time'] < report.log[1]['elapsed_time']
    with open(os.path.join(trainer.out, 'log')) as f:
        text = f.read()
    assert json.loads(text) == report.log
    assert text.startswith('[\n    {\n        "x": 1.5,\n')


def test_log_of_some_keys_with_names_and_postprocessing(trainer):
    report = extensions.LogReport(
        ['x', 'unknown'], (2, 'iteration'), lambda entry: entry.update(p=1),
        'log_{epoch}_{p}')
    trainer.extend(report)
    trainer.run()
    assert without_time(report.log)[0] == {'x': 1.5, 'epoch': 1, 'iteration': 2, 'p': 1}
    assert sorted(os.listdir(trainer.out)) == ['log_1_1', 'log_2_1']


def test_log_before_the_training(trainer):
    asked = []
    trainer.extend(
        extensions.LogReport(trigger=lambda t: asked.append(t.updater.iteration)),
        call_before_training=True)
    trainer.extend(
        lambda t: chainer_fast.report({'y': 7}), 'y', priority=500,
        trigger=lambda t: False, call_before_training=True)
    trainer.run()
    assert without_time(trainer.get_extension('LogReport').log) == [
        {'y': 7, 'epoch': 0, 'iteration': 0}]
    assert asked == [1, 2, 3, 4]


@pytest.mark.parametrize('arguments, name', [
    ({}, 'log'), ({'filename': None}, 'log'), ({'filename': 'f'}, 'f'),
    ({'log_name': 'l'}, 'l'), ({'log_name': None}, None),
    ({'filename': 'f', 'log_name': 'l'}, 'f')])
def test_name_of_the_log(trainer, arguments, name):
    trainer.extend(extensions.LogReport(**arguments))
    trainer.run()
    assert os.listdir(trainer.out) == ([] if name is None else [name])


def test_log_goes_on_from_a_snapshot(tmp_path):
    def make(n):
        trainer = stubs.make_trainer((n, 'iteration'), out=tmp_path)
        trainer.extend(observe, priority=300)
        trainer.extend(extensions.LogReport())
        return trainer

    whole, first, second = make(6), make(3), make(6)
    whole.run()
    first.run()
    snapshot = stubs.save(first)
    stubs.load(second, snapshot).run()
    logs = [t.get_extension('LogReport').log for t in (whole, second)]
    assert without_time(logs[0]) == without_time(logs[1])
    assert sorted(key for key in snapshot if key.startswith('extensions/Log')) == (
        ['extensions/LogReport/' + key for key in (
            '_log', '_summary/_names', '_summary/_summaries/0/_n',
            '_summary/_summaries/0/_x', '_summary/_summaries/0/_x2',
            '_summary/_summaries/1/_n', '_summary/_summaries/1/_x',
            '_summary/_summaries/1/_x2', '_summary/_summaries/2/_n',
            '_summary/_summaries/2/_x', '_summary/_summaries/2/_x2',
            '_trigger/previous_epoch_detail', '_trigger/previous_iteration')])


TABLE = '''\
epoch       x           a_long_column
\033[J1           1.5                        \n\
\033[J2           3.5                        \n'''


@pytest.mark.parametrize('by_name', [True, False])
def test_table(trainer, by_name):
    out = io.StringIO()
    report = extensions.LogReport()
    if by_name:
        trainer.extend(report, 'my_log')
    trainer.extend(extensions.PrintReport(
        ['epoch', 'x', 'a_long_column'], 'my_log' if by_name else report, out))
    trainer.run()
    assert out.getvalue() == TABLE


def test_table_formats(trainer):
    class Out:  # a stream without flush
        text = ''

        def write(self, text):
            self.text += text

    out, log = Out(), extensions.LogReport()
    report = extensions.PrintReport(['a', 'b'], 'LogReport', out)
    trainer.extend(log)
    log._log = [{'a': 123456789., 'b': float('nan')}, {'b': 1e-10}]
    report(trainer)
    report(trainer)
    assert out.text == (
        'a           b         \n'
        '\033[J1.23457e+08  nan         \n\033[J            1e-10       \n')


def test_table_without_its_log(trainer):
    with pytest.raises(ValueError, match='LogReport not found'):
        extensions.PrintReport(['a'], out=io.StringIO())(trainer)
    with pytest.raises(TypeError, match='int'):
        extensions.PrintReport(['a'], 3, io.StringIO())(trainer)


def test_table_saves_a_log_of_its_own():
    log = extensions.LogReport()
    log._log = [{'a': 1}]
    snapshot = stubs.save(extensions.PrintReport(['a'], log))
    assert all(key.startswith('_log_report/') for key in snapshot)
    log._log = []
    stubs.load(extensions.PrintReport(['a'], log), snapshot)
    assert log.log == [{'a': 1}]
    assert stubs.save(extensions.PrintReport(['a'])) == {}


BARS = '''\
\033[J     total [%s] %s
this epoch [%s] %s
%10d iter, %d epoch / %s
'''


@pytest.mark.parametrize('stop, total', [
    ((4, 'iteration'), '4 iterations'), ((2, 'epoch'), '2 epochs')])
def test_progress_bar(tmp_path, stop, total):
    out = io.StringIO()
    trainer = stubs.make_trainer(stop, out=tmp_path)
    trainer.extend(extensions.ProgressBar(update_interval=1, bar_length=4, out=out))
    trainer.run()
    frames = re.split(r' *\S+ iters/sec. Estimated time to finish: \S+\.\n\033\[4A',
                      out.getvalue())
    assert frames == [
        BARS % ('#...', '25.00%', '##..', '50.00%', 1, 0, total),
        BARS % ('##..', '50.00%', '....', ' 0.00%', 2, 1, total),
        BARS % ('###.', '75.00%', '##..', '50.00%', 3, 1, total),
        BARS % ('####', '100.00%', '....', ' 0.00%', 4, 2, total), '\033[J']


def test_progress_bar_has_an_interval_and_a_length(trainer, capsys):
    trainer.extend(extensions.ProgressBar((8, 'iteration'), 3, out=sys.stdout))
    trainer.run()
    out = capsys.readouterr().out
    assert out.count('iters/sec') == 1
    assert ' 37.50%' in out
    assert 'inf iters/sec. Estimated time to finish: 0:00:00.' in out


def test_progress_bar_needs_no_length_where_it_shows_nothing(tmp_path):
    trainer = stubs.make_trainer(lambda t: t.updater.iteration >= 4, out=tmp_path)
    bar = extensions.ProgressBar(update_interval=5, out=io.StringIO())
    trainer.extend(bar)
    trainer.run()
    trainer.updater.update()
    with pytest.raises(AttributeError, match='get_training_length'):
        bar(trainer)


def test_speed(monkeypatch):
    from chainer_fast.training.extensions import util

    times = iter([0., 2., 6.])
    monkeypatch.setattr(util.time, 'time', lambda: next(times))
    bar = util.ProgressBar(out=io.StringIO())
    inf = float('inf')
    assert [bar.update_speed(i, i / 10) for i in (0, 4, 9)] == [
        (inf, inf), (2., .2), (1.5, .15)]
    assert '1:00:00.5' in bar._speed(1, 3600.5)
    assert bar._speed(0., util.seconds_left(1, 0.))
    with pytest.raises(NotImplementedError):
        bar.update()


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip('matplotlib')
    matplotlib.use('Agg')
    from matplotlib import pyplot
    return pyplot


def test_plot(trainer, pyplot):
    seen = []

    def postprocess(figure, axes, summary):
        seen.append((axes.get_xlabel(), axes.get_ylabel(), [
            (line.get_label(), line.get_marker(), line.get_xydata().tolist())
            for line in axes.lines]))

    trainer.extend(extensions.PlotReport(
        ['x', 'y/x', 'unknown'], 'epoch', postprocess=postprocess, filename='x.png'))
    trainer.run()
    assert seen[1] == ('epoch', '', [
        ('x', 'x', [[1, 1.5], [2, 3.5]]), ('y/x', 'x', [[1, -1.5], [2, -3.5]])])
    image = pyplot.imread(os.path.join(trainer.out, 'x.png'))
    assert image.shape[0] > 300 < image.shape[1]
    assert len(numpy.unique(image[:, :, :3].reshape(-1, 3), axis=0)) > 10
    assert pyplot.get_fignums() == []


def test_plot_before_the_training(trainer, pyplot):
    trainer.extend(observe, 'before', priority=500, trigger=lambda t: False,
                   call_before_training=True)
    trainer.extend(extensions.PlotReport('x'), call_before_training=True)
    trainer.run()
    assert trainer.get_extension('PlotReport')._data == {
        'x': [(0, 0), (2, 1.5), (4, 3.5)]}


def test_markers_of_long_curves_do_not_touch(trainer, pyplot):
    steps = []
    report = extensions.PlotReport('x', postprocess=lambda f, axes, s: steps.append(
        axes.lines[0].get_markevery()))
    for n in (3, 40, 400):
        report._data['x'] = [(i, i) for i in range(n)]
        report._plot(pyplot, os.path.join(trainer.out, 'plot.png'))
    assert steps == [1, 1, 10]


def test_plot_names_the_horizontal_axis_alone(trainer, pyplot):
    labels = []
    trainer.extend(extensions.PlotReport(
        'x', trigger=(1, 'iteration'), postprocess=lambda f, axes, s: labels.append(
            (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()))))
    trainer.run()
    assert labels[0] == ('iteration', '', '')
    assert 'plot.png' in os.listdir(trainer.out)


@pytest.mark.parametrize('arguments, name', [
    ({}, 'plot.png'), ({'filename': 'a'}, 'a'), ({'file_name': 'b'}, 'b'),
    ({'filename': 'a', 'file_name': 'b'}, 'a')])
def test_name_of_the_plot(arguments, name):
    report = extensions.PlotReport('x', **arguments)
    assert list(report._data) == ['x']
    assert '_plot_' + name in stubs.save(report)


def test_nothing_to_plot(trainer, pyplot):
    trainer.extend(extensions.PlotReport(['unknown']))
    trainer.run()
    assert os.listdir(trainer.out) == []


@pytest.mark.parametrize('stop', [2, 3])
def test_plot_goes_on_from_a_snapshot(tmp_path, pyplot, stop):
    def make(n):
        trainer = stubs.make_trainer((n, 'iteration'), out=tmp_path)
        trainer.extend(observe, priority=300)
        trainer.extend(extensions.PlotReport(['x'], 'iteration'))
        return trainer

    first, second = make(stop), make(6)
    first.run()
    stubs.load(second, stubs.save(first)).run()
    assert second.get_extension('PlotReport')._data['x'] == [
        pytest.approx(point) for point in ([2, 1.5], [4, 3.5], [6, 5.5])]


def test_plot_of_a_snapshot_of_chainer():
    report = stubs.load(
        extensions.PlotReport(['x'], filename='a'),
        {'_plot_a': numpy.array('{"x": [[1, 2.5]]}')})
    assert report._data == {'x': [[1, 2.5]]}


def test_plot_without_matplotlib(trainer, monkeypatch):
    monkeypatch.setitem(sys.modules, 'matplotlib', None)
    with pytest.warns(UserWarning, match='pip install matplotlib'):
        assert not extensions.PlotReport.available()
    with pytest.warns(UserWarning, match='pip install matplotlib') as caught:
        trainer.extend(extensions.PlotReport(['x']))
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        trainer.run()
    assert os.listdir(trainer.out) == []


def test_progress_bar_ends_where_the_training_does(tmp_path):
    out = io.StringIO()
    trainer = stubs.make_trainer((1, 'epoch'), out=tmp_path)
    # The last batch of the epoch has examples of the next one.
    trainer.updater.length = 1.25
    trainer.extend(extensions.ProgressBar(update_interval=1, out=out))
    trainer.run()
    shown = re.findall(r'total \[(#*)(\.*)\] +([\d.]+)%', out.getvalue())
    marks, rest, percent = shown[-1]
    assert (len(marks), rest, float(percent)) == (50, '', 100)
