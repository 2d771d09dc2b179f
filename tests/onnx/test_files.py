import io

import numpy
import onnx
import onnxruntime
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast.onnx import _files
from chainer_fast.onnx.export import export
from tests.onnx.test_export import X


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    monkeypatch.setattr(_files, 'LARGEST', 1000)


@pytest.fixture
def model():
    return chainer_fast.Sequential(L.Linear(3, 100), F.relu, L.Linear(100, 3))


def test_large_models_have_their_arrays_in_a_second_file(model, tmp_path):
    path = tmp_path / 'model.onnx'
    for _ in range(2):      # a second time over the first
        made = export(model, X, path, no_testcase=True)
    data = tmp_path / 'model.onnx.data'
    assert path.stat().st_size < 2000
    # The larger arrays, each from the start of a page on.
    assert 2400 <= data.stat().st_size < 20000
    assert onnx.external_data_helper.uses_external_data(made.graph.initializer[0])
    onnx.checker.check_model(str(path), full_check=True)
    session = onnxruntime.InferenceSession(
        str(path), providers=['CPUExecutionProvider'])
    numpy.testing.assert_allclose(
        session.run(None, {'Input_0': X})[0], model(X).array, rtol=1e-4)


def test_large_models_without_file(model):
    made = export(model, X)
    assert onnx.numpy_helper.to_array(made.graph.initializer[0]).shape == (100, 3)


def test_large_models_do_not_fit_file_objects(model):
    file = io.BytesIO()
    with pytest.raises(ValueError, match='name of a file'):
        export(model, X, file, no_testcase=True)
    assert not file.getvalue()


def test_large_models_are_checked(model):
    model.append(lambda x: Broken().apply((x,))[0])
    with pytest.raises(onnx.checker.ValidationError):
        export(model, X, external_opset_imports={'mine': 1}, external_converters={
            'Broken': lambda params: [onnx.helper.make_node(
                'Broken', params.input_names, params.output_names)]})


class Broken(chainer_fast.FunctionNode):

    def forward(self, inputs):
        return inputs
