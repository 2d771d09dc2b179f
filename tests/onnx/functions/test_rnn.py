import numpy
import onnx
import pytest

import chainer_fast.functions as F
from chainer_fast import as_variable
from chainer_fast import links as L
from chainer_fast.onnx.export import export
from chainer_fast.onnx.replace_func import fake_as_funcnode
from tests.onnx.exported import OPSETS, Model, check

RANDOM = numpy.random.RandomState(0)


def floats(*shape, dtype=numpy.float32):
    return RANDOM.uniform(-1, 1, shape).astype(dtype)


#: By name: function, number of matrices, whether there are cells, directions.
NETWORKS = {
    'n_step_gru': (F.n_step_gru, 6, False, 1),
    'n_step_bigru': (F.n_step_bigru, 6, False, 2),
    'n_step_lstm': (F.n_step_lstm, 8, True, 1),
    'n_step_bilstm': (F.n_step_bilstm, 8, True, 2),
    'n_step_rnn tanh': (F.n_step_rnn, 2, False, 1),
    'n_step_rnn relu': (
        lambda *args: F.n_step_rnn(*args, activation='relu'), 2, False, 1),
    'n_step_birnn relu': (
        lambda *args: F.n_step_birnn(*args, activation='relu'), 2, False, 2),
}


def network(name, layers, sizes, ratio=0.0, dtype=numpy.float32):
    function, count, has_cells, directions = NETWORKS[name]
    n, m, batch = 4, 3, sizes[0]
    ws, bs = [], []
    for layer in range(layers):
        for _ in range(directions):
            width = m if layer == 0 else n * directions
            ws.append([floats(n, width if k < count // 2 else n, dtype=dtype)
                       for k in range(count)])
            bs.append([floats(n, dtype=dtype) for _ in range(count)])
    states = [floats(layers * directions, batch, n, dtype=dtype)
              for _ in range(1 + has_cells)]

    def model(*args):
        *last, ys = function(
            layers, ratio, *args[:len(states)], ws, bs, args[len(states):])
        return (*last, *ys)

    model.groups = ws, bs
    return model, [*states, *[floats(size, m, dtype=dtype) for size in sizes]]


@pytest.mark.parametrize('layers', [1, 2])
@pytest.mark.parametrize('sizes', [(2, 2, 2), (3, 2, 2, 1), (2,)])
@pytest.mark.parametrize('name', NETWORKS)
def test_whole_sequences(name, sizes, layers):
    model, args = network(name, layers, sizes)
    made = check(model, args)
    kind = name.replace('bi', '').split('_')[2].split()[0].upper()
    assert [node.op_type for node in made[OPSETS[-1]].graph.node].count(kind) == layers


@pytest.mark.parametrize('sizes', [(2, 2), (3, 2)])
def test_a_wrapped_function(sizes):
    # As Chainer exports `n_step_gru`.
    model, args = network('n_step_gru', 2, sizes)
    function = fake_as_funcnode(
        F.n_step_gru, 'n_step_gru', experimental_warning=False)

    def wrapped(hx, *xs):
        ws, bs = [[[as_variable(each) for each in group] for group in groups]
                  for groups in model.groups]
        hy, ys = function(2, 0.0, hx, ws, bs, [*xs])
        return (hy, *ys)

    made = check(wrapped, args)
    assert 'n_step_gru_0_0' in [each.name for each in made[11].graph.output]


def test_half_and_double_precision():
    for dtype in (numpy.float16, numpy.float64):
        model, args = network('n_step_lstm', 1, (2, 2), dtype=dtype)
        made = export(Model(lambda self, *xs, f=model: f(*xs)), args)
        onnx.checker.check_model(made, full_check=True)


def test_dropout_between_layers():
    model, args = network('n_step_lstm', 2, (2, 2), ratio=0.5)
    model = Model(lambda self, *xs, f=model: f(*xs))
    for train in (False, True):
        for opset in (11, 13):
            made = export(model, args, train=train, opset_version=opset)
            kinds = [node.op_type for node in made.graph.node]
            assert kinds.count('Dropout') == train


def test_empty_sequences_are_refused():
    model, args = network('n_step_gru', 1, (2, 1))
    args[0] = floats(1, 3, 4)
    with pytest.raises(ValueError, match='StackedRNN.*empty'):
        export(Model(lambda self, *xs: model(*xs)), args)


@pytest.mark.parametrize('kind', [
    L.NStepLSTM, L.NStepBiLSTM, L.NStepGRU, L.NStepRNNTanh])
def test_links(kind):
    def forward(self, *xs):
        *states, ys = self.link(*[None] * self.link.n_cells, list(xs))
        return [*states, *ys]

    model = Model(forward, link=kind(2, 3, 4, 0.0))
    check(model, [floats(4, 3) for _ in range(2)])


@pytest.mark.parametrize('kind', [L.StatelessLSTM, L.StatelessGRU])
def test_cells_as_links(kind):
    link = kind(3, 4)
    if kind is L.StatelessLSTM:
        check(Model(lambda self, c, h, x: self.link(c, h, x), link=link),
              [floats(2, 4), floats(2, 4), floats(2, 3)])
    else:
        check(Model(lambda self, h, x: self.link(h, x), link=link),
              [floats(2, 4), floats(2, 3)])


def test_lstm():
    check(lambda c, x: F.lstm(c, x), [floats(3, 4), floats(3, 16)])
    check(lambda c, x: F.lstm(c, x), [floats(3, 4, 2), floats(3, 16, 2)])


def test_lstm_of_ended_sequences():
    check(lambda c, x: F.lstm(c, x), [floats(3, 4), floats(2, 16)])


def test_slstm():
    check(lambda *xs: F.slstm(*xs), [
        floats(3, 4), floats(3, 4), floats(3, 16), floats(3, 16)])


def test_tree_lstm_is_refused():
    with pytest.raises(ValueError, match='TreeLSTM cannot be exported'):
        export(Model(lambda self, *xs: F.tree_lstm(*xs)), [
            floats(2, 3), floats(2, 3), floats(2, 15)])
