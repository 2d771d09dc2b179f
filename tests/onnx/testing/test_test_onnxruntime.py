import numpy
import pytest

import chainer_fast.functions as F
from chainer_fast.onnx import onnx_helper
from chainer_fast.onnx.testing import get_test_data_set, test_mxnet, test_onnxruntime
from tests.onnx.chains import Call, X

pytestmark = pytest.mark.filterwarnings(
    'ignore:return_named_inout is experimental:FutureWarning')


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = get_test_data_set.gen_test_data_set(
        Call(F.relu), X, 'relu', 9, input_names=['x'])
    assert folder == 'out/opset9/relu'
    return folder


def test_values(folder):
    assert test_onnxruntime.ONNXRUNTIME_AVAILABLE
    test_onnxruntime.check_model_expect(folder)
    test_onnxruntime.check_model_expect(folder, input_names=['x'])
    with pytest.raises(AssertionError, match='not .*other'):
        test_onnxruntime.check_model_expect(folder, input_names=['other'])
    onnx_helper.write_tensor_pb(folder + '/test_data_set_0/output_0.pb', '', X + 1e-3)
    test_onnxruntime.check_model_expect(folder, atol=1e-2)
    with pytest.raises(AssertionError):
        test_onnxruntime.check_model_expect(folder)


def test_data(folder):
    inputs, outputs = test_onnxruntime.load_test_data(
        folder + '/test_data_set_0', ['a'], ['b'])
    numpy.testing.assert_array_equal(inputs['a'], X)
    numpy.testing.assert_array_equal(outputs['b'], X)
    with pytest.raises(AssertionError, match='1 files input_'):
        test_onnxruntime.load_test_data(folder + '/test_data_set_0', ['a', 'b'], ['b'])


def test_folder_without_data(folder, tmp_path):
    (tmp_path / 'empty').mkdir()
    (tmp_path / 'empty' / 'model.onnx').write_bytes(
        (tmp_path / folder / 'model.onnx').read_bytes())
    with pytest.raises(AssertionError, match='no test_data_set'):
        test_onnxruntime.check_model_expect('empty')


def test_mxnet_is_retired(folder):
    assert not test_mxnet.MXNET_AVAILABLE
    with pytest.raises(ImportError, match='test_onnxruntime'):
        test_mxnet.check_model_expect(folder)
