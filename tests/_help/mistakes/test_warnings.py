"""What is warned of once, and what is not."""
import warnings

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import optimizers, training
from chainer_fast._help import mistakes
from chainer_fast.training import extensions

X = np.zeros((2, 3), np.float32)


def warnings_of(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        call()
        call()
    assert all(each.category is UserWarning for each in seen)
    assert all(each.filename == __file__ for each in seen)
    return [str(each.message) for each in seen]


class TestLabels:
    @pytest.mark.parametrize('label, words', [
        (-2, ['t[1] is -2, and there are 3 classes, 0 to 2: it is treated as class '
              '1.']),
        (-1, []), (2, [])])
    @pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
    @pytest.mark.parametrize('options', [
        {}, {'reduce': 'no'}, {'class_weight': np.ones(3, np.float32)}])
    def test_softmax_cross_entropy(self, label, words, dtype, options):
        t = np.array([0, label], np.int32)
        seen = warnings_of(
            lambda: F.softmax_cross_entropy(X.astype(dtype), t, **options))
        assert [each[:len(words[0])] for each in seen] == words

    def test_softmax_cross_entropy_differentiable_twice(self):
        seen, = warnings_of(lambda: F.softmax_cross_entropy(
            X, np.array([0, -2], np.int32), enable_double_backprop=True))
        assert 'treated as class 0' in seen

    def test_other_ignored_label(self):
        t = np.array([-2, -1], np.int32)
        seen, = warnings_of(lambda: F.softmax_cross_entropy(X, t, ignore_label=-2))
        assert seen.startswith('t[1] is -1')

    @pytest.mark.parametrize('dtype', ['float16', 'float32'])
    @pytest.mark.parametrize('ignored, ids, place', [
        (None, [[0, 1], [-1, 4]], '[1, 0] is -1'), (-1, [-1, -2], '[1] is -2'),
        (-1, [-1, 0], None), (None, [0, 4], None)])
    def test_ids(self, dtype, ignored, ids, place):
        W = np.zeros((5, 2), dtype)
        seen = warnings_of(
            lambda: F.embed_id(np.array(ids, np.int32), W, ignore_label=ignored))
        assert len(seen) == (place is not None)
        assert all(each.startswith('x' + place) for each in seen)

    @pytest.mark.parametrize('call', [
        lambda: F.softmax_cross_entropy(X, np.array([0, -2], np.int32)),
        lambda: F.embed_id(np.array([-1], np.int32), X)])
    def test_debug_mode(self, call):
        with chainer.using_config('debug', True), pytest.raises(ValueError):
            call()
        assert not mistakes._warned


class Net(chainer.Chain):

    def __init__(self, **children):
        super().__init__(l1=L.Linear(3, 2), **children)


class TestOptimizer:
    def test_model_that_is_all_registered(self):
        assert warnings_of(lambda: optimizers.SGD().setup(Net(l2=L.Linear(2, 2)))) == []

    @pytest.mark.parametrize('name, value', [
        ('number', 1), ('array', X), ('empty', []), ('_private', L.Linear(3, 2)),
        ('names', ['l1']), ('kind', L.Linear)])
    def test_other_attributes(self, name, value):
        net = Net()
        setattr(net, name, value)
        assert warnings_of(lambda: optimizers.SGD().setup(net)) == []

    def test_second_name_of_a_link(self):
        net = Net()
        net.first = net.l1
        net.layers = [net.l1]
        assert warnings_of(lambda: optimizers.SGD().setup(net)) == []

    def test_each_place_is_named(self):
        net = Net(inner=Net())
        net.inner.l3 = L.Linear(3, 2)
        net.l4 = L.Linear(3, 2)
        seen = warnings_of(lambda: optimizers.Adam().setup(net))
        assert [each.split()[0] for each in seen] == ['Net.l4', 'Net.inner.l3']

    def test_parameters_without_shape_are_parameters(self):
        assert warnings_of(lambda: optimizers.SGD().setup(L.Linear(2))) == []

    def test_no_parameters(self):
        seen, = warnings_of(lambda: optimizers.SGD().setup(chainer.Chain()))
        assert seen.startswith('Chain has no parameters')
        assert warnings_of(lambda: optimizers.SGD().setup(chainer.Link())) == []


class TestGradients:
    """Warnings of an update that no parameter has a gradient for."""

    def make(self):
        net = Net(l2=L.Linear(3, 2))
        return net, optimizers.SGD().setup(net)

    @staticmethod
    def loss(link):
        return F.sum(link(X))

    def test_a_gradient_of_one_parameter_is_enough(self):
        net, optimizer = self.make()
        assert warnings_of(lambda: optimizer.update(self.loss, net.l2)) == []

    def test_a_part_that_was_not_called(self):
        net = Net(l2=L.Linear(None, 2))
        optimizer = optimizers.SGD().setup(net)
        assert warnings_of(lambda: optimizer.update(self.loss, net.l1)) == []

    def test_none_and_once(self):
        net, optimizer = self.make()
        seen, = warnings_of(lambda: optimizer.update(
            lambda: chainer.Variable(np.zeros((), np.float32))))
        assert seen.startswith('no parameter of Net has received a gradient')

    @pytest.mark.parametrize('before', [0, 1])
    def test_states_are_initialized_by_a_first_update(self, before):
        net, optimizer = self.make()
        net.cleargrads()
        optimizer.t = before
        assert len(warnings_of(optimizer.update)) == before

    def test_steps_of_a_class_of_its_own(self):
        class Own(optimizers.SGD):
            def call_hooks(self, timing='pre'):
                super().call_hooks(timing)

        net = Net()
        optimizer = Own().setup(net)
        seen, = warnings_of(lambda: optimizer.update(
            lambda: chainer.Variable(np.zeros((), np.float32))))
        assert 'has received a gradient' in seen

    @pytest.mark.parametrize('clear', [True, False])
    def test_gradients_before_they_are_cleared(self, clear):
        net, optimizer = self.make()

        def step():
            if clear:
                net.cleargrads()
            self.loss(net.l1).backward()
            optimizer.update()

        seen = warnings_of(step)
        assert ['are NaN' in each for each in seen] == [True] * (not clear)

    def test_a_loss_that_is_not_finite(self):
        net, optimizer = self.make()
        net.l1.W.array[:] = net.l2.W.array[:] = np.inf
        with np.errstate(all='ignore'):
            assert warnings_of(lambda: optimizer.update(
                lambda: F.sum((net.l1(X) - net.l2(X)) ** 2))) == []

    def test_disabled_backpropagation_is_named(self):
        net, optimizer = self.make()
        with chainer.no_backprop_mode():
            seen, = warnings_of(lambda: optimizer.update(self.loss, net.l1))
        assert 'switched off' in seen


class TestConfiguration:
    @pytest.mark.parametrize('name, near', [
        ('trian', 'train'), ('debgu', 'debug'), ('enable_backpro', 'enable_backprop'),
        ('train_mode', None), ('trained', None), ('my_option', None), ('train', None),
        ('dtype', None)])
    @pytest.mark.parametrize('config', [chainer.config, chainer.global_config])
    def test_names(self, name, near, config):
        before = dict(vars(chainer.global_config))

        def change():
            setattr(config, name, before.get(name, 1))
            if config is chainer.config or name not in before:
                delattr(config, name)
        seen = warnings_of(change)
        assert len(seen) == (near is not None)
        assert all(each.endswith('did you mean %r?' % near) for each in seen)

    def test_entries_are_listed(self):
        assert {'train', 'dtype', 'show'} <= set(dir(chainer.config))


def run(*chosen, out):
    data = chainer.datasets.TupleDataset(X, np.array([0, 1], np.int32))
    updater = training.StandardUpdater(
        chainer.iterators.SerialIterator(data, 2),
        optimizers.SGD().setup(L.Classifier(L.Linear(3, 3))))
    trainer = training.Trainer(updater, (2, 'epoch'), out)
    for extension in chosen:
        trainer.extend(extension)
    trainer.run()


class TestReports:
    @pytest.mark.parametrize('key, near', [
        ('main/los', 'main/loss'), ('main/acuracy', 'main/accuracy'),
        ('accuracy', 'main/accuracy'), ('validation/main/loss', None),
        ('val/main/accuracy', None), ('lr', None), ('main/accuracy', None)])
    def test_print_report(self, key, near, tmp_path):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter('always')
            run(extensions.LogReport(), extensions.PrintReport(['epoch', key]),
                out=tmp_path)
        assert [str(each.message) for each in seen] == [] if near is None else [
            'PrintReport: nothing is reported as %r; did you mean %r?' % (key, near)]

    def test_plot_report(self, tmp_path):
        pytest.importorskip('matplotlib')
        with pytest.warns(UserWarning, match="did you mean 'main/loss'") as seen:
            run(extensions.PlotReport(['main/los', 'main/accuracy'], 'epoch'),
                out=tmp_path)
        assert len(seen) == 1


def test_trainer_prints_no_traceback_of_what_it_raises(tmp_path, capsys):
    def fail(trainer):
        raise ValueError('deep')
    fail.on_error = lambda *args: 1 // 0
    with pytest.raises(ValueError):
        run(fail, out=tmp_path)
    printed = capsys.readouterr().err
    assert printed.startswith('Exception in main training loop: deep\n')
    # That of an error in a handler is shown nowhere else.
    assert printed.count('Traceback') == 1
    assert 'Exception in error handler' in printed
