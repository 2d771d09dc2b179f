"""Chains that run with and without ``static_graph`` in turns."""
import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import training
from chainer_fast._help.command.profile.static import methods, turns
from tests._help.command.profile.static.chains import (
    T,
    X,
    by_name,
    losses,
    make_net,
    measured,
)


@pytest.mark.parametrize('decorate', [chainer.static_graph, lambda method: method])
def test_updates_take_turns_and_compute_the_same(decorate):
    expected = losses(make_net(), 42)
    with measured() as found:
        assert losses(make_net(decorate), 42) == expected
    method, = found.methods
    assert method.is_decorated == (decorate is chainer.static_graph)
    # Turns of five, from the first one without static methods. What was called before
    # the end of the first update is not counted.
    assert method.counts == {'plain': 21, 'recorded': 2, 'planned': 18}
    assert found.n_updates == 42
    # The first update of a turn does not count, nor do those in which a
    # call may be compared.
    assert len(found.turns.samples[None]) == 4 * 4 + 1
    assert len(found.turns.samples[method]) == (16 if method.is_decorated else 10)
    for sample in found.turns.samples[method]:
        assert len(sample) == 3 and all(time > 0 for time in sample)
    assert len(method.times['plain']) == 21


def test_a_chain_in_a_chain_is_tried_if_the_outer_one_has_no_plans(tmp_path):
    def body(self, x):
        return self.one(x)

    with measured() as found:
        model = L.Classifier(make_net(body=body))
        optimizer = chainer.optimizers.SGD().setup(model)
        data = [(x, t) for x, t in zip(X, T, strict=True)]
        iterator = chainer.iterators.SerialIterator(data, 3)
        trainer = training.Trainer(
            training.StandardUpdater(iterator, optimizer), (40, 'iteration'),
            str(tmp_path))
        trainer.extend(training.extensions.Evaluator(
            chainer.iterators.SerialIterator(data, 3, repeat=False), model))
        trainer.run()
    outer, inner = by_name(found)['Classifier.forward'], by_name(found)['Net.forward']
    assert outer.state == methods.REFUSED
    reason, = outer.reasons
    assert reason.startswith('values are reported')
    assert inner.state == methods.TRIED and inner.counts['planned'] > 5
    # An evaluation is no update: but for the first one, each had one call.
    assert sum(outer.counts.values()) == found.n_updates - 1 == 39


def test_a_plan_with_other_numbers_is_found():
    # Plans would keep the factor, which is new in the third planned call.
    def body(self, x):
        return self.one(x) * (1 if x.max() < 10 else 2)

    expected = losses(make_net(body=body), 40)
    with measured() as found:
        assert losses(make_net(body=body), 40) == expected
    method, = found.methods
    assert method.state == methods.WRONG
    assert method.counts['planned'] == 3


def test_noise_and_running_statistics_are_those_of_the_program():
    class Noisy(chainer.Chain):

        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.norm = L.BatchNormalization(4, dtype=np.float64)

        def forward(self, x):
            return F.dropout(self.norm(x))

    def states():
        np.random.seed(1)
        model = Noisy()
        return losses(model, 40), model.norm.avg_mean.tolist()

    expected = states()
    with measured() as found:
        assert states() == expected
    assert by_name(found)['Noisy.forward'].counts['planned'] > 10


def test_methods_in_chains_with_plans_are_not_tried():
    class Outer(chainer.Chain):

        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.net = make_net()

        def forward(self, x):
            return self.net(x)

    with measured() as found:
        losses(Outer(), 60)
    outer, inner = found.methods
    assert inner.name == 'Net.forward' and inner.callers == {outer}
    assert outer.state == methods.TRIED
    assert inner.state is None or found.turns.is_slower(outer)


def test_methods_around_decorated_ones_are_not_tried():
    with measured() as found:
        losses(chainer.Sequential(make_net(chainer.static_graph)), 40)
    outer, inner = found.methods
    assert (outer.name, outer.state) == ('Sequential.forward', None)
    assert inner.state == methods.TRIED and inner.counts['planned'] > 10


def test_methods_of_base_classes_belong_to_the_method_that_calls_them():
    with measured() as found:
        net = type(make_net())

        class Derived(net):

            def forward(self, x):
                return super().forward(x)

        losses(Derived(), 20, lambda i: X.astype('f'))
    assert [method.name for method in found.methods] == ['Derived.forward']


def test_two_optimizers_update_once():
    with measured() as found:
        models = make_net(), make_net()
        optimizers = [chainer.optimizers.SGD().setup(model) for model in models]
        for _ in range(12):
            for model, optimizer in zip(models, optimizers, strict=True):
                optimizer.update(lambda model=model: F.sum(model(X)))
    assert found.n_updates == 12


def test_programs_without_updates():
    with measured() as found:
        model = make_net()
        with chainer.no_backprop_mode(), chainer.using_config('train', False):
            for i in range(30):
                model(X + i)
    method, = found.methods
    assert not found.has_updates
    assert method.counts == {'plain': 15, 'recorded': 2, 'planned': 13}
    assert len(method.times['static']) > 8


def test_evaluation_does_not_count():
    with measured() as found:
        model = make_net()
        losses(model, 1)
        with chainer.no_backprop_mode(), chainer.using_config('train', False):
            model(X)
        losses(model, 1)
    method, = found.methods
    assert method.counts == {'plain': 1}       # that of the second update


def test_the_program_ends_after_a_number_of_updates():
    with measured(limit=7) as found, pytest.raises(SystemExit) as end:
        losses(make_net(), 100)
    assert end.value.code == 0
    assert found.n_updates == 7


def draw(self, x):
    return self.one(x * np.random.rand())


NUMBERS = iter(range(1000))


@pytest.mark.parametrize('setting, body, inputs, reason', [
    ({'use_static_graph': False}, None, None, 'config.use_static_graph is False'),
    ({'debug': True}, None, None, 'config.debug is True'),
    ({}, None, lambda i: X.copy('F'), 'an input is not in C order'),
    ({}, draw, None, 'random numbers are drawn outside of functions'),
    ({}, lambda self, x: self.one(x * float(self.one.b.array[0] >= 0)), None,
     'reads the array of a variable'),
    ({}, lambda self, x: self.one(x * next(NUMBERS)), None, 'an input that changes'),
])
def test_reasons(setting, body, inputs, reason):
    arguments = {} if inputs is None else {'inputs': inputs}
    with measured() as found:
        model = make_net(chainer.static_graph, **({} if body is None else {
            'body': body}))
        for name, value in setting.items():
            setattr(chainer.config, name, value)
        try:
            losses(model, 20, **arguments)
        finally:
            for name in setting:
                delattr(chainer.config, name)
    method, = found.methods
    text, = method.reasons
    assert reason in text
    assert method.counts['code'] == sum(method.reasons.values()) > 5


def test_more_kinds_than_are_kept():
    with measured() as found:
        class Scaled(chainer.Chain):

            @chainer.static_graph(max_cache_size=2)
            def forward(self, x, factor):
                return F.tanh(x) * factor

        model = Scaled()
        for i in range(30):
            model(X, i)
    method, = found.methods
    assert 'there are more than 2 kinds of calls' in method.reasons


def test_hooks():
    with measured() as found, chainer.function_hooks.TimerHook():
        losses(make_net(chainer.static_graph), 10)
    method, = found.methods
    assert list(method.reasons) == ['hooks of functions or links are in use']


def test_options_of_the_decorator_remain():
    with measured():
        with pytest.warns(UserWarning, match='verbosity'):
            chainer.static_graph(verbosity=1)(lambda self: None)
        decorated = chainer.static_graph(lambda self: None)
    assert callable(decorated)


def test_everything_is_put_back():
    places = (chainer.Chain, chainer.ChainList, L.Classifier, chainer.Sequential,
              chainer.Optimizer, chainer.optimizers.SGD,
              training.StandardUpdater, training.updaters.ParallelUpdater)

    def state():
        return [dict(vars(place)) for place in places]

    before = state()
    with measured():
        net = type(make_net())
        assert state() != before
        assert hasattr(vars(net)['forward'], '_measured')
    assert state() == before
    assert not hasattr(vars(net)['forward'], '_measured')


def test_turns_are_shared_equally():
    found = turns.Turns()
    sequence = []
    for _ in range(6):
        sequence.append(found.method)
        for i in range(turns.LENGTH):
            is_last = found.note([i])
        assert is_last
        found.next(['a', 'b'])
    assert sequence == [None, 'a', 'b', None, 'a', 'b']
    assert found.samples['a'] == [[i] for _ in range(2) for i in range(1, turns.LENGTH)]
    # Methods that are no longer tried have no turn.
    assert found.method is None
    for _ in range(3):
        found.next(['b'])
        assert found.method in ('b', None)
