"""Extensions of a few lines: observation, supervision, graphs."""
import os

import numpy
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import training
from chainer_fast.training import extensions
from tests.training import stubs


@pytest.fixture
def trainer(tmp_path):
    return stubs.make_trainer(out=tmp_path)


def test_observe(trainer):
    model = chainer_fast.links.Linear(1, 1)
    optimizer = chainer_fast.optimizers.SGD(.25).setup(model)
    trainer.updater.optimizers = {'main': optimizer, 'other': optimizer}
    seen = []
    trainer.extend(extensions.observe_lr())
    trainer.extend(extensions.observe_lr('other', 'rate'))
    trainer.extend(extensions.observe_value('i', lambda t: t.updater.iteration),
                   trigger=(1, 'iteration'))
    trainer.extend(lambda t: seen.append(t.observation))
    trainer.run()
    assert seen == [{'i': 1}, {'lr': .25, 'rate': .25, 'i': 2}, {'i': 3},
                    {'lr': .25, 'rate': .25, 'i': 4}]
    assert list(trainer._extensions)[:3] == [
        '_observe_value', '_observe_value_1', '_observe_value_2']


@pytest.mark.parametrize('bad', [numpy.nan, numpy.inf, -numpy.inf])
def test_fail_on_nonnumber(trainer, bad):
    model = chainer_fast.Sequential(
        chainer_fast.links.Linear(2, 2), chainer_fast.links.Linear(None, 2))
    trainer.updater.optimizers = {
        'name': chainer_fast.optimizers.SGD().setup(model)}
    extension = extensions.FailOnNonNumber()
    extension(trainer)
    model[0].b.array[1] = bad
    with pytest.raises(RuntimeError, match="/0/b of the optimizer 'name'"):
        extension(trainer)


def test_micro_average(trainer):
    values = iter([(1, 2), (3, 4), (5, 6), (7, 10)])

    @training.make_extension(priority=training.PRIORITY_WRITER)
    def write(trainer):
        n, d = next(values)
        chainer_fast.report({'n': numpy.float32(n), 'd': d, 'other': 1})

    seen = []
    trainer.extend(write)
    trainer.extend(extensions.MicroAverage('n', 'd', 'mean'))
    trainer.extend(lambda t: seen.append(t.observation.get('mean')))
    trainer.run()
    assert seen == [None, pytest.approx(4 / 6), None, pytest.approx(12 / 16)]
    assert type(seen[1]) is float


def test_micro_average_of_rare_values():
    # Epochs end at the even steps; values come at the third one, as of a validation.
    average, trainer, seen = extensions.MicroAverage('n', 'd', 'mean'), \
        stubs.Observation(), []
    rare = {'n': 1, 'd': numpy.float32(4)}
    for values in ({}, {'n': 3}, rare, {}, {'d': 7}, rare):
        trainer.step(**values)
        with chainer_fast.Reporter().scope(trainer.observation):
            average(trainer)
        seen.append(trainer.observation.get('mean'))
    assert seen == [None, None, .25, None, None, .25]
    assert seen[2].dtype == numpy.float64


@pytest.mark.parametrize('stop', [1, 2, 3])
def test_micro_average_goes_on_from_a_snapshot(stop):
    def make():
        return extensions.MicroAverage('n', 'd', 'mean')

    average, trainer, seen = make(), stubs.Observation(), []
    for i, (n, d) in enumerate([(1, 2), (3, 4), (5, 6), (7, 10)]):
        if i == stop:
            average = stubs.load(make(), stubs.save(average))
        trainer.step(n=n, d=d)
        with chainer_fast.Reporter().scope(trainer.observation):
            average(trainer)
        seen.append(trainer.observation.get('mean'))
    assert seen == [None, pytest.approx(4 / 6), None, pytest.approx(12 / 16)]


@pytest.mark.parametrize('total, kind', [
    (0, int), (3, int), (2.5, numpy.float64), (numpy.float32(.1), numpy.float32)])
def test_sums_of_a_micro_average_keep_their_types(total, kind):
    average, other = [extensions.MicroAverage('n', 'd', 'mean') for _ in range(2)]
    average._numerator = total
    stubs.load(other, stubs.save(average))
    assert other._numerator == total and type(other._numerator) is kind


def report_a_loss(trainer):
    """Make an updater report a variable with a graph, another one each time."""
    step = trainer.updater.update

    def update():
        step()
        x = chainer_fast.Variable(numpy.ones(2, 'f'))
        first = [F.exp, F.sin, F.cos, F.tanh][trainer.updater.iteration - 1]
        chainer_fast.report({'loss': F.sum(first(x)), 'number': 3.})

    trainer.updater.update = update


@pytest.fixture
def keep_graph():
    with chainer_fast.using_config('keep_graph_on_report', False):
        yield lambda: chainer_fast.config.keep_graph_on_report


def test_dump_graph(trainer, keep_graph, monkeypatch):
    monkeypatch.setenv('PATH', '')  # no Graphviz
    report_a_loss(trainer)
    flags = []
    trainer.extend(extensions.dump_graph('loss', 'g.dot'))
    trainer.extend(lambda t: flags.append(
        (keep_graph(), t.observation['loss'].creator is not None)), priority=0)
    trainer.run()
    assert flags == [(False, True)] + [(False, False)] * 3
    assert os.listdir(trainer.out) == ['g.dot']
    with open(os.path.join(trainer.out, 'g.dot')) as f:
        dot = f.read()
    assert dot.startswith('digraph')
    assert '"exp"' in dot
    assert '"sin"' not in dot
    assert dot.count('#6495ED') == 2
    assert list(trainer._extensions) == ['dump_graph', '<lambda>']


def test_dump_graph_happens_once_in_a_resumed_training(keep_graph):
    extension = extensions.DumpGraph('loss')
    extension.initialize(None)
    assert extension.trigger(None)
    resumed = stubs.load(extensions.DumpGraph('loss'), stubs.save(extension))
    chainer_fast.config.keep_graph_on_report = False
    resumed.initialize(None)
    assert not keep_graph()
    assert not resumed.trigger(None)


def test_dump_graph_of_something_else(trainer, keep_graph):
    trainer.observation = {'loss': 3.}
    extension = extensions.DumpGraph('loss')
    extension.initialize(trainer)
    with pytest.raises(TypeError, match='not a Variable.*float'):
        extension(trainer)


@pytest.mark.parametrize('arguments, name', [
    ({}, 'cg.dot'), ({'filename': 'a'}, 'a'), ({'out_name': 'b'}, 'b'),
    ({'filename': 'a', 'out_name': 'b'}, 'a')])
def test_name_of_the_graph(arguments, name):
    assert extensions.DumpGraph('loss', **arguments)._filename == name


def test_commands():
    graph = extensions.computational_graph
    assert graph.is_return_code_zero(['true'])
    assert not graph.is_return_code_zero(['false'])
    assert not graph.is_return_code_zero(['/no/such/program'])


@pytest.mark.parametrize('flag', [True, False])
def test_unchain_variables(trainer, keep_graph, flag):
    chainer_fast.config.keep_graph_on_report = flag
    report_a_loss(trainer)
    creators = []
    trainer.extend(lambda t: creators.append(
        t.observation['loss'].creator), 'before', priority=1)
    trainer.extend(extensions.unchain_variables())
    trainer.extend(lambda t: creators.append(
        t.observation['loss'].creator), 'after', priority=-1)
    trainer.run()
    assert [creator is not None for creator in creators] == [flag, False] * 4


def test_unchain_variables_after_the_graph_was_dumped(trainer, keep_graph):
    report_a_loss(trainer)
    trainer.extend(extensions.unchain_variables())
    trainer.extend(extensions.DumpGraph('loss'))
    creators = []
    trainer.extend(lambda t: creators.append(
        t.observation['loss'].creator), 'after', priority=-1)
    trainer.run()
    assert creators == [None] * 4
