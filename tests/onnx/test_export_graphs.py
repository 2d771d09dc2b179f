"""What graphs of exports contain: modes, sizes, converters, initializers."""
import io
import re

import numpy
import onnx
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast.onnx import context, onnx_helper
from chainer_fast.onnx.export import (
    RetainInputHook,
    check_onnx_model,
    convert_parameter,
    export,
    format_customized_shapes,
)
from tests.onnx.chains import (
    ARGS,
    Call,
    Net,
    Twice,
    V,
    X,
    converter,
    run,
    twice,
)


def test_training_mode():
    model = Call(F.dropout)
    assert 'Dropout' not in {n.op_type for n in export(model, X).graph.node}
    assert 'Dropout' in {n.op_type for n in export(model, X, train=True).graph.node}


def test_files(tmp_path):
    model = chainer_fast.Sequential(F.relu)
    path = tmp_path / 'model.onnx'
    with pytest.warns(DeprecationWarning, match='export_testcase'):
        made = export(model, X, path, save_text=True)
    assert onnx.load(path) == made
    assert 'op_type: "Relu"' in (tmp_path / 'model.onnx.txt').read_text()
    file = io.BytesIO()
    export(model, X, file, no_testcase=True)
    assert file.getvalue() == path.read_bytes()
    with pytest.raises(FileNotFoundError):
        export(model, X, str(tmp_path / 'none' / 'model.onnx'), no_testcase=True)


def test_broadcasting_keeps_named_sizes():
    def function(x):
        total = F.sum(x, axis=1, keepdims=True)
        return F.broadcast_to(total, x.shape) + F.broadcast_to(x, (2, *x.shape))

    for shapes in (None, ('b', 3)):
        made = export(Call(function), X, input_shapes=shapes)
        for x in [X] if shapes is None else [X, X[:1], X.repeat(2, axis=0)]:
            numpy.testing.assert_allclose(run(made, x)[0], function(x).array, rtol=1e-6)


@pytest.mark.parametrize('function, shape, shapes, expected', [
    (F.relu, (2, 3), ('b', 3), ['b', 3]), (F.relu, (2, 3), [('b', 'c')], ['b', 'c']),
    (F.relu, (2, 3), (None, 3), [None, 3]),
    (lambda x: F.sum(x, axis=1), (2, 3), ('b', 3), ['b']),
    (lambda x: F.concat([x, x], axis=0), (2, 3), ('b', 'c'), [None, 'c']),
    (lambda x: F.max_pooling_2d(x, 2), (2, 3, 4, 4), ('b', 3, 4, 4), ['b', 3, 2, 2]),
])
def test_names_of_sizes(function, shape, shapes, expected):
    made = export(Call(function), numpy.ones(shape, 'f'), input_shapes=shapes)
    assert [dim.dim_param or (dim.dim_value if dim.HasField('dim_value') else None)
            for dim in made.graph.output[0].type.tensor_type.shape.dim] == expected


def test_batches_of_another_size():
    model = chainer_fast.Sequential(
        L.Convolution2D(1, 2, 3), F.relu, L.Linear(None, 3), F.softmax)
    x = numpy.random.RandomState(0).rand(2, 1, 5, 5).astype(numpy.float32)
    made = export(model, x, input_shapes=('b', 1, 5, 5))
    more = numpy.concatenate([x, x + 1, x])
    with chainer_fast.using_config('train', False):
        numpy.testing.assert_allclose(
            run(made, more)[0], model(more).array, rtol=1e-4)


@pytest.mark.parametrize('args, shapes', [
    (X, '?'), (X, ('b', 3, 3)), (X, [('b', 3)] * 2), (X, [2, 3]),
    ({'a': X}, ('b', 3, 3)), ({'a': X}, {'c': ('b', 3)}), (ARGS, [('b', 3)]),
    (ARGS, {'a': ('b', 3)}), (ARGS, [('b', 3), ('b',)]),
])
def test_shapes_that_do_not_match(args, shapes):
    with pytest.raises(ValueError):
        format_customized_shapes(args, shapes)


def test_order_of_shapes():
    assert format_customized_shapes(
        {'x': X, 'y': X[0]}, {'y': ('c',), 'x': ('b', 3)}) == [('b', 3), ('c',)]


def test_external_converters():
    seen = []

    def convert(params):
        seen.append((type(params.func), params.opset_version))
        two = params.context.add_const(numpy.float32(2), 'two')
        graph = onnx_helper.GraphBuilder()
        graph.op('Mul', [*params.input_names, two])
        return graph.nodes(params.output_names)

    made = export(chainer_fast.Sequential(twice), X, opset_version=9,
                  external_converters={'Twice': convert})
    assert seen == [(Twice, 9)]
    assert [node.name for node in made.graph.node] == ['Twice_0', 'Twice_0_tmp_0']
    numpy.testing.assert_array_equal(run(made, X)[0], 2 * X)


def test_external_converters_come_first():
    made = export(Call(F.relu), X, external_converters={'ReLU': converter('Sigmoid')})
    assert made.graph.node[0].op_type == 'Sigmoid'


def test_operators_of_other_domains():
    given = {'Twice': converter('Twice', domain='mine')}
    made = export(Call(twice), X, external_converters=given,
                  external_opset_imports={'mine': 3})
    assert [(x.domain, x.version) for x in made.opset_import][1:] == [('mine', 3)]
    with pytest.warns(UserWarning, match='external_opset_imports'):
        export(Call(twice), X, external_converters=given)
    with pytest.warns(UserWarning, match='does not define'):
        export(Call(twice), X, external_converters={'Twice': converter('Twice')})


def test_invalid_models_are_refused():
    made = export(Call(F.relu), X)
    made.graph.node[0].op_type = 'Relux'
    with pytest.raises(onnx.checker.ValidationError):
        check_onnx_model(made, None, {'mine': 1})
    with pytest.raises(onnx.checker.ValidationError):
        check_onnx_model(made, None, None)


def test_inputs_without_effect(caplog):
    export(Call(lambda x, y: F.relu(x)), ARGS)
    assert 'Input_1 has no effect' in caplog.text and 'as_funcnode' in caplog.text
    caplog.clear()
    made = export(Call(lambda x: F.relu(x.array * 2)), X)
    assert 'Input_0 has no effect' in caplog.text
    assert made.graph.node[0].input != ['Input_0']


@pytest.mark.parametrize('function', [
    lambda x: F.relu(x.array) + x, lambda x: (lambda y: F.relu(y.array) + y)(F.tanh(x)),
])
def test_bare_arrays_of_variables(function, caplog):
    export(Call(function), X)
    assert re.search('becomes a constant.*ReLU.*test_export_graphs.py', caplog.text)


def test_retained_inputs():
    def function(x):
        return F.relu(x) + chainer_fast.Variable(X) * numpy.float32([1, 2, 3])

    with RetainInputHook() as hook:
        Call(function)(V)
    first, second = sorted(hook.retain_inputs, key=lambda x: x.ndim)
    numpy.testing.assert_array_equal(first.array, [1, 2, 3])
    numpy.testing.assert_array_equal(second.array, X)
    # An array becomes a variable inside of the link, which the hook cannot know.
    with RetainInputHook() as hook:
        Call(lambda x: F.relu(chainer_fast.as_variable(x)))(X)
    assert len(hook.retain_inputs) == 1


def test_initializers():
    model = Net()
    names = context.Context(model)
    made = convert_parameter(model.w, names)
    assert made.name == 'param_w'
    numpy.testing.assert_array_equal(
        onnx.numpy_helper.to_array(made), model.w.array)
    assert convert_parameter(X, names).name == 'v%d' % (len(names.name_list) - 1)
    with pytest.raises(ValueError, match='float'):
        convert_parameter(2.0, names)


def test_dtypes_that_onnx_lacks():
    made = export(Call(lambda x: x), X)
    assert made.graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT
    with pytest.raises(TypeError, match='Input_0 has the dtype longdouble|float128'):
        export(Call(lambda x: x), X.astype(numpy.longdouble))
