"""VariableStatisticsPlot and its parts."""
import os
import subprocess
import sys

import numpy
import pytest

import chainer_fast
from chainer_fast import links
from chainer_fast.training import extensions
from chainer_fast.training.extensions import variable_statistics_plot
from tests.training import stubs


def test_reservoir_keeps_a_uniform_sample():
    numpy.random.seed(0)
    counts = numpy.zeros(20)
    for _ in range(2000):
        reservoir = variable_statistics_plot.Reservoir(5, ())
        for i in range(20):
            reservoir.add(i)
        indices, data = reservoir.get_data()
        numpy.testing.assert_array_equal(indices, data)
        assert (numpy.diff(indices) > 0).all() and len(indices) == 5
        counts[indices] += 1
    # A quarter of 2000, with four standard deviations.
    numpy.testing.assert_allclose(counts, 500, atol=4 * (2000 * .25 * .75) ** .5)


def test_reservoir_that_is_not_full_and_given_indices():
    reservoir = variable_statistics_plot.Reservoir(3, (2,), 'd')
    reservoir.add(numpy.ones(2), idx=7)
    reservoir.add(numpy.zeros(2), idx=5)
    indices, data = reservoir.get_data()
    assert indices.tolist() == [5, 7] and data.tolist() == [[0, 0], [1, 1]]
    assert indices.dtype == 'i' and data.dtype == 'd'


def test_reservoir_goes_on_from_a_snapshot():
    def fill(reservoir, numbers):
        for i in numbers:
            reservoir.add(i)
        return [part.tolist() for part in reservoir.get_data()]

    def make(size=3):
        return variable_statistics_plot.Reservoir(size, ())

    numpy.random.seed(0)
    reservoir = make()
    fill(reservoir, range(7))
    snapshot, random_state = stubs.save(reservoir), numpy.random.get_state()
    expected = fill(reservoir, range(7, 20))
    numpy.random.set_state(random_state)
    assert fill(stubs.load(make(), snapshot), range(7, 20)) == expected
    assert stubs.load(make(4), snapshot).counter == 0   # of another size, it is new

    # A snapshot of Chainer does not have it.
    plot = extensions.VariableStatisticsPlot(links.Linear(1, 1), 3)
    snapshot = stubs.save(plot)
    assert snapshot.pop('_samples/data').shape == (3, 2, 11)
    plot._samples.counter = 5
    assert stubs.load(plot, snapshot)._samples.counter == 5


def test_statistician():
    x = numpy.random.rand(4, 5).astype('f')
    found = variable_statistics_plot.Statistician(True, True, (0, 50))(x, axis=1)
    assert list(found) == ['mean', 'std', 'percentile']
    numpy.testing.assert_array_equal(found['mean'], x.mean(axis=1))
    numpy.testing.assert_array_equal(found['std'], x.std(axis=1))
    numpy.testing.assert_allclose(
        found['percentile'], [x.min(axis=1), numpy.median(x, axis=1)])
    one = variable_statistics_plot.Statistician(False, False, 100)(x, axis=None)
    assert list(one) == ['percentile'] and one['percentile'] == x.max()
    assert one['percentile'].dtype == 'd'


def test_what_is_sampled():
    first = chainer_fast.Variable(numpy.arange(6, dtype='f').reshape(2, 3))
    second = chainer_fast.Variable(numpy.ones(2))
    second.grad = numpy.array([3., 4.])
    plot = extensions.VariableStatisticsPlot([first, second], percentile_sigmas=50)
    plot(stubs.Observation().step())
    indices, data = plot._samples.get_data()
    values = numpy.concatenate([first.array.ravel(), second.array])
    assert indices.tolist() == [1]
    numpy.testing.assert_allclose(
        data[0], [[values.mean(), values.std(), numpy.median(values)], [3.5, .5, 3.5]],
        rtol=1e-6)


@pytest.mark.parametrize('options, titles, n_rows', [
    ({}, ['data', 'grad'], 2),
    ({'report_grad': False, 'plot_mean': False, 'percentile_sigmas': ()}, ['data'], 1),
    ({'report_data': False, 'plot_mean': False, 'plot_std': False,
      'percentile_sigmas': (10, 90)}, ['grad'], 1)])
def test_image(options, titles, n_rows, tmp_path, monkeypatch):
    from matplotlib import pyplot
    monkeypatch.chdir(tmp_path)
    made = []
    monkeypatch.setattr(pyplot, 'close', made.append)
    trainer = stubs.make_trainer(out=tmp_path)
    model = links.Linear(3, 2)
    trainer.extend(extensions.VariableStatisticsPlot(
        model, filename='f.png', trigger=(4, 'iteration'), figsize=(3, 2), **options))
    model.cleargrads()
    trainer.run()
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ['f.png']
    figure, = made
    assert [axes.get_title() for axes in figure.axes[:len(titles)]] == titles
    assert len(figure.axes) == n_rows * len(titles)
    assert {axes.get_xlabel() for axes in figure.axes[-len(titles):]} == {'iteration'}
    assert all(axes.get_legend().get_texts() for axes in figure.axes)
    pyplot.close(figure)


def test_columns_do_not_overlap(tmp_path, monkeypatch):
    from matplotlib import pyplot
    made = []
    monkeypatch.setattr(pyplot, 'close', made.append)
    plot = extensions.VariableStatisticsPlot(links.Linear(3, 2))
    # Long numbers on the vertical axes.
    plot._samples.add(numpy.full(plot._data_shape, -1e-3), 0)
    plot._samples.add(numpy.full(plot._data_shape, 2e-3), 1)
    plot.save_plot_using_module(str(tmp_path / 'f.png'), pyplot)
    monkeypatch.undo()
    figure, = made
    left, right = [axes.get_tightbbox() for axes in figure.axes[:2]]
    assert left.x1 < right.x0
    assert figure.axes[0].get_lines()[0].get_ydata().tolist() == pytest.approx(
        [-1e-3, 2e-3])
    pyplot.close(figure)


def test_figure_is_closed_if_it_cannot_be_written(tmp_path):
    from matplotlib import pyplot
    plot = extensions.VariableStatisticsPlot(chainer_fast.Variable(numpy.zeros(3)))
    with pytest.raises(FileNotFoundError):
        plot.save_plot_using_module(str(tmp_path / 'missing' / 'f.png'), pyplot)
    assert not pyplot.get_fignums()


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, 'matplotlib', None)
    for find in (extensions.VariableStatisticsPlot.available,
                 lambda: extensions.VariableStatisticsPlot(links.Linear(1, 1))):
        with pytest.warns(UserWarning, match='pip install matplotlib'):
            find()


@pytest.mark.parametrize('cls', ['PlotReport', 'VariableStatisticsPlot'])
def test_looking_for_matplotlib_chooses_no_backend(cls):
    program = (
        'import sys; import chainer_fast.links as L\n'
        'from chainer_fast.training import extensions\n'
        'assert extensions.%s.available(); extensions.PlotReport("x")\n'
        'extensions.VariableStatisticsPlot(L.Linear(1, 1))\n'
        'sys.exit("matplotlib.pyplot" in sys.modules)' % cls)
    assert subprocess.call([sys.executable, '-c', program]) == 0


def test_nothing_to_plot():
    with pytest.raises(ValueError, match='no variable'):
        extensions.VariableStatisticsPlot([])
    with pytest.raises(ValueError, match='no variable'):
        extensions.VariableStatisticsPlot(numpy.zeros(3))
    with pytest.raises(ValueError, match='plot_mean'):
        extensions.VariableStatisticsPlot(
            links.Linear(1, 1), plot_mean=False, plot_std=False, percentile_sigmas=())
