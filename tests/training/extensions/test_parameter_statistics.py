"""ParameterStatistics."""
import numpy
import pytest

import chainer_fast
from chainer_fast import links, reporter
from chainer_fast.training import extensions
from tests.training import stubs


@pytest.fixture
def linear():
    model = links.Linear(3, 2)
    model.W.array[...] = [[0, 1, 2], [0, 4, -3]]
    model.W.grad = numpy.ones((2, 3), 'f')
    model.b.grad = numpy.array([1, 2], 'f')
    return model


def observe(extension, n=1, after=None):
    """Return what the extension reports in each iteration."""
    trainer, observations = stubs.Observation(), []
    for _ in range(n):
        observations.append({})
        with reporter.Reporter().scope(observations[-1]):
            extension(trainer.step())
        if after is not None:
            after()
    return observations


def at_once(*args, **kwargs):
    return extensions.ParameterStatistics(*args, trigger=(1, 'iteration'), **kwargs)


def test_default_statistics(linear):
    observation, = observe(at_once(linear, report_grads=False))
    W = linear.W.array
    expected = {'mean': W.mean(), 'std': W.std(), 'min': -3, 'max': 4, 'zeros': 2}
    expected.update({
        'percentile/%d' % i: numpy.percentile(W, q) for i, q
        in enumerate((.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87))})
    found = {key.removeprefix('None/W/data/'): value
             for key, value in observation.items() if '/W/' in key}
    assert found == pytest.approx(expected)
    assert len(observation) == 24


def test_keys(linear):
    mean = {'mean': lambda x: x.mean()}
    assert list(observe(at_once(linear, mean))[0]) == [
        'None/%s/%s/mean' % (name, attr) for name in 'Wb' for attr in ('data', 'grad')]
    chain = chainer_fast.Chain(child=linear)
    assert list(observe(at_once([linear], mean, report_params=False))[0]) == [
        'child/W/grad/mean', 'child/b/grad/mean']
    assert list(observe(at_once(chain, mean, report_grads=False, prefix='p'))[0]) == [
        'p/None/child/W/data/mean', 'p/None/child/b/data/mean']


def test_means_over_a_period(linear):
    def grow():
        linear.b.array += 1

    extension = extensions.ParameterStatistics(
        linear, {'max': numpy.max}, report_grads=False, trigger=(2, 'iteration'))
    observations = observe(extension, 4, grow)
    assert observations[::2] == [{}, {}]
    assert [observation['None/b/data/max'] for observation in observations[1::2]] == [
        .5, 2.5]


def test_a_period_goes_on_from_a_snapshot(linear):
    def make():
        return extensions.ParameterStatistics(
            linear, {'max': numpy.max}, trigger=(2, 'iteration'))

    first = make()
    observe(first)
    linear.b.array += 1
    second = stubs.load(make(), stubs.save(first))
    assert second._summary.compute_mean()['None/b/data/max'] == 0


def test_registered_statistics_stay_with_the_instance(linear):
    given = {'max': numpy.max}
    extension = at_once(linear, given)
    extension.register_statistics('n', lambda x: x.shape[0])
    observation, = observe(extension)
    assert observation['None/W/data/n'] == 6
    assert list(given) == ['max']
    assert 'n' not in extensions.ParameterStatistics.default_statistics


def test_nan(linear):
    linear.W.array[0, 0] = numpy.nan
    count = {'n': lambda x: x.size}
    assert observe(at_once(linear, count))[0]['None/W/data/n'] == 6
    observation, = observe(at_once(linear, count, skip_nan_params=True))
    assert numpy.isnan(observation['None/W/data/n'])
    assert observation['None/W/grad/n'] == 6


def test_what_is_not_there_is_left_out(linear):
    linear.b.cleargrad()
    count = {'n': lambda x: x.size}
    assert set(observe(at_once(linear, count))[0]) == {
        'None/W/data/n', 'None/W/grad/n', 'None/b/data/n'}
    assert not observe(at_once(links.Linear(None, 2, nobias=True), count))[0]


def test_statistics_have_to_be_a_dict(linear):
    with pytest.raises(TypeError):
        at_once(linear, 3)
    assert not observe(at_once(linear, None))[0]
