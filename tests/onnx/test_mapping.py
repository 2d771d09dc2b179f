import numpy
import pytest

import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import Variable
from chainer_fast.functions.rnn import n_step_gru
from chainer_fast.onnx import export, functions, mapping
from chainer_fast.onnx.functions.converter import FunctionConverter
from tests.onnx.exported import Model, check

X = numpy.float32([[-1.5, 0, 2]])


def test_converters():
    assert all(isinstance(each, FunctionConverter)
               for each in mapping.converters.values())
    assert mapping.converters['ReLU'].converter is functions.convert_ReLU
    assert {'Reshape', 'LinearFunction', 'GetItem', 'sign'} <= set(mapping.converters)


def test_functions_leave_a_node_inside_only():
    sign = F.sign
    with mapping.patch_functions():
        node = F.sign(Variable(X)).creator_node
        assert node.custom_function_node_name == 'sign'
        numpy.testing.assert_array_equal(F.sign(X).array, numpy.sign(X))
    assert F.sign is sign
    assert F.sign(Variable(X)).creator_node is None


def test_functions_come_back_after_an_error():
    sign = F.sign
    with pytest.raises(IndexError), mapping.patch_functions():
        raise IndexError
    assert F.sign is sign


def test_exported_values():
    check(lambda x: F.sign(x) + F.sign(numpy.float32([1, -2, 3])), [X], first=9)


@pytest.mark.parametrize('kind', [L.NStepGRU, L.NStepBiGRU])
def test_whole_functions_with_converters_of_the_user(kind):
    called = []

    def convert(params):
        called.append((
            params.func.arg0, params.func.arg1, len(params.input_names),
            params.output_names))
        return mapping.converters['n_step_gru'](params)

    def forward(self, *xs):
        hy, ys = self.gru(None, list(xs))
        return [hy, *ys]

    model = Model(forward, gru=kind(2, 3, 4, 0.))
    run = n_step_gru._run
    made = export(
        model, [numpy.ones((2, 3), 'f')] * 2, opset_version=11,
        external_converters={'n_step_gru': convert})
    assert n_step_gru._run is run
    assert 'GRU' in {node.op_type for node in made.graph.node}
    outputs = ['n_step_gru_0_%d' % i for i in range(3)]
    assert called == ([] if kind is L.NStepBiGRU else [(2, 0., 27, outputs)])
