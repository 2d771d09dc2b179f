"""Files that are broken, and models that are not supported."""
import builtins
import io
import pathlib
import re
import sys

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast._help import installation
from chainer_fast.onnx import load
from chainer_fast.onnx._load.table import OPERATORS
from tests.onnx.load import models
from tests.onnx.load.models import helper

X = np.zeros((2, 3), 'f')


def simple():
    return models.model(
        [helper.make_node('MatMul', ['x', 'w'], ['h'], name='product'),
         helper.make_node('Relu', ['h'], ['y'], name='rectified')],
        {'x': X}, ['y'], {'w': np.ones((3, 2), 'f')})


def test_all_that_is_not_supported_is_named_at_once():
    nodes = [
        helper.make_node('Multinomial', ['x'], ['a'], name='draws'),
        helper.make_node('Relu', ['x'], ['b'], name='fine'),
        helper.make_node('MaxPool', ['x'], ['c'], name='gaps', kernel_shape=[2],
                         dilations=[2]),
        helper.make_node('Foo', ['x'], ['d'], name='another', domain='com.acme'),
        helper.make_node('Clip', ['x'], ['f'], name='graph', body=onnx.GraphProto()),
        helper.make_node('Det', ['x'], ['e'], name='made_up', foo=3),
        helper.make_node('Softmax', ['x'], ['y'], name='', axis=1, bar=[1.5]),
    ]
    with pytest.raises(NotImplementedError) as info:
        load(models.model(nodes, {'x': X}, ['y'], opset=13))
    first, *lines = str(info.value).splitlines()
    assert first == 'the model has nodes that are not supported:'
    assert lines == [
        "  Multinomial 'draws', opset 13: Chainer has no such operator",
        "  MaxPool 'gaps', opset 13: dilated windows are not supported, but its "
        'attribute dilations is [2]',
        "  Foo 'another', opset 13: its domain 'com.acme' is not supported",
        "  Clip 'graph', opset 13: its attribute 'body' has the type GRAPH",
        "  Det 'made_up', opset 13: its attributes foo=3 are not supported",
        "  Softmax that makes 'y', opset 13: its attributes bar=[1.5] are not "
        'supported',
    ]


@pytest.mark.parametrize('operator, opset, inputs, attributes, outputs, message', [
    ('BatchNormalization', 7, 5, {'spatial': 0}, 1, 'spatial is 0; supported is 1'),
    ('Concat', 13, 2, {}, 1, "attribute 'axis' is missing"),
    ('Constant', 13, 0, {'value_string': 'a'}, 1, 'neither a number'),
    ('Conv', 13, 2, {'auto_pad': 'SAME'}, 1, "auto_pad is 'SAME'; supported is 'NOTS"),
    ('Conv', 13, 2, {'pads': [0, -1]}, 1, r'pads is negative: \[0, -1\]'),
    ('GRU', 14, 3, {'clip': 1.5}, 1, 'attributes clip=1.5 are not supported'),
    ('GRU', 14, 3, {'activations': ['Tanh', 'Tanh']}, 1, r"\['Tanh', 'Tanh'\]; supp"),
    ('GridSample', 20, 2, {'mode': 'cubic'}, 1, "mode is 'cubic'"),
    ('Hardmax', 11, 1, {}, 1, 'before opset 13'),
    ('If', 13, 1, {'then_branch': onnx.GraphProto(), 'else_branch': onnx.GraphProto()},
     1, 'no such operator'),
    ('LRN', 13, 1, {'size': 4}, 1, 'size is even: 4'),
    ('LSTM', 14, 8, {'hidden_size': 3}, 1, 'peepholes'),
    ('LSTM', 14, 3, {'input_forget': 1}, 1, 'input_forget is 1; supported is 0'),
    ('MaxPool', 12, 1, {}, 1, "'kernel_shape' is missing"),
    ('MaxPool', 12, 1, {'kernel_shape': [2]}, 2, 'has 2 outputs; supported are 1'),
    ('Pad', 18, 2, {'mode': 'wrap'}, 1, "mode is 'wrap'; supported is 'constant'"),
    ('ReduceSum', 13, 1, {'axes': [1]}, 1, r'attributes axes=\[1\] are not supported'),
    ('Resize', 19, 4, {'antialias': 1}, 1, 'antialias is 1; supported is 0'),
    ('RoiAlign', 16, 3, {'mode': 'max'}, 1, "mode is 'max'; supported is 'avg'"),
    ('RoiAlign', 16, 3, {}, 1, "is 'half_pixel'; supported is 'output_half_pixel'"),
    ('ScatterND', 16, 3, {'reduction': 'mul'}, 1, "reduction is 'mul'"),
    ('Unsqueeze', 11, 1, {}, 1, "'axes' is missing"),
    ('Cast', 13, 1, {'to': 16}, 1, 'type BFLOAT16'),
    ('Cast', 13, 1, {'to': 99}, 1, 'type number 99'),
])
def test_forms_that_are_not_supported(
        operator, opset, inputs, attributes, outputs, message):
    names = ['x%d' % k for k in range(inputs)]
    node = helper.make_node(
        operator, names, ['y%d' % k for k in range(outputs)], name='n', **attributes)
    model = models.model([node], dict.fromkeys(names, X), ['y0'], opset=opset)
    with pytest.raises(NotImplementedError, match=message) as info:
        load(model)
    assert "%s 'n', opset %d: " % (operator, opset) in str(info.value)


@pytest.mark.parametrize('opset', [6, 29])
def test_opset(opset):
    model = simple()
    model.opset_import[0].version = opset
    with pytest.raises(NotImplementedError, match='opset %d; supported .* 7' % opset):
        load(model)


def test_no_operators_of_onnx():
    model = simple()
    model.opset_import[0].domain = 'ai.onnx.ml'
    with pytest.raises(NotImplementedError, match="domains are \\['ai.onnx.ml'\\]"):
        load(model)


@pytest.mark.parametrize('change, message', [
    (lambda g: g.node[1].input.__setitem__(0, 'q'), "input 'q' of the node Relu 'rect"),
    (lambda g: g.node.insert(0, g.node.pop()), "input 'h' of the node Relu"),
    (lambda g: g.node[1].output.__setitem__(0, 'h'), "output 'h' of .* is computed "
                                                     "twice"),
    (lambda g: g.output.add(name='q'), r"no node computes the outputs \['q'\]"),
    (lambda g: g.ClearField('output'), 'has no outputs'),
    (lambda g: setattr(g.initializer[0], 'raw_data', b'123'), "'w', of type FLOAT"),
    (lambda g: g.initializer[0].dims.append(7), r"'w'.*shape \(3, 2, 7\), are"),
])
def test_broken_graphs(change, message):
    model = simple()
    change(model.graph)
    with pytest.raises(ValueError, match=message):
        load(model)


@pytest.mark.parametrize('kind, name', [
    (onnx.TensorProto.STRING, 'STRING'), (onnx.TensorProto.BFLOAT16, 'BFLOAT16'),
    (onnx.TensorProto.FLOAT8E4M3FN, 'FLOAT8E4M3FN'), (99, 'number 99')])
def test_types_that_arrays_do_not_have(kind, name):
    model = simple()
    model.graph.initializer[0].data_type = kind
    with pytest.raises(TypeError, match="'w' has the type %s; supported types" % name):
        load(model)
    model = simple()
    model.graph.input[0].type.tensor_type.elem_type = kind
    with pytest.raises(NotImplementedError, match="type %s of the input 'x'" % name):
        load(model)


def test_inputs_that_are_no_tensors():
    model = simple()
    model.graph.input[0].type.sequence_type.elem_type.tensor_type.elem_type = 1
    with pytest.raises(NotImplementedError, match="input 'x' is a sequence"):
        load(model)


def test_sparse_initializers():
    model = simple()
    model.graph.sparse_initializer.add()
    with pytest.raises(NotImplementedError, match='sparse'):
        load(model)


def test_sources_of_wrong_types(tmp_path):
    with pytest.raises(TypeError, match='not int'):
        load(3)
    with pytest.raises(TypeError, match='binary mode'):
        load(io.StringIO('text'))
    with pytest.raises(FileNotFoundError, match='missing.onnx'):
        load(tmp_path / 'missing.onnx')


@pytest.mark.parametrize('content', [b'', b'\x00\x01', b'no model at all' * 9])
def test_no_model(content, tmp_path):
    path = tmp_path / 'model.onnx'
    path.write_bytes(content)
    with pytest.raises(ValueError, match='model.onnx is not an ONNX model, or is '
                                         'trunc'):
        load(path)


_CONTENT = simple().SerializeToString()


@settings(max_examples=60)
@given(st.integers(0, len(_CONTENT) - 1))
def test_truncated_files(length):
    # The version of the operators stands at the end.
    with pytest.raises(ValueError, match='truncated'):
        load(io.BytesIO(_CONTENT[:length]))


@settings(max_examples=100)
@given(st.integers(0, len(_CONTENT) - 1), st.integers(0, 255))
def test_corrupt_files(place, byte):
    content = bytearray(_CONTENT)
    content[place] = byte
    try:
        load(io.BytesIO(bytes(content)))
    except (ValueError, TypeError, NotImplementedError) as e:
        assert str(e)


def _with_external_data(path):
    onnx.save(simple(), path, save_as_external_data=True, location='weights',
              size_threshold=0)


def test_missing_external_data(tmp_path):
    path = tmp_path / 'model.onnx'
    _with_external_data(path)
    (tmp_path / 'weights').unlink()
    with pytest.raises(FileNotFoundError, match="'w' of .*model.onnx .*file 'weights'"):
        load(path)


def test_truncated_external_data(tmp_path):
    path = tmp_path / 'model.onnx'
    _with_external_data(path)
    (tmp_path / 'weights').write_bytes(b'123')
    with pytest.raises(ValueError, match="tensor 'w'"):
        load(path)


def test_external_data_without_a_folder(tmp_path):
    path = tmp_path / 'model.onnx'
    _with_external_data(path)
    with open(path, 'rb') as file, pytest.raises(ValueError, match='pass the path'):
        load(file)


def test_external_data_stay_in_the_folder(tmp_path):
    (tmp_path / 'inner').mkdir()
    path = tmp_path / 'inner' / 'model.onnx'
    _with_external_data(path)
    (tmp_path / 'secret').write_bytes(b'\x00' * 24)
    model = onnx.load(path, load_external_data=False)
    for entry in model.graph.initializer[0].external_data:
        if entry.key == 'location':
            entry.value = '../secret'
    onnx.save(model, path)
    with pytest.raises(ValueError, match="tensor 'w'"):
        load(path)


def test_documentation_lists_the_operators():
    text = (pathlib.Path(__file__).parents[3] / 'docs' / 'onnx.md').read_text()
    section = text.split('### Operators')[1].split('Not supported are')[0]
    assert set(re.findall('`([A-Za-z0-9]+)`', section)) == {*OPERATORS, 'Constant'}


def test_without_onnx(monkeypatch):
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name.split('.')[0] == 'onnx':
            raise ImportError('no %s' % name)
        return real(name, *args, **kwargs)

    monkeypatch.setitem(sys.modules, 'onnx', None)
    monkeypatch.setattr(builtins, '__import__', missing)
    with pytest.raises(ImportError, match=re.escape(installation.install('onnx'))):
        load('model.onnx')
