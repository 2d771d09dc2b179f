import numpy
import onnx
import pytest

import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast.onnx.export import export
from tests.onnx.exported import OPSETS, Model, check, run

X = numpy.linspace(-1, 1, 12).reshape(3, 4).astype(numpy.float32)


def test_dropout_in_test_mode_leaves_nothing():
    made = check(lambda x: F.dropout(x, 0.3) + 1, [X])
    assert all('Dropout' not in {node.op_type for node in model.graph.node}
               for model in made.values())


@pytest.mark.parametrize('opset', OPSETS)
def test_dropout_in_training(opset):
    model = export(Model(lambda self, x: F.dropout(x, 0.25)), [X], train=True,
                   opset_version=opset)
    onnx.checker.check_model(model, full_check=True)
    node = model.graph.node[-1]
    assert node.op_type == 'Dropout'
    y, = run(model, [X])
    if opset < 12:      # the runtime's mode decides, and it is that of inference
        assert [each.name for each in node.attribute] == ['ratio']
        assert node.attribute[0].f == 0.25
        numpy.testing.assert_array_equal(y, X)
    else:
        kept = y != 0
        numpy.testing.assert_allclose(y[kept], X[kept] / 0.75, rtol=1e-6)


def test_the_mode_of_dropout_in_training():
    x = numpy.ones((40, 50), numpy.float32)
    model = export(Model(lambda self, x: F.dropout(x, 0.25)), [x], train=True)
    y, = run(model, [x])
    assert 0.2 < (y == 0).mean() < 0.3


def test_gaussian():
    mean = numpy.full((40, 50), 3, numpy.float32)
    ln_var = numpy.full((40, 50), 2 * numpy.log(0.5), numpy.float32)
    for opset in (7, 13, OPSETS[-1]):
        model = export(Model(lambda self, *xs: F.gaussian(*xs)), [mean, ln_var],
                       opset_version=opset)
        onnx.checker.check_model(model, full_check=True)
        y, = run(model, [mean, ln_var])
        assert abs(y.mean() - 3) < 0.1
        assert abs(y.std() - 0.5) < 0.1


@pytest.mark.parametrize('shape', [(3, 4), (3, 2, 2)])
def test_dropconnect_in_test_mode(shape):
    link = L.SimplifiedDropconnect(4, 2)
    check(Model(lambda self, x: self.link(x, train=False), link=link),
          [X.reshape(shape)])


def test_zoneout_in_test_mode():
    check(lambda h, x: F.zoneout(h, x) * h, [X, X + 1])


def test_what_is_random_in_training_is_refused():
    for function in (lambda x: F.zoneout(x, x),
                     lambda x: F.simplified_dropconnect(x, numpy.float32(X[:2]))):
        with pytest.raises(ValueError, match='random'):
            export(Model(lambda self, x, f=function: f(x)), [X], train=True)
