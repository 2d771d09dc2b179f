import os
import re

import numpy
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast.onnx import context, mapping, onnx_helper
from chainer_fast.onnx.export import export
from chainer_fast.onnx.graph import Graph
from tests.onnx.chains import Call, Twice, X, twice


class ReLUGain(chainer_fast.FunctionNode):

    def forward(self, inputs):
        return inputs


class Block(chainer_fast.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.linear = L.Linear(3, 3)

    def forward(self, x):
        return ReLUGain().apply((self.linear(twice(x)),))[0]


def test_functions_without_converter_are_named_with_their_places():
    model = chainer_fast.Sequential(L.Linear(3), Block())
    with pytest.raises(ValueError) as caught:
        export(model, X)
    message = str(caught.value)
    here = re.escape(os.path.abspath(__file__))
    assert re.search(
        r'Twice is not supported.* at .*chains.py:\d+, in twice; '
        r'link /1 \(Block\)', message)
    assert re.search(
        r'ReLUGain is not supported.* at %s:\d+, in forward; link /1 \(Block\); '
        r'similar names that have one: .*ReLU' % here, message)
    assert 'external_converters' in message and 'as_funcnode' in message


def test_errors_of_converters_tell_the_place():
    def convert(params):
        raise RuntimeError('no form')

    with pytest.raises(RuntimeError, match=r'no form\nTwice was called at .*in twice'):
        export(Call(twice), X, external_converters={'Twice': convert})


@pytest.mark.parametrize('result', [None, onnx_helper])
def test_converters_that_return_no_nodes(result):
    with pytest.raises(TypeError, match='converter of Twice must return a tuple'):
        export(Call(twice), X, external_converters={'Twice': lambda params: result})


def test_old_style_functions():
    class Old(chainer_fast.Function):
        def forward(self, inputs):
            return inputs

    seen = []

    def convert(params):
        seen.append(type(params.func))
        return onnx_helper.make_node(
            'Identity', params.input_names, params.output_names),

    made = export(
        Call(lambda x: Old()(x)), X, external_converters={'Old': convert})
    assert seen == [Old]
    assert made.graph.node[0].name == 'Old_0'


def test_order_of_functions():
    def function(x, y):
        return F.tanh(F.relu(x) + F.relu(y)) * F.tanh(x)

    made = export(Call(function), [X, X + 1])
    # As in Chainer: those of one rank in the order opposite to that of their finding.
    assert [(node.name, *node.input) for node in made.graph.node] == [
        ('ReLU_0', 'Input_1'), ('ReLU_1', 'Input_0'), ('Tanh_0', 'Input_0'),
        ('Add_0', 'ReLU_1', 'ReLU_0'), ('Tanh_1', 'Add_0'),
        ('Mul_0', 'Tanh_1', 'Tanh_0')]


def test_graph_by_itself():
    names = context.Context(chainer_fast.Chain())
    graph = Graph(names, mapping.converters, 9, [],
                  {'y': F.relu(chainer_fast.Variable(X))})
    assert graph.to_onnx_graph() is None
    assert [node.op_type for node in graph.graph] == ['Relu']
    assert list(names.implicit_inputs) == [graph.graph[0].input[0]]


def test_create_node_names_what_is_unknown():
    graph = Graph(context.Context(chainer_fast.Chain()), {}, 9, [], {})
    with pytest.raises(ValueError, match='Twice is not supported'):
        graph.create_node('Twice', Twice(), ['x'], ['y'])


def test_outputs_that_nobody_holds():
    made = export(Call(lambda x: F.separate(x)[1]), numpy.ones((3, 2), 'f'))
    assert [name for node in made.graph.node[-3:] for name in node.output] == [
        'Separate_0_0', 'Separate_0_1', 'Separate_0_2']
