"""The compiled update rules, against the NumPy formulas of the rules themselves."""
import math

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
from chainer_fast._core.updates import update
from chainer_fast.optimizers.adam import AdamRule
from chainer_fast.optimizers.momentum_sgd import MomentumSGDRule
from chainer_fast.optimizers.rmsprop import RMSpropRule
from chainer_fast.optimizers.sgd import SGDRule
from tests._core.update_cases import IDS, LAYOUTS, RULES, Subarray, assert_same_bits


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
        rules[1]._move_by_formula(np, params[1].array, grad)
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


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def broadcast(array):
    return np.broadcast_to(array[:1], array.shape)


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
        rules[1]._move_by_formula(np, params[1].array, grad)
    native = array.dtype.newbyteorder('=')
    assert_same_bits(array.astype(native), params[1].array)
    for state, expected in zip(states, rules[1].state.values(), strict=True):
        assert_same_bits(state.astype(state.dtype.newbyteorder('=')), expected)


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
    ('f2', 1e39, 65504.), ('f4', 1e39, 3e38), ('f8', None, 1e300)])
def test_coefficients_beyond_the_type_are_left_to_the_rule(dtype, large, fine):
    rule = SGDRule()
    for value, plain in ((large, False), (fine, True), (math.inf, False),
                         (math.nan, False)):
        if value is not None:
            rule.hyperparam.lr = value
            data = np.zeros(1, dtype)
            assert update.step(rule._recipe, rule, data, np.ones(1, dtype)) is plain
            if plain:
                assert data[0] == -np.dtype(dtype).type(value)


@pytest.mark.parametrize('dtype', ['f2', 'f4'])
def test_eps_that_vanishes_is_left_to_the_rule(dtype):
    for eps, plain in ((1e-46, False), (64e-46, True), (0, True)):
        data = np.ones(2, dtype)
        rule = RMSpropRule(eps=eps)
        rule._state = {'ms': np.ones(2, 'f4')}
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
