import numpy
import onnx
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast.onnx import export_testcase
from chainer_fast.onnx.testing.test_onnxruntime import check_model_expect
from tests.onnx import runtime
from tests.onnx.chains import Call, X, two

pytestmark = pytest.mark.filterwarnings(
    'ignore:return_named_inout is experimental:FutureWarning')


def files(folder):
    return {
        path.name: onnx.load_tensor(path)
        for path in (folder / 'test_data_set_0').iterdir()}


def test_files(tmp_path):
    folder = tmp_path / 'a' / 'b'
    export_testcase(Call(two), {'x': X}, str(folder), output_names=['a', 'b'],
                    opset_version=runtime.NEWEST_OPSET)
    assert {path.name for path in folder.iterdir()} == {'model.onnx', 'test_data_set_0'}
    found = files(folder)
    assert {name: each.name for name, each in found.items()} == {
        'input_0.pb': 'Input_0', 'output_0.pb': 'a', 'output_1.pb': 'b'}
    numpy.testing.assert_array_equal(
        onnx.numpy_helper.to_array(found['output_1.pb']), F.tanh(X).array)
    check_model_expect(str(folder), input_names=['Input_0'])


class Layers(chainer_fast.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(3, 2, initialW=1)
            self.l2 = L.Linear(3, 2, initialW=1)
            self.unused = L.Linear(3, 1)


@pytest.mark.filterwarnings('ignore:Parameter `/unused')
def test_gradients(tmp_path):
    model = Layers()
    model.forward = lambda x: (model.l1(x), 2 * model.l2(x), F.argmax(x))
    model.l1.W.grad = numpy.full((2, 3), 7, 'f')
    export_testcase(model, X, tmp_path, output_grad=True)
    found = {name: each for name, each in files(tmp_path).items() if 'grad' in name}
    sums = numpy.broadcast_to(X.sum(axis=0), (2, 3))
    expected = {
        'param_l1_W': sums, 'param_l1_b': [2, 2], 'param_l2_W': 2 * sums,
        'param_l2_b': [4, 4]}
    assert [found['gradient_%d.pb' % i].name for i in range(4)] == list(expected)
    for each in found.values():
        numpy.testing.assert_allclose(
            onnx.numpy_helper.to_array(each), expected[each.name], rtol=1e-6)
    numpy.testing.assert_array_equal(model.l1.W.grad, numpy.full((2, 3), 7))


@pytest.mark.filterwarnings('ignore:Parameter `/unused', 'ignore:Parameter `/l2/b')
def test_parameters_without_gradients(tmp_path):
    model = Layers()
    model.forward = lambda x: model.l1(x)
    with pytest.warns(UserWarning, match='`/l2/W` does not have gradient value'):
        export_testcase(model, X, tmp_path, output_grad=True)


def test_files_of_an_earlier_test_case_go(tmp_path):
    export_testcase(Call(lambda x, y: (x + y, x - y)), [X, X + 1], tmp_path)
    (tmp_path / 'test_data_set_0' / 'input_x.pb').write_bytes(b'mine')
    export_testcase(Call(F.relu), X, tmp_path)
    assert {path.name for path in (tmp_path / 'test_data_set_0').iterdir()} == {
        'input_0.pb', 'output_0.pb', 'input_x.pb'}


def test_no_warning_of_missing_test_data(tmp_path, recwarn):
    export_testcase(Call(F.relu), X, tmp_path)
    assert {each.category for each in recwarn} == {FutureWarning}
