import sys

import numpy
import pytest

import chainer_fast
from chainer_fast import backend, dataset, iterators
from chainer_fast.training import extensions

data = [numpy.array([i, i], 'f') for i in range(5)]


class Model(chainer_fast.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.child = chainer_fast.Link()
        self.seen = []

    def forward(self, x, factor=1):
        self.seen.append((x, chainer_fast.config.train,
                          chainer_fast.config.enable_backprop))
        chainer_fast.report({'mean': x.mean() * factor}, self)
        chainer_fast.report({'size': len(x)}, self.child)


def batches(n=2):
    return iterators.SerialIterator(data, n, repeat=False, shuffle=False)


def test_reports_means_over_batches():
    model = Model()
    evaluator = extensions.Evaluator(batches(), model)
    expected = {'main/mean': (.5 + 2.5 + 4) / 3, 'main/child/size': 5 / 3}
    for _ in range(2):  # the iterator starts anew
        assert evaluator() == pytest.approx(expected)
    assert [x.shape for x, _, _ in model.seen[:3]] == [(2, 2), (2, 2), (1, 2)]
    assert {modes for _, *modes in model.seen for modes in [tuple(modes)]} == {
        (False, False)}
    assert chainer_fast.config.train


def test_result_is_reported_under_its_name():
    evaluator = extensions.Evaluator(batches(), Model())
    evaluator.name = 'test'
    reporter = chainer_fast.Reporter()
    with reporter:
        result = evaluator()
    assert sorted(result) == ['test/main/child/size', 'test/main/mean']
    assert reporter.observation == result


@pytest.mark.parametrize('convert, mean', [
    (lambda batch, device: (numpy.stack(batch), 2), 14 / 3),
    (lambda batch, device: {'x': numpy.stack(batch), 'factor': 3}, 7.),
    (lambda batch, device: numpy.stack(batch), 7 / 3)])
def test_converted_batch_becomes_arguments(convert, mean):
    evaluator = extensions.Evaluator(batches(), Model(), convert)
    assert evaluator()['main/mean'] == pytest.approx(mean)


def test_function_and_hook():
    model, called = Model(), []
    evaluator = extensions.Evaluator(
        batches(), model, eval_hook=called.append,
        eval_func=lambda x: chainer_fast.report({'own': 1.}, model))
    assert evaluator() == {'main/own': 1.}
    assert called == [evaluator]
    assert model.seen == []


@pytest.mark.parametrize('device', [-1, '@numpy', backend.CpuDevice()])
def test_device(device):
    assert extensions.Evaluator(batches(), Model(), device=device).device == (
        backend.CpuDevice())


def test_parts_by_name():
    it, model = batches(), Model()
    evaluator = extensions.Evaluator({'main': it, 'b': it}, {'main': model, 'c': model})
    assert evaluator.get_iterator('b') is it
    assert evaluator.get_target('c') is model
    assert sorted(evaluator.get_all_iterators()) == ['b', 'main']
    assert sorted(evaluator.get_all_targets()) == ['c', 'main']
    with pytest.raises(KeyError):
        evaluator.get_target('b')
    with pytest.raises(TypeError, match='foo'):
        extensions.Evaluator(it, model, foo=1)


def test_finalizes_iterators():
    class It(dataset.Iterator):
        finalized = 0

        def finalize(self):
            self.finalized += 1

    it = It()
    extensions.Evaluator(it, {}).finalize()
    assert it.finalized == 1
    extensions.Evaluator(None, {}).finalize()


def test_iterators_that_do_not_suit():
    with pytest.warns(UserWarning, match='repeat=False'):
        extensions.Evaluator(iterators.SerialIterator(data, 2), Model())

    class OfItsOwn(dataset.Iterator):
        repeat = True  # whatever that means to it

    extensions.Evaluator(OfItsOwn(), Model())

    class WithoutReset(dataset.Iterator):
        left = 2

        def __next__(self):
            if not self.left:
                raise StopIteration
            self.left -= 1
            return data[:1]

    evaluator = extensions.Evaluator(WithoutReset(), Model())
    for _ in range(2):
        with pytest.warns(DeprecationWarning, match='WithoutReset'):
            assert evaluator()['main/child/size'] == 1
    evaluator = extensions.Evaluator(WithoutReset(), Model(), progress_bar=True)
    with pytest.warns(DeprecationWarning), pytest.raises(TypeError, match='lacks'):
        evaluator()


def test_progress_bar(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, 'isatty', lambda: True)
    extensions.Evaluator(batches(), Model(), progress_bar=True)()
    shown = [frame.split('\n')[:3]
             for frame in capsys.readouterr().out.split('\033[J')[1:4]]
    assert [lines[0][-7:] for lines in shown] == [' 40.00%', ' 80.00%', '100.00%']
    assert [lines[1] for lines in shown] == [
        '%10d / 5 iterations' % n for n in (2, 4, 5)]
    assert 'inf iters/sec' in shown[0][2]
    assert '-' not in shown[2][2]


def test_extension_attributes():
    evaluator = extensions.Evaluator(batches(), Model())
    assert (evaluator.default_name, evaluator.trigger, evaluator.priority) == (
        'validation', (1, 'epoch'), 300)
