"""Models of ONNX for tests, and what other runtimes compute of them."""
import numpy as np
import onnx
from onnx import helper, numpy_helper

from chainer_fast.onnx import onnx_helper

# The smallest version of the format that has the operators of an opset, and that a
# runtime reads.
_IR = {7: 3, 8: 3, 9: 4, 10: 5}

_RNG = np.random.RandomState(0)

#: Input of :func:`mlp`.
X = _RNG.randn(3, 4).astype(np.float32)


def model(nodes, inputs, outputs, initializers=(), opset=13, **kwargs):
    """Return a model.

    Parameters
    ----------
    nodes : list of onnx.NodeProto
        Its nodes.
    inputs : dict
        An array for each input, for its dtype and number of axes.
    outputs : list of str
        Names of the outputs.
    initializers : dict
        Arrays by name.
    opset : int
        Version of the operators.
    **kwargs
        Further fields of the model, such as ``producer_name``.
    """
    graph = helper.make_graph(
        nodes, 'graph',
        [helper.make_tensor_value_info(
            name, onnx_helper.NP_TYPE_TO_TENSOR_TYPE[x.dtype], [None] * x.ndim)
         for name, x in inputs.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(x, name) for name, x in dict(initializers).items()])
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid('', opset)],
        ir_version=_IR.get(opset, 6 if opset < 15 else 10), **kwargs)


def one_node(operator, inputs, attributes, initializers, opset, n_outputs=1):
    """Return a model of one node; ``inputs`` and ``initializers`` are in its order.

    An input of None is left out.
    """
    every = {**inputs, **initializers}
    outputs = ['y%d' % i for i in range(n_outputs)]
    node = helper.make_node(
        operator, [name if every[name] is not None else '' for name in every], outputs,
        name='the_node', **attributes)
    return model(
        [node], {k: x for k, x in inputs.items() if x is not None}, outputs,
        {k: x for k, x in initializers.items() if x is not None}, opset)


def arrays(results):
    """Return the arrays of one variable or a tuple of them, as a list."""
    results = results if isinstance(results, tuple) else (results,)
    return [each.array for each in results]


def assert_same(actual, expected, rtol=1e-4, atol=1e-5):
    """Check shapes, dtypes and values of the outputs of a model."""
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected, strict=True):
        b = np.asarray(b)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol, atol)


def weights(*shape):
    return _RNG.randn(*shape).astype(np.float32)


def mlp(**kwargs):
    """Two layers with batch normalization, dropout, and shapes that are computed."""
    nodes = [
        helper.make_node('Gemm', ['x', 'l1.W', 'l1.b'], ['h1'], transB=1),
        helper.make_node(
            'BatchNormalization', ['h1', 'gamma', 'beta', 'mean', 'var'], ['h2'],
            epsilon=1e-3, momentum=0.8),
        helper.make_node('Relu', ['h2'], ['h3']),
        helper.make_node('Dropout', ['h3', 'ratio'], ['h4']),
        helper.make_node('Shape', ['h4'], ['shape']),
        helper.make_node('Gather', ['shape', 'first'], ['batch']),
        helper.make_node('Concat', ['batch', 'two', 'rest'], ['pairs'], axis=0),
        helper.make_node('Reshape', ['h4', 'pairs'], ['h5']),
        helper.make_node('Add', ['h5', 'offsets'], ['h6']),
        helper.make_node('MatMul', ['h6', '2nd'], ['y']),
        helper.make_node('ReduceSum', ['y', 'axes'], ['total']),
    ]
    initializers = {
        'l1.W': weights(6, 4), 'l1.b': weights(6), 'gamma': weights(6),
        'beta': weights(6), 'mean': weights(6), 'var': abs(weights(6)) + 1,
        'ratio': np.float32(0.4), 'first': np.array([0]), 'two': np.array([2]),
        'rest': np.array([-1]), '2nd': weights(3, 2), 'axes': np.array([1, 2]),
    }
    nodes.insert(0, helper.make_node('Constant', [], ['offsets'], value=(
        numpy_helper.from_array(np.float32([[1, 2, 3]])))))
    return model(nodes, {'x': X}, ['y', 'total'], {
        name: np.asarray(x) for name, x in initializers.items()}, **kwargs)
