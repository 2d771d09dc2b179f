import numpy
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import Variable, gradient_check
from chainer_fast import links as L
from chainer_fast.onnx import onnx_helper
from chainer_fast.onnx.export import export
from chainer_fast.onnx.replace_func import as_funcnode, fake_as_funcnode
from tests.onnx.chains import Call, X, run


def wrap(function, **kwargs):
    return fake_as_funcnode(function, 'Mine', experimental_warning=False, **kwargs)


def node_of(y):
    return y.creator_node


def test_warning():
    with pytest.warns(FutureWarning, match='as_funcnode is experimental'):
        fake_as_funcnode(F.relu, 'Mine')
    with pytest.warns(FutureWarning, match='as_funcnode is experimental'):
        @as_funcnode('Mine')
        def function(x):
            """Doc."""
            return x
    assert function.__name__ == 'function' and function.__doc__ == 'Doc.'


def test_attributes():
    def function(x, y, a, b=3, *, c=4):
        return x.array * a

    node = node_of(wrap(function)(Variable(X), Variable(X), 2))
    assert (node.arg2, node.b, node.c) == (2, 3, 4)
    assert len(node.inputs) == 2
    node = node_of(wrap(function)(Variable(X), [Variable(X)] * 2, a=2, b=5))
    assert (node.a, node.b, node.c) == (2, 5, 4)
    assert len(node.inputs) == 3
    renamed = wrap(function, rename_attributes=[(2, 'value'), ('b', 'bias')])
    node = node_of(renamed(Variable(X), Variable(X), 2))
    assert (node.value, node.bias, node.c) == (2, 3, 4)
    assert not hasattr(node, 'b')


def test_attributes_that_functions_have():
    with pytest.raises(AttributeError, match="'inputs'.*rename_attributes"):
        wrap(lambda x, inputs=1: x)(Variable(X))


@pytest.mark.parametrize('given', [(), (X,), ([],), ([Variable(X), X],)])
def test_arguments_without_variables(given):
    with pytest.raises(ValueError, match='Mine.*at least one variable'):
        wrap(lambda *args: X)(*given)


@pytest.mark.parametrize('result', [3, None, 'a', (X, 3)])
def test_results_that_are_no_arrays(result):
    with pytest.raises(ValueError, match='Mine.*must return arrays'):
        wrap(lambda x: result)(Variable(X))


def test_structure_of_results():
    y = wrap(lambda x: {'a': (x, x + 1), 'b': [X, [x * 2]]})(Variable(X))
    assert type(y['a']) is tuple and type(y['b']) is list
    numpy.testing.assert_array_equal(y['a'][1].array, X + 1)
    numpy.testing.assert_array_equal(y['b'][0].array, X)
    numpy.testing.assert_array_equal(y['b'][1][0].array, X * 2)
    assert {node_of(each) for each in (*y['a'], y['b'][0])} == {node_of(y['a'][0])}


def test_structure_of_arguments():
    def function(xs, named):
        assert type(xs) is list and type(xs[1]) is list
        return xs[0] + xs[1][0] * named['x']

    x = Variable(X)
    y = wrap(function)([x, (x + 1,)], {'x': x})
    numpy.testing.assert_array_equal(y.array, X + (X + 1) * X)
    assert len(node_of(y).inputs) == 3


@pytest.mark.parametrize('function', [
    lambda a, b: a * b, lambda a, b: (a * a, b * a), lambda a, b: F.tanh(a) / (b + 3)])
def test_gradients(function):
    rng = numpy.random.RandomState(0)
    inputs = [rng.rand(2, 3) for _ in range(2)]
    count = 2 if isinstance(function(*inputs[:2]), tuple) else 1
    outer = [rng.rand(2, 3) for _ in range(count)]
    gradient_check.check_backward(wrap(function), inputs, outer, dtype='d')
    gradient_check.check_double_backward(
        wrap(function), inputs, outer, [rng.rand(2, 3) for _ in inputs], dtype='d')


def test_gradients_of_some_arguments_and_results():
    a, b = Variable(X + 1), Variable(X + 2)
    first, second = wrap(lambda a, b: (a * b.array, a * a))(a, b)
    second.grad = numpy.ones_like(X)
    second.backward()
    numpy.testing.assert_array_equal(a.grad, 2 * a.array)
    assert b.grad is None and first.grad is None
    gradients = chainer_fast.grad([first], [a, b])
    numpy.testing.assert_array_equal(gradients[0].array, b.array)
    assert gradients[1] is None


def test_gradients_of_parameters_inside():
    layer = L.Linear(3, 2)
    x = Variable(X)
    for function in (layer, wrap(lambda x: layer(x))):
        layer.cleargrads()
        x.cleargrad()
        F.sum(F.tanh(function(x))).backward()
        found = x.grad.copy(), layer.W.grad.copy()
        if function is layer:
            expected = found
    for one, other in zip(found, expected, strict=True):
        numpy.testing.assert_array_equal(one, other)


def test_function_of_arrays_has_no_gradient():
    y = wrap(lambda x: x.array * 2)(Variable(X))
    y.grad = X
    with pytest.raises(ValueError, match='Mine.*returns arrays'):
        y.backward()


def test_no_graph_without_backpropagation():
    with chainer_fast.no_backprop_mode():
        assert node_of(wrap(lambda x: x * 2)(Variable(X))) is None


def test_export(caplog):
    class Model(chainer_fast.Chain):
        def scale(self, x, factor=1.):
            return x.array * factor

        def forward(self, x):
            return F.relu(self.scale(x, factor=-2.))

    def convert(params):
        factor = params.context.add_const(
            numpy.float32(params.func.factor), 'factor')
        return onnx_helper.make_node(
            'Mul', [*params.input_names, factor], params.output_names),

    model = Model()
    export(model, X)
    assert 'Input_0 has no effect' in caplog.text
    model.scale = wrap(model.scale)
    made = export(model, X, external_converters={'Mine': convert})
    assert [node.name for node in made.graph.node][1:] == ['Mine_0', 'ReLU_0']
    x = X - 1
    numpy.testing.assert_array_equal(run(made, x)[0], model(x_of(x)).array)


def x_of(x):
    return Variable(x)


def test_export_with_a_converter_of_ours():
    model = Call(wrap_as('MulConstant', lambda x, value: x.array * value))
    made = export(Call(lambda x: model.function(x, value=3.)), X)
    numpy.testing.assert_allclose(run(made, X)[0], 3 * X)


def wrap_as(name, function):
    return fake_as_funcnode(function, name, experimental_warning=False)
