"""The compiled update rules, against the NumPy formulas of the rules themselves."""
import math

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
from chainer_fast import optimizer_hooks, optimizers
from chainer_fast._core import update
from chainer_fast.optimizers.ada_delta import AdaDeltaRule
from chainer_fast.optimizers.ada_grad import AdaGradRule
from chainer_fast.optimizers.adam import AdamRule
from chainer_fast.optimizers.corrected_momentum_sgd import CorrectedMomentumSGDRule
from chainer_fast.optimizers.momentum_sgd import MomentumSGDRule
from chainer_fast.optimizers.msvag import MSVAGRule
from chainer_fast.optimizers.nesterov_ag import NesterovAGRule
from chainer_fast.optimizers.rmsprop import RMSpropRule
from chainer_fast.optimizers.rmsprop_graves import RMSpropGravesRule
from chainer_fast.optimizers.sgd import SGDRule
from chainer_fast.optimizers.smorms3 import SMORMS3Rule

RULES = [
    (SGDRule, {'lr': 0.1}),
    (MomentumSGDRule, {'lr': 0.1, 'momentum': 0.7}),
    (CorrectedMomentumSGDRule, {'lr': 0.1, 'momentum': 0.7}),
    (NesterovAGRule, {'lr': 0.1, 'momentum': 0.7}),
    (RMSpropRule, {'lr': 0.1, 'alpha': 0.7, 'eps': 1e-4}),
    (RMSpropRule, {'lr': 0.1, 'alpha': 0.7, 'eps': 1e-4, 'eps_inside_sqrt': True}),
    (RMSpropGravesRule, {'lr': 0.1, 'alpha': 0.7, 'momentum': 0.6}),
    (AdaGradRule, {'lr': 0.1, 'eps': 1e-3}),
    (AdaDeltaRule, {'rho': 0.7, 'eps': 1e-3}),
    (SMORMS3Rule, {'lr': 0.1, 'eps': 1e-3}),
    (MSVAGRule, {'lr': 0.1, 'beta': 0.7}),
    (MSVAGRule, {'lr': 0.1, 'eta': 0.6, 'weight_decay_rate': 0.3}),
    (AdamRule, {'alpha': 0.1, 'beta1': 0.7, 'beta2': 0.8}),
    (AdamRule, {'alpha': 0.1, 'weight_decay_rate': 0.3, 'eta': 0.6, 'eps': 1e-3}),
    (AdamRule, {'alpha': 0.1, 'beta2': 0.5, 'amsgrad': True}),
    (AdamRule, {'alpha': 0.1, 'adabound': True, 'gamma': 0.3}),
    (AdamRule, {'alpha': 0.1, 'amsgrad': True, 'adabound': True, 'final_lr': 0}),
]
IDS = ['%s-%s' % (cls.__name__, '-'.join(kwargs)) for cls, kwargs in RULES]


def assert_same_bits(a, b):
    assert a.dtype == b.dtype
    np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
    bits = 'u%d' % a.dtype.itemsize
    finite = ~np.isnan(a)
    np.testing.assert_array_equal(
        np.ascontiguousarray(a).view(bits).reshape(a.shape)[finite],
        np.ascontiguousarray(b).view(bits).reshape(b.shape)[finite])


@st.composite
def cases(draw):
    dtype = draw(st.sampled_from(['float16', 'float32', 'float64']))
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=9))
    order = draw(st.sampled_from('CF'))
    width = int(dtype[5:])
    numbers = st.one_of(st.floats(width=width), st.floats(-2, 2, width=width))
    return [
        np.array(draw(hnp.arrays(dtype, shape, elements=numbers)), order=order)
        for _ in range(4)]


def pair(rule_class, kwargs, data):
    """Make two parameters of the same data, with a rule each."""
    params, rules = [], []
    for _ in range(2):
        param = chainer.Parameter(data.copy(order='K'))
        rule = rule_class(**kwargs)
        rule._init_states(param)
        params.append(param)
        rules.append(rule)
    return params, rules


def assert_same_steps(params, rules, grads):
    """Compare the compiled steps of the first with those by NumPy of the second."""
    for grad in grads:
        for rule in rules:
            rule.t += 1
        assert update.step(rules[0]._recipe, rules[0], params[0].array, grad)
        rules[1]._move(params[1].array, grad)
    assert_same_bits(params[0].array, params[1].array)
    assert rules[0].state.keys() == rules[1].state.keys()
    for name in rules[0].state:
        assert_same_bits(rules[0].state[name], rules[1].state[name])
    assert getattr(rules[0], 'beta_power', 0) == getattr(rules[1], 'beta_power', 0)


@pytest.mark.parametrize('rule_class,kwargs', RULES, ids=IDS)
@settings(max_examples=40)
@given(arrays=cases())
def test_same_bits_as_numpy(rule_class, kwargs, arrays):
    data, *grads = arrays
    with np.errstate(all='ignore'):
        assert_same_steps(*pair(rule_class, kwargs, data), grads)


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
@pytest.mark.parametrize('rule_class,kwargs', RULES, ids=IDS)
def test_same_bits_of_long_arrays(rule_class, kwargs, dtype):
    # Long enough for what runs ahead of the loop, with a rest that fills no vector.
    rng = np.random.RandomState(0)
    data, *grads = (
        rng.uniform(-1, 1, 66001).astype(dtype) for _ in range(3))
    with np.errstate(over='ignore'):
        assert_same_steps(*pair(rule_class, kwargs, data), grads)


def decayed(rng, n):
    """Return numbers from the smallest ones of float32 to 2^-85, of either sign."""
    sizes = np.ldexp(rng.uniform(0.5, 1, n), rng.randint(-149, -85, n))
    return (sizes * rng.choice([-1, 1], n)).astype('f4')


@pytest.mark.parametrize('rate', [0., 0.3, 0.9, 0.999, 0.99999, 1.])
@pytest.mark.parametrize('rule_class,kwargs', [
    (MomentumSGDRule, {'momentum': None}), (RMSpropRule, {'alpha': None}),
    (RMSpropRule, {'alpha': None, 'eps': 0.}), (AdamRule, {'beta1': None}),
    (AdamRule, {'beta1': 0.8, 'beta2': None}),
    (AdamRule, {'beta1': None, 'eps': 1e-30}), (AdamRule, {'beta1': None, 'eps': 0.}),
    (AdamRule, {'beta1': None, 'alpha': 1e30}), (AdamRule, {'beta2': None, 'eta': -5.}),
    (AdamRule, {'beta1': None, 'amsgrad': True}),
    (AdamRule, {'beta1': None, 'weight_decay_rate': 0.3}),
    (AdamRule, {'beta1': None, 'beta2': 0.9, 'adabound': True, 'final_lr': 1e20}),
], ids=str)
def test_same_bits_of_decayed_states(rule_class, kwargs, rate):
    if rule_class is AdamRule and rate == 1:
        rate = 0.5  # there is no such Adam
    kwargs = {k: rate if v is None else v for k, v in kwargs.items()}
    rng = np.random.RandomState(0)
    n = 700
    data = np.where(rng.rand(n) < 0.3, decayed(rng, n), rng.randn(n)).astype('f4')
    data[:20] = 0
    data[20:40] *= -0.
    params, rules = pair(rule_class, kwargs, data)
    states = rules[0].state
    for state in states.values():
        values = np.where(rng.rand(n) < 0.1, rng.randn(n), decayed(rng, n))
        state[...] = abs(values) if state is not states.get('m') else values
        state[rng.rand(n) < 0.1] = 0
    if rule_class is MomentumSGDRule:
        states['v'] *= rng.choice([-1, 1], n)
    for name, state in states.items():
        rules[1].state[name] = state.copy()
    grads = []
    for _ in range(3):
        grad = np.where(rng.rand(n) < 0.8, 0, rng.randn(n)).astype('f4')
        grad[::7] *= -1
        grads.append(np.where(rng.rand(n) < 0.1, decayed(rng, n), grad))
    with np.errstate(all='ignore'):
        assert_same_steps(params, rules, grads)


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
@pytest.mark.parametrize('rule_class,kwargs', RULES, ids=IDS)
def test_nan_is_no_error(rule_class, kwargs, dtype):
    # Long enough that the comparisons are those of vectors.
    data, grad = np.ones((2, 300), dtype)
    data[::3] = grad[::4] = np.nan
    params, rules = pair(rule_class, kwargs, data)
    assert_same_steps(params, rules, [grad, grad])
    for state in rules[0].state.values():
        state[::5] = np.nan
    rules[0].t += 1
    assert update.step(rules[0]._recipe, rules[0], params[0].array, grad)


def strided(array):
    return np.repeat(array, 2, axis=-1)[..., ::2]


def misaligned(array):
    raw = np.zeros(array.nbytes + 1, np.uint8)
    made = raw[1:].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


def backwards(array):
    return array[::-1].copy()[::-1]


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def broadcast(array):
    return np.broadcast_to(array[:1], array.shape)


class Subarray(np.ndarray):
    pass


LAYOUTS = {
    'strided': strided,
    'misaligned': misaligned,
    'backwards': backwards,
    'other order': np.asfortranarray,
    'other byte order': lambda a: a.astype(a.dtype.newbyteorder()),
}
UNUSUAL = {
    'other dtype': lambda a: a.astype('f8'),
    'other shape': lambda a: a[:1].copy(),
    'other rank': lambda a: a[None].copy(),
    'subclass': lambda a: a.view(Subarray),
    'half': lambda a: a.astype('f2'),
    'integer': lambda a: a.astype('i4'),
    'list': np.ndarray.tolist,
    'none': lambda a: None,
}


@pytest.mark.parametrize('dtype', ['f2', 'f4', 'f8'])
@pytest.mark.parametrize('place', ['data', 'grad', 'state', 'all'])
@pytest.mark.parametrize('how', [*LAYOUTS, 'read-only', 'broadcast'])
def test_layouts(how, place, dtype):
    data = np.random.RandomState(0).uniform(-1, 1, (70, 90)).astype(dtype)
    grads = [np.sin(7 * data), np.cos(3 * data)]
    params, rules = pair(AdamRule, {'alpha': 0.1}, data)
    if how in ('read-only', 'broadcast'):
        if place != 'grad':
            return
        change = read_only if how == 'read-only' else broadcast
    else:
        change = LAYOUTS[how]
    if place in ('grad', 'all'):
        grads = [change(grad) for grad in grads]
    if place in ('state', 'all'):
        for name, state in rules[0].state.items():
            rules[0].state[name] = change(state)
    if place in ('data', 'all'):
        params[0].array = change(params[0].array)
    array, states = params[0].array, list(rules[0].state.values())
    for grad in grads:
        for rule in rules:
            rule.t += 1
        assert update.step(rules[0]._recipe, rules[0], array, grad)
        rules[1]._move(params[1].array, grad)
    native = array.dtype.newbyteorder('=')
    assert_same_bits(array.astype(native), params[1].array)
    for state, expected in zip(states, rules[1].state.values(), strict=True):
        assert_same_bits(state.astype(native), expected)


@pytest.mark.parametrize('place', ['data', 'grad', 'state'])
@pytest.mark.parametrize('how', [*UNUSUAL, 'read-only'])
def test_leaves_other_arrays_alone(how, place):
    rule = MomentumSGDRule()
    arrays = {key: np.arange(6, dtype='f4').reshape(2, 3) + i
              for i, key in enumerate(['data', 'grad', 'state'])}
    expected = {key: array.copy() for key, array in arrays.items()}
    if how == 'read-only' and place == 'grad':
        return
    arrays[place] = (read_only if how == 'read-only' else UNUSUAL[how])(arrays[place])
    rule._state = {'v': arrays['state']}
    assert not update.step(rule._recipe, rule, arrays['data'], arrays['grad'])
    for key in ('data', 'grad', 'state'):
        if key != place:
            np.testing.assert_array_equal(arrays[key], expected[key])


def test_missing_state_is_left_to_the_rule():
    rule = MomentumSGDRule()
    data = np.ones(3, 'f4')
    for state in ({}, None, {'w': np.ones(3, 'f4')}):
        rule._state = state
        assert not update.step(rule._recipe, rule, data, data.copy())


def test_overlap():
    rule = SGDRule(lr=0.5)
    memory = np.arange(8, dtype='f4')
    square = np.arange(16, dtype='f4').reshape(4, 4)
    for data, grad in [
            (memory[1:], memory[:-1]), (memory, memory), (memory[::2], memory[:4]),
            (square, square.T), (square[::-1], square),
            (np.lib.stride_tricks.as_strided(memory, (3, 3), (4, 4)), square[:3, :3])]:
        assert not update.step(rule._recipe, rule, data, grad)
    np.testing.assert_array_equal(memory, np.arange(8))
    assert update.step(rule._recipe, rule, memory[:4], memory[4:])
    np.testing.assert_array_equal(memory, [-2, -1.5, -1, -.5, 4, 5, 6, 7])


@pytest.mark.parametrize('value,plain', [
    (0.5, True), (1, True), (True, True), (np.float64(0.5), True),
    (np.float32(0.5), True), (np.int8(1), True), (np.array(0.5), False),
    (None, False), ('1', False), (np.longdouble(0.5), False)])
def test_kinds_of_hyperparameters(value, plain):
    rule = SGDRule(lr=0.1)
    rule.hyperparam.lr = value
    data = np.ones(2, 'f4')
    assert update.step(rule._recipe, rule, data, np.ones(2, 'f4')) is plain
    assert data[0] == (1 - float(value) if plain else 1)


@pytest.mark.parametrize('dtype,large,fine', [
    ('f2', 65520., 65519.), ('f4', 1e39, 3e38), ('f8', None, 1e300)])
def test_coefficients_beyond_the_type_are_left_to_the_rule(dtype, large, fine):
    rule = SGDRule()
    for value, plain in ((large, False), (fine, True), (math.inf, True)):
        if value is not None:
            rule.hyperparam.lr = value
            data = np.zeros(1, dtype)
            assert update.step(rule._recipe, rule, data, np.ones(1, dtype)) is plain
            if plain:
                assert data[0] == -np.dtype(dtype).type(value)


@pytest.mark.parametrize('dtype,least', [('f2', 2. ** -25), ('f4', 1e-46)])
def test_eps_that_vanishes_is_left_to_the_rule(dtype, least):
    for eps, plain in ((least, False), (least * 64, True), (0, True)):
        data = np.ones(2, dtype)
        rule = RMSpropRule(eps=eps)
        rule._state = {'ms': np.ones(2, dtype)}
        assert update.step(rule._recipe, rule, data, data.copy()) is plain


def test_hyperparameter_subclass_is_left_to_the_rule():
    class Scheduled(chainer.optimizer.Hyperparameter):
        @property
        def lr(self):
            return 0.25

    rule = SGDRule()
    rule.hyperparam = Scheduled()
    data = np.ones(2, 'f4')
    assert not update.step(rule._recipe, rule, data, data.copy())
    param = chainer.Parameter(data)
    param.grad = np.ones(2, 'f4')
    param.update_rule = rule
    rule._state = {}
    update.update_params([param])
    np.testing.assert_array_equal(param.array, [0.75, 0.75])


# -- update_params


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
