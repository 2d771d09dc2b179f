"""Arguments, outputs and names of exports, and the model afterwards."""
import collections
import sys

import numpy
import onnx
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast.onnx.export import (
    MINIMUM_OPSET_VERSION,
    export,
)
from tests.onnx import runtime
from tests.onnx.chains import (
    ARGS,
    Call,
    Net,
    V,
    X,
    names,
    quietly,
    run,
    two,
)


@pytest.mark.filterwarnings('ignore:Initializer')
@pytest.mark.parametrize('opset', range(8, onnx.defs.onnx_opset_version() + 1))
def test_names_and_order(opset):
    net = Net()
    made = export(net, X, opset_version=opset)
    params = ['param_w', 'param_l1_W', 'param_l1_b', 'param_seq_0_W', 'param_seq_0_b']
    assert names(made.graph.initializer) == params
    # Up to version 11 as Chainer had it; since then, runtimes compute with constants.
    assert names(made.graph.input) == (
        [*params, 'Input_0'] if opset < 12 else ['Input_0'])
    assert names(made.graph.output) == ['Mul_0']
    assert [node.output[0] for node in made.graph.node] == [
        'LinearFunction_0', 'BroadcastTo_0_const_shape', 'BroadcastTo_0', 'ReLU_0',
        'LinearFunction_1', 'ReLU_1', 'Mul_0']
    assert made.graph.node[0].input == ['Input_0', 'param_l1_W', 'param_l1_b']
    assert made.producer_name == 'Chainer'
    assert made.graph.name == 'Graph'
    assert [(each.domain, each.version) for each in made.opset_import] == [('', opset)]
    assert made.ir_version == onnx.helper.find_min_ir_version_for(made.opset_import)
    onnx.checker.check_model(made, full_check=opset >= 9)
    numpy.testing.assert_allclose(run(made, X)[0], net(X).array, rtol=1e-5)


def test_opset_versions():
    model = chainer_fast.Sequential(F.relu)
    newest = onnx.defs.onnx_opset_version()
    assert newest == sys.modules['chainer_fast.onnx.export'].MAXIMUM_OPSET_VERSION
    assert MINIMUM_OPSET_VERSION == 7
    for version in (6, newest + 1):
        with pytest.warns(UserWarning, match='opset_version is %d' % version):
            assert export(
                model, X, opset_version=version).opset_import[0].version == version
    with pytest.raises(TypeError):
        export(model, X, opset_version='9')


def test_default_is_read_by_runtimes_of_two_years():
    """The oldest of them, onnxruntime 1.20, reads operator set 21 and IR version 10."""
    made = export(chainer_fast.Sequential(F.relu), X)
    assert made.opset_import[0].version == 21
    assert made.ir_version == 10
    y, = runtime.session(made).run(None, {'Input_0': X})
    numpy.testing.assert_array_equal(y, numpy.maximum(X, 0))


def test_default_is_no_newer_than_what_is_installed(monkeypatch):
    monkeypatch.setattr(onnx.defs, 'onnx_opset_version', lambda: 19)
    made = export(chainer_fast.Sequential(F.relu), X)
    assert made.opset_import[0].version == 19


@pytest.mark.parametrize('args, given, expected', [
    (tuple(ARGS), None, ['Input_0', 'Input_1']),
    (ARGS, ['a', 'b'], ['a', 'b']),
    ([chainer_fast.Variable(x) for x in ARGS], ('a', 'b'), ['a', 'b']),
    ({'y': X, 'x': X + 1}, None, ['Input_0', 'Input_1']),
    ({'y': X, 'x': X + 1}, ['a', 'b'], ['a', 'b']),
    ({'y': X, 'x': X + 1}, {'x': 'b', 'y': 'a'}, ['a', 'b']),
])
def test_inputs(args, given, expected):
    def function(x, y):
        return x - 2 * y

    made, inputs, outputs = quietly(
        Call(function), args, input_names=given, return_named_inout=True)
    assert names(made.graph.input) == expected == list(inputs)
    assert type(inputs) is type(outputs) is collections.OrderedDict
    values = list(args.values()) if isinstance(args, dict) else args
    values = [getattr(x, 'array', x) for x in values]
    wanted = function(*(values[::-1] if isinstance(args, dict) else values))
    numpy.testing.assert_array_equal(run(made, *values)[0], wanted)
    numpy.testing.assert_array_equal(outputs['Sub_0'].array, wanted)


@pytest.mark.parametrize('args, given', [
    (ARGS, ['a']), (ARGS, ['a', 'b', 'c']), (ARGS, {'x': 'a', 'y': 'b'}),
    ({'x': X, 'y': X}, {'x': 'a'}), (ARGS, {'a', 'b'}), ([V, V], None),
    ([V, V], ['a', 'b']), (ARGS, 'ab'), (ARGS, ['a', 'a']),
])
def test_names_of_inputs_that_do_not_match(args, given):
    with pytest.raises(ValueError):
        export(Call(lambda x, y: x + y), args, input_names=given)


def test_names_of_parameters_are_in_use():
    with pytest.raises(ValueError, match="'param_w'"):
        export(Net(), X, input_names=['param_w'])


def test_names_are_strings():
    with pytest.raises(TypeError, match='not 1'):
        export(Call(F.relu), X, input_names=[1])


@pytest.mark.parametrize('args', [3.0, 'x', None, {1}])
def test_types_of_arguments(args):
    with pytest.raises(ValueError, match='args must be'):
        export(Call(F.relu), args)


def test_structures_of_arguments_are_refused():
    with pytest.raises(AttributeError, match='each argument'):
        export(Call(lambda xs: F.relu(xs[0])), ([X],))


@pytest.mark.parametrize('function, given, expected, order', [
    # Without names, the order is that of the functions in the graph.
    (two, None, ['Tanh_0', 'ReLU_0'], [1, 0]),
    (two, ['a', 'b'], ['a', 'b'], [0, 1]),
    (lambda x: list(two(x)), ('a', 'b'), ['a', 'b'], [0, 1]),
    (lambda x: dict(zip('rt', two(x), strict=True)), {'t': 'b', 'r': 'a'}, ['a', 'b'],
     [0, 1]),
    (lambda x: dict(zip('rt', two(x), strict=True)), ['a', 'b'], ['a', 'b'], [0, 1]),
    (lambda x: (two(x)[0], x, two(x)[1]), None, ['Input_0', 'Tanh_0', 'ReLU_0'],
     [1, 2, 0]),
    (lambda x: F.split_axis(x, 3, 1)[::-1], None,
     ['SplitAxis_0_0', 'SplitAxis_0_1', 'SplitAxis_0_2'], [2, 1, 0]),
    (lambda x: F.split_axis(x, 3, 1)[1], None, ['SplitAxis_0_1'], [0]),
    (lambda x: (x, x), ['a', 'b'], ['a', 'b'], [0, 1]),
    (lambda x: [F.relu(x)], 'abc', ['abc'], [0]),
    (lambda x: chainer_fast.Variable(X[0]), None, None, [0]),
])
def test_outputs(function, given, expected, order):
    made = export(Call(function), X, output_names=given)
    if expected is not None:
        assert names(made.graph.output) == expected
    wanted = function(V)
    wanted = list(wanted.values()) if isinstance(wanted, dict) else wanted
    wanted = [wanted] if isinstance(wanted, chainer_fast.Variable) else wanted
    for actual, i in zip(run(made, X), order, strict=True):
        numpy.testing.assert_allclose(actual, wanted[i].array, rtol=1e-6)


@pytest.mark.parametrize('function, error', [
    (lambda x: x.array, RuntimeError), (lambda x: None, RuntimeError),
    (lambda x: (x, x.array), ValueError), (lambda x: ([x],), ValueError),
])
def test_types_of_outputs(function, error):
    with pytest.raises(error):
        export(Call(function), X)


@pytest.mark.parametrize('given', [
    ['a'], {'a': 'b', 'c': 'd'}, 'ab', ['a', 'a'], ['a', 'Input_0']])
def test_names_of_outputs_that_do_not_match(given):
    with pytest.raises(ValueError):
        export(Call(two), X, output_names=given)


def test_arrays_from_outside_of_the_graph():
    frac = chainer_fast.Parameter(numpy.float32([2, 4, 8]))    # in no init_scope
    table = numpy.float32([[1], [2]])

    def function(x):
        return x / F.broadcast_to(frac, x.shape) + table + chainer_fast.Variable(X)

    made = export(Call(function), X + 1)
    assert names(made.graph.input) == ['Input_0']
    assert len(made.graph.initializer) == 3
    numpy.testing.assert_allclose(run(made, X)[0], function(X).array, rtol=1e-6)


def test_functions_applied_before_are_constants():
    states = F.tanh(chainer_fast.Variable(X))
    made = export(Call(lambda x: x * states), X)
    assert [node.op_type for node in made.graph.node] == ['Mul']
    numpy.testing.assert_allclose(run(made, X)[0], (X * states).array, rtol=1e-6)


def test_arguments_with_a_history_are_inputs():
    made = export(Call(F.relu), F.tanh(V))
    assert [node.op_type for node in made.graph.node] == ['Relu']


def test_parameters_as_inputs():
    made = export(Net(), X, export_params=False)
    assert not made.graph.initializer
    assert names(made.graph.input)[-1] == 'Input_0'
    assert len(made.graph.input) == 6


def test_parameters_without_shape():
    net = Net()
    net.forward = lambda x: F.relu(x)
    with pytest.warns(UserWarning, match="'/l1/W' is not initialized"):
        made = export(net, X)
    assert 'param_l1_W' not in names(made.graph.initializer)
    assert 'param_l1_b' in names(made.graph.initializer)


def test_shared_parameters():
    net = Net()
    net.seq[0].W = net.l1.W = chainer_fast.Parameter(numpy.eye(4, dtype='f'))
    made = export(net, numpy.ones((2, 4), numpy.float32))
    assert len(set(names(made.graph.initializer))) == len(made.graph.initializer)
    numpy.testing.assert_allclose(
        run(made, X[:, [0, 1, 2, 0]])[0], net(X[:, [0, 1, 2, 0]]).array, rtol=1e-6)


def test_model_is_left_as_it_was():
    class Stateful(chainer_fast.Chain):
        def __init__(self):
            super().__init__()
            self.add_persistent('count', 0)
            self.add_persistent('sums', numpy.zeros(3, numpy.float32))
            with self.init_scope():
                self.bn = L.BatchNormalization(3)
                self.lstm = L.LSTM(3, 2)

        def forward(self, x):
            self.count += 1
            self.sums += x.array[0]
            self.last = x + 1
            return self.lstm(self.bn(x))

    model = Stateful()
    model.bn.gamma.grad = numpy.full(3, 7, numpy.float32)
    model.lstm(X)
    sums, h = model.sums, model.lstm.h
    mean = model.bn.avg_mean.copy()
    for train in (True, False):
        with chainer_fast.no_backprop_mode():
            export(model, X, train=train)
            assert not chainer_fast.config.enable_backprop
    assert chainer_fast.config.train
    assert model.count == 0 and model.sums is sums and not sums.any()
    assert model.lstm.h is h and not hasattr(model, 'last')
    numpy.testing.assert_array_equal(model.bn.avg_mean, mean)
    assert model.bn.N == 0
    numpy.testing.assert_array_equal(model.bn.gamma.grad, [7, 7, 7])


def test_model_is_left_as_it_was_by_an_error():
    class Failing(chainer_fast.Chain):
        def forward(self, x):
            self.counts += 1
            raise IndexError('from forward')

    model = Failing()
    model.add_persistent('counts', numpy.zeros(1))
    with pytest.raises(IndexError, match='from forward'):
        export(model, X)
    assert not model.counts.any()
    export(chainer_fast.Sequential(F.relu), X)      # no hook is left behind


def test_devices(device, tmp_path):
    net = Net()
    expected = net(X).array
    net, x, order = device.send([net, X, numpy.array([1, 0])])

    def function(x):
        y = net(x) + device.send(numpy.ones(4, numpy.float32))
        return F.where(device.send(expected > 0), F.permutate(y, order), y)

    made = export(Call(function), x)
    wanted = numpy.where(expected > 0, expected[::-1], expected) + 1
    numpy.testing.assert_allclose(run(made, X)[0], wanted, rtol=1e-5)
