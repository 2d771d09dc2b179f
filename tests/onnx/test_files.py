import io

import numpy
import onnx
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast.onnx import _files
from chainer_fast.onnx.export import export
from tests.onnx import runtime
from tests.onnx.chains import X


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    monkeypatch.setattr(_files, 'LARGEST', 1000)


@pytest.fixture
def model():
    return chainer_fast.Sequential(L.Linear(3, 100), F.relu, L.Linear(100, 3))


def test_large_models_have_their_arrays_in_a_second_file(model, tmp_path):
    path = tmp_path / 'model.onnx'
    for _ in range(2):      # a second time over the first
        made = export(model, X, path, no_testcase=True,
                      opset_version=runtime.NEWEST_OPSET)
    data = tmp_path / 'model.onnx.data'
    assert path.stat().st_size < 2000
    # Four arrays, each from the start of a page on.
    assert data.stat().st_size == 3 * 4096 + 12
    assert onnx.external_data_helper.uses_external_data(made.graph.initializer[0])
    onnx.checker.check_model(str(path), full_check=True)
    session = runtime.session(path)
    numpy.testing.assert_allclose(
        session.run(None, {'Input_0': X})[0], model(X).array, rtol=1e-4)


@pytest.mark.parametrize('file', [None, io.BytesIO()])
def test_large_models_need_the_name_of_a_file(model, file):
    with pytest.raises(ValueError, match='pass a file name'):
        export(model, X, file, no_testcase=True)
    assert file is None or not file.getvalue()
    assert not export(model, X, export_params=False).graph.initializer


def test_invalid_models_are_not_written(model, tmp_path):
    model.append(lambda x: Broken().apply((x,))[0])
    with pytest.raises(onnx.checker.ValidationError):
        export(model, X, tmp_path / 'model.onnx', no_testcase=True,
               external_opset_imports={'mine': 1}, external_converters={
                   'Broken': lambda params: [onnx.helper.make_node(
                       'Broken', params.input_names, params.output_names)]})
    assert not list(tmp_path.iterdir())


class Broken(chainer_fast.FunctionNode):

    def forward(self, inputs):
        return inputs
