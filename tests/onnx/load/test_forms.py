"""Forms of operators in all opsets that have them, beside onnxruntime."""
import itertools

import numpy as np
import pytest

import chainer_fast
from chainer_fast.onnx import load
from tests.devices import to_cpu
from tests.onnx import runtime
from tests.onnx.load import models


def f(*shape):
    """Numbers in single precision, none of them equal."""
    return np.random.RandomState(sum(shape)).permutation(
        np.linspace(-2, 2, int(np.prod(shape)))).reshape(shape).astype(np.float32)


def i(*values):
    return np.array(values, np.int64)


def case(operator, opsets, inputs, initializers=(), n_outputs=1, **attributes):
    return operator, opsets, inputs, list(initializers), n_outputs, attributes


# The newest opset here is the newest of onnxruntime that is not a preview.
ALL = 7, 9, 11, 13, 18, 21, 22
X = f(2, 3, 4, 5)
EMPTY = f(0)
CASES = [
    case('Softmax', ALL, [X], axis=1),
    case('Softmax', ALL, [X]),
    case('LogSoftmax', (7, 12, 13), [X], axis=2),
    case('Hardmax', (13,), [X], axis=2),
    case('Flatten', ALL, [X], axis=2),
    case('Flatten', (11, 13), [X], axis=-1),
    case('Clip', (7, 10), [X], min=-0.5, max=0.7),
    case('Clip', (11, 13), [X], [np.float32(-0.5), np.float32(0.7)]),
    case('Clip', (11, 13), [X], [None, np.float32(0.7)]),
    case('Clip', (7,), [X], min=0.5),
    case('Dropout', (7, 10), [X], ratio=0.3),
    case('Dropout', (12, 22), [X], [np.float32(0.3)]),
    case('Pad', (7, 10), [X], pads=[0, 1, 0, 2, 0, 0, 3, 1], value=0.5),
    case('Pad', (7, 10), [X], pads=[0, 1, 0, 2, 0, 0, 3, 1], mode='reflect'),
    case('Pad', (11, 13), [X], [i(0, 1, 0, -2, 0, 0, 3, 1), np.float32(0.5)]),
    case('Pad', (11, 18), [X], [i(0, 1, 0, 2, 0, 0, 3, 1)], mode='edge'),
    case('Pad', (18,), [X], [i(1, 2, 0, 1), None, i(-1, 1)]),
    case('Slice', (7, 9), [X], axes=[1, 3], starts=[1, -3], ends=[100, -1]),
    case('Slice', (7, 9), [X], starts=[1], ends=[2]),
    case('Slice', (10, 13), [X], [i(-1, 0), i(-100, 4), i(1, 3), i(-1, 2)]),
    case('Slice', (10, 13), [X], [i(-1), i(-np.iinfo(np.int64).max), i(1), i(-2)]),
    case('Slice', (10, 13), [X], [i(1), i(np.iinfo(np.int64).max)]),
    case('Split', (7, 11), [X], n_outputs=2, axis=3, split=[2, 3]),
    case('Split', (13, 18), [X], [i(2, 3)], 2, axis=3),
    case('Split', (7, 13), [X], n_outputs=3, axis=1),
    case('Split', (18,), [X], n_outputs=2, axis=3, num_outputs=2),
    case('Squeeze', (7, 11), [f(2, 1, 3, 1)], axes=[1, 3]),
    case('Squeeze', (13,), [f(2, 1, 3, 1)], [i(-1, 1)]),
    case('Squeeze', (7, 13), [f(2, 1, 3, 1)]),
    case('Unsqueeze', (7, 11), [X], axes=[0, 3]),
    case('Unsqueeze', (13,), [X], [i(-1, 0)]),
    case('Unsqueeze', (13,), [X], [i(-1)]),
    case('Upsample', (7,), [X], scales=[1., 1., 2., 3.]),
    case('Upsample', (9,), [X], [np.float32([1, 1, 2, 1.5])], mode='linear'),
    case('Upsample', (9,), [f(1, 2, 6, 3)], [np.float32([1, 1, 8 / 3, 7 / 3])]),
    case('Resize', (10,), [X], [np.float32([1, 1, 2.5, 0.5])]),
    case('Resize', (10,), [X], [np.float32([1, 1, 2, 3])], mode='linear'),
    case('TopK', (7,), [X], n_outputs=2, k=2, axis=2),
    case('TopK', (10, 11), [X], [i(3)], 2),
    case('TopK', (11,), [X], [i(2)], 2, axis=1, largest=0),
    case('Gemm', ALL, [f(3, 4), f(4, 5), f(5)]),
    case('Gemm', ALL, [f(4, 3), f(5, 4), f(3, 1)],
         transA=1, transB=1, alpha=0.5, beta=2.),
    case('Gemm', ALL, [f(3, 4)], [f(5, 4), f(5)], transB=1),
    case('Gemm', (11,), [f(3, 4), f(4, 5)], alpha=0.5),
    case('BatchNormalization', (7, 9, 14, 15), [X],
         [f(3), f(3), f(3), abs(f(3)) + 1], epsilon=0.01),
    case('OneHot', (9, 11), [i(0, 2, -1, 5)], [i(4), np.float32([0.5, 2])]),
    case('Scatter', (9, 10), [f(3, 4), i(0, 2, 1, 3).reshape(2, 2), f(2, 2)], axis=1),
    case('ScatterElements', (16, 18), [f(3, 4), i(0, 2, 0, 1).reshape(2, 2), f(2, 2)],
         reduction='add'),
    case('ScatterND', (11, 16), [f(4, 3), i(0, 3).reshape(2, 1), f(2, 3)]),
    case('ScatterND', (16, 18), [f(4, 3), i(0, 0).reshape(2, 1), f(2, 3)],
         reduction='add'),
    case('Gather', ALL, [f(5, 3), i(0, -1, 2).reshape(3, 1)]),
    case('Gather', ALL, [X, i(1, 0)], axis=2),
    case('Gather', (13,), [X, np.array(-2)], axis=1),
    case('GatherND', (12, 13), [X, i(0, 1, 2, 0).reshape(2, 2)], batch_dims=1),
    case('PRelu', ALL, [X], [abs(f(3, 1, 1))]),
    case('PRelu', ALL, [X], [abs(f(3, 4, 1))]),
    case('PRelu', ALL, [X], [np.float32([0.3])]),
    case('HardSigmoid', ALL, [X], alpha=0.3, beta=0.4),
    case('Shrink', (9,), [X], lambd=0.6, bias=0.2),
    case('LRN', (7, 13), [X], size=3, alpha=0.1, beta=0.6, bias=1.5),
    case('LpNormalization', (7, 22), [X], axis=2, p=1),
    case('LpNormalization', (7, 22), [X * (X > 0.3)], axis=-1),
    case('GroupNormalization', (18,), [f(2, 4, 5)], [f(2), f(2)], num_groups=2),
    case('GroupNormalization', (21,), [f(2, 4, 5)], [f(4), f(4)], num_groups=2),
    case('InstanceNormalization', (7, 22), [X], [f(3), f(3)]),
    case('LayerNormalization', (17,), [X], [f(4, 5), f(4, 5)], axis=2),
    case('LayerNormalization', (17,), [X], [f(5)]),
    case('Einsum', (12,), [f(2, 3, 4), f(4, 5)], equation='...ij, jk -> ...ik'),
    case('MatMul', ALL, [f(2, 1, 3, 4), f(5, 4, 2)]),
    case('MatMul', ALL, [f(4), f(5, 4, 2)]),
    case('GlobalAveragePool', ALL, [X]),
    case('GlobalMaxPool', ALL, [X]),
    case('DepthToSpace', (7, 13), [f(1, 12, 2, 3)], blocksize=2),
    case('DepthToSpace', (11, 13), [f(1, 12, 2, 3)], blocksize=2, mode='CRD'),
    case('SpaceToDepth', (7, 13), [f(1, 3, 4, 6)], blocksize=2),
    case('MaxRoiPool', (7,), [f(2, 3, 8, 8)],
         [np.float32([[0, 1, 1, 6, 6], [1, 0, 2, 7, 7]])],
         pooled_shape=[2, 3], spatial_scale=0.8),
    case('RoiAlign', (10,), [f(2, 3, 8, 8)],
         [np.float32([[1, 1, 6, 6], [0, 2, 7, 5]]), i(0, 1)], output_height=2,
         output_width=3, spatial_scale=0.8, sampling_ratio=2),
    case('RoiAlign', (16,), [f(2, 3, 8, 8)],
         [np.float32([[1, 1, 6, 6], [0, 2, 7, 5]]), i(0, 1)], output_height=2,
         output_width=2, coordinate_transformation_mode='output_half_pixel'),
    case('CumSum', (11, 14), [X], [np.array(2)], reverse=1, exclusive=1),
    case('SoftmaxCrossEntropyLoss', (12, 13),
         [f(4, 3), i(0, 2, 1, 2)], [abs(f(3))], 2, reduction='mean', ignore_index=1),
    case('NegativeLogLikelihoodLoss', (12, 13, 22),
         [f(4, 3, 2), i(0, 2, 1, 2, 0, 1, 1, 0).reshape(4, 2)], reduction='sum'),
    case('Trilu', (14,), [X], [np.array(1)], upper=0),
]

CASES += [
    case(name, (opset,), [X], axes=[1, -1], keepdims=keepdims)
    for name in ('ReduceSum', 'ReduceMean', 'ReduceMax', 'ReduceMin', 'ReduceProd',
                 'ReduceL1', 'ReduceL2', 'ReduceSumSquare', 'ReduceLogSumExp')
    for opset, keepdims in [(11, 0), (11, 1)] + [(12, 1)] * (name == 'ReduceSum')]
CASES += [
    case(name, (18,), [X], [i(1, -1)], keepdims=keepdims)
    for name in ('ReduceSum', 'ReduceMean', 'ReduceMax', 'ReduceLogSumExp')
    for keepdims in (0, 1)]
CASES += [case(name, (7, 18), [X]) for name in ('ReduceSum', 'ReduceLogSumExp')]
CASES += [
    case('ReduceSum', (13,), [X], noop_with_empty_axes=1),
    case('ReduceLogSum', (18,), [abs(X)], [i(1)]),
]
CASES += [case(name, (11, 13), [X], axis=-1, keepdims=k) for name, k in
          itertools.product(('ArgMax', 'ArgMin'), (0, 1))]
CASES += [case('ArgMax', (13,), [np.float32([[1, 3, 3]])], axis=1, select_last_index=1)]

for mode, coordinates in itertools.product(
        ('nearest', 'linear', 'cubic'),
        ('half_pixel', 'pytorch_half_pixel', 'align_corners', 'asymmetric')):
    settings = {'mode': mode, 'coordinate_transformation_mode': coordinates}
    CASES += [
        case('Resize', (11, 13, 19), [f(1, 2, 4, 6)],
             [EMPTY, EMPTY, i(1, 2, 6, 3)], **settings),
        case('Resize', (11, 13), [f(1, 2, 4, 4)],
             [EMPTY, np.float32([1, 1, 2, 2])], **settings),
    ]
CASES += [
    case('Resize', (11, 13), [f(1, 2, 4, 6)], [EMPTY, EMPTY, i(1, 2, 7, 4)],
         mode='nearest', nearest_mode=mode)
    for mode in ('round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil')]
CASES += [
    case('Resize', (11, 13), [f(1, 2, 4, 6)], [EMPTY, EMPTY, i(1, 2, 7, 9)],
         mode='cubic', exclude_outside=1, cubic_coeff_a=-0.5),
    case('Resize', (18, 19), [f(1, 2, 4, 6)], [None, None, i(7, 9)],
         mode='linear', axes=[2, -1]),
]

IMAGES = f(2, 4, 7, 6)
for window in [
        {'strides': [2, 1], 'pads': [1, 0, 1, 0]}, {'pads': [0, 1, 1, 2]},
        {'strides': [2, 2], 'auto_pad': 'SAME_UPPER'},
        {'strides': [3, 2], 'auto_pad': 'SAME_LOWER'}, {'auto_pad': 'VALID'}]:
    for kind in ({}, {'dilations': [2, 1]}, {'group': 2}):
        if {'dilations', 'strides'} <= {*kind, *window} and 'auto_pad' in window:
            continue    # not in onnxruntime
        weights = f(6, 4 // kind.get('group', 1), 3, 2)
        CASES.append(case('Conv', (7, 11, 22), [IMAGES], [weights, f(6)],
                          **window, **kind))
    pooled = {'kernel_shape': [3, 3], **window}
    CASES.append(case('MaxPool', (7, 12, 22), [IMAGES], **pooled))
    for include in (0, 1):
        CASES.append(case('AveragePool', (7, 11, 19, 22), [IMAGES],
                          count_include_pad=include, **pooled))
for pads, include in itertools.product(([0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 0, 1]),
                                       (0, 1)):
    ceiling = {'kernel_shape': [3, 2], 'strides': [3, 4], 'ceil_mode': 1, 'pads': pads}
    CASES.append(case('AveragePool', (19, 22), [IMAGES], count_include_pad=include,
                      **ceiling))
    CASES.append(case('MaxPool', (10, 22), [IMAGES], **ceiling))
CASES += [
    case('MaxPool', (12,), [f(2, 3, 9)], kernel_shape=[3], strides=[2]),
    case('AveragePool', (11,), [f(1, 2, 4, 5, 6)], kernel_shape=[2, 3, 2]),
    case('Conv', (11,), [f(2, 4, 9)], [f(2, 4, 3)], pads=[1, 1]),
    case('Conv', (11,), [f(1, 2, 4, 5, 6)], [f(3, 2, 2, 2, 2), f(3)]),
]
for window in [
        {}, {'strides': [2, 3], 'pads': [1, 1, 1, 1]}, {'pads': [1, 0, 0, 2]},
        {'strides': [2, 3], 'output_padding': [1, 2]},
        {'strides': [2, 2], 'output_shape': [14, 12]},
        {'strides': [2, 2], 'output_shape': [13, 11]},
        {'strides': [2, 2], 'auto_pad': 'SAME_UPPER'},
        {'strides': [2, 2], 'auto_pad': 'SAME_LOWER'}, {'dilations': [2, 1]},
        {'group': 2}]:
    CASES.append(case('ConvTranspose', (7, 11, 22), [IMAGES],
                      [f(4, 3, 3, 3), f(3 * window.get('group', 1))], **window))
CASES.append(case('ConvTranspose', (11,), [f(2, 4, 9)], [f(4, 3, 3)], strides=[2]))

STEPS, BATCH, WIDTH, SIZE = 4, 3, 5, 2
for name, gates in ('RNN', 1), ('GRU', 3), ('LSTM', 4):
    for direction, more in itertools.product(
            ('forward', 'reverse', 'bidirectional'),
            ({}, {'lengths': np.int32([2, 4, 1])}, {'layout': 1}, {'bias': False})):
        if more.pop('layout', 0):
            continue    # not in onnxruntime; the examples of onnx have it
        count = 2 if direction == 'bidirectional' else 1
        states = [f(count, BATCH, SIZE)] * (2 if name == 'LSTM' else 1)
        settings = {'hidden_size': SIZE, 'direction': direction}
        if name == 'GRU':
            settings['linear_before_reset'] = int('lengths' not in more)
        if name == 'RNN' and 'bias' in more:
            settings['activations'] = ['Relu'] * count
        CASES.append(case(
            name, (7, 14), [f(STEPS, BATCH, WIDTH)],
            [f(count, gates * SIZE, WIDTH), f(count, gates * SIZE, SIZE),
             f(count, 2 * gates * SIZE) if 'bias' not in more else None,
             more.get('lengths'), *([] if 'bias' in more else states)],
            3 if name == 'LSTM' else 2, **settings))

CASES = [(name, opset, *rest) for name, opsets, *rest in CASES for opset in opsets]


def _inputs(inputs, initializers):
    given = {'x%d' % k: x for k, x in enumerate(inputs)}
    fixed = {'w%d' % k: x if x is None else np.asarray(x)
             for k, x in enumerate(initializers)}
    return given, fixed


@pytest.mark.parametrize(
    'name, opset, inputs, initializers, n_outputs, attributes', CASES,
    ids=['%s-%d-%d' % (case[0], case[1], k) for k, case in enumerate(CASES)])
def test_forms(device, name, opset, inputs, initializers, n_outputs, attributes):
    given, fixed = _inputs(inputs, initializers)
    model = models.one_node(name, given, attributes, fixed, opset, n_outputs)
    expected = runtime.compute(model, given)
    chain = device.send(load(model))
    with chainer_fast.using_config('train', False):
        results = models.arrays(chain(*device.send(list(given.values()))))
    assert all([isinstance(y, device.xp.ndarray) for y in results])
    models.assert_same(to_cpu(results), expected)


@pytest.mark.parametrize('operator', ['Add', 'Sub', 'Mul', 'Div', 'Pow'])
@pytest.mark.parametrize('left', [True, False])
@pytest.mark.parametrize('opset', [7, 14])
def test_arithmetic_with_constants(operator, left, opset):
    x, number = abs(f(3, 4)) + 1, np.float32(1.7)
    arrays = {'n': None, 'x': x} if left else {'x': x, 'n': None}
    node = models.helper.make_node(operator, list(arrays), ['y'])
    constant = models.helper.make_node(
        'Constant', [], ['n'], value=models.numpy_helper.from_array(np.array(number)))
    model = models.model([constant, node], {'x': x}, ['y'], opset=opset)
    chain = load(model)
    assert not list(chain.params())
    models.assert_same(
        models.arrays(chain(x)), runtime.compute(model, {'x': x}))
