import numpy
import pytest

import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast.onnx.export import export
from tests.onnx.exported import Model, check

# Values on both sides of every bend, none at a bend.
X = numpy.linspace(-7.3, 7.1, 2 * 4 * 3).reshape(2, 4, 3).astype(numpy.float32)

CASES = {
    'clipped_relu': lambda x: F.clipped_relu(x, 3.0),
    'crelu': F.crelu,
    'crelu last': lambda x: F.crelu(x, axis=-1),
    'elu': F.elu,
    'elu alpha': lambda x: F.elu(x, alpha=0.3),
    'hard_sigmoid': F.hard_sigmoid,
    'leaky_relu': F.leaky_relu,
    'leaky_relu slope': lambda x: F.leaky_relu(x, slope=0.05),
    'log_softmax': F.log_softmax,
    'log_softmax 0': lambda x: F.log_softmax(x, axis=0),
    'log_softmax last': lambda x: F.log_softmax(x, axis=-1),
    'maxout': lambda x: F.maxout(x, 2),
    'maxout 0': lambda x: F.maxout(x, 2, axis=0),
    'maxout last': lambda x: F.maxout(x, 3, axis=2),
    'mish': F.mish,
    'prelu': lambda x: F.prelu(x, numpy.float32([-1, .1, .2, .3])),
    'prelu scalar': lambda x: F.prelu(x, numpy.array(.3, numpy.float32)),
    'prelu all': lambda x: F.prelu(
        x, numpy.arange(12, dtype=numpy.float32).reshape(4, 3)),
    'relu': F.relu,
    'relu6': F.relu6,
    'rrelu': F.rrelu,
    'rrelu bounds': lambda x: F.rrelu(x, 0.1, 0.9),
    'selu': F.selu,
    'sigmoid': F.sigmoid,
    'softmax': F.softmax,
    'softmax 0': lambda x: F.softmax(x, axis=0),
    'softmax last': lambda x: F.softmax(x, axis=-1),
    'softplus': F.softplus,
    'softplus beta': lambda x: F.softplus(x, beta=3.5),
    'swish': lambda x: F.swish(x, numpy.float32([-1, .5, 1, 2])),
    'swish scalar': lambda x: F.swish(x, numpy.array(1.5, numpy.float32)),
    'tanh': F.tanh,
}


@pytest.mark.parametrize('name', CASES)
def test_values(name):
    check(CASES[name], [X])


@pytest.mark.parametrize('dtype, tolerance', [('float16', 3e-3), ('float64', 1e-6)])
@pytest.mark.parametrize('name', [
    'clipped_relu', 'crelu', 'elu', 'hard_sigmoid', 'leaky_relu', 'log_softmax',
    'maxout', 'mish', 'relu', 'rrelu', 'selu', 'sigmoid', 'softmax', 'softplus beta',
    'tanh'])
def test_dtypes(name, dtype, tolerance):
    check(CASES[name], [X.astype(dtype)], tolerance=tolerance, opsets=[9, 13, 22])


@pytest.mark.parametrize('link', [L.PReLU((4,)), L.Swish((4, 3)), L.Swish(())])
def test_links(link):
    check(Model(lambda self, x: self.link(x), link=link), [X])


def test_softmax_of_a_matrix_needs_no_transposition():
    model = check(F.softmax, [X[0]])[7]
    assert [node.op_type for node in model.graph.node] == ['Softmax']


def test_rrelu_in_training_is_refused():
    with pytest.raises(ValueError, match='RReLU.*random'):
        export(Model(lambda self, x: F.rrelu(x)), [X], train=True)

