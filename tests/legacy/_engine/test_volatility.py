"""Volatile variables and their flags."""
import copy
import operator
import pickle

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import legacy
from chainer_fast import links as L
from chainer_fast.legacy import _report
from chainer_fast.legacy._engine.flags import AUTO, OFF, ON, Flag, aggregate_flags
from tests.ways import called_methods


@pytest.fixture(autouse=True)
def v1(enable):
    enable('v1')


def array(*shape):
    return np.linspace(0.1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def volatile(*shape):
    return chainer.Variable(array(*shape), volatile=True)


# ---- flags

@pytest.mark.parametrize('flag, values', [
    (ON, (True, 1, 'on', 'ON', ON)), (OFF, (False, 0, 'off', 'OFF', OFF)),
    (AUTO, (None, 'auto', 'AUTO', AUTO))])
def test_flag(flag, values):
    for value in values:
        assert Flag(value) is flag
        assert flag == value
    assert copy.deepcopy(flag) is flag
    assert pickle.loads(pickle.dumps(flag)) is flag
    assert hash(flag) == hash(values[0])


def test_flag_as_bool_and_text():
    assert ON and not OFF
    assert (repr(ON), str(OFF)) == ('ON', 'OFF')
    with pytest.raises(ValueError, match='AUTO cannot be converted'):
        bool(AUTO)
    with pytest.raises(KeyError):
        Flag('On')
    with pytest.raises(KeyError):
        chainer.Variable(array(2), volatile='yes')


def test_aggregate_flags():
    assert aggregate_flags([]) is AUTO
    assert aggregate_flags([AUTO, ON]) is ON
    assert aggregate_flags([OFF, AUTO]) is OFF
    with pytest.raises(ValueError, match='ON and OFF flags cannot be mixed'):
        aggregate_flags([ON, AUTO, OFF])


# ---- what is computed from volatile variables

OPERATORS = {
    'constant': lambda x, w: 1 - 2 * x / 3 + 1,
    'neg': lambda x, w: -x,
    'abs': lambda x, w: abs(x),
    'item': lambda x, w: x[0],
    'method': lambda x, w: x.reshape(-1),
    **{f.__name__: lambda x, w, f=f: f(w, x) + f(x, w) for f in (
        operator.add, operator.sub, operator.mul, operator.truediv, operator.pow)},
    'matmul': lambda x, w: x @ w,
    'array': lambda x, w: array(3, 3) * x,
}


@pytest.mark.parametrize('compute', OPERATORS.values(), ids=OPERATORS)
def test_operators(compute):
    w = chainer.Parameter(array(3, 3))
    y = compute(volatile(3, 3), w)
    assert y.creator is None
    assert y.volatile is ON
    kept = compute(chainer.Variable(array(3, 3)), w)
    assert kept.creator is not None
    assert kept.volatile is OFF
    np.testing.assert_array_equal(y.array, kept.array)


LINKS = {
    'Linear': lambda: L.Linear(4, 4),
    'Convolution2D': lambda: lambda x: L.Convolution2D(2, 2, 1)(
        x.reshape(1, 2, 2, 2)),
    'BatchNormalization': lambda: L.BatchNormalization(4),
    'LSTM': lambda: L.LSTM(4, 4),
    'StatefulGRU': lambda: L.StatefulGRU(4, 4),
    'Maxout': lambda: L.Maxout(4, 3, 2),
    'Highway': lambda: L.Highway(4),
    'PReLU': lambda: L.PReLU(),
    'NStepLSTM': lambda: lambda x: L.NStepLSTM(1, 4, 4, 0.)(None, None, [x])[2][0],
    'dropout': lambda: F.dropout,
    'concat': lambda: lambda x: F.concat([x, x]),
    'split_axis': lambda: lambda x: F.split_axis(x, 2, 0)[1],
    'loss': lambda: lambda x: F.softmax_cross_entropy(x, np.zeros(2, np.int32)),
}


@pytest.mark.parametrize('make', LINKS.values(), ids=LINKS)
def test_links_whose_parameters_require_gradients(make):
    y = make()(volatile(2, 4))
    assert y.creator is None
    assert y.volatile is ON
    kept = make()(chainer.Variable(array(2, 4)))
    assert kept.creator is not None
    assert kept.volatile is OFF


def test_old_style_functions():
    class Double(chainer.Function):
        def forward(self, inputs):
            return inputs[0] * 2,

    assert Double()(volatile(2)).creator is None
    assert Double()(chainer.Variable(array(2))).creator is not None


def test_the_graph_is_freed():
    x = volatile(2, 3)
    hidden = F.relu(x)
    node = hidden.node
    y = F.sum(hidden * 2)
    del hidden
    assert node.get_variable_or_none() is None
    assert y.creator_node is None
    y.backward()
    assert x.grad is None


def test_shortcuts_are_taken():
    cls = chainer.functions.activation.relu.ReLU
    with called_methods(cls) as called:
        F.relu(volatile(2, 3))
        F.relu(chainer.Variable(array(2, 3)))
    assert not called


def test_operators_are_as_before_without_legacy_mode():
    volatile(2)
    legacy.disable()
    assert '__add__' not in vars(chainer.Variable)
    assert 'apply' not in vars(chainer.FunctionNode)
    assert not hasattr(chainer.Variable, 'volatile')
    with pytest.raises(ValueError, match='volatile argument is not supported'):
        chainer.Variable(array(2), volatile=True)
    cls = chainer.functions.activation.relu.ReLU
    with called_methods(cls) as called:
        y = F.relu(chainer.Variable(array(2, 3)))
    assert not called
    assert y.creator is not None


# ---- flags of operands

def test_mixing():
    early = F.relu(chainer.Variable(array(2)))    # when nothing is volatile yet
    x = volatile(2)
    for off in (chainer.Variable(array(2)), early,
                chainer.Variable(array(2), volatile=False)):
        with pytest.raises(ValueError, match='ON and OFF flags cannot be mixed'):
            off + x
        with pytest.raises(ValueError, match='ON and OFF flags cannot be mixed'):
            F.concat([x, off], axis=0)


def test_results_of_parameters_mix_with_both():
    W = chainer.Parameter(array(2))
    early = F.relu(W)
    x = volatile(2)
    late = F.relu(W)
    for result in (early, late):
        assert result.volatile is AUTO
        assert result.creator is not None
        assert (result + x).creator is None
        assert (result + chainer.Variable(array(2))).volatile is OFF


def test_states_that_a_link_makes_are_auto():
    lstm = L.LSTM(2, 2)
    lstm(volatile(1, 2))
    assert lstm.c.volatile is ON
    with pytest.raises(ValueError, match='cannot be mixed'):
        lstm(chainer.Variable(array(1, 2)))
    lstm.reset_state()
    assert lstm(chainer.Variable(array(1, 2))).volatile is OFF


def test_auto_leaves_it_to_the_configuration():
    x = chainer.Variable(array(2), volatile='auto')
    assert F.relu(x).creator is not None
    with chainer.no_backprop_mode():
        assert F.relu(x).creator is None


def test_setting_the_flag():
    x = chainer.Variable(array(2))
    assert x.volatile is OFF
    y = F.relu(x)
    y.volatile = 'on'
    assert y.creator is not None    # only what follows is without a graph
    assert (y * 2).creator is None
    y.volatile = False
    assert (y * 2).creator is not None


def test_positional_arguments():
    x = chainer.Variable(array(2), 'on', 'name', array(2))
    assert (x.volatile, x.name) == (ON, 'name')
    np.testing.assert_array_equal(x.grad, array(2))


def test_uses_are_counted_at_their_lines():
    _report.clear()
    x = volatile(2)
    print(x.volatile)
    lines = {what: list(places) for what, places in _report.uses().items()}
    assert set(lines) == {'chainer.Variable(volatile=)', 'chainer.Variable.volatile'}
    (file, _), = lines['chainer.Variable.volatile']
    assert file == __file__
