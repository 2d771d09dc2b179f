"""Gradients through loaded graphs."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import gradient_check
from chainer_fast.onnx import load
from tests.onnx.load import models


def r(*shape):
    """Numbers of both signs, none of them near to each other or to zero."""
    count = int(np.prod(shape))
    numbers = np.concatenate([np.linspace(-2, -0.2, count // 2),
                              np.linspace(0.25, 2.1, count - count // 2)])
    return np.random.RandomState(count).permutation(numbers).reshape(shape)


def i(*values):
    return np.array(values, np.int64)


# Operators that are made of several functions, or choose among them.
CASES = [
    ('Acosh', 9, [abs(r(3, 4)) + 1.2], [], {}),
    ('Asinh', 9, [r(3, 4)], [], {}),
    ('AveragePool', 19, [r(2, 2, 5, 6)], [],
     {'kernel_shape': [2, 3], 'strides': [2, 2], 'pads': [1, 0, 0, 1], 'ceil_mode': 1}),
    ('Celu', 12, [r(3, 4)], [], {'alpha': 0.7}),
    ('Clip', 7, [r(3, 4)], [], {'min': 0., 'max': 1.}),
    ('Clip', 7, [r(3, 4)], [], {'min': -1., 'max': 1.1}),
    ('Conv', 11, [r(2, 4, 5, 6), r(2, 2, 3, 2), r(2)], [],
     {'group': 2, 'pads': [1, 0, 2, 1], 'strides': [2, 1]}),
    ('ConvTranspose', 11, [r(1, 4, 3, 4), r(4, 1, 3, 2), r(2)], [],
     {'group': 2, 'pads': [1, 0, 0, 1], 'strides': [2, 1]}),
    ('CumProd', 26, [abs(r(2, 4))], [np.array(1)], {'exclusive': 1}),
    ('CumSum', 14, [r(2, 4)], [np.array(1)], {'exclusive': 1, 'reverse': 1}),
    ('Einsum', 12, [r(2, 3), r(3, 4)], [], {'equation': 'ij,jk->ki'}),
    ('Expand', 13, [r(3, 1)], [i(2, 1, 4)], {}),
    ('GRU', 14, [r(3, 2, 4), r(1, 6, 4), r(1, 6, 2), r(1, 12)], [],
     {'hidden_size': 2}),
    ('GRU', 14, [r(3, 2, 4), r(1, 6, 4), r(1, 6, 2), r(1, 12)], [np.int32([1, 3])],
     {'hidden_size': 2, 'linear_before_reset': 1, 'direction': 'reverse'}),
    ('GatherElements', 13, [r(3, 4)], [i(0, 2, 1, 1).reshape(1, 4)], {}),
    ('GatherND', 13, [r(3, 4)], [i(0, 2, 1, 1).reshape(2, 2)], {}),
    ('Gather', 13, [r(3, 4)], [i(0, -1, 0)], {}),
    ('Gelu', 20, [r(3, 4)], [], {}),
    ('Gelu', 20, [r(3, 4)], [], {'approximate': 'tanh'}),
    ('Gemm', 13, [r(4, 3), r(5, 4), r(3, 1)], [],
     {'transA': 1, 'transB': 1, 'alpha': 0.5, 'beta': 2.}),
    ('GroupNormalization', 18, [r(2, 4, 3), r(2), r(2)], [], {'num_groups': 2}),
    ('HardSigmoid', 7, [r(3, 4)], [], {'alpha': 0.45}),
    ('HardSwish', 14, [2 * r(3, 4)], [], {}),
    ('InstanceNormalization', 7, [r(2, 2, 5), r(2), r(2)], [], {}),
    ('LSTM', 14, [r(3, 2, 4), r(2, 8, 4), r(2, 8, 2), r(2, 16)], [np.int32([1, 3])],
     {'hidden_size': 2, 'direction': 'bidirectional'}),
    ('LayerNormalization', 17, [r(2, 3, 4), r(4), r(4)], [], {}),
    ('LpNormalization', 7, [r(2, 4)], [], {'p': 1}),
    ('LpNormalization', 7, [r(2, 4)], [], {}),
    ('MaxPool', 12, [r(2, 2, 5, 6)], [],
     {'kernel_shape': [2, 3], 'strides': [2, 2], 'pads': [1, 0, 0, 1], 'ceil_mode': 1}),
    ('MeanVarianceNormalization', 13, [r(2, 2, 3, 2)], [], {}),
    ('Mish', 18, [r(3, 4)], [], {}),
    ('Mod', 28, [r(3, 4), abs(r(4)) + 0.137], [], {}),
    ('NegativeLogLikelihoodLoss', 13, [r(3, 4)],
     [i(0, 3, 1), abs(r(4)).astype('f')], {'ignore_index': 3}),
    ('PRelu', 16, [r(2, 3, 4), r(3, 4)], [], {}),
    ('PRelu', 16, [r(2, 3, 4), r(3, 1)], [], {}),
    ('Pad', 18, [r(3, 4)], [i(1, 2, 0, 1)], {'mode': 'edge'}),
    ('Pad', 18, [r(3, 4)], [i(1, 2, -1, 1)], {'mode': 'reflect'}),
    ('Pow', 15, [abs(r(3, 4)), r(4)], [], {}),
    ('RMSNormalization', 23, [r(2, 3, 4), r(4)], [], {}),
    ('ReduceL2', 18, [r(2, 3, 4)], [i(1)], {}),
    ('ReduceLogSumExp', 18, [r(2, 3, 4)], [i(1, -1)], {}),
    ('Resize', 19, [r(1, 2, 4, 3)], [r(0), r(0), i(1, 2, 6, 5)], {'mode': 'cubic'}),
    ('Resize', 19, [r(1, 2, 4, 3)], [r(0), r(0), i(1, 2, 6, 5)],
     {'coordinate_transformation_mode': 'asymmetric', 'nearest_mode': 'floor'}),
    ('Resize', 19, [r(1, 2, 2, 3)], [r(0), r(0), i(1, 2, 4, 3)], {'mode': 'nearest'}),
    ('ScatterElements', 13, [r(3, 4), r(2, 2)], [i(0, 2, 1, 3).reshape(2, 2)],
     {'axis': 1}),
    ('ScatterND', 16, [r(4, 3), r(2, 3)], [i(0, 0).reshape(2, 1)],
     {'reduction': 'add'}),
    ('Shrink', 9, [r(3, 4)], [], {'bias': 0.1, 'lambd': 0.4}),
    ('Slice', 13, [r(5, 4)], [i(-1, 0), i(-9, 3), i(0, 1), i(-2, 1)], {}),
    ('Softmax', 7, [r(2, 3, 4)], [], {'axis': 1}),
    ('SoftmaxCrossEntropyLoss', 13, [r(3, 4)],
     [i(0, 3, 1), abs(r(4)).astype('f')], {'reduction': 'mean'}),
    ('Swish', 24, [r(3, 4)], [], {'alpha': 0.6}),
    ('ThresholdedRelu', 10, [r(3, 4)], [], {'alpha': 0.6}),
    ('TopK', 11, [r(3, 4)], [i(2)], {}),
    ('Trilu', 14, [r(3, 4)], [], {}),
]


def _model(operator, opset, inputs, constants, attributes):
    # Scattered values come behind the indexes.
    between = 1 if operator.startswith('Scatter') else len(inputs)
    names = ['x%d' % k for k in range(len(inputs))]
    fixed = {'c%d' % k: np.asarray(x) for k, x in enumerate(constants)}
    return models.model(
        [models.helper.make_node(
            operator, names[:between] + list(fixed) + names[between:],
            ['y', 'indices'] if operator == 'TopK' else ['y'], **attributes)],
        dict(zip(names, inputs, strict=True)), ['y'], fixed, opset)


@pytest.mark.parametrize(
    'operator, opset, inputs, constants, attributes', CASES,
    ids=['%s-%d' % (case[0], k) for k, case in enumerate(CASES)])
def test_gradients(operator, opset, inputs, constants, attributes):
    if operator == 'Resize':    # images in other precisions have no function
        constants = [x.astype('f') if x.dtype == 'd' else x for x in constants]
    if operator == 'NegativeLogLikelihoodLoss' or (
            operator == 'SoftmaxCrossEntropyLoss'):
        constants = [x.astype('d') if x.dtype == 'f' else x for x in constants]
    chain = load(_model(operator, opset, inputs, constants, attributes))
    gy = r(*chain(*inputs).shape)
    gradient_check.check_backward(
        chain, tuple(inputs), gy, dtype='d', atol=1e-4, rtol=1e-4)


def test_gradients_of_parameters_are_those_of_the_function():
    x, w, b = [a.astype('f') for a in (r(3, 4), r(2, 4), r(2))]
    chain = load(models.model(
        [models.helper.make_node('Gemm', ['x', 'w', 'b'], ['h'], transB=1),
         models.helper.make_node('Relu', ['h'], ['y'])],
        {'x': x}, ['y'], {'w': w, 'b': b}))
    variables = [chainer_fast.Variable(a) for a in (w, b)]
    F.sum(chain(x) ** 2).backward()
    F.sum(F.relu(F.linear(x, *variables)) ** 2).backward()
    for name, variable in zip('wb', variables, strict=True):
        np.testing.assert_array_equal(getattr(chain, name).grad, variable.grad)
