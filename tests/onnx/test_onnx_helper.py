import subprocess
import sys

import numpy
import onnx
import pytest

from chainer_fast.onnx import onnx_helper


@pytest.fixture(autouse=True)
def func_name():
    onnx_helper.set_func_name('Foo_1')
    assert onnx_helper.get_func_name() == 'Foo_1'


def test_make_node():
    node = onnx_helper.make_node('Gemm', ['a', 'b'], ['y'], alpha=2.0, domain='mine')
    assert (node.name, node.op_type, node.domain) == ('Foo_1', 'Gemm', 'mine')
    assert node.attribute[0].f == 2


def test_graph_builder():
    graph = onnx_helper.GraphBuilder()
    assert graph.nodes() == ()
    first = graph.op('Add', ['x', 'y'])
    parts = graph.op('Split', [first], 2, axis=1)
    assert (first, parts) == ('Foo_1_tmp_0', ('Foo_1_tmp_1_0', 'Foo_1_tmp_1_1'))
    assert graph.op_output_named('Relu', [parts[0]], ['z']) == 'z'
    assert graph.node_name() == 'Foo_1_tmp_3'
    nodes = graph.nodes(['y'])
    assert [(node.op_type, node.name) for node in nodes] == [
        ('Add', 'Foo_1_tmp_0'), ('Split', 'Foo_1_tmp_1'), ('Relu', 'Foo_1_tmp_2')]
    assert nodes[-1].output == ['y']
    with pytest.raises(AssertionError, match='1 outputs, not 2'):
        graph.nodes(['a', 'b'])


def test_graph_builder_without_a_function():
    onnx_helper.set_func_name(None)
    with pytest.raises(AssertionError, match='set_func_name'):
        onnx_helper.GraphBuilder()


def test_write_tensor_pb(tmp_path):
    array = numpy.arange(3, dtype=numpy.int32)
    onnx_helper.write_tensor_pb(tmp_path / 'x.pb', 'x', array)
    tensor = onnx.load_tensor(tmp_path / 'x.pb')
    assert tensor.name == 'x'
    numpy.testing.assert_array_equal(onnx.numpy_helper.to_array(tensor), array)


def test_element_types():
    for dtype, number in onnx_helper.NP_TYPE_TO_TENSOR_TYPE.items():
        assert onnx.helper.np_dtype_to_tensor_dtype(dtype) == number
        assert onnx.TensorProto.DataType.Name(
            number) == onnx_helper.TENSOR_TYPE_TO_NAME[number]


def test_names_of_parameters():
    assert onnx_helper.cleanse_param_name('/l1/0/W') == 'param_l1_0_W'
    assert onnx_helper.is_support_non_standard_domain()


CODE = '''
import sys
sys.modules['onnx'] = None      # as if it were not installed
import numpy
import chainer_fast
from chainer_fast import onnx
from chainer_fast._help import installation
from chainer_fast.onnx import mapping, testing
assert len(mapping.converters) > 80
for use in (lambda: onnx.export(chainer_fast.Sequential(), numpy.ones(3, 'f')),
            lambda: onnx.MAXIMUM_OPSET_VERSION):
    try:
        use()
    except ImportError as error:
        assert installation.install('onnx') in str(error), error
    else:
        raise AssertionError
'''


def test_onnx_is_imported_late():
    subprocess.run([sys.executable, '-c', CODE], check=True)
