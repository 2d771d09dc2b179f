"""update_params: which rules are updated without Python, and in which order."""
import math

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import optimizer_hooks, optimizers
from chainer_fast._core.updates import update
from chainer_fast.optimizers.adam import AdamRule
from chainer_fast.optimizers.momentum_sgd import MomentumSGDRule
from chainer_fast.optimizers.msvag import MSVAGRule
from chainer_fast.optimizers.sgd import SGDRule
from tests._core.update_cases import IDS, RULES, assert_same_bits


def make(rule, value=1.):
    param = chainer.Parameter(np.full(3, value, np.float32))
    param.grad = np.array([1, 2, 3], np.float32)
    param.update_rule = rule
    return param


def counted(monkeypatch):
    """Count the calls of ``UpdateRule.update``: the plain case needs none."""
    calls = []
    original = chainer.UpdateRule.update

    def spied(self, param):
        calls.append(self)
        original(self, param)

    monkeypatch.setattr(chainer.UpdateRule, 'update', spied)
    # The classes are registered with the method as it is from now on.
    for rule_class in (SGDRule, MomentumSGDRule, AdamRule):
        update.register(rule_class, rule_class._recipe)
    return calls


@pytest.fixture
def calls(monkeypatch):
    yield counted(monkeypatch)
    monkeypatch.undo()
    for rule_class in (SGDRule, MomentumSGDRule, AdamRule):
        update.register(rule_class, rule_class._recipe)


@pytest.mark.parametrize('rule_class,kwargs', RULES, ids=IDS)
def test_update_params_is_update(rule_class, kwargs):
    together = [make(rule_class(**kwargs), i) for i in range(3)]
    apart = [make(rule_class(**kwargs), i) for i in range(3)]
    for _ in range(3):
        update.update_params(together)
        for param in apart:
            param.update()
    for a, b in zip(together, apart, strict=True):
        assert_same_bits(a.array, b.array)
        assert a.update_rule.t == b.update_rule.t == 3


def test_plain_rules_take_the_short_way(calls):
    optimizer = optimizers.Adam()
    params = [make(optimizer.create_update_rule()) for _ in range(3)]
    assert not update.update_params(params)
    assert len(calls) == 3      # the first time, for the states
    assert update.update_params(params)
    assert len(calls) == 3
    assert [param.update_rule.t for param in params] == [2, 2, 2]


def with_hooks(rule_class, kwargs, loss_scale, use_fp32, dtype):
    rule = rule_class(**kwargs)
    rule.add_hook(optimizer_hooks.WeightDecay(.25))
    rule.add_hook(optimizer_hooks.GradientHardClipping(-.75, .5))
    rule.add_hook(optimizer_hooks.Lasso(.125))
    if use_fp32:
        rule.use_fp32_update()
    data = np.random.RandomState(0).uniform(-1, 1, (50, 60)).astype(dtype)
    param = chainer.Parameter(data)
    param.update_rule = rule
    param._loss_scale = loss_scale
    param.grad = (np.cos(9 * data) * (loss_scale or 1)).astype(dtype)
    return param


@pytest.mark.parametrize('dtype,use_fp32', [
    ('f2', False), ('f2', True), ('f4', False), ('f8', True)])
@pytest.mark.parametrize('loss_scale', [None, 4.])
@pytest.mark.parametrize('rule_class,kwargs', [
    (SGDRule, {'lr': .1}), (MomentumSGDRule, {'lr': .1}), (AdamRule, {'alpha': .1})])
def test_hooks_and_loss_scale_on_the_short_way(
        rule_class, kwargs, loss_scale, use_fp32, dtype, calls):
    args = rule_class, kwargs, loss_scale, use_fp32, dtype
    short, long = with_hooks(*args), with_hooks(*args)
    array, grad = short.array, short.grad
    for step in range(4):
        assert update.update_params([short]) is (step > 0)
        long.update()
        assert len(calls) == step + 2       # the first of one, all of the other
        assert_same_bits(short.array, long.array)
        assert_same_bits(short.grad, long.grad)
    assert short.array is array
    assert short.grad is grad
    for name, state in long.update_rule.state.items():
        assert_same_bits(short.update_rule.state[name], state)
    if use_fp32 and dtype == 'f2':
        twins = [param.update_rule._fp32_param for param in (short, long)]
        assert_same_bits(twins[0].array, twins[1].array)
        assert twins[0].grad is None


def test_one_unknown_hook_makes_a_rule_take_the_long_way(calls):
    seen = []
    for place in range(7):
        param = make(SGDRule(lr=1.))
        rule = param.update_rule
        rule._state = {}
        for i in range(6):
            if i == place:
                rule.add_hook(lambda rule, param: seen.append(param.grad[0]), 'look')
            rule.add_hook(optimizer_hooks.WeightDecay(1), 'decay%d' % i)
        update.update_params([param])
        assert param.grad[0] == 7
    # Six known hooks are more than fit, so that all have been served the long way.
    assert len(calls) == 7
    assert seen == [1, 2, 3, 4, 5, 6]


def test_hooks_that_clear_gradients():
    param = make(SGDRule(lr=1.))
    rule = param.update_rule
    rule._state = {}
    rule.add_hook(optimizer_hooks.WeightDecay(1))
    rule.add_hook(lambda rule, param: param.cleargrad(), 'clear')
    assert not update.update_params([param])
    assert param.grad is None
    assert param.array[0] == 1


@pytest.mark.parametrize('change', [
    lambda rule, twin: setattr(twin, 'array', np.asfortranarray(twin.array)),
    lambda rule, twin: setattr(rule, '_fp32_param', chainer.Variable(twin.array)),
    lambda rule, twin: rule.state.update(v=rule.state['v'].astype('f8'))])
def test_unusual_twins(change, calls):
    args = MomentumSGDRule, {'lr': .1}, None, True, 'f2'
    params = [with_hooks(*args) for _ in range(2)]
    for param in params:
        param.update()
        change(param.update_rule, param.update_rule._fp32_param)
    assert not update.update_params(params[:1])
    params[1].update()
    assert_same_bits(params[0].array, params[1].array)


def test_msvag_counts_once():
    params = [make(MSVAGRule(lr=.1, beta=.5)) for _ in range(2)]
    params[1].grad = params[1].grad.astype('f8').astype('f4')[::-1]
    for power in (.25, .125, .0625):
        update.update_params(params)
        assert [param.update_rule.beta_power for param in params] == [power, power]


@pytest.mark.parametrize('field,value', [('beta_power', 1.), ('beta_power', 'x')])
def test_msvag_without_coefficients(field, value):
    param = make(MSVAGRule())
    update.update_params([param])
    setattr(param.update_rule, field, value)
    with pytest.raises((ZeroDivisionError, TypeError)):
        update.update_params([param])


def test_own_and_inherited_hyperparameters():
    optimizer = optimizers.SGD(lr=0.5)
    params = [make(optimizer.create_update_rule()) for _ in range(4)]
    other = optimizers.SGD(lr=0.125).create_update_rule()
    params.append(make(other))
    params[2].update_rule.hyperparam.lr = 2
    for param in params:
        param.update_rule._state = {}
    update.update_params(params)
    moved = [1 - param.array[0] for param in params]
    assert moved == [0.5, 0.5, 2, 0.5, 0.125]
    optimizer.lr = 1
    update.update_params(params)
    assert [1 - param.array[0] for param in params] == [1.5, 1.5, 4, 1.5, 0.25]


def test_rules_of_one_optimizer_that_differ():
    # In the count of their updates, and in what they have seen of ``alpha``.
    for optimizer in (optimizers.Adam(), optimizers.AdaBound(final_lr=1, gamma=9),
                      optimizers.MSVAG()):
        together, apart = [], []
        for alpha in (.1, .2, .3, .4):
            optimizer.alpha = alpha
            for params in (together, apart):
                params.append(make(optimizer.create_update_rule(), alpha))
            if alpha < .3:
                for param in together + apart:
                    param.update()
        for _ in range(3):
            update.update_params(together)
            for param in apart:
                param.update()
        for a, b in zip(together, apart, strict=True):
            assert_same_bits(a.array, b.array)
        assert len({param.array.tobytes() for param in together}) == 4


def test_hooks_can_change_what_comes_next():
    optimizer = optimizers.SGD(lr=0.5)
    params = [make(optimizer.create_update_rule()) for _ in range(4)]
    for param in params:
        param.update_rule._state = {}
    params[1].update_rule.add_hook(lambda rule, param: setattr(optimizer, 'lr', 2), 'h')
    update.update_params(params)
    assert [1 - param.array[0] for param in params] == [0.5, 2, 2, 2]


def test_hooks_of_rules_are_called():
    seen = []
    for timing in ('pre', 'post'):
        rule = SGDRule(lr=0.5)
        rule._state = {}
        rule.add_hook(
            lambda rule, param: seen.append(param.array[0].item()), 'hook', timing)
        update.update_params([make(rule)])
    assert seen == [1.0, 0.5]


def test_disabled_and_missing_rules_do_nothing():
    rule = SGDRule()
    rule.enabled = False
    params = [make(rule), make(None)]
    assert update.update_params(params)
    assert rule.t == 0
    assert [param.array[0] for param in params] == [1, 1]


@pytest.mark.parametrize('name', ['update', 'update_core', 'update_core_cpu'])
def test_replaced_methods_are_called(name, monkeypatch):
    seen = []

    def replaced(*args):
        seen.append(args[-1])

    on_instance, on_class, on_param = make(SGDRule()), make(SGDRule()), make(SGDRule())
    for param in (on_instance, on_class, on_param):
        param.update_rule._state = {}
    setattr(on_instance.update_rule, name, replaced)
    update.update_params([on_instance])
    assert seen == [on_instance]
    with monkeypatch.context() as patch:
        patch.setattr(SGDRule, name, replaced)
        update.update_params([on_class])
    assert seen == [on_instance, on_class]
    on_param.update = lambda: seen.append('param')
    update.update_params([on_param])
    assert seen[2:] == ['param']
    for param in (on_instance, on_class, on_param):
        assert param.array[0] == 1


def test_subclasses_take_the_long_way():
    seen = []

    class Rule(SGDRule):
        def update_core_cpu(self, param):
            seen.append(param)
            super().update_core_cpu(param)

    class Parameter(chainer.Parameter):
        def update(self):
            seen.append(self)
            super().update()

    first = make(Rule(lr=0.5))
    second = Parameter(np.ones(3, np.float32))
    second.grad = np.ones(3, np.float32)
    second.update_rule = SGDRule(lr=0.5)
    for param in (first, second):
        param.update_rule._state = {}
    update.update_params([first, second])
    assert seen == [first, second]
    assert first.array[0] == second.array[0] == 0.5


def test_params_without_rule_or_gradient():
    bare, cleared = chainer.Parameter(np.ones(2, np.float32)), make(SGDRule())
    cleared.cleargrad()
    update.update_params([bare, cleared])
    assert cleared.update_rule.t == 1
    assert cleared.array[0] == bare.array[0] == 1


def test_loss_scale_divides_the_gradient():
    param = make(SGDRule(lr=1.))
    param.update_rule._state = {}
    param._loss_scale = 2.
    update.update_params([param])
    np.testing.assert_array_equal(param.array, [.5, 0, -.5])
    np.testing.assert_array_equal(param.grad, [.5, 1, 1.5])


def test_order_is_kept_among_long_and_short_ways():
    # All three have the same array: the result depends on who comes first.
    shared = np.ones(1, np.float32)
    order = []
    params = []
    for i in range(3):
        rule = SGDRule(lr=0.5)
        rule._state = {}
        param = chainer.Parameter(shared)
        param.grad = shared
        param.update_rule = rule
        if i == 1:
            rule.add_hook(lambda rule, param: order.append(param.array[0].item()), 'h')
        params.append(param)
    update.update_params(params)
    assert order == [0.5]
    assert shared[0] == 0.125


def test_float_errors_are_reported():
    for value, kind in ((3e38, 'overflow'), (math.inf, 'invalid')):
        for way in (update.update_params, lambda params: params[0].update()):
            param = make(SGDRule(lr=-2.))
            param.update_rule._state = {}
            param.array[...] = -math.inf if kind == 'invalid' else 3e38
            param.grad[...] = value
            with pytest.warns(RuntimeWarning, match=kind):
                way([param])
            with np.errstate(all='raise'), pytest.raises(FloatingPointError):
                param.array[...] = -math.inf if kind == 'invalid' else 3e38
                way([param])
    quiet = make(SGDRule(lr=-2.))
    quiet.update_rule._state = {}
    quiet.grad[...] = np.nan
    update.update_params([quiet])
